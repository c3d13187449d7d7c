"""Roofline costs on hand-worked operators, and what must hold for any."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from heteroopt.costs import BOUNDS, COST_SOURCES, roofline_cost_table
from heteroopt.devices import DevicePool, DeviceSpec, list_templates
from heteroopt.devices.precisions import PRECISIONS
from heteroopt.errors import CostError
from heteroopt.graph.graph import Graph, Initializer, Operator, Tensor


def operator(index: int = 0, **fields: object) -> Operator:
    values = {
        "index": index, "name": f"op{index}", "op_type": "Conv", "domain": "", "op_class": "conv", "inputs": (index,),
        "outputs": (index + 1,), "initializers": (), "flops": 0, "flops_source": "given", "bytes_read": 0,
        "bytes_written": 0, "precision": "fp32", "is_view": False, "scope": "", "attributes": {}, "members": (index,),
    }  # fmt: skip
    return Operator(**{**values, **fields})  # type: ignore[arg-type]


def chain(*operators: Operator, input_bytes: int = 1000, weight_bytes: int = 0) -> Graph:
    n = len(operators)
    tensors = tuple(
        Tensor(i, f"t{i}", None, "float32", input_bytes, "given", i - 1, (i,) if i < n else ()) for i in range(n + 1)
    )
    weights = (Initializer(0, "w", (1,), "float32", weight_bytes),) if weight_bytes else ()
    return Graph("g", operators, tensors, weights, (0,), (n,))


def device(**fields: object) -> DeviceSpec:
    values = {
        "name": "d0", "device_type": "GPU", "memory_size_bytes": 10**9, "peak_gflop_per_s": {"fp32": 1000.0},
        "memory_bandwidth_gb_per_s": 100.0, "idle_power_w": 20.0, "active_power_w": 100.0, "energy_pj_per_byte": 50.0,
        "launch_overhead_us": 5.0, "efficiency": {"conv": 0.5}, "bandwidth_efficiency": {"conv": 0.8},
    }  # fmt: skip
    return DeviceSpec(**{**values, **fields})  # type: ignore[arg-type]


def test_compute_bound_operator():
    # 1 GFLOP at 1,000 GFLOP/s x 0.5 = 2 ms; + 5 us. 100 pJ/FLOP x (1 - 20/100) = 80 mJ, + 1,500 bytes x 50 pJ.
    graph = chain(operator(flops=10**9, bytes_read=1000, bytes_written=500))
    table = roofline_cost_table(graph, DevicePool([device()]))
    assert table.time_ps.tolist() == [[2_005_000_000]]
    assert table.energy_pj.tolist() == [[80_000_000_000 + 75_000]]
    assert BOUNDS[table.bound[0, 0]] == "compute"
    assert table.low_ps.tolist() == [[1_000_000_000]]
    assert table.high_ps.tolist() == [[4_010_000_000]]
    assert COST_SOURCES[table.source[0, 0]] == "roofline"
    assert PRECISIONS[table.precision[0, 0]] == "fp32"


def test_memory_bound_operator_gains_nothing_from_more_flops_per_second():
    # 8 MB at 100 GB/s x 0.8 = 100 us, + 5 us
    graph = chain(operator(flops=10**6, bytes_read=4_000_000, bytes_written=4_000_000), input_bytes=4_000_000)
    fast = device(name="d1", peak_gflop_per_s={"fp32": 10_000.0})
    table = roofline_cost_table(graph, DevicePool([device(), fast]))
    assert table.time_ps.tolist() == [[105_000_000, 105_000_000]]
    assert [BOUNDS[code] for code in table.bound[0]] == ["memory", "memory"]


def test_energy_is_capped_by_the_power_above_idle():
    graph = chain(operator(bytes_read=4_000_000, bytes_written=4_000_000), input_bytes=4_000_000)
    table = roofline_cost_table(graph, DevicePool([device(energy_pj_per_byte=10_000.0)]))
    assert table.energy_pj.tolist() == [[80 * 105_000_000]]


def test_tiny_operator_costs_its_launch_and_a_view_costs_nothing():
    graph = chain(operator(flops=10), operator(1, op_type="Reshape", op_class="view", is_view=True))
    table = roofline_cost_table(graph, DevicePool([device(supported_ops=["Conv"])]))
    assert table.time_ps[0, 0] == 5_000_020
    assert BOUNDS[table.bound[0, 0]] == "overhead"
    assert (table.time_ps[1, 0], table.energy_pj[1, 0]) == (0, 0)
    assert [COST_SOURCES[code] for code in table.source[:, 0]] == ["roofline", "view"]


def test_unsupported_operators():
    graph = chain(operator(flops=10), operator(1, op_type="Softmax"))
    table = roofline_cost_table(graph, DevicePool([device(), device(name="d1", unsupported_ops=["Softmax"])]))
    assert table.supported.tolist() == [[True, True], [True, False]]
    assert COST_SOURCES[table.source[1, 1]] == "unsupported"
    assert (table.time_ps[1, 1], table.energy_pj[1, 1], table.precision[1, 1]) == (-1, 0, -1)


def test_a_fused_operator_is_launched_once_and_needs_all_its_members():
    parts = chain(operator(flops=10**6), operator(1, op_type="Relu", op_class="elementwise", flops=10**6))
    fused = Graph(
        "g",
        (operator(flops=2 * 10**6, members=(0, 1)),),
        (parts.tensors[0], replace(parts.tensors[2], index=1, producer=0)),
        (),
        (0,),
        (1,),
        original=parts,
    )
    pool = DevicePool([device(), device(name="d1", supported_ops=["Conv"])])
    table = roofline_cost_table(fused, pool)
    assert table.time_ps.tolist() == [[2 * 2_000_000 + 5_000_000, -1]]


def test_casts_are_counted_where_the_device_lacks_the_models_precision():
    # fp32 model on an fp16 device: activations 1 + 2 x 0.5 = 2 bytes a byte, weights 0.5
    graph = chain(
        operator(bytes_read=5_000_000, bytes_written=1_000_000, initializers=(0,)),
        input_bytes=1_000_000,
        weight_bytes=4_000_000,
    )
    half = device(peak_gflop_per_s={"fp16": 1000.0}, launch_overhead_us=0.0)
    table = roofline_cost_table(graph, DevicePool([half]))
    assert table.time_ps[0, 0] == (2 * 2_000_000 + 2_000_000) / 80 * 1000
    assert PRECISIONS[table.precision[0, 0]] == "fp16"
    same = roofline_cost_table(
        chain(operator(bytes_read=5_000_000, bytes_written=1_000_000, precision="int64"), input_bytes=1_000_000),
        DevicePool([half]),
    )
    assert same.time_ps[0, 0] == 6_000_000 / 80 * 1000


def test_tf32_shares_the_storage_of_fp32():
    graph = chain(operator(bytes_read=8_000_000, bytes_written=0), input_bytes=8_000_000)
    table = roofline_cost_table(graph, DevicePool([device(peak_gflop_per_s={"tf32": 8e3}, launch_overhead_us=0.0)]))
    assert table.time_ps[0, 0] == 100_000_000


def test_a_device_without_peak_is_named():
    with pytest.raises(CostError) as caught:
        roofline_cost_table(
            chain(operator()), DevicePool([DeviceSpec(name="x", device_type="NPU", memory_size_bytes=10**6)])
        )
    assert (caught.value.code, caught.value.params["device"]) == ("device_without_peak", "x")


def test_absurd_work_is_refused_with_operator_and_device():
    with pytest.raises(CostError) as caught:
        roofline_cost_table(chain(operator(flops=2 * 10**18)), DevicePool([device()]))
    assert caught.value.params["operator"] == "op0"


def test_a_graph_without_operators():
    empty = Graph("g", (), (Tensor(0, "t0", None, "float32", 4, "given", -1, ()),), (), (0,), (0,))
    assert roofline_cost_table(empty, DevicePool([device()])).time_ps.shape == (0, 1)


ALL = DevicePool(
    [DeviceSpec(template=name, name=name, supported_ops="all", unsupported_ops=()) for name in list_templates()]
)


@settings(max_examples=30, deadline=None)
@given(
    flops=st.integers(0, 10**12),
    more=st.integers(0, 10**12),
    read=st.integers(0, 10**9),
    written=st.integers(0, 10**9),
    op_class=st.sampled_from(["conv", "matmul", "softmax", "elementwise", "recurrent", "surprise"]),
    precision=st.sampled_from([*PRECISIONS, "bool"]),
)
@example(flops=1_100_914_982, more=0, read=0, written=4_485_124, op_class="conv", precision="fp64")
def test_more_work_is_never_faster_or_cheaper_and_every_entry_is_physical(
    flops, more, read, written, op_class, precision
):
    def cost(extra_flops: int, extra_bytes: int):
        return roofline_cost_table(
            chain(
                operator(
                    flops=flops + extra_flops,
                    bytes_read=read + extra_bytes,
                    bytes_written=written,
                    op_class=op_class,
                    precision=precision,
                ),
                input_bytes=read,
            ),
            ALL,
        )

    base, harder, bigger = cost(0, 0), cost(more, 0), cost(0, more // 1000)
    for worse in (harder, bigger):
        assert (worse.time_ps >= base.time_ps).all()
        assert (worse.energy_pj >= base.energy_pj - 1).all()
    assert (base.low_ps <= base.time_ps).all()
    power_above_idle = np.array([device.active_power_w - device.idle_power_w for device in ALL.devices])
    assert (base.energy_pj <= power_above_idle * base.time_ps + 1).all()


@settings(max_examples=20, deadline=None)
@given(flops=st.lists(st.integers(0, 10**10), min_size=1, max_size=6))
def test_the_same_inputs_give_the_same_hash(flops):
    graph = chain(*(operator(i, flops=value) for i, value in enumerate(flops)))
    assert roofline_cost_table(graph, ALL).content_hash == roofline_cost_table(graph, ALL).content_hash


def test_the_share_of_the_memory_is_said_where_devices_slow_each_other():
    # 8 MB at 100 GB/s x 0.8 = 100 us of 105; 1 GFLOP takes 2 ms, its 1,500 bytes 19 ns: nothing in 1,024.
    reads = operator(flops=10**6, bytes_read=4_000_000, bytes_written=4_000_000)
    computes = operator(1, flops=10**9, bytes_read=1000, bytes_written=500)
    devices = [device(name=name, memory_domain="board") for name in ("d0", "d1")]
    graph = chain(reads, computes, input_bytes=4_000_000)
    plain = roofline_cost_table(graph, DevicePool(devices))
    shared = roofline_cost_table(graph, DevicePool(devices, memory_domains={"board": {"slowdown": 2.0}}))
    assert shared.memory_share.tolist() == [[975, 975], [0, 0]]
    assert shared.memory_share[0, 0] == round(1024 * 100 / 105)
    assert plain.memory_share.size == 0
    assert plain.shares().tolist() == [[1024, 1024], [0, 0]]
    assert plain.content_hash != shared.content_hash
