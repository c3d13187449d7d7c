"""What differs between two states of a pool, and which figures cannot be true of a device."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heteroopt.devices.differences import Change, pool_changes
from heteroopt.devices.links import LINK_CLASSES, Link
from heteroopt.devices.plausible import implausible, implausible_link
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.devices.templates import list_sample_pools, list_templates, load_sample_pool
from heteroopt.errors import PoolError

GPU = DeviceSpec(template="NVIDIA_A100_40G", name="gpu0")
CPU = DeviceSpec(template="Intel_Xeon_8480", name="cpu0")


def changed(device: DeviceSpec, **fields) -> DeviceSpec:
    return DeviceSpec.from_dict({**device.to_dict(), **fields})


def test_figures_links_and_options_are_named_with_what_they_alter():
    before = DevicePool([GPU, CPU], [Link("gpu0", "cpu0")], name="a")
    peaks = {**GPU.peak_gflop_per_s, "fp32": 20000.0}
    after = DevicePool(
        [changed(GPU, peak_gflop_per_s=peaks, cost_per_hour=2.5), CPU],
        [Link("gpu0", "cpu0", 50.0, channel="switch")],
        name="b",
        memory_fraction=0.5,
    )
    assert pool_changes(before, after) == [
        Change("device_changed", "gpu0", "peak_gflop_per_s.fp32", 19500.0, 20000.0, "time"),
        Change("device_changed", "gpu0", "cost_per_hour", None, 2.5, "price"),
        Change("link_changed", "gpu0 ↔ cpu0", "bandwidth_gb_per_s", 24.0, 50.0, "transfers"),
        Change("link_changed", "gpu0 ↔ cpu0", "channel", None, "switch", "transfers"),
        Change("option_changed", "", "name", "a", "b", ""),
        Change("option_changed", "", "memory_fraction", 0.85, 0.5, "memory"),
    ]
    assert pool_changes(before, before) == []


def test_devices_that_come_go_and_move_are_named_and_so_are_links_by_default():
    before = DevicePool([GPU, CPU])
    after = DevicePool([CPU, GPU, changed(GPU, name="gpu1")])
    assert [(change.kind, change.where) for change in pool_changes(before, after)] == [
        ("device_added", "gpu1"), ("device_moved", "gpu0"), ("link_added", "gpu1 ↔ cpu0"),
    ]  # fmt: skip
    assert [change.kind for change in pool_changes(after, before)] == ["device_removed", "device_moved", "link_removed"]


def test_every_template_and_sample_pool_is_plausible():
    assert [name for name in list_templates() if implausible(DeviceSpec(template=name, name="d"))] == []
    for name in list_sample_pools():
        assert [link for link in load_sample_pool(name).all_links if implausible_link(link)] == []


def refusal(device: DeviceSpec, field: str, value: float) -> str:
    """Code of what a wrong figure is refused with, by the range of all devices or by its template; "" if it is not."""
    try:
        found = implausible(changed(device, **{field: value}))
    except PoolError as error:
        found = error
    assert found is None or found.params["field"] == field
    return "" if found is None else found.code


@pytest.mark.parametrize("factor", [1e5, 1e-5])
@pytest.mark.parametrize(
    "field",
    ["memory_size_bytes", "memory_bandwidth_gb_per_s", "energy_pj_per_byte", "idle_power_w", "launch_overhead_us"],
)
def test_a_figure_off_by_ten_to_the_five_is_refused(field, factor):
    value = getattr(GPU, field)
    assert refusal(GPU, field, int(value * factor) if isinstance(value, int) else value * factor) in (
        "implausible", "out_of_range", "power_order",
    )  # fmt: skip
    assert refusal(GPU, field, value * 3) == ""


def test_the_refusal_says_what_the_template_has():
    found = implausible(changed(GPU, memory_bandwidth_gb_per_s=1555e-5))
    assert found is not None and "the template has 1555" in str(found)


def test_without_a_template_the_templates_of_its_type_are_the_measure():
    own = {"name": "x", "device_type": "GPU", "memory_size_bytes": 8 * 10**9, "memory_bandwidth_gb_per_s": 300.0}
    right = DeviceSpec(**own, peak_gflop_per_s={"fp32": 5000.0})
    assert implausible(right) is None
    wrong = implausible(DeviceSpec(**{**own, "memory_bandwidth_gb_per_s": 300.0e5}, peak_gflop_per_s={"fp32": 5e3}))
    assert wrong is not None and wrong.params["field"] == "memory_bandwidth_gb_per_s"
    unknown = DeviceSpec(name="x", device_type="GPU", memory_size_bytes=8 * 10**9)
    assert implausible(unknown) is None


@pytest.mark.parametrize("factor", [1e5, 1e-5])
def test_a_link_off_by_ten_to_the_five_of_its_class_is_refused(factor):
    link = Link("a", "b", link_class="PCIe")
    assert implausible_link(link) is None and implausible_link(replace(link, latency_us=0.0)) is None
    wrong = implausible_link(replace(link, latency_us=LINK_CLASSES["PCIe"].latency_us * factor))
    assert wrong is not None and wrong.params["field"] == "latency_us"
