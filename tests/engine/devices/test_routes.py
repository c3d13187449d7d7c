"""Routes: direct link, through the host, shared channels, moves inside a memory domain."""

import itertools

from heteroopt.devices import DevicePool, DeviceSpec, Link, list_sample_pools, load_sample_pool
from heteroopt.devices.memories import UNLIMITED_BYTES, find_memories
from heteroopt.devices.routes import NO_CHANNEL, Hop, find_routes


def device(name: str, device_type: str = "GPU", **fields: object) -> DeviceSpec:
    return DeviceSpec(**{"name": name, "device_type": device_type, "memory_size_bytes": 10**9, **fields})  # type: ignore[arg-type]


def test_direct_link_is_one_hop_and_each_direction_has_its_own_channel():
    routes = find_routes(DevicePool([device("a"), device("c", "CPU")], [Link("a", "c", 10.0, 5.0, 160.0)]))
    assert routes.between(0, 0) == ()
    assert routes.between(0, 1) == (Hop(0, 1, 0, 5_000_000, 100.0, 160.0),)
    assert routes.between(1, 0) == (Hop(1, 0, 1, 5_000_000, 100.0, 160.0),)
    assert routes.channels == ("a -> c", "c -> a")


def test_without_a_direct_link_the_route_goes_through_the_host():
    pool = DevicePool([device("a"), device("c", "CPU"), device("b")], [Link("a", "c"), Link("b", "c")])
    hops = find_routes(pool).between(0, 2)
    assert [(hop.source, hop.target) for hop in hops] == [(0, 1), (1, 2)]
    assert hops[0].channel != hops[1].channel
    implicit = find_routes(DevicePool([device("a"), device("b")]))
    assert [(hop.source, hop.target) for hop in implicit.between(0, 1)] == [(0, 2), (2, 1)]
    assert implicit.n_stores == 3


def test_links_behind_one_switch_share_a_channel():
    links = [Link("a", "c", channel="switch"), Link("b", "c", channel="switch")]
    routes = find_routes(DevicePool([device("a"), device("b"), device("c", "CPU")], links))
    assert {hop.channel for hops in routes.hops.values() for hop in hops} == {0}


def test_a_move_inside_a_memory_domain_costs_latency_only():
    shared = {"memory_domain": "m"}
    pool = DevicePool(
        [device("a", **shared), device("b", **shared), device("c", "CPU", **shared)], [Link("a", "c", latency_us=7.0)]
    )
    routes = find_routes(pool)
    assert routes.between(0, 2) == (Hop(0, 2, NO_CHANNEL, 7_000_000, 0.0, 0.0),)
    assert routes.between(0, 1) == (Hop(0, 1, NO_CHANNEL, 5_000_000, 0.0, 0.0),)
    assert routes.channels == ()


def test_every_pair_of_every_sample_pool_has_a_route_that_ends_there():
    for name in list_sample_pools():
        routes = find_routes(load_sample_pool(name))
        for (source, target), hops in routes.hops.items():
            assert (source == target) == (not hops)
            if hops:
                assert (hops[0].source, hops[-1].target) == (source, target)
                assert all(a.target == b.source for a, b in itertools.pairwise(hops))


def test_usable_memory_is_fraction_cap_and_workspace():
    pool = DevicePool([device("a", workspace_bytes=50_000_000), device("b", memory_cap_bytes=300_000_000)])
    memories = find_memories(pool)
    assert memories.capacity_bytes == (800_000_000, 300_000_000, UNLIMITED_BYTES)
    assert memories.store_memory == (0, 1, 2)
    assert find_memories(pool, {"a": 200_000_000}).capacity_bytes[0] == 150_000_000
    assert find_memories(pool, {"a": 1_000}).capacity_bytes[0] == 0


def test_a_shared_memory_counts_once_with_all_workspaces_and_the_lowest_cap():
    shared = {"memory_domain": "m", "workspace_bytes": 10_000_000}
    pool = DevicePool([device("a", memory_cap_bytes=500_000_000, **shared), device("c", "CPU", **shared)])
    memories = find_memories(pool)
    assert (memories.store_memory, memories.capacity_bytes, memories.names) == ((0, 0), (480_000_000,), ("m",))
