"""The cost model: order of look-up, errors on what it has not seen, refusals, intervals, the same bytes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from heteroopt.costs.accuracy import accuracy, spearman
from heteroopt.costs.calibrated import calibrated_cost_table, moved_bytes
from heteroopt.costs.database import MeasuredEnergy, PerformanceDatabase
from heteroopt.costs.device_model import DeviceCostModel
from heteroopt.costs.facts import graph_facts
from heteroopt.costs.fitted_roofline import FittedRoofline
from heteroopt.costs.table import COST_SOURCES, ENERGY_SOURCES, CostTable
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.errors import CostError
from heteroopt.graph.sketch import Sketch
from tests.engine.costs.measured import BYTES_PER_S, FLOP_PER_S, bundle, database, true_seconds

SPEC = DeviceSpec(
    name="d0", device_type="CPU", peak_gflop_per_s={"fp32": FLOP_PER_S / 1e9},
    memory_bandwidth_gb_per_s=BYTES_PER_S / 1e9, memory_size_bytes=10**9, idle_power_w=5.0, active_power_w=25.0,
)  # fmt: skip
TREES = 60


@pytest.fixture(scope="module")
def model() -> DeviceCostModel:
    return DeviceCostModel.train(database(250), SPEC, trees=TREES)


def unseen(count: int = 60):
    """Operators of another spread."""
    from heteroopt.calibration.cases import make_cases
    from heteroopt.costs.facts import OperatorFacts

    return [
        OperatorFacts.from_dict(case["facts"]) for case in make_cases(count=count, seed=99)[0] if "role" not in case
    ]


def test_an_equal_operator_costs_what_was_measured_and_others_what_was_learned(model):
    row = next(iter(model.database.rows.values()))
    found = model.predict([row.facts, *unseen(5)])
    assert found.sources[0] == "measured"
    assert found.seconds[0] == found.low_s[0] == row.minimum_s
    assert found.high_s[0] == pytest.approx(row.median_s + row.spread_s)
    assert set(found.sources[1:]) <= {"learned", "fitted", "roofline"}
    assert (found.low_s <= found.seconds).all()
    assert (found.seconds <= found.high_s).all()


def test_it_predicts_what_it_has_not_seen(model):
    rows = unseen()
    truth = np.array([true_seconds(facts) for facts in rows])
    found = accuracy(model.predict(rows).seconds, truth)
    assert found.mape < 0.15
    assert found.spearman > 0.98
    assert model.held_out.used.mape < model.held_out.by_level["template"].mape / 2


def test_the_start_of_a_program_is_not_part_of_an_operator():
    plain, started = (DeviceCostModel.train(database(60, launch_s=s), trees=5) for s in (0.0, 1e-4))
    key = next(iter(plain.database.rows))
    facts = plain.database.rows[key].facts
    assert started.predict([facts]).seconds[0] == pytest.approx(plain.predict([facts]).seconds[0])


def test_the_same_measurements_give_the_same_bytes(model):
    shuffled = bundle(250)
    shuffled["rows"].reverse()
    again = DeviceCostModel.train(PerformanceDatabase.from_dict(shuffled), SPEC, trees=TREES)
    assert again.learner.text == model.learner.text
    assert again.roofline == model.roofline
    assert again.held_out == model.held_out


def test_a_model_that_is_worse_than_the_data_sheet_is_refused_and_says_so():
    """The device is exactly its data sheet, but what was measured is noise around it: nothing can be learned."""

    def sheet(facts) -> float:
        from heteroopt.costs.template_seconds import template_seconds

        return float(template_seconds([facts], SPEC)[0])

    noisy = DeviceCostModel.train(database(120, noise=0.3, truth=sheet), SPEC, trees=TREES)
    judged = noisy.held_out
    assert judged.levels["*"] == "template"
    said = [refusal for refusal in judged.refusals if refusal.group == "*"]
    assert [refusal.level for refusal in said] == ["roofline", "model"]
    assert all(refusal.error >= refusal.kept_error and refusal.kept == "template" for refusal in said)
    rows = [facts for facts in unseen(20) if judged.levels.get(facts.main, "template") == "template"]
    assert judged.used.mape <= min(found.mape for found in judged.by_level.values()) + 1e-12
    assert rows


def test_too_little_to_learn_from_keeps_the_data_sheet_and_the_exact_hits():
    few = DeviceCostModel.train(database(10), SPEC, trees=TREES)
    assert few.held_out is None
    row = next(iter(few.database.rows.values()))
    assert few.predict([row.facts, unseen(1)[0]]).sources == ("measured", "roofline")


def test_throttled_rows_are_neither_learned_from_nor_looked_up():
    content = bundle(60)
    content["rows"][0]["flags"] = ["throttled"]
    content["rows"][0]["median_s"] = 100.0
    tainted = DeviceCostModel.train(PerformanceDatabase.from_dict(content), SPEC, trees=5)
    facts = next(iter(tainted.database.rows.values())).facts
    found = tainted.predict([facts])
    assert found.sources[0] != "measured"
    assert found.seconds[0] < 1.0


def test_a_doubtful_measurement_is_better_than_none_and_its_interval_says_so():
    content = bundle(10)
    for row in content["rows"]:
        row |= {"flags": ["throttled"], "from_model": True}
    doubtful = DeviceCostModel.train(PerformanceDatabase.from_dict(content))
    row = next(iter(doubtful.database.rows.values()))
    found = doubtful.predict([row.facts])
    assert found.sources == ("measured",)
    assert found.seconds[0] == row.minimum_s
    assert found.low_s[0] == row.minimum_s / 2
    assert doubtful.summary()["own_flagged"] == 10


def test_operators_that_nothing_tells_the_cost_of_are_named():
    graph = small_graph()
    bare = DeviceSpec(name="d0", device_type="CPU", memory_size_bytes=10**9)
    few = DeviceCostModel.train(database(10))
    with pytest.raises(CostError) as caught:
        calibrated_cost_table(graph, DevicePool([bare]), {"d0": few})
    assert caught.value.code == "calibration_incomplete"
    names = [operator.name for operator in graph.operators if not operator.is_view]
    assert all(f"{name} (" in caught.value.params["operators"] for name in names)
    assert (caught.value.params["missing"], caught.value.params["needed"]) == (2, 2)
    conv_only = DeviceSpec(name="d0", device_type="CPU", memory_size_bytes=10**9, supported_ops=["Conv"])
    other = DeviceSpec(template="AMD_EPYC_7763", name="other")
    with pytest.raises(CostError) as caught:
        calibrated_cost_table(graph, DevicePool([conv_only, other]), {"d0": few})
    assert (caught.value.params["missing"], caught.value.params["needed"]) == (1, 1)


def test_a_fitted_roofline_finds_the_law_behind_exact_figures():
    rows = [facts for facts in unseen(80) if facts.main == "Relu"] or unseen(80)
    seconds = np.array([max(f.flops / 2e10, (f.bytes_read + f.bytes_written) / 4e9) + 1e-6 for f in rows])
    found = FittedRoofline.fit(rows, seconds).predict(rows)
    assert np.abs(found / seconds - 1).max() < 0.05


def test_rank_correlation_by_hand():
    assert spearman(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0])) == pytest.approx(1.0)
    assert spearman(np.array([1.0, 2.0, 3.0]), np.array([30.0, 20.0, 10.0])) == pytest.approx(-1.0)
    # ranks 1, 2.5, 2.5, 4 against 1, 3, 2, 4: 4.5 / sqrt(4.5 * 5)
    assert spearman(np.array([1.0, 2.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])) == pytest.approx(4.5 / 22.5**0.5)


# cost tables


def small_graph():
    return Sketch(
        [("Conv", "x w", "c", {"kernel_shape": [3, 3]}), ("Reshape", "c s", "r", {}), ("Softmax", "r", "y", {})],
        {"x": (1, 8, 20, 20)}, {"w": (16, 8, 3, 3)}, {"s": (1, 16, 324)},
    ).graph()  # fmt: skip


def test_a_cost_table_says_of_each_cost_where_it_is_from(model):
    graph = small_graph()
    pool = DevicePool([SPEC, DeviceSpec(template="NVIDIA_RTX_4090", name="gpu0")])
    table = calibrated_cost_table(graph, pool, {"d0": replace(model, spec=None)})
    views = [operator.is_view for operator in graph.operators]
    for row, is_view in enumerate(views):
        source = COST_SOURCES[table.source[row, 0]]
        assert source == "view" if is_view else source in ("learned", "fitted", "roofline")
        assert COST_SOURCES[table.source[row, 1]] == ("view" if is_view else "roofline")
        if is_view:
            assert table.time_ps[row, 0] == table.energy_pj[row, 0] == 0
    facts = graph_facts(graph)
    working = [row for row, is_view in enumerate(views) if not is_view]
    predicted = model.predict([facts[row] for row in working])
    assert table.time_ps[working, 0].tolist() == np.rint(predicted.seconds * 1e12).astype(int).tolist()
    assert table.energy_pj[working, 0] == pytest.approx(20.0 * table.time_ps[working, 0])  # 25 W less 5 W idle
    assert {ENERGY_SOURCES[code] for code in table.energy_source[working, 0]} == {"estimated"}


def test_measured_power_makes_measured_energy(model):
    powered = replace(model, database=replace(model.database, energy=MeasuredEnergy("measured", 3.0, {"conv": 40.0})))
    table = calibrated_cost_table(small_graph(), DevicePool([SPEC]), {"d0": powered})
    assert table.energy_pj[0, 0] == pytest.approx(40.0 * table.time_ps[0, 0])
    assert ENERGY_SOURCES[table.energy_source[0, 0]] == "measured"
    again = CostTable.from_dict(table.to_dict())
    assert again.content_hash == table.content_hash
    assert again.energy_source.tolist() == table.energy_source.tolist()


def test_earlier_tables_keep_their_hash_and_read_as_template_energies():
    table = CostTable.from_arrays([[5]], [[7]])
    assert "energy_source" not in table.to_dict()
    assert ENERGY_SOURCES[CostTable.from_dict(table.to_dict()).energy_source[0, 0]] == "template"


def test_the_share_of_the_memory_is_what_the_bytes_take_at_the_highest_measured_rate():
    devices = [
        DeviceSpec(name=name, device_type="CPU", memory_size_bytes=10**9, memory_domain="ram") for name in ("a", "b")
    ]
    pool = DevicePool(devices, memory_domains={"ram": {"slowdown": 2.0}})
    model = DeviceCostModel.train(database(noise=0.0), trees=TREES)
    assert model.bytes_per_s == pytest.approx(BYTES_PER_S, rel=0.05)
    sums = Sketch([("Add", "x b", "y", {})], {"x": (1, 4_000_000), "b": (1, 4_000_000)}).graph()
    product = Sketch([("MatMul", "x w", "y", {})], {"x": (1, 512, 512)}, {"w": (512, 512)}).graph()
    shares = [
        calibrated_cost_table(g, pool, dict.fromkeys("ab", model)).memory_share[0] / 1024 for g in (sums, product)
    ]
    assert shares[0] == pytest.approx([1.0, 1.0], abs=0.1)
    # 3 x 512 x 512 floats at 10 GB/s beside 2 x 512^3 FLOP at 50 GFLOP/s: 0.31 of 5.4 ms.
    assert shares[1] == pytest.approx([0.058, 0.058], abs=0.02)
    one_after_another = moved_bytes(
        Sketch([("Add", "x b", "h", {}), ("Relu", "h", "y", {})], {"x": (4, 4), "b": (4, 4)}).graph()
    )
    assert one_after_another.tolist() == [3 * 64 + 2 * 64]
