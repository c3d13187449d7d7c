"""Calibrating through a runtime's process: what a device gets wrong is dropped or flagged, refusals are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from heteroopt.calibration.cases import case_of
from heteroopt.calibration.contention import measure_contention
from heteroopt.calibration.handle_device import HandleDevice
from heteroopt.calibration.local import calibrate_device
from heteroopt.calibration.portable.timing import Rule
from heteroopt.calibration.profiled import profile_model
from heteroopt.calibration.transfers import measure_transfers
from heteroopt.costs.bundle import bundle_hash
from heteroopt.costs.database import MeasuredHandover, PerformanceDatabase
from heteroopt.errors import CostError
from heteroopt.graph.sketch import Sketch
from heteroopt.runtimes.description import RuntimeDescription
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.handle import DeviceHandle
from heteroopt.runtimes.process import RuntimeProcess
from heteroopt.runtimes.protocol import Command

PLUGIN = "heteroopt.runtimes.plugins.simulated.runtime:SimulatedRuntime"
QUICK = Rule(device_warm_up_s=0.0, watch_every=4, cool_down_s=0.0, target_s=0.0, longest_warm_up_s=0.2)
TRUE_S = 1e-3
"""Each operator takes a millisecond to start, and next to nothing beside."""


def small(*kinds: str):
    """Graphs of one operator each."""
    return [Sketch([(kind, "x", "y", {})], {"x": (2, 3 + i)}).graph() for i, kind in enumerate(kinds)]


@contextmanager
def simulated(*devices: dict) -> Iterator[list[HandleDevice]]:
    process = RuntimeProcess(
        "simulated", PLUGIN, settings={"devices": [{"overhead_us": TRUE_S * 1e6, **device} for device in devices]}
    )
    try:
        process.start()
        described = RuntimeDescription.from_dict(process.call(Command.DESCRIBE)).devices
        yield [HandleDevice(DeviceHandle(process, one.index), "simulated", one) for one in described]
    finally:
        process.close()


BEHAVIOURS: dict[str, dict] = {
    "steady": {},
    "cold": {"cold_runs": 3, "cold_factor": 100.0},
    "spikes": {"spike_probability": 0.05, "spike_factor": 20.0},
    "noise": {"noise": 0.02},
    "loud": {"noise": 0.3},
    "throttles": {"throttle_after_s": 0.55, "throttle_factor": 1.5},
    "all": {"noise": 0.05, "spike_probability": 0.1, "cold_runs": 5},
    "refuses": {"refuse": ["Exp"], "fail_on": "Sqrt"},
    "second": {},
}


@pytest.fixture(scope="module")
def devices() -> Iterator[dict[str, HandleDevice]]:
    """One process with a device for each behaviour; what a device has done does not touch the others."""
    with simulated(*({**behaviour, "name": name} for name, behaviour in BEHAVIOURS.items())) as opened:
        yield {device.description.name: device for device in opened}


@pytest.mark.parametrize("name", ["steady", "cold", "spikes", "noise", "loud", "throttles", "all"])
def test_a_value_is_within_a_twentieth_of_the_truth_or_flagged(devices, name):
    kinds = ("Relu", "Exp", "Sqrt", "Abs", "Neg", "Tanh", "Sigmoid", "Erf", "Sin", "Cos", "Floor", "Ceil")
    database, _ = calibrate_device(devices[name], small(*kinds), count=0, rule=QUICK)
    assert len(database) == len(kinds)
    for row in database.rows.values():
        doubtful = set(row.flags) - {"spikes"}
        assert doubtful or row.median_s == pytest.approx(TRUE_S, rel=0.05)
    if name == "throttles":
        assert "unstable" in database.flags
        assert len(database.trusted()) == 8
        assert all(row.median_s == pytest.approx(TRUE_S, rel=0.05) for row in database.trusted())


def test_what_a_runtime_refuses_does_not_stop_the_rest(devices):
    graphs = small("Relu", "Exp", "Sqrt", "Neg")
    database, bundle = calibrate_device(devices["refuses"], graphs, count=0, rule=QUICK)
    assert sorted(row.facts.main for row in database.rows.values()) == ["Neg", "Relu"]
    assert sorted(kind for kind, _ in database.refused) == ["Exp", "Sqrt"]
    assert database.device.runtime == "simulated"
    assert database.device.fingerprint == bundle["device"]["fingerprint"]


def test_a_process_that_dies_ends_it_with_what_there_is():
    with simulated({"crash_on": "Exp"}) as (device,):
        database, bundle = calibrate_device(device, small("Relu", "Neg", "Exp", "Tanh"), count=0, rule=QUICK)
    assert bundle["stopped"] == "runtime_died"
    assert sorted(row.facts.main for row in database.rows.values()) == ["Neg", "Relu"]


def test_nothing_timed_says_why(devices):
    with pytest.raises(CostError) as caught:
        calibrate_device(devices["refuses"], small("Exp"), count=0, rule=QUICK)
    assert caught.value.code == "calibration_empty"
    assert "no kernel for Exp" in caught.value.params["says"]


def test_a_checkpoint_of_another_device_is_refused(devices):
    kept: list[dict] = []
    device = devices["steady"]
    calibrate_device(device, small("Relu"), count=0, rule=QUICK, save=kept.append)
    again, _ = calibrate_device(device, small("Relu"), count=0, rule=QUICK, checkpoint=kept[-1])
    assert len(again) == 1
    for broken in ({}, {**kept[-1], "fingerprint": "other"}, {**kept[-1], "rows": None}):
        with pytest.raises(CostError) as caught:
            calibrate_device(device, small("Relu"), count=0, rule=QUICK, checkpoint=broken)
        assert caught.value.code == "checkpoint_other"


def test_copies_and_overlap_are_measured_on_the_real_path(devices):
    """No figure of a copy is looked at: copies here take what this machine takes."""
    case = case_of(small("Relu")[0])
    first, second = devices["steady"], devices["second"]
    fits = measure_transfers(first.handle, (4096, 65_536, 1 << 20))
    found = measure_contention(first, second, window_s=0.01, cases={"memory": case, "compute": case})
    assert set(fits) == {"h2d", "d2h"}
    assert all(fit.bytes_per_s > 0 and fit.latency_s > 0 and len(fit.samples) == 3 for fit in fits.values())
    assert found.devices == ("steady", "second")
    assert found.slowdown == {"memory": (1.0, 1.0), "compute": (1.0, 1.0)}  # its own timer knows no neighbours


def test_what_handing_over_takes_is_kept_with_the_neighbour(devices):
    first, second = devices["steady"], devices["second"]
    asked = []

    def handover(*pair):
        asked.append(pair)
        return MeasuredHandover("second", 75e-6)

    given = {"count": 0, "rule": QUICK}
    database, bundle = calibrate_device(first, small("Relu"), beside=second, handover=handover, **given)
    assert asked == [(first, second)]
    assert bundle["handover"] == {"beside": "second", "seconds": 75e-6}
    assert bundle["hash"] == bundle_hash({key: value for key, value in bundle.items() if key != "not_rebuilt"})
    assert PerformanceDatabase.from_dict(database.to_dict()) == database
    assert database.handover == database.merged([database]).handover == MeasuredHandover("second", 75e-6)
    none, bundle = calibrate_device(first, small("Relu"), beside=second, handover=lambda *_: None, **given)
    assert none.handover is None and "handover" not in bundle
    alone, _ = calibrate_device(first, small("Relu"), handover=handover, **given)
    assert alone.handover is None and len(asked) == 1


def test_a_runtime_without_a_profiler_says_so(devices):
    sketch = Sketch([("Relu", "x", "y", {})], {"x": (2, 3)})
    with pytest.raises(RuntimeFault) as caught:
        profile_model(devices["steady"], sketch.model(), sketch.graph(), rule=QUICK)
    assert caught.value.code == "profile_unsupported"
