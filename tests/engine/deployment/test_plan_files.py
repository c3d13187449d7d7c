"""Plan files: schema, hashes, every original operator mapped, decoded again to the same plan; CSV and HTML."""

import base64
import copy
import csv
import hashlib
import io
import json
import re
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import heteroopt as hopt
from heteroopt.api.stored import stored_measures, stored_plan
from heteroopt.cli import main as command
from heteroopt.deployment.operator_csv import members_text
from heteroopt.deployment.plan_json import dump_document, plan_document
from heteroopt.deployment.plan_reader import checked_document, plan_schema
from heteroopt.deployment.report_html import embedded_data, report_html
from heteroopt.deployment.trace_events import trace_events
from heteroopt.errors import PlanError
from heteroopt.graph.samples import bert_encoder_onnx
from tests.engine.api.documents import diamond


@pytest.fixture(scope="module")
def fused():
    graph = hopt.Graph.from_onnx(bert_encoder_onnx(layers=1, hidden=64, heads=2, seq=16), name="<b>tiny</b>")
    return hopt.Scheduler(graph, hopt.load_sample_pool("data_center"), generations=5, population_size=16).run(seed=7)


@pytest.fixture(scope="module")
def document(fused):
    return json.loads(fused.select("fastest").to_json())


def test_the_file_follows_its_schema(fused, document):
    schema = plan_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    single = json.loads(fused.pareto_front[-1].to_json(with_search=False))
    jsonschema.validate(single, schema)
    assert (single["search"], single["inputs"]) == (None, None)
    broken = copy.deepcopy(document)
    broken["plan"]["exec_time_ms"] = -1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


def test_joules_say_where_they_are_from_in_every_file_and_text(fused, document):
    solution = fused.select("fastest")
    assert document["plan"]["energy_sources"] == document["reference"]["energy_sources"] == ["template"]
    assert {tuple(plan["energy_sources"]) for plan in document["search"]["front"]} == {("template",)}
    energies = [line for line in solution.summary().splitlines() if " J" in line]
    assert len(energies) == 2 and all("(template)" in line for line in energies)
    joules = [event["args"] for event in trace_events(stored_plan(document)) if "energy_j" in event.get("args", {})]
    assert joules and {row["energy_source"] for row in joules} == {"template"}


def test_every_operator_of_the_model_is_mapped_once(fused, document):
    original = fused.graph.original
    assert [row["name"] for row in document["placement"]] == [op.name for op in original.operators]
    members = [name for row in document["operators"] for name in row["members"]]
    assert sorted(members) == sorted(op.name for op in original.operators)
    device = {row["index"]: row["device"] for row in document["operators"]}
    assert all(row["device"] == device[row["scheduled_in"]] for row in document["placement"])


def test_what_the_plan_depends_on_is_recorded(fused, document):
    solution = fused.select("fastest")
    assert document["hashes"]["plan"] == solution.hash
    assert document["hashes"]["model"] == fused.graph.original.content_hash
    assert document["hashes"]["graph"] == fused.graph.content_hash
    assert document["hashes"]["pool"] == fused.pool.content_hash
    assert document["hashes"]["costs"] == fused.costs.content_hash
    assert (document["seed"], document["engine_version"]) == (7, hopt.__version__)
    assert document["settings"]["population_size"] == 16
    assert document["plan"]["exec_time_ms"] == solution.exec_time
    assert document["plan"]["energy_x"] == solution.energy_x


def test_settings_and_constraints_change_their_hash():
    tables = hopt.load_tables(diamond())

    def hashes(**arguments):
        scheduler = hopt.Scheduler(
            tables.graph, tables.pool, costs=tables.costs, **{"generations": 2, "population_size": 8, **arguments}
        )
        return json.loads(scheduler.run().pareto_front[0].to_json())["hashes"]["settings"]

    assert hashes() == hashes()
    assert (
        len({hashes(), hashes(generations=3), hashes(pins={"left": "gpu0"}), hashes(forbidden_devices=["npu0"])}) == 4
    )


def test_operators_come_in_order_with_times_that_fit(document):
    rows = document["operators"]
    assert [row["order"] for row in rows] == list(range(len(rows)))
    assert max(row["end_ms"] for row in rows) <= document["plan"]["exec_time_ms"]
    assert all(row["end_ms"] - row["start_ms"] == pytest.approx(row["time_ms"], abs=1e-9) for row in rows)
    assert all(row["reason"]["code"] for row in rows)


def test_the_same_plan_gives_the_same_bytes(fused):
    assert fused.pareto_front[0].to_json() == fused.pareto_front[0].to_json()


def test_an_operator_and_a_plan_take_one_line_each(fused, document, tmp_path):
    text = fused.select("fastest").to_json()
    lines = text.splitlines()
    starts = [line.strip().startswith('{"index": ') for line in lines]
    assert sum(starts) == len(document["operators"])
    assert sum(line.strip().startswith('{"number": ') for line in lines) == len(document["search"]["front"])
    path = tmp_path / "plan.json"
    fused.select("fastest").save(path)
    assert path.read_bytes() == text.encode()


def test_a_document_with_infinity_is_not_written(document):
    with pytest.raises(ValueError, match="JSON compliant"):
        dump_document({**document, "seed": float("inf")})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=30,
)


@given(document=st.dictionaries(st.text(max_size=5), VALUES, max_size=5))
def test_every_document_is_read_back_as_it_was(document):
    text = dump_document(document)
    assert json.loads(text) == document
    assert text.endswith("\n")


def test_any_plan_of_the_front_can_be_decoded_again(fused, document):
    own = stored_plan(document)
    assert own.content_hash == document["hashes"]["plan"]
    for solution in (fused.pareto_front[0], fused.pareto_front[-1]):
        plan = stored_plan(document, solution.number)
        assert plan.content_hash == solution.hash
        assert plan.schedule.makespan_ps / 1e9 == solution.exec_time


def test_a_file_of_one_plan_keeps_every_figure_when_it_is_written_again(document):
    single = copy.deepcopy(document)
    single["search"] = None
    further = {"key": "of_a_plugin", "name": "Of a plugin", "unit": "W", "direction": "min"}
    single["plan"]["measures"].append({**further, "value": 3.0, "reference": 4.0, "multiple": 0.75})
    plan = stored_plan(single)
    again = plan_document(plan, with_inputs=True)
    assert len(again["plan"]["measures"]) > 4 and plan.measures["of_a_plugin"].multiple == 0.75
    assert {key: again[key] for key in ("plan", "hashes", "placement", "inputs")} == {
        key: single[key] for key in ("plan", "hashes", "placement", "inputs")
    }
    single["plan"]["measures"][0]["value"] = 1e9  # what can be decoded is not believed
    assert plan_document(stored_plan(single))["plan"]["measures"] == plan_document(plan)["plan"]["measures"]
    del single["plan"]["measures"][0]["unit"]
    with pytest.raises(PlanError) as caught:
        stored_plan(single)
    assert caught.value.code == "plan_damaged"


def test_damaged_files_are_refused(tmp_path, document, fused):
    with pytest.raises(PlanError) as caught:
        hopt.read_plan(tmp_path / "none.json")
    assert caught.value.code == "plan_file"
    path = tmp_path / "plan.json"
    for text, code in (("{", "plan_file"), ("[" * 100_000, "plan_file"), ("[]", "plan_format"), ("{}", "plan_format")):
        path.write_text(text)
        with pytest.raises(PlanError) as caught:
            hopt.read_plan(path)
        assert caught.value.code == code
    with pytest.raises(PlanError) as caught:
        checked_document({**document, "format_version": 3})
    assert caught.value.code == "plan_format"
    with pytest.raises(PlanError) as caught:
        checked_document({key: value for key, value in document.items() if key != "placement"})
    assert caught.value.code == "plan_incomplete"
    bare = json.loads(fused.pareto_front[0].to_json(with_search=False))
    for damaged, code in (
        (bare, "plan_without_inputs"),
        ({**document, "inputs": {**document["inputs"], "order": [0, 0]}}, None),
        ({**document, "inputs": {**document["inputs"], "order": None}}, "plan_damaged"),
        ({**document, "inputs": {**document["inputs"], "costs": {"time_ps": []}}}, None),
    ):
        with pytest.raises(hopt.HeteroOptError) as caught_any:
            stored_plan(damaged)
        assert code is None or caught_any.value.code == code
    with pytest.raises(PlanError) as caught:
        stored_plan(document, 10_000)
    assert caught.value.code == "plan_number"


def test_a_file_of_the_first_version_is_read(tmp_path, capsys):
    """It was written by the engine of that version, which knew time, energy and balance only."""
    path = Path(__file__).parents[2] / "fixtures" / "plan-v1.json"
    document = hopt.read_plan(path)
    assert (document["format_version"], "measures" in document["search"]) == (1, False)
    schema = json.loads((files("heteroopt.deployment") / "schema" / "plan-v1.schema.json").read_text("utf-8"))
    jsonschema.validate(document, schema)

    own = stored_plan(document)
    assert own.content_hash == document["hashes"]["plan"]
    assert own.schedule.makespan_ps / 1e9 == document["plan"]["exec_time_ms"]
    keys, measures = stored_measures(document)
    assert keys == tuple(measures) == ("exec_time_ms", "energy_j", "load_balance")
    for row, plan in enumerate(document["search"]["front"]):
        assert [measures[key].values[row] for key in keys] == [plan[key] for key in keys]
        assert measures["energy_j"].multiples[row] == pytest.approx(plan["energy_x"])
        assert stored_plan(document, plan["number"]).content_hash == plan["hash"]

    written = tmp_path / "plan.json"
    assert command(["select", str(path), "--style", "least_energy", "--out", str(written), "--json"]) == 0
    chosen = json.loads(capsys.readouterr().out)["plan"]
    assert chosen["energy_j"] == min(plan["energy_j"] for plan in document["search"]["front"])
    newer = hopt.read_plan(written)
    assert newer["format_version"] == 2
    assert newer["hashes"]["plan"] == chosen["hash"]
    assert command(["explain", str(path), "--operator", "left", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["reason"]["code"]


@pytest.mark.parametrize("version", [0, 3, "1", None])
def test_a_file_of_an_unknown_version_is_refused_by_name(version, tmp_path, capsys, document):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({**document, "format_version": version}))
    assert command(["select", str(path)]) == 1
    text = capsys.readouterr().err
    assert f"format version {version!r}; this engine reads 1 and 2" in text
    assert "Update HeteroOpt" in text


def test_operator_table_as_csv(fused):
    solution = fused.pareto_front[0]
    rows = list(csv.DictReader(io.StringIO(solution.to_csv(), newline="")))
    assert len(rows) == len(fused.graph.operators)
    table = solution.operators
    assert [row["device"] for row in rows] == [row["device"] for row in table]
    assert [float(row["time (ms)"]) for row in rows] == [row["time_ms"] for row in table]
    assert [float(row["energy (J)"]) for row in rows] == [row["energy_j"] for row in table]
    assert all(row["reason"] and row["reason code"] for row in rows)
    assert fused.to_csv().count("\r\n") == len(fused.pareto_front) + 1


def test_hostile_names_stay_text_in_every_format(tmp_path):
    document = diamond()
    names = {"a": "=cmd|calc", "left": 'x,"y"', "right": "<img src=x onerror=alert(1)>", "join": "https://example.org"}
    text = json.dumps(document)
    for old, new in names.items():
        text = text.replace(f'"{old}"', json.dumps(new))
    tables = hopt.load_tables(json.loads(text))
    result = hopt.Scheduler(tables.graph, tables.pool, costs=tables.costs, generations=2, population_size=8).run()
    rows = list(csv.DictReader(io.StringIO(result.pareto_front[0].to_csv(), newline="")))
    assert {row["name"] for row in rows} == {"'=cmd|calc", *list(names.values())[1:]}
    path = tmp_path / "report.html"
    result.save_html(path)
    report = path.read_text("utf-8")
    assert "<img" not in re.sub(r"<script.*?</script>", "", report, flags=re.DOTALL)


def test_the_report_is_self_contained(fused, tmp_path):
    path = tmp_path / "report.html"
    fused.save_html(path, fused.select("least_energy"))
    report = path.read_text("utf-8")
    outside_scripts = re.sub(r"<script.*?</script>", "", report, flags=re.DOTALL)
    assert not re.search(r"""(src|href)\s*=""", outside_scripts)
    assert not re.search(r"<script[^>]+src", report)
    assert "default-src 'none'" in report
    assert "&lt;b&gt;tiny&lt;/b&gt;" in report
    assert "<b>tiny" not in outside_scripts
    script = re.search(r"<script>(.*?)</script>", report, flags=re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in report
    for heading in ("Pareto front", "Devices", "Timeline", "Operators", "Provenance", "帕累托前沿"):
        assert heading in script
    assert not re.search(r"innerHTML|eval\(|https?://(?!www.w3.org/2000/svg)", script)


def test_the_report_shows_what_the_plan_has(fused):
    solution = fused.select("least_energy")
    data = embedded_data(report_html(solution.plan, fused.front))
    assert data["chosen"] == solution.number - 1
    assert [axis["values"][data["chosen"]] for axis in data["axes"]] == [
        solution.exec_time, solution.energy, solution.load_balance,
    ]  # fmt: skip
    assert [row[0] for row in data["operators"]] == [row["name"] for row in solution.operators]
    assert all(row[3] for row in data["operators"])
    assert data["end"] == max(bar[1] for bars in data["bars"] for bar in bars)
    assert len(report_html(solution.plan)) < len(report_html(solution.plan, fused.front))
    # A figure that is better the higher it is stands there as the page shows it: value over the default plan's.
    (throughput,) = [row for row in data["values"] if row[0].startswith("Throughput")]
    assert throughput[2] == pytest.approx(throughput[1] / throughput[3])


def test_the_figure_shows_every_plan_the_default_plan_and_the_knee(fused):
    figure = fused.plot()
    by_name = {trace.name: trace for trace in figure.data}
    assert len(by_name["Plans"].x) == len(fused.pareto_front)
    assert list(by_name["Plans"].x) == [plan.exec_time for plan in fused.pareto_front]
    assert by_name["Default plan"].x[0] == fused.default_plan["exec_time_ms"]
    assert "&lt;b&gt;" in figure.layout.title.text


def test_names_with_blanks_can_be_read_back_from_the_table(fused):
    solution = fused.select("fastest")
    rows = list(csv.DictReader(io.StringIO(solution.to_csv(), newline="")))
    assert [json.loads(row["model operators"]) for row in rows] == [row["members"] for row in solution.operators]
    assert json.loads(members_text(["a b", '=c "d"', "e"])) == ["a b", '=c "d"', "e"]
