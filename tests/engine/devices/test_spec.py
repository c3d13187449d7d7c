"""DeviceSpec: templates and overrides, derived figures, refusals with field and reason, exact round trips."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.devices import DeviceSpec
from heteroopt.devices.checks import RANGES
from heteroopt.errors import PoolError

PLAIN = {"name": "gpu0", "device_type": "GPU", "memory_size_bytes": 40 * 10**9}
RATED = {**PLAIN, "peak_gflop_per_s": {"fp32": 19500.0}, "memory_bandwidth_gb_per_s": 1555.0, "active_power_w": 400.0}


def test_template_gives_the_figures_and_keywords_override_them():
    device = DeviceSpec(template="NVIDIA_A100_40G", name="gpu0", idle_power_w=42.0)
    assert device.name == "gpu0"
    assert device.template == "NVIDIA_A100_40G"
    assert device.device_type == "GPU"
    assert device.peak_gflop_per_s["fp32"] == 19500.0
    assert device.memory_size_bytes == 40_000_000_000
    assert device.memory_bandwidth_gb_per_s == 1555.0
    assert device.idle_power_w == 42.0
    assert device.active_power_w == 400.0


def test_a_400_w_card_of_19_5_tflops_spends_about_20_picojoules_per_flop():
    assert DeviceSpec(**RATED).energy_pj_per_flop["fp32"] == pytest.approx(20.51, abs=0.01)
    assert DeviceSpec(template="NVIDIA_A100_40G", name="g").energy_pj_per_flop["fp32"] == pytest.approx(20.51, abs=0.01)


def test_a_figure_off_by_five_orders_of_magnitude_is_refused_with_the_reason():
    # 0.08 microjoule per GFLOP = 8e-5 pJ/FLOP
    with pytest.raises(PoolError) as caught:
        DeviceSpec(**RATED, energy_pj_per_flop={"fp32": 8e-5})
    assert caught.value.code == "out_of_range"
    assert caught.value.params["field"] == "energy_pj_per_flop[fp32]"
    assert "20 pJ per FLOP" in str(caught.value)
    with pytest.raises(PoolError) as caught:
        DeviceSpec(**RATED, energy_pj_per_flop={"fp32": 0.02})
    assert caught.value.code == "energy_contradicts_power"
    assert caught.value.params["expected"] == pytest.approx(20.51, abs=0.01)


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"peak_gflop_per_s": {"fp32": 1e13}}, "out_of_range", "peak_gflop_per_s[fp32]"),
        ({"peak_gflop_per_s": {"fp31": 1.0}}, "unknown_key", "peak_gflop_per_s"),
        ({"peak_gflop_per_s": {"fp32": math.nan}}, "not_a_number", "peak_gflop_per_s[fp32]"),
        ({"peak_gflop_per_s": [1.0]}, "wrong_type", "peak_gflop_per_s"),
        ({"peak_gflop_per_s": {}}, "no_peak", "peak_gflop_per_s"),
        ({"memory_bandwidth_gb_per_s": math.inf}, "not_a_number", "memory_bandwidth_gb_per_s"),
        ({"memory_bandwidth_gb_per_s": 1.5e12}, "out_of_range", "memory_bandwidth_gb_per_s"),
        ({"memory_size_bytes": 0}, "out_of_range", "memory_size_bytes"),
        ({"memory_size_bytes": "40 GB"}, "not_a_number", "memory_size_bytes"),
        ({"memory_size_bytes": 4096.5}, "not_whole", "memory_size_bytes"),
        ({"memory_size_bytes": True}, "not_a_number", "memory_size_bytes"),
        ({"idle_power_w": 500.0}, "power_order", "active_power_w"),
        ({"efficiency": {"conv": 1.2}}, "out_of_range", "efficiency[conv]"),
        ({"efficiency": {"convolution": 0.5}}, "unknown_key", "efficiency"),
        ({"supported_ops": "Conv"}, "wrong_type", "supported_ops"),
        ({"device_type": "TPU"}, "device_type", "device_type"),
        ({"display_name": "a\nb"}, "wrong_type", "display_name"),
    ],
)
def test_refusals_name_the_field(changes, code, field):
    with pytest.raises(PoolError) as caught:
        DeviceSpec(**{**RATED, **changes})
    assert (caught.value.code, caught.value.params["field"]) == (code, field)


@pytest.mark.parametrize("name", ["", " gpu", "a\tb", "x" * 65, None])
def test_names_are_short_and_printable(name):
    with pytest.raises(PoolError) as caught:
        DeviceSpec(**{**PLAIN, "name": name})
    assert caught.value.code == "bad_name"


def test_unknown_template_and_unknown_field_are_named():
    with pytest.raises(PoolError) as caught:
        DeviceSpec(template="NVIDIA_A101", name="g")
    assert caught.value.code == "unknown_template"
    with pytest.raises(PoolError) as caught:
        DeviceSpec.from_dict({**RATED, "peak_tflops": 19.5})
    assert caught.value.params["unknown"] == ["peak_tflops"]


def test_a_device_without_peak_is_possible_for_costs_that_are_given():
    device = DeviceSpec(**PLAIN)
    assert device.peak_gflop_per_s == {}
    assert device.energy_pj_per_flop == {}
    assert device.supports("Conv")


def test_supported_operators_less_unsupported_ones():
    device = DeviceSpec(**PLAIN, supported_ops=["Conv", "Relu"], unsupported_ops=["Relu"])
    assert [device.supports(name) for name in ("Conv", "Relu", "Softmax")] == [True, False, False]
    everything = DeviceSpec.from_dict({"template": "Jetson_AGX_Orin_DLA", "name": "d", "supported_ops": "all"})
    assert everything.supported_ops is None
    assert not DeviceSpec(template="Jetson_AGX_Orin_DLA", name="d").supports("MatMul")


def test_round_trip_keeps_figures_of_a_template_that_no_longer_exists():
    data = {**DeviceSpec(template="Ascend_910", name="npu0").to_dict(), "template": "Ascend_909"}
    assert DeviceSpec.from_dict(data).to_dict() == data


positive = st.floats(1e-2, 1e4, allow_nan=False)
fractions = st.dictionaries(st.sampled_from(["conv", "matmul", "softmax"]), st.floats(0.01, 1.0))


@settings(max_examples=40, deadline=None)
@given(
    peak=st.floats(10.0, 1e6),
    bandwidth=positive,
    idle=st.floats(0.0, 100.0),
    above=st.floats(1.0, 500.0),
    efficiency=fractions,
    operators=st.one_of(st.none(), st.sets(st.sampled_from(["Conv", "Relu", "Gemm"]))),
    cap=st.one_of(st.none(), st.integers(1, 10**12)),
)
def test_round_trip_is_exact(peak, bandwidth, idle, above, efficiency, operators, cap):
    device = DeviceSpec(
        **PLAIN,
        peak_gflop_per_s={"fp16": peak},
        memory_bandwidth_gb_per_s=bandwidth,
        idle_power_w=idle,
        active_power_w=idle + above,
        energy_pj_per_flop={},
        efficiency=efficiency,
        supported_ops=operators,
        memory_cap_bytes=cap,
    )
    again = DeviceSpec.from_dict(device.to_dict())
    assert again == device
    assert again.to_dict() == device.to_dict()


def test_every_range_says_why():
    assert all(limit.why and limit.low < limit.high for limit in RANGES.values())
