"""The names of ``import heteroopt as hopt``: a script as users write it, and what each call promises."""

import inspect
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from plotly.graph_objects import Figure

import heteroopt as hopt
from heteroopt.graph.samples import bert_encoder_onnx
from tests.engine.api.documents import diamond

SMALL = bert_encoder_onnx(layers=1, hidden=64, heads=2, seq=16)


@pytest.fixture(scope="module")
def result():
    tables = hopt.load_tables(diamond())
    return hopt.Scheduler(tables.graph, tables.pool, costs=tables.costs, generations=10, population_size=16).run(seed=3)


def test_a_users_script_runs_as_written(tmp_path):
    graph = hopt.Graph.from_onnx(SMALL)
    assert len(graph.nodes) > 10
    assert len(graph.edges) >= len(graph.nodes) - 1
    assert "MatMul" in {node.op_type for node in graph.nodes}
    devices = hopt.DevicePool(
        [
            hopt.DeviceSpec(template="NVIDIA_A100_40G", name="gpu0"),
            hopt.DeviceSpec(template="Intel_Xeon_8480", name="cpu0"),
            hopt.DeviceSpec(template="Ascend_910", name="npu0"),
        ]
    )
    objectives = [
        hopt.Objective(type="exec_time", weight=0.5),
        hopt.Objective(type="energy", weight=0.3),
        hopt.Objective(type="load_balance", weight=0.2),
    ]
    scheduler = hopt.Scheduler(
        graph=graph,
        devices=devices,
        objectives=objectives,
        constraints=[hopt.MemoryConstraint(max_memory_gb=15)],
        population_size=16,
        generations=5,
        mutation_prob=0.15,
    )
    result = scheduler.run(seed=42)
    assert isinstance(result, hopt.Result)
    times = [plan.exec_time for plan in result.pareto_front]
    assert times == sorted(times)
    assert all(plan.energy > 0 and plan.load_balance >= 0 for plan in result.pareto_front)
    best = result.select(style="weighted", weights=[0.5, 0.3, 0.2])
    assert isinstance(best, hopt.Solution)
    assert best.number == result.select().number
    summary = best.summary()
    assert f"Plan {best.number} of {len(result.pareto_front)}" in summary
    assert "everything on gpu0" in summary
    assert set(best.placement) == {node.name for node in graph.nodes}
    assert set(best.placement.values()) <= {"gpu0", "cpu0", "npu0"}
    assert isinstance(result.plot(), Figure)


def test_the_result_is_never_slower_than_any_single_device(result):
    assert result.default_plan["device"] == "gpu0"
    fastest = result.select("fastest")
    assert fastest.exec_time_x <= 1.0
    assert fastest.exec_time == result.pareto_front[0].exec_time


def test_the_same_seed_gives_the_same_front(result):
    again = result.scheduler.run(seed=3)
    assert [plan.hash for plan in again.pareto_front] == [plan.hash for plan in result.pareto_front]
    assert again.to_dict() == result.to_dict()


def test_choosing(result):
    least = result.select("least_energy")
    assert least.energy == min(plan.energy for plan in result.pareto_front)
    balanced = result.select("most_balanced")
    assert balanced.load_balance == min(plan.load_balance for plan in result.pareto_front)
    assert result.select("knee").number >= 1
    by_name = result.select(weights={"time": 1})
    assert by_name.number == result.select("fastest").number
    within = result.select("constrained", weights={"energy": 1.0}, maximum={"exec_time_x": 1.0})
    assert within.exec_time_x <= 1.0
    assert within.energy == min(plan.energy for plan in result.pareto_front if plan.exec_time_x <= 1.0)


def test_when_nothing_satisfies_the_nearest_plan_is_named(result):
    with pytest.raises(hopt.PlanError) as caught:
        result.select(maximum={"exec_time": 1e-6, "energy": 1e9})
    params = caught.value.params
    assert caught.value.code == "none_satisfies"
    assert params["removed_by"] == {"exec_time_ms.max": len(result.pareto_front), "energy_j.max": 0}
    assert params["nearest"] == 1
    assert params["violation"]["exec_time_ms.max"] == pytest.approx(result.pareto_front[0].exec_time - 1e-6)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda r: r.select("best"), "style_unknown"),
        (lambda r: r.select(weights=[0, 0, 0]), "weights_zero"),
        (lambda r: r.select(weights=[1, -1, 1]), "weights_invalid"),
        (lambda r: r.select(weights=[1, 1]), "weights_invalid"),
        (lambda r: r.select(weights={"speed": 1}), "objective_unknown"),
        (lambda r: r.select(maximum={"exec_time": float("nan")}), "bound_invalid"),
        (lambda r: r.select(maximum={"time": 1.0, "exec_time_x": 1.0}), "bound_twice"),
        (lambda r: hopt.Objective(type="beauty"), "objective_unknown"),
        (lambda r: hopt.Objective(type="energy", weight=-1), "weights_invalid"),
        (lambda r: hopt.MemoryConstraint(max_memory_gb=0), "memory_limit"),
        (lambda r: hopt.Scheduler(r.graph, r.pool, objectives=[]), "objectives_invalid"),
        (lambda r: hopt.Scheduler(r.graph, r.pool, costs=r.costs, constraints=["x"]), "constraint_unknown"),
        (lambda r: hopt.Scheduler(r.graph, r.pool, costs=r.costs, pins={"z": "gpu0"}), "unknown_operator"),
        (lambda r: hopt.Scheduler(r.graph, r.pool, costs=r.costs, forbidden_devices=["z"]), "unknown_device"),
        (lambda r: hopt.Scheduler(r.graph, r.pool, costs=r.costs, generations=-1), "setting_out_of_range"),
    ],
)
def test_mistakes_are_named(result, call, code):
    with pytest.raises(hopt.HeteroOptError) as caught:
        call(result)
    assert caught.value.code == code


def test_devices_alone_make_a_pool_with_default_links(result):
    devices = [hopt.DeviceSpec(template="NVIDIA_L4", name="gpu0"), hopt.DeviceSpec(template="Ascend_310P", name="npu0")]
    scheduler = hopt.Scheduler(hopt.Graph.from_onnx(SMALL), devices, generations=1, population_size=8)
    assert [link.target for link in scheduler.pool.implied_links] == ["host", "host"]
    assert len(scheduler.run().pareto_front) > 0


def test_costs_for_another_graph_are_refused(result):
    with pytest.raises(hopt.SettingsError) as caught:
        hopt.Scheduler(hopt.Graph.from_onnx(SMALL), result.pool, costs=result.costs)
    assert caught.value.code == "cost_table_shape"


def test_pins_and_forbidden_devices(result):
    pinned = hopt.Scheduler(
        result.graph, result.pool, costs=result.costs, pins={"left": "cpu0"}, forbidden_devices=["npu0"], generations=3
    ).run()
    for plan in pinned.pareto_front:
        assert plan.placement["left"] == "cpu0"
        assert "npu0" not in plan.placement.values()


def test_a_fused_operator_is_pinned_by_any_of_its_members():
    graph = hopt.Graph.from_onnx(SMALL)
    pool = hopt.load_sample_pool("data_center")
    probe = hopt.Scheduler(graph, pool, generations=0)
    cluster = next(op for op in probe.graph.operators if len(op.members) > 1)
    inside = [graph.operators[member].name for member in cluster.members]
    result = hopt.Scheduler(graph, pool, generations=1, population_size=8, pins={inside[-1]: "npu0"}).run()
    assert all(plan.placement[name] == "npu0" for plan in result.pareto_front for name in inside)
    with pytest.raises(hopt.SettingsError) as caught:
        hopt.Scheduler(graph, pool, pins={inside[0]: "gpu0", inside[-1]: "npu0"})
    assert caught.value.code == "pin_conflict"


def test_progress_can_stop_a_search_and_keeps_the_front():
    seen = []

    def stop_after_two(progress):
        seen.append(progress.done)
        return progress.done < 2

    graph = hopt.Graph.from_onnx(SMALL)
    result = hopt.Scheduler(graph, hopt.load_sample_pool("data_center"), generations=50, population_size=16).run(
        progress=stop_after_two
    )
    assert result.outcome == "stopped"
    assert seen[:3] == [0, 1, 2]
    assert len(result.pareto_front) > 0


def test_warm_start_takes_an_earlier_result_on_another_pool_and_its_file(tmp_path):
    graph, pool = hopt.Graph.from_onnx(SMALL), hopt.load_sample_pool("workstation")
    size = {"population_size": 16, "generations": 0}
    cold = hopt.Scheduler(graph, pool, population_size=16, generations=20).run(seed=3)
    warm = hopt.Scheduler(graph, pool, **size, warm_start=cold).run()
    assert warm.hypervolume >= 0.999 * cold.hypervolume > hopt.Scheduler(graph, pool, **size).run().hypervolume
    cold.select().save(tmp_path / "plan.json")
    from_file = hopt.Scheduler(graph, pool, **size, warm_start=tmp_path / "plan.json").run()
    assert from_file.front.hashes == warm.front.hashes

    gone = pool.devices[-1].name
    fewer = hopt.Scheduler(graph, pool, **size, warm_start=cold, forbidden_devices=[gone]).run()
    assert all(gone not in set(plan.placement.values()) for plan in fewer.pareto_front)
    other = hopt.Graph.from_onnx(bert_encoder_onnx(layers=1, hidden=64, heads=2, seq=32))
    with pytest.raises(hopt.SettingsError) as caught:
        hopt.Scheduler(other, pool, warm_start=cold)
    assert caught.value.code == "warm_start_graph"


def test_a_warm_start_takes_a_single_plan_and_refuses_a_damaged_file(tmp_path):
    graph, pool = hopt.Graph.from_onnx(SMALL), hopt.load_sample_pool("workstation")
    best = hopt.Scheduler(graph, pool, population_size=16, generations=20).run(seed=3).select("fastest")
    document = json.loads(best.to_json(with_search=False))
    assert document["inputs"] is None
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document))
    warm = hopt.Scheduler(graph, pool, population_size=16, generations=0, warm_start=path).run()
    assert warm.select("fastest").exec_time <= best.exec_time
    document["operators"][0]["order"] = 7
    del document["operators"][1]
    path.write_text(json.dumps(document))
    with pytest.raises(hopt.PlanError) as caught:
        hopt.Scheduler(graph, pool, warm_start=path)
    assert caught.value.code == "plan_damaged"


def test_no_plan_fits(tmp_path):
    document = diamond()
    for device in document["devices"]:
        device["memory_size_bytes"] = 100_000
    tables = hopt.load_tables(document)
    result = hopt.Scheduler(tables.graph, tables.pool, costs=tables.costs, generations=3, population_size=8).run()
    assert result.outcome == "no_feasible"
    assert result.pareto_front
    assert all(not plan.feasible and plan.overflow_bytes > 0 for plan in result.pareto_front)
    assert "does not fit" in result.pareto_front[0].summary()
    for style in ("weighted", "knee", "fastest"):
        with pytest.raises(hopt.PlanError) as caught:
            result.select(style)
        params = caught.value.params
        assert (caught.value.code, params["nearest"]) == ("no_feasible", 1)
        assert params["overflow_bytes"] == min(plan.overflow_bytes for plan in result.pareto_front)
        assert params["memory_exceeded"][0]["devices"][0] in caught.value.message
    result.save_html(tmp_path / "report.html")


def test_a_memory_limit_lowers_what_a_plan_may_use(result):
    scheduler = hopt.Scheduler(
        result.graph,
        result.pool,
        costs=result.costs,
        constraints=[hopt.MemoryConstraint(max_memory_gb=0.5), hopt.MemoryConstraint(0.25, device="npu0")],
    )
    assert scheduler.memory_caps == {"gpu0": 500_000_000, "npu0": 250_000_000, "cpu0": 500_000_000}
    assert scheduler.problem.memory_capacity_bytes.tolist() == [500_000_000, 250_000_000, 500_000_000]


def test_pytorch_models_ask_for_the_package_that_they_need(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    for read in (hopt.Graph.from_torchscript, hopt.Graph.from_torch_export):
        with pytest.raises(hopt.ModelError) as caught:
            read(object())
        assert caught.value.code == "torch_missing"
        assert "heteroopt[torch]" in caught.value.hint


def test_every_export_exists_and_has_a_docstring():
    for name in hopt.__all__:
        value = getattr(hopt, name)
        assert name in dir(hopt)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name
    with pytest.raises(AttributeError):
        _ = hopt.Plan


def test_importing_loads_nothing_heavy():
    heavy = ("numpy", "numba", "onnx", "pymoo", "plotly", "lightgbm", "django")
    code = f"import sys, heteroopt; print([name for name in {heavy!r} if name in sys.modules])"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "[]"


def test_the_version_is_the_packages():
    root = Path(__file__).parents[3]
    assert tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"] == hopt.__version__


def test_graph_and_pool_keep_their_classes_through_round_trips():
    graph = hopt.Graph.from_onnx(SMALL)
    again = hopt.Graph.from_dict(json.loads(json.dumps(graph.to_dict())))
    assert isinstance(again, hopt.Graph)
    assert again.content_hash == graph.content_hash
    assert hopt.Graph.of(again) is again
    pool = hopt.load_sample_pool("edge")
    assert isinstance(hopt.DevicePool.from_toml(pool.to_toml()), hopt.DevicePool)
