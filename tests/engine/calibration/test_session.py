"""A whole calibration: order, refusals, throttling, budget, stop, resume, energy."""

from __future__ import annotations

import json

import pytest

from heteroopt.calibration.cases import make_cases
from heteroopt.calibration.portable.session import LAYOUT, Session
from heteroopt.calibration.portable.timing import Rule
from heteroopt.costs.bundle import bundle_hash
from heteroopt.costs.database import PerformanceDatabase
from tests.engine.calibration.fakes import FakeDevice, few_cases, noise

CASES = few_cases(30)
QUICK = Rule(device_warm_up_s=0.0)


def session(device: FakeDevice, cases=CASES, **options) -> Session:
    options.setdefault("rule", QUICK)
    options.setdefault("budget_s", 1e9)
    return Session(device, cases, clock=device.clock, sleep=device.clock.sleep, **options)


def steady(key: str, runs: int, busy_s: float) -> float:
    """A millisecond; 0.4 ms to start a program and 0.01 ms for each operator that does nothing."""
    return {"launch 1": 4.1e-4, "launch 17": 5.7e-4}.get(key, 1e-3)


def test_every_case_becomes_a_row_that_the_database_reads():
    bundle = session(FakeDevice(steady)).run()
    database = PerformanceDatabase.from_dict(json.loads(json.dumps(bundle)))
    assert len(database) == len(CASES) - 2  # two cases only tell what a launch costs
    assert {row.median_s for row in database.rows.values()} == {1e-3}
    assert database.launch_overhead_s == pytest.approx(4e-4)
    assert bundle["hash"] == bundle_hash(bundle)
    assert bundle["stopped"] == ""


def test_what_changing_the_layout_of_images_costs_is_told_by_programs_of_one_and_of_many_operators():
    """0.4 ms to start, half a nanosecond a byte for the layout, 0.1 ms an operator; weights at 64 ms less the start."""
    cases = make_cases(count=5, seed=1)[0]
    moved = {case["key"]: case["moved_bytes"] for case in cases if case.get("role") == LAYOUT}
    assert len(moved) == 10

    def truth(key: str, runs: int, busy_s: float) -> float:
        if key == "weights 4096":
            return 64e-3 + 4e-4
        return 4e-4 + 5e-10 * moved[key] + 1e-4 * int(key.split()[-1]) if key in moved else steady(key, runs, busy_s)

    bundle = session(FakeDevice(truth), cases).run()
    assert bundle["layout_s_per_byte"] == pytest.approx(5e-10)
    assert bundle["weight_s_per_byte"] == pytest.approx(64e-3 / 2**26)
    database = PerformanceDatabase.from_dict(bundle)
    assert len(database) == 5
    assert PerformanceDatabase.from_dict(database.to_dict()).layout_s_per_byte == bundle["layout_s_per_byte"]


def test_what_the_runtime_refuses_is_listed_with_its_reason_and_the_rest_goes_on():
    device = FakeDevice(steady)
    device.refuse = {CASES[3]["key"]}
    bundle = session(device).run()
    assert [row["key"] for row in bundle["failed"]] == [CASES[3]["key"]]
    assert "no kernel for" in bundle["failed"][0]["why"]
    assert len(bundle["rows"]) == len(CASES) - 3


def test_a_device_that_throttles_is_called_unstable_and_no_slow_figure_is_kept_unflagged():
    """It takes 30 % longer after 10 s and never recovers."""
    cases = few_cases(100)
    even = noise(share=0.02)
    device = FakeDevice(lambda key, runs, busy_s: 1e-2 * even() * (1.3 if busy_s > 10.0 else 1.0))
    bundle = session(device, cases, rule=Rule(watch_every=10, device_warm_up_s=0.0)).run()
    assert bundle["flags"] == ["throttling", "unstable"]
    for row in bundle["rows"]:
        assert "throttled" in row["flags"] or row["median_s"] == pytest.approx(1e-2, rel=0.05)
    assert any("throttled" in row["flags"] for row in bundle["rows"])
    assert any("throttled" not in row["flags"] for row in bundle["rows"])
    assert all(r.median_s == pytest.approx(1e-2, rel=0.05) for r in PerformanceDatabase.from_dict(bundle).trusted())


def test_a_device_that_recovers_is_measured_again():
    device = FakeDevice(lambda key, runs, busy_s: 1e-2 * (1.3 if 3.0 < busy_s < 8.0 else 1.0))
    bundle = session(device, few_cases(60), rule=Rule(watch_every=10, device_warm_up_s=0.0)).run()
    assert bundle["flags"] == ["throttling"]
    assert {row["median_s"] for row in bundle["rows"]} == {1e-2}
    assert not any(row["flags"] for row in bundle["rows"])


def test_a_device_that_stays_slow_for_long_is_waited_for():
    """Slow for nine rests in a row, and for all that is taken again in between."""
    device = FakeDevice(lambda *_: 1e-2)
    device.truth = lambda key, runs, busy_s: 1e-2 * (1.3 if 8.0 < device.clock.now < 25.0 else 1.0)
    bundle = session(device, few_cases(60), rule=Rule(watch_every=10, device_warm_up_s=0.0)).run()
    assert bundle["flags"] == ["throttling"]
    assert {row["median_s"] for row in bundle["rows"]} == {1e-2}


def test_operators_of_the_models_are_taken_again_first():
    cases = few_cases(40)
    for case in cases[-10:]:
        case["from_model"] = True  # last in order: the first to be taken again all the same
    device = FakeDevice(lambda key, runs, busy_s: 1e-2 * (1.3 if busy_s > 3.0 else 1.0))
    device.truth = lambda key, runs, busy_s: 1e-2 * (1.3 if 4.0 < device.clock.now < 14.0 else 1.0)
    bundle = session(device, cases, rule=Rule(watch_every=10, device_warm_up_s=0.0)).run()
    again = device.opened[device.opened.index(cases[-1]["key"]) + 1 :]
    own = {case["key"] for case in cases[-10:]}
    assert again[: len(own)] and {key for key in again[:10]} == own
    assert not any("throttled" in row["flags"] for row in bundle["rows"])


def test_operators_of_the_models_that_were_not_reached_are_counted():
    cases = few_cases()
    for case in cases[2:]:
        case["from_model"] = True
    bundle = session(FakeDevice(lambda *_: 0.1), cases, budget_s=20.0).run()
    assert bundle["own_untimed"] == len(cases) - 2 - len(bundle["rows"]) > 0
    database = PerformanceDatabase.from_dict(bundle)
    assert database.own_untimed == bundle["own_untimed"]
    assert PerformanceDatabase.from_dict(database.to_dict()).own_untimed == bundle["own_untimed"]


def test_a_start_that_was_slow_makes_the_earlier_figures_suspect():
    device = FakeDevice(lambda key, runs, busy_s: 1e-2 * (1.5 if busy_s < 3.0 else 1.0))
    bundle = session(device, few_cases(60), rule=Rule(watch_every=10, device_warm_up_s=0.0)).run()
    assert {row["median_s"] for row in bundle["rows"]} == {1e-2}


def test_the_budget_ends_it_with_what_there_is():
    bundle = session(FakeDevice(lambda *_: 0.1), budget_s=20.0).run()
    assert bundle["stopped"] == "budget"
    assert 0 < len(bundle["rows"]) < len(CASES) - 2


def test_a_stopped_session_goes_on_where_it_was():
    kept: list[dict] = []
    device = FakeDevice(steady)
    first = session(device, progress=lambda done, total, phase: done < 10, save=kept.append, save_every_s=0.0)
    bundle = first.run()
    assert bundle["stopped"] == "stopped"
    assert len(bundle["rows"]) == 10
    state = json.loads(json.dumps(first.state()))
    second = FakeDevice(steady)
    whole = session(second, checkpoint=state).run()
    assert len(whole["rows"]) == len(CASES) - 2
    done = {key for key in state["rows"]}
    assert sum(key in done for key in second.opened) <= 1  # one shape is watched
    assert json.loads(json.dumps(kept[-1]))["rows"].keys() <= done


def test_a_checkpoint_of_other_cases_is_refused():
    device = FakeDevice(steady)
    with pytest.raises(ValueError, match="other cases"):
        session(FakeDevice(steady), few_cases(5), checkpoint=session(device).state())


def test_energy_is_counted_over_a_second_or_more_with_the_idle_power_taken_off():
    device = FakeDevice(steady, watts=40.0, idle_w=10.0)
    bundle = session(device).run()
    assert bundle["energy"]["source"] == "measured"
    assert bundle["energy"]["idle_power_w"] == pytest.approx(10.0)
    assert set(bundle["energy"]["power_w"]) == {case["facts"]["op_class"] for case in CASES[2:]}
    assert all(watts == pytest.approx(40.0) for watts in bundle["energy"]["power_w"].values())
    assert session(FakeDevice(steady)).run()["energy"]["source"] == ""


def test_times_are_kept_where_a_counter_of_joules_or_a_program_fails_while_it_is_read():
    class Broken(FakeDevice):
        def joules(self) -> float | None:
            raise OSError("the driver is gone")

    bundle = session(Broken(steady)).run()
    assert len(bundle["rows"]) == len(CASES) - 2 and bundle["energy"]["source"] == ""

    class Refusing(FakeDevice):
        def joules(self) -> float | None:
            self.refuse = {case["key"] for case in CASES}  # what ran until now
            return super().joules()

    bundle = session(Refusing(steady, watts=40.0, idle_w=10.0)).run()
    assert len(bundle["rows"]) == len(CASES) - 2
    assert (bundle["energy"]["source"], bundle["energy"]["power_w"]) == ("", {})


def test_what_comes_before_the_cases_is_told_and_can_be_stopped():
    told = []

    def progress(done: int, total: int, phase: str) -> bool:
        told.append((done, total, phase))
        return False

    device = FakeDevice(steady)
    assert session(device, progress=progress).run()["stopped"] == "stopped"
    assert told == [(0, len(CASES) - 2, "overheads")] and device.opened == []
