"""Every shipped template: loads, has a source for each figure, and its figures agree with each other."""

import pytest

from heteroopt.devices import list_sample_pools, list_templates, load_sample_pool, load_template
from heteroopt.devices.templates import template_values
from heteroopt.errors import PoolError

FIGURES = {
    "peak_gflop_per_s",
    "memory_size_bytes",
    "memory_bandwidth_gb_per_s",
    "energy_pj_per_flop",
    "energy_pj_per_byte",
    "idle_power_w",
    "active_power_w",
    "launch_overhead_us",
    "workspace_bytes",
}
REQUIRED = {
    "NVIDIA_A100_40G", "NVIDIA_A100_80G", "NVIDIA_H100_SXM", "NVIDIA_H200", "NVIDIA_H800", "NVIDIA_H20", "NVIDIA_L4",
    "NVIDIA_RTX_3090", "NVIDIA_RTX_4090", "AMD_MI300X", "Intel_Xeon_8480", "AMD_EPYC_9654", "Ascend_910", "Ascend_910B",
    "Ascend_310P", "Jetson_AGX_Orin_GPU", "Jetson_AGX_Orin_DLA", "Jetson_AGX_Orin_CPU", "Xilinx_Alveo_U250",
    "Apple_M2_GPU", "Apple_M2_CPU", "Apple_M2_Neural_Engine", "Intel_NPU_Core_Ultra_1",
}  # fmt: skip
KINDS_OF_SOURCE = (
    "data sheet: ", "documentation: ", "press: ", "vendor figure, not re-checked: ", "derived: ", "estimate: ",
    "assumed: ",
)  # fmt: skip


def test_the_required_devices_are_there():
    assert set(list_templates()) >= REQUIRED
    assert len(list_templates()) >= 30


@pytest.mark.parametrize("name", list_templates())
def test_template(name):
    device = load_template(name)
    assert device.template == device.name == name
    assert device.vendor
    listed = {field for field in ("supported_ops", "unsupported_ops") if getattr(device, field)}
    listed |= {field for field in ("efficiency", "bandwidth_efficiency") if field in template_values(name)}
    assert set(device.sources) == FIGURES | listed
    assert all(source.startswith(KINDS_OF_SOURCE) and len(source) > 15 for source in device.sources.values())
    assert set(device.energy_pj_per_flop) == set(device.peak_gflop_per_s)
    for precision, peak in device.peak_gflop_per_s.items():
        implied_w = peak * 1e9 * device.energy_pj_per_flop[precision] * 1e-12
        assert implied_w == pytest.approx(device.active_power_w, rel=0.01)
    assert 0 < device.idle_power_w < device.active_power_w / 2
    reached = device.memory_bandwidth_gb_per_s * device.bandwidth_efficiency["elementwise"]
    streaming_w = reached * 1e9 * device.energy_pj_per_byte * 1e-12
    assert streaming_w < device.active_power_w
    assert device.workspace_bytes < device.memory_size_bytes / 50


def test_dense_peaks_not_sparse_ones():
    assert load_template("NVIDIA_A100_40G").peak_gflop_per_s["fp16"] == 312_000.0
    assert load_template("NVIDIA_H100_SXM").peak_gflop_per_s["fp16"] == 989_400.0
    assert load_template("NVIDIA_L4").peak_gflop_per_s["fp16"] == 121_000.0
    assert load_template("Ascend_910").peak_gflop_per_s["fp16"] == 256_000.0
    assert load_template("Jetson_AGX_Orin_DLA").peak_gflop_per_s["int8"] == pytest.approx(105_000 / 2 / 2)


def test_matrix_units_of_processors_count_operations_once():
    """AMX: a 16 x 16 x 32 product of BF16 tiles, 8,192 multiply-adds, in 16 cycles; twice that for INT8."""
    xeon = load_template("Intel_Xeon_8480")
    assert xeon.peak_gflop_per_s["bf16"] == 56 * 2.0 * (16 * 16 * 32 / 16) * 2
    assert xeon.peak_gflop_per_s["int8"] == 2 * xeon.peak_gflop_per_s["bf16"]


def test_the_dla_saves_energy_and_the_parts_of_the_module_stay_in_its_power():
    gpu, dla, cpu = (load_template(f"Jetson_AGX_Orin_{part}") for part in ("GPU", "DLA", "CPU"))
    assert gpu.active_power_w + 2 * dla.active_power_w + cpu.active_power_w <= 60.0
    for precision in ("fp16", "int8"):
        assert dla.energy_pj_per_flop[precision] < gpu.energy_pj_per_flop[precision]


def test_engines_of_one_chip_do_not_each_reach_its_whole_memory_bandwidth():
    gpu, dla, cpu = (load_template(f"Jetson_AGX_Orin_{part}") for part in ("GPU", "DLA", "CPU"))
    assert gpu.memory_bandwidth_gb_per_s == dla.memory_bandwidth_gb_per_s == cpu.memory_bandwidth_gb_per_s
    assert cpu.bandwidth_efficiency["elementwise"] < gpu.bandwidth_efficiency["elementwise"] / 2
    assert dla.bandwidth_efficiency["conv"] < gpu.bandwidth_efficiency["conv"] / 2


def test_accelerators_name_what_they_cannot_run():
    dla = load_template("Jetson_AGX_Orin_DLA")
    assert dla.supports("Conv")
    assert not dla.supports("MatMul")
    assert not dla.supports("GlobalAveragePool")
    assert not load_template("Ascend_910").supports("If")
    assert load_template("Ascend_910").supports("Softmax")
    assert load_template("Intel_Xeon_8480").supports("If")
    assert load_template("Ascend_310P").supports("NonMaxSuppression")
    assert not load_template("Ascend_310P").supports("Loop")
    u250 = load_template("Xilinx_Alveo_U250")
    assert u250.supports("PRelu")
    assert not u250.supports("Sigmoid")


def test_sample_pools_are_the_four_of_the_documentation():
    assert list_sample_pools() == ("data_center", "edge", "mixed_training", "workstation")
    kinds = {name: [device.template for device in load_sample_pool(name).devices] for name in list_sample_pools()}
    assert kinds["data_center"] == ["NVIDIA_A100_40G", "NVIDIA_A100_40G", "Intel_Xeon_8480", "Ascend_910"]
    assert kinds["edge"].count("Jetson_AGX_Orin_DLA") == 2
    assert len({device.memory_domain for device in load_sample_pool("edge").devices}) == 1
    with pytest.raises(PoolError):
        load_sample_pool("lab")
