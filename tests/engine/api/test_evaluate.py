"""A placement made by hand: what is read, what is refused, and that our own tables come back to the same figures."""

import json

import pytest

import heteroopt as hopt
from heteroopt.cli import main
from heteroopt.deployment.csv_cells import write_csv
from heteroopt.deployment.placement_reader import parse_placement
from heteroopt.graph.samples import bert_encoder_onnx
from tests.engine.api.documents import diamond

SMALL = bert_encoder_onnx(layers=1, hidden=64, heads=2, seq=16)
HAND = {"a": "gpu0", "left": "gpu0", "right": "npu0", "join": "gpu0"}


def rows(**orders):
    return [{"operator": name, "device": HAND[name], "order": order} for name, order in orders.items()]


def assess(placement, **options):
    tables = hopt.load_tables(diamond())
    return hopt.evaluate(tables.graph, tables.pool, placement, costs=tables.costs, **options)


@pytest.fixture(scope="module")
def bert():
    return hopt.Graph.from_onnx(SMALL), hopt.load_sample_pool("data_center")


def test_a_hand_made_placement_is_decoded():
    plan = assess(HAND)
    # On the GPU a (1), left (3) and join (1); meanwhile 1 MB at 10 GB/s + 20 us to the NPU, 2.5 there, and back.
    assert plan.exec_time == 5.0
    assert {row["name"]: row["start_ms"] for row in plan.operators} == {"a": 0, "left": 1, "right": 1.12, "join": 4}
    assert plan.placement == HAND
    assert plan.feasible
    assert plan.order_source == "critical_path_rank"
    assert not plan.unfused
    # From left 4 ms remain (3 + 1), from right 3.62 (2.5 + 0.12 + 1).
    assert [row["name"] for row in plan.operators] == ["a", "left", "right", "join"]
    assert all(row["reason"]["code"] for row in plan.operators)
    assert "Placement of diamond" in plan.summary()
    assert plan.explain("right")["device"] == "npu0"


def test_the_order_given_is_kept():
    assert [row["name"] for row in assess(rows(a=3, right=5, left=9, join=12)).operators] == [
        "a", "right", "left", "join"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("placement", "code", "named"),
    [
        ({**HAND, "b": "gpu0", "c": "gpu0"}, "placement_unknown_operator", {"operators": ["b", "c"], "count": 2}),
        ({"a": "gpu0", "left": "gpu0"}, "placement_missing", {"operators": ["right", "join"]}),
        ({**HAND, "left": "tpu"}, "placement_unknown_device", {"devices": ["tpu"]}),
        ({**HAND, "join": "npu0"}, "placement_unsupported", {"operator": "join", "device": "npu0", "op_type": "Conv"}),
        (rows(left=0, a=1, right=2, join=3), "placement_precedence", {"operator": "left", "producer": "a"}),
        ([*rows(a=0, left=1, right=2, join=3), *rows(a=4)], "placement_duplicate", {"operators": ["a"]}),
        (rows(a=0, left=1, right=1, join=3), "placement_order_duplicate", {"orders": ["1"]}),
        (rows(a=0, left=1, right=None, join=3), "placement_order_partial", {"operators": ["right"]}),
        (rows(a=0, left=-1), "placement_row", {"row": 2}),
        ([{"operator": "a", "device": "gpu0", "oder": 1}], "placement_row", {"row": 1}),
        ([["a", "gpu0"]], "placement_row", {"row": 1}),
        ({"a": 3}, "placement_row", {"row": 1}),
        ({}, "placement_empty", {}),
        ([], "placement_empty", {}),
    ],
)
def test_what_is_wrong_is_named(placement, code, named):
    with pytest.raises(hopt.PlanError) as caught:
        assess(placement)
    assert caught.value.code == code
    assert named.items() <= caught.value.params.items()


def test_pins_and_forbidden_devices_hold():
    with pytest.raises(hopt.PlanError) as caught:
        assess(HAND, pins={"left": "npu0"})
    assert (caught.value.code, caught.value.params["operator"]) == ("placement_pinned", "left")
    with pytest.raises(hopt.PlanError) as caught:
        assess(HAND, forbidden_devices=["npu0"])
    assert (caught.value.code, caught.value.params["operators"]) == ("placement_forbidden", ["right on npu0"])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("operator,device\r\na,gpu0\r\n\r\nb,cpu0\r\n", None),
        ("\N{ZERO WIDTH NO-BREAK SPACE}name,device,order\na,gpu0,1\nb,cpu0,0\n", None),
        ('{"a": "gpu0", "b": "cpu0"}', None),
        (' [{"operator": "a", "device": "gpu0"}, {"operator": "b", "device": "cpu0"}]', None),
        ('{"placement": [{"operator": "a", "device": "gpu0"}, {"operator": "b", "device": "cpu0"}]}', None),
        ('{"a": "gpu0", "a": "cpu0"}', "placement_duplicate"),
        ("operator,gpu\na,gpu0\n", "placement_columns"),
        ("operator\na\n", "placement_columns"),
        ("operator,name,device\na,a,gpu0\n", "placement_columns"),
        ("operator,device\na\n", "placement_row"),
        ("operator,device,order\na,gpu0,first\n", "placement_row"),
        ("operator,device,order\na,gpu0,1\nb,gpu0,\n", "placement_order_partial"),
        ("operator,device\na,\n", "placement_row"),
        ('operator,device\n"a,gpu0\n', "placement_unreadable"),
        ("operator,device\n", "placement_empty"),
        ("", "placement_columns"),
        ("{", "placement_unreadable"),
        ("[" * 100_000, "placement_unreadable"),
        ('"a"', "placement_columns"),
    ],
)
def test_files_are_read_strictly(text, code):
    if code is None:
        assert {(row.operator, row.device) for row in parse_placement(text)} == {("a", "gpu0"), ("b", "cpu0")}
        return
    with pytest.raises(hopt.PlanError) as caught:
        parse_placement(text)
    assert caught.value.code == code


@pytest.mark.parametrize("fuse", [True, False])
def test_our_own_tables_come_back_to_the_same_figures(bert, fuse, tmp_path):
    graph, pool = bert
    result = hopt.Scheduler(graph, pool, fuse=fuse, generations=5, population_size=16).run(seed=1)
    table, document = tmp_path / "operators.csv", tmp_path / "plan.json"
    for solution in result.pareto_front[:: max(1, len(result.pareto_front) // 4)]:
        table.write_bytes(solution.to_csv().encode())
        solution.save(document)
        for path in (table, document):
            plan = hopt.evaluate(graph, pool, path)
            assert plan.unfused is not fuse
            assert plan.split_operators == () or not fuse
            assert plan.order_source == "given"
            values = plan.to_dict()
            kept = {key: value for key, value in solution.to_dict().items() if key != "number"}
            assert {key: values[key] for key in kept} == kept
            assert plan.to_csv() == solution.to_csv()
        # Every operator of the model by name, without order: the same placement on the fused graph.
        again = hopt.evaluate(graph, pool, solution.placement, fuse=fuse)
        assert again.placement == solution.placement
        assert not again.unfused


def test_a_placement_that_splits_a_fused_operator_is_evaluated_without_fusion(bert):
    graph, pool = bert
    fused = hopt.Scheduler(graph, pool, generations=0, population_size=4).graph
    cluster = next(operator for operator in fused.operators if len(operator.members) > 1)
    placement = dict.fromkeys((operator.name for operator in graph.operators), "gpu0")
    whole = hopt.evaluate(graph, pool, placement)
    assert not whole.unfused
    placement[graph.operators[cluster.members[-1]].name] = "cpu0"
    plan = hopt.evaluate(graph, pool, placement)
    assert plan.unfused
    assert plan.split_operators == (cluster.name,)
    assert plan.placement == placement
    assert "splits 1 fused operators" in plan.summary()
    # An order of the model's operators is taken over to the fused ones.
    ordered = [{"operator": op.name, "device": "gpu0", "order": op.index} for op in graph.operators]
    assert not hopt.evaluate(graph, pool, ordered).unfused


def test_names_that_look_like_formulas_come_back():
    text = write_csv(["operator", "device"], [["=a", "gpu0"], ["'b", "gpu0"], ["c,d", "gpu0"]])
    assert [row.operator for row in parse_placement(text)] == ["=a", "'b", "c,d"]


@pytest.fixture
def files(tmp_path):
    tables, placement = tmp_path / "tables.json", tmp_path / "placement.json"
    tables.write_text(json.dumps(diamond()))
    placement.write_text(json.dumps(HAND))
    return ["evaluate", "--tables", str(tables), "--placement", str(placement)]


def test_the_command_reports_and_writes_a_plan(files, tmp_path, capsys):
    out, table = tmp_path / "PLAN.json", tmp_path / "operators.csv"
    assert main([*files, "--json", "--out", str(out), "--csv", str(table)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["plan"]["exec_time_ms"] == 5.0
    assert answer["plan"]["order_source"] == "critical_path_rank"
    assert len(answer["operators"]) == 4
    assert main(["explain", str(out), "--operator", "right"]) == 0
    assert main(["select", str(out)]) == 0
    capsys.readouterr()
    again = [*files[:-1], str(table), "--json"]
    assert main(again) == 0
    assert json.loads(capsys.readouterr().out)["plan"]["exec_time_ms"] == answer["plan"]["exec_time_ms"]
    assert main(files) == 0
    assert "no order given" in capsys.readouterr().out


def test_the_command_says_when_it_does_not_fit(files, capsys):
    assert main([*files, "--max-memory-gb", "0.0000001"]) == 3
    assert "does not fit" in capsys.readouterr().out


def test_the_command_names_what_is_wrong(files, tmp_path, capsys):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("operator,device\na,gpu9\n")
    assert main([*files[:-1], str(wrong), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "placement_missing"
    assert main([*files[:-1], str(tmp_path / "none.csv")]) == 1
    assert "cannot be read" in capsys.readouterr().err
    assert main(["evaluate", "--placement", str(wrong)]) == 2
