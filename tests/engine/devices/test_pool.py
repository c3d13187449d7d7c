"""DevicePool: host, default device, tags, links made by default, refusals, TOML and dict round trips, hash."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.devices import DevicePool, DeviceSpec, Link, list_sample_pools, load_sample_pool
from heteroopt.devices.domains import MemoryDomain
from heteroopt.errors import PoolError


def device(name: str, device_type: str = "GPU", **fields: object) -> DeviceSpec:
    return DeviceSpec(**{"name": name, "device_type": device_type, "memory_size_bytes": 10**9, **fields})  # type: ignore[arg-type]


def code_of(make, *args, **kwargs) -> str:
    with pytest.raises(PoolError) as caught:
        make(*args, **kwargs)
    return caught.value.code


def test_host_is_the_first_cpu_and_the_default_device_the_first_gpu():
    pool = DevicePool([device("n", "NPU"), device("c", "CPU"), device("g"), device("c2", "CPU")])
    assert (pool.host, pool.store_names, pool.default_index) == (1, ("n", "c", "g", "c2"), 2)
    assert pool.tags() == ("N0", "C0", "G0", "C1")
    assert pool.slots() == (1, 2, 3, 4)


def test_without_a_cpu_the_host_is_implicit_and_without_a_gpu_the_first_device_is_default():
    pool = DevicePool([device("n", "NPU"), device("f", "FPGA")])
    assert (pool.host, pool.store_names, pool.default_index) == (2, ("n", "f", "host"), 0)
    assert DevicePool([device("n", "NPU"), device("f", "FPGA")], default_device="f").default_index == 1


def test_missing_host_links_are_made_and_said():
    pool = DevicePool([device("g"), device("c", "CPU"), device("c2", "CPU"), device("h")], [Link("g", "c", 50.0)])
    assert [(link.source, link.target, link.link_class) for link in pool.implied_links] == [
        ("c2", "c", "UPI"),
        ("h", "c", "PCIe"),
    ]
    assert [note["code"] for note in pool.notes] == ["default_link", "default_link"]
    one_way = DevicePool([device("g"), device("c", "CPU")], [Link("g", "c", directed=True)])
    assert [(link.source, link.target, link.directed) for link in one_way.implied_links] == [("c", "g", True)]


def test_devices_in_the_hosts_memory_are_linked_on_chip():
    pool = DevicePool([device("g", memory_domain="m"), device("c", "CPU", memory_domain="m")])
    assert [link.link_class for link in pool.implied_links] == ["on-chip"]


def test_refusals():
    assert code_of(DevicePool, []) == "no_devices"
    assert code_of(DevicePool, [device("a"), device("a")]) == "duplicate_device"
    assert code_of(DevicePool, [device(f"d{i}") for i in range(257)]) == "too_many_devices"
    assert code_of(DevicePool, [device("a")], [Link("a", "b")]) == "unknown_link_end"
    assert code_of(DevicePool, [device("a"), device("c", "CPU")], [Link("a", "host")]) == "unknown_link_end"
    two = [device("a"), device("b")]
    assert code_of(DevicePool, two, [Link("a", "b"), Link("b", "a")]) == "duplicate_link"
    assert code_of(DevicePool, two, default_device="z") == "unknown_device"
    assert code_of(DevicePool, two, memory_fraction=0.0) == "out_of_range"
    assert code_of(DevicePool, two, memory_fraction=math.nan) == "not_a_number"
    assert code_of(DevicePool, two, idle_energy="some") == "idle_energy"
    assert code_of(DevicePool, [device("host")]) == "reserved_name"
    sizes = [device("a", memory_domain="m"), device("b", memory_domain="m", memory_size_bytes=2 * 10**9)]
    assert code_of(DevicePool, sizes) == "domain_size"


def test_link_refusals():
    assert code_of(Link, "a", "a") == "link_to_self"
    assert code_of(Link, "a", "b", 0.0) == "out_of_range"
    assert code_of(Link, "a", "b", math.inf) == "not_a_number"
    assert code_of(Link, "a", "b", link_class="Token ring") == "unknown_link_class"
    assert code_of(Link.from_dict, {"source": "a"}) == "link_fields"
    assert code_of(Link.from_dict, {"source": "a", "target": "b", "speed": 1}) == "link_fields"


def test_links_take_the_figures_of_their_class():
    link = Link("a", "b", link_class="NVLink", latency_us=2.0)
    assert (link.bandwidth_gb_per_s, link.latency_us, link.energy_pj_per_byte) == (250.0, 2.0, 80.0)


def test_nvlink_pcie_and_ethernet_are_an_order_of_magnitude_apart():
    nvlink, pcie, ethernet = (
        Link("a", "b", link_class=name).bandwidth_gb_per_s for name in ("NVLink", "PCIe", "Ethernet")
    )
    assert nvlink > 8 * pcie > 64 * ethernet


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a = [", "not_toml"),
        ("a = " + "[" * 5000, "toml_shape"),
        ("devices = 3", "wrong_type"),
        ("colour = 'red'", "unknown_fields"),
        ("devices = []", "no_devices"),
        ("[[devices]]\nname = 'a'\ntemplate = 'b'\n", "unknown_template"),
        ("x = 1\n" * 400_000, "pool_file"),
    ],
)
def test_bad_files_are_refused(text, code):
    assert code_of(DevicePool.from_toml, text) == code


def test_a_missing_file_is_named(tmp_path):
    assert code_of(DevicePool.from_toml, tmp_path / "none.toml") == "pool_file"


@pytest.mark.parametrize("name", list_sample_pools())
def test_sample_pools_round_trip_through_toml_json_and_files(name, tmp_path):
    pool = load_sample_pool(name)
    assert DevicePool.from_toml(pool.to_toml()) == pool
    assert DevicePool.from_dict(json.loads(json.dumps(pool.to_dict()))) == pool
    path = tmp_path / "pool.toml"
    path.write_text(pool.to_toml(), "utf-8")
    assert DevicePool.from_toml(path).content_hash == pool.content_hash


def test_the_hash_covers_figures_and_default_links_but_not_the_name():
    pool = load_sample_pool("data_center")
    renamed = {**pool.to_dict(), "name": "another"}
    slower = pool.to_dict()
    slower["devices"][0]["memory_bandwidth_gb_per_s"] = 1000.0
    assert DevicePool.from_dict(renamed).content_hash == pool.content_hash
    assert DevicePool.from_dict(slower).content_hash != pool.content_hash
    by_default = DevicePool([device("g"), device("c", "CPU")])
    spelt_out = DevicePool([device("g"), device("c", "CPU")], [Link("g", "c")])
    assert by_default.content_hash == spelt_out.content_hash


names = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(
    unique=st.lists(names.filter(lambda name: name != "host"), min_size=2, max_size=4, unique=True),
    bandwidth=st.floats(0.001, 1e5),
    latency=st.floats(0.0, 1e6),
    directed=st.booleans(),
    channel=st.one_of(st.none(), names),
    blocking=st.booleans(),
    fraction=st.floats(0.1, 1.0),
    text=st.text(max_size=30).filter(lambda text: not text or text.isprintable()),
)
def test_any_pool_survives_toml(unique, bandwidth, latency, directed, channel, blocking, fraction, text):
    pool = DevicePool(
        [device(name, display_name=text) for name in unique],
        [Link(unique[0], unique[1], bandwidth, latency, channel=channel, directed=directed)],
        name=text,
        blocking_transfers=blocking,
        memory_fraction=fraction,
        idle_energy="pool",
    )
    again = DevicePool.from_toml(pool.to_toml())
    assert again == pool
    assert again.content_hash == pool.content_hash


def sharing(**entry: object) -> DevicePool:
    return DevicePool([device("a", memory_domain="m"), device("b", memory_domain="m")], memory_domains={"m": entry})


def test_memory_domains_say_how_much_their_devices_slow_each_other_and_survive_files():
    pool = sharing(slowdown=2.26, source="measured")
    assert pool.memory_domains == {"m": MemoryDomain(2.26, "measured")}
    assert pool.slowed_devices == (True, True)
    assert DevicePool.from_toml(pool.to_toml()) == pool == DevicePool.from_dict(json.loads(json.dumps(pool.to_dict())))
    written = '[memory_domains.m]\nslowdown = 2.26\nsource = "measured"\n'
    plain = DevicePool(pool.devices)
    head, devices = plain.to_toml().split("[[", 1)
    assert DevicePool.from_toml(f"{head}{written}[[{devices}") == pool
    assert pool.content_hash != plain.content_hash
    assert "memory_domains" not in plain.to_dict()
    assert plain.with_memory_domains(pool.memory_domains) == pool


def test_nothing_is_slowed_without_a_slowdown_or_a_second_device():
    assert sharing().slowed_devices == (False, False)
    alone = DevicePool([device("a", memory_domain="m"), device("b")], memory_domains={"m": {"slowdown": 3}})
    assert alone.slowed_devices == (False, False)


def test_figures_of_memory_domains_that_cannot_be_are_refused():
    assert code_of(sharing, slowdown=0.9) == "out_of_range"
    assert code_of(sharing, slowdown=16.5) == "out_of_range"
    assert code_of(sharing, slowdown="2") == "not_a_number"
    assert code_of(sharing, slowdown=2.0, source="guessed") == "slowdown_source"
    assert code_of(sharing, factor=2.0) == "unknown_fields"
    assert code_of(DevicePool, [device("a")], memory_domains={"m": {"slowdown": 2.0}}) == "unknown_domain"
    assert code_of(DevicePool, [device("a", memory_domain="m")], memory_domains={"m": 2.0}) == "wrong_type"
    assert code_of(DevicePool, [device("a")], memory_domains=[2.0]) == "wrong_type"
