"""Copies between devices: the sum of two measured legs, said to be that; nothing where legs do not meet."""

from __future__ import annotations

import numpy as np
import pytest

from heteroopt.calibration.pair_transfers import MeasuredLegs, composed, pair_transfers
from heteroopt.calibration.transfers import calibrated_links, fit_transfer, measure_transfers
from heteroopt.costs.measured_transfers import TransferFit
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.routes import find_routes
from heteroopt.devices.spec import DeviceSpec
from heteroopt.errors import PoolError
from tests.engine.calibration.test_simulated import simulated

SIZES = (4096, 65_536, 1_048_576, 67_108_864)


def device(name: str, kind: str, domain: str | None = None) -> DeviceSpec:
    return DeviceSpec(name=name, device_type=kind, memory_size_bytes=10**9, memory_domain=domain)


def fits(latency_s: float, bytes_per_s: float) -> dict[str, TransferFit]:
    """To the device as given, back with twice the latency and half the bandwidth."""
    return {
        "h2d": fit_transfer(SIZES, [latency_s + size / bytes_per_s for size in SIZES]),
        "d2h": fit_transfer(SIZES, [2 * (latency_s + size / bytes_per_s) for size in SIZES]),
    }


POOL = DevicePool([device("c", "CPU", "ram"), device("g", "GPU"), device("n", "NPU"), device("i", "GPU", "ram")])
LEGS = {"g": MeasuredLegs("box", fits(5e-6, 20e9)), "n": MeasuredLegs("box", fits(10e-6, 10e9))}


def test_two_legs_add_up_and_are_said_to_be_composed():
    found = {(one.source, one.target): one for one in pair_transfers(POOL, LEGS)}
    there = found["g", "n"]  # 2 x 5 us and 10 GB/s up, 10 us and 10 GB/s down
    assert there.path == "composed"
    assert there.fit.latency_s == pytest.approx(20e-6, rel=1e-4)
    assert there.fit.bytes_per_s == pytest.approx(5e9, rel=1e-6)
    assert [size for size, _, _ in there.fit.samples] == list(SIZES)
    assert there.fit.samples[0][1] == pytest.approx(20e-6 + 4096 / 5e9)
    assert there.fit.worst < 1e-6
    back = found["n", "g"]  # 20 us and 5 GB/s up, 5 us and 20 GB/s down
    assert (back.fit.latency_s, back.fit.bytes_per_s) == (pytest.approx(25e-6, rel=1e-4), pytest.approx(4e9, rel=1e-6))
    assert found["c", "g"].path == found["g", "c"].path == "measured"
    assert found["c", "g"].fit == LEGS["g"].fits["h2d"]
    assert found["i", "g"].fit == LEGS["g"].fits["h2d"]  # it computes in the memory of the host
    assert ("c", "i") not in found and ("i", "c") not in found and ("c", "c") not in found


def test_plans_take_the_composed_path_where_no_link_joins_two_devices():
    pool = calibrated_links(POOL, {name: legs.fits for name, legs in LEGS.items()})
    places = [pool.store_names.index(name) for name in ("g", "n")]
    (pair,) = pair_transfers(pool, LEGS, [("g", "n")])
    hops = find_routes(pool).between(*places)
    planned_s = sum(hop.latency_ps + SIZES[-1] * hop.ps_per_byte for hop in hops) / 1e12
    assert planned_s == pytest.approx(pair.fit.latency_s + SIZES[-1] / pair.fit.bytes_per_s, rel=1e-3)


def test_legs_that_do_not_meet_make_no_pair():
    elsewhere = {**LEGS, "n": MeasuredLegs("other box", LEGS["n"].fits)}
    assert not list(pair_transfers(POOL, elsewhere, [("g", "n"), ("n", "g")]))
    assert not list(pair_transfers(POOL, {"g": LEGS["g"]}, [("g", "n"), ("n", "g")]))
    assert not list(pair_transfers(POOL, {**LEGS, "n": MeasuredLegs("box", {})}, [("g", "n")]))
    with pytest.raises(PoolError):
        list(pair_transfers(POOL, {"gone": LEGS["g"]}))


@pytest.mark.parametrize("seed", range(20))
def test_what_a_sum_misses_is_at_most_what_its_parts_miss(seed):
    seconds = 10.0 ** np.random.default_rng(seed).uniform(-6, 0, (len(SIZES), 2))
    first, second = (fit_transfer(SIZES, [pair[at] for pair in seconds]) for at in (0, 1))
    both = composed(first, second)
    assert both.worst <= max(first.worst, second.worst) * (1 + 1e-9)
    assert both.residual <= both.worst
    apart = composed(first, fit_transfer((1, 2, 3, 4), [pair[1] for pair in seconds]))
    assert apart.samples == () and apart.worst >= first.worst


def test_two_devices_of_a_runtime_are_measured_and_composed():
    """Copies of simulated devices take what this machine takes: no figure is looked at but their sums."""
    with simulated({"name": "a"}, {"name": "b"}) as devices:
        legs = {one.description.name: MeasuredLegs("box", measure_transfers(one.handle, SIZES[:3])) for one in devices}
    pool = DevicePool([device("c", "CPU"), device("a", "GPU"), device("b", "GPU")])
    found = {(one.source, one.target): one for one in pair_transfers(pool, legs)}
    assert {ends for ends, one in found.items() if one.path == "composed"} == {("a", "b"), ("b", "a")}
    up, down = legs["a"].fits["d2h"], legs["b"].fits["h2d"]
    for (size, measured, fitted), one, other in zip(found["a", "b"].fit.samples, up.samples, down.samples, strict=True):
        assert (size, measured) == (one[0], one[1] + other[1])
        assert fitted == pytest.approx(found["a", "b"].fit.latency_s + size / found["a", "b"].fit.bytes_per_s)
