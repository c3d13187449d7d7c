"""Transfers, profiles, drift, twins: what is made of measurements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heteroopt.calibration.contention import Contention
from heteroopt.calibration.drift import recheck, staleness
from heteroopt.calibration.portable.counters import Rapl
from heteroopt.calibration.portable.session import Session
from heteroopt.calibration.portable.timing import Rule, summarise
from heteroopt.calibration.profiled import assign
from heteroopt.calibration.transfers import calibrated_links, fit_transfer, measured_links
from heteroopt.calibration.twins import compare_twins, mark_differing
from heteroopt.costs.database import PerformanceDatabase
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.errors import CostError, ModelError
from heteroopt.graph.sketch import Sketch
from heteroopt.runtimes.plugin import OperatorTime
from tests.engine.calibration.fakes import FakeDevice, few_cases

SIZES = (4096, 65_536, 1 << 20, 1 << 24)

# transfers


@given(st.floats(1e-7, 1e-3), st.floats(1e8, 1e12))
def test_a_transfers_latency_and_bandwidth_are_found(latency_s: float, bytes_per_s: float):
    found = fit_transfer(SIZES, [latency_s + size / bytes_per_s for size in SIZES])
    assert found.residual < 1e-3
    assert [fitted for _, _, fitted in found.samples] == pytest.approx(
        [latency_s + size / bytes_per_s for size in SIZES], rel=0.01
    )


def test_what_the_fit_misses_is_said():
    found = fit_transfer(SIZES, [1e-5, 3e-5, 5e-4, 1e-3])
    assert found.residual > 0.05
    assert found.worst >= found.residual


def test_measured_links_replace_those_to_the_host_only():
    def device(name: str, kind: str) -> DeviceSpec:
        return DeviceSpec(name=name, device_type=kind, memory_size_bytes=10**9)

    pool = DevicePool([device("g", "GPU"), device("c", "CPU"), device("n", "NPU")])
    down = fit_transfer(SIZES, [2e-6 + size / 10e9 for size in SIZES])
    up = fit_transfer(SIZES, [4e-6 + size / 5e9 for size in SIZES])
    found = calibrated_links(pool, {"g": {"h2d": down, "d2h": up}})
    figures = {(link.source, link.target): link for link in found.all_links}
    assert figures["c", "g"].bandwidth_gb_per_s == pytest.approx(10.0, rel=1e-6)
    assert figures["g", "c"].latency_us == pytest.approx(4.0, rel=1e-4)
    assert all(figures[pair].directed for pair in (("c", "g"), ("g", "c")))
    before = {frozenset((link.source, link.target)): link for link in pool.all_links}
    untouched = next(link for link in found.all_links if "n" in (link.source, link.target))
    assert untouched == before[frozenset(("n", "c"))]
    assert [{link.source, link.target} for link in found.links] == [{"g", "c"}, {"g", "c"}]


def test_where_nothing_is_copied_links_stay_as_they_are():
    def device(name: str, kind: str, domain: str | None) -> DeviceSpec:
        return DeviceSpec(name=name, device_type=kind, memory_size_bytes=10**9, memory_domain=domain)

    pool = DevicePool([device("c", "CPU", "ram"), device("i", "GPU", "ram"), device("g", "GPU", None)])
    fit = fit_transfer(SIZES, [3e-6 + size / 1e22 for size in SIZES])
    found = measured_links(pool, {name: {"h2d": fit, "d2h": fit} for name in ("c", "i")} | {"g": {}})
    assert found == pool
    fits = {"h2d": fit, "d2h": fit}
    links = {(link.source, link.target): link for link in measured_links(pool, {"i": fits, "g": fits}).links}
    assert set(links) == {("c", "g"), ("g", "c")}
    # No link is that fast: the most that one may have.
    assert links["c", "g"].bandwidth_gb_per_s == pytest.approx(1e6)
    assert links["c", "g"].latency_us == pytest.approx(3.0)


# profiles

DEVICE = {
    "runtime": "made-up", "index": 0, "name": "d0", "host": "h", "versions": {"made-up": "1"}, "processor": "p",
    "threads": 1, "fingerprint": "f" * 16,
}  # fmt: skip


def profiled_graph():
    return Sketch(
        [("Conv", "x w", "c", {"kernel_shape": [1, 1]}), ("Relu", "c", "r", {}), ("Softmax", "r", "y", {})],
        {"x": (1, 4, 5, 5)},
        {"w": (6, 4, 1, 1)},
    ).graph()


def test_a_profile_is_mapped_by_tensors_and_adds_up_to_the_unprofiled_total():
    graph = profiled_graph()
    assert [len(op.members) for op in graph.operators] == [2, 1]
    rows = [
        OperatorTime("reorder", "ReorderInput", 0.5e-3),
        OperatorTime("h0000000h/h0000001h fused", "FusedConv", 3e-3),
        OperatorTime("soft", "Softmax", 1e-3, ("y",)),
    ]
    found = assign(rows, [("c",), ("r",), ("y",)], graph, summarise([3.6e-3] * 10, Rule()), DEVICE)
    assert found.median_s == 3.6e-3
    assert found.seconds_of(graph).tolist() == pytest.approx([2.7e-3, 0.9e-3])
    assert found.seconds_of(graph.original).sum() == pytest.approx(3.6e-3)
    assert found.scale == pytest.approx(0.9)
    assert found.matched == pytest.approx(4.0 / 4.5)


def test_a_node_over_two_operators_is_divided_by_their_bytes():
    graph = profiled_graph()
    rows = [OperatorTime("all", "Subgraph", 2e-3, ("r", "y"))]
    found = assign(rows, [], graph, summarise([2e-3] * 10, Rule()), DEVICE)
    moved = np.array([op.bytes_read + op.bytes_written + 1.0 for op in graph.original.operators[1:]])
    assert found.seconds_of(graph).tolist() == pytest.approx((2e-3 * moved / moved.sum()).tolist())


def test_a_profile_of_something_else_is_refused():
    with pytest.raises(ModelError) as caught:
        assign([OperatorTime("a", "Conv", 1.0, ("z",))], [], profiled_graph(), summarise([1.0], Rule()), DEVICE)
    assert caught.value.code == "profile_unmatched"


# drift

CASES = few_cases(40)


def calibrated(factor=lambda key: 1.0) -> PerformanceDatabase:
    device = FakeDevice(lambda key, runs, busy_s: 1e-3 * factor(key))
    quick = Rule(device_warm_up_s=0.0)
    return PerformanceDatabase.from_dict(
        Session(device, CASES, quick, 1e9, clock=device.clock, sleep=device.clock.sleep).run()
    )


def test_another_fingerprint_or_old_age_makes_it_stale():
    found = replace(calibrated(), measured_at=1_000_000)
    assert staleness(found, "f00d", 1_000_000 + 86_400) == []
    changed = staleness(found, "beef", 1_000_000)
    assert [(reason.code, reason.params["before"]) for reason in changed] == [("fingerprint_changed", "f00d")]
    old = staleness(found, None, 1_000_000 + 100 * 86_400)
    assert [(reason.code, reason.params["days"]) for reason in old] == [("too_old", 100)]


def test_twenty_operators_say_whether_the_rest_holds():
    before = calibrated()
    same = recheck(FakeDevice(lambda *_: 1.05e-3), before, CASES)
    assert (same.verdict, len(same.rows), same.agreeing) == ("holds", 20, 20)
    slower = recheck(FakeDevice(lambda *_: 1.5e-3), before, CASES)
    assert slower.verdict == "shifted"
    assert slower.factor == pytest.approx(1.5)
    odd = recheck(FakeDevice(lambda key, runs, busy_s: 1e-3 * (3 if int(key[-1], 16) % 2 else 1)), before, CASES)
    assert odd.verdict == "changed"


def test_a_recheck_needs_operators_of_the_calibration():
    with pytest.raises(CostError) as caught:
        recheck(FakeDevice(lambda *_: 1e-3), calibrated(), [])
    assert caught.value.code == "recheck_no_cases"


# twins


def test_identical_devices_that_differ_are_told_and_kept_apart():
    first, second = calibrated(), calibrated(lambda key: 1.3)
    found = compare_twins(first, second)
    assert found.apart
    assert found.ratio == pytest.approx(1.3)
    assert set(found.differing) == set(first.rows)
    marked = mark_differing(second, found)
    assert marked.flags == ("differs",)
    assert all("differs" in row.flags for row in marked.rows.values())
    assert {row.median_s for row in marked.rows.values()} == {row.median_s for row in second.rows.values()}
    alike = compare_twins(first, calibrated(lambda key: 1.02))
    assert not alike.apart
    assert alike.differing == ()


# contention and energy


def test_a_memory_domains_slowdown_is_that_of_its_memory_bound_operators():
    found = Contention(("a", "b"), {"memory": (1.4, 1.6), "compute": (1.0, 1.1)})
    assert found.domain_slowdown == pytest.approx(1.5)
    assert Contention(("a", "b"), {"memory": (0.9, 0.95), "compute": (1.0, 1.0)}).domain_slowdown == 1.0


def test_a_rapl_counter_that_turns_over_goes_on(tmp_path):
    for name in ("intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "max_energy_range_uj").write_text("1000000")
        (folder / "energy_uj").write_text("900000")
    counter = Rapl(str(tmp_path))
    assert counter.joules() == pytest.approx(1.8)
    (tmp_path / "intel-rapl:0" / "energy_uj").write_text("100000")
    assert counter.joules() == pytest.approx(2.0)
    (tmp_path / "intel-rapl:1" / "energy_uj").write_text("nothing")
    assert counter.joules() is None
    assert Rapl(str(tmp_path / "absent")).joules() is None


def test_the_counter_of_a_whole_platform_is_not_added_to_those_of_its_packages(tmp_path):
    for zone, name in (("intel-rapl:0", "package-0"), ("intel-rapl:1", "psys")):
        (tmp_path / zone).mkdir()
        (tmp_path / zone / "name").write_text(name + "\n")
        (tmp_path / zone / "energy_uj").write_text("900000")
    assert Rapl(str(tmp_path)).joules() == pytest.approx(0.9)
