"""From a real graph and pool to a problem: stores, memories, routes, pins, groups, and errors that name names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from heteroopt.costs.table import CostTable
from heteroopt.devices.links import Link
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.errors import PlanError
from heteroopt.graph.graph import Graph, Initializer, Operator, Tensor
from heteroopt.simulation.compile import compile_problem
from heteroopt.simulation.problem import UNLIMITED_BYTES
from tests.engine.simulation.both import decode, hops, spans

GB = 10**9


def operator(index, inputs, outputs, *, initializers=(), view=False, colocation=""):
    return Operator(
        index=index,
        name=f"node{index}",
        op_type="Reshape" if view else "MatMul",
        domain="",
        op_class="view" if view else "matmul",
        inputs=inputs,
        outputs=outputs,
        initializers=initializers,
        flops=0,
        flops_source="given",
        bytes_read=0,
        bytes_written=0,
        precision="fp32",
        is_view=view,
        scope="",
        attributes={},
        members=(index,),
        colocation=colocation,
    )


def tensor(index, producer, consumers, size=1000):
    return Tensor(index, f"t{index}", None, "float32", size, "given", producer, consumers)


def graph(colocation="", view=False):
    """Input t0 -> node0 -> t1 -> node1 -> t2 -> node2 -> output t3; node0 and node2 share a weight."""
    return Graph(
        name="chain",
        operators=(
            operator(0, (0,), (1,), initializers=(0,), colocation=colocation),
            operator(1, (1,), (2,), view=view, colocation=colocation),
            operator(2, (2,), (3,), initializers=(0,)),
        ),
        tensors=(tensor(0, -1, (0,)), tensor(1, 0, (1,)), tensor(2, 1, (2,)), tensor(3, 2, ())),
        initializers=(Initializer(0, "w", (250,), "float32", 5000),),
        inputs=(0,),
        outputs=(3,),
    )


def device(name, device_type="GPU", **fields):
    return DeviceSpec(
        name=name, device_type=device_type, memory_size_bytes=fields.pop("memory_size_bytes", GB), **fields
    )


def pool(**options):
    link = {"bandwidth_gb_per_s": 1.0, "latency_us": 1.0, "energy_pj_per_byte": 2.0}
    return DevicePool(
        [device("gpu", idle_power_w=10.0), device("cpu", "CPU", idle_power_w=5.0)],
        [Link("gpu", "cpu", **link)],
        **options,
    )


def costs(times=((2_000_000, 4_000_000),) * 3):
    return CostTable.from_arrays(np.array(times), np.zeros(np.shape(times)))


def test_what_an_operator_needs_for_itself_is_held_while_it_runs_and_nowhere_else():
    """node1 needs 70 kB for itself: beside t1 and t2 and the 5 kB of weights, and where it runs alone."""
    plain = graph()
    hungry = replace(
        plain, operators=tuple(replace(op, workspace_bytes=70_000 * (op.index == 1)) for op in plain.operators)
    )
    for placement in ([0, 0, 0], [0, 1, 0]):
        without = decode(compile_problem(plain, pool(), costs()), [0, 1, 2], placement)
        schedule = decode(compile_problem(hungry, pool(), costs()), [0, 1, 2], placement)
        assert schedule.makespan_ps == without.makespan_ps
        assert schedule.transfers == without.transfers
        start, end = int(schedule.start_ps[1]), int(schedule.finish_ps[1])
        (held,) = [item for item in schedule.holdings if item.size_bytes == 70_000]
        assert (held.start_ps, held.end_ps, held.memory) == (start, end, placement[1])
        assert int(schedule.peak_bytes[placement[1]]) == 72_000 + 5000 * (placement[1] == 0)


def test_chain_on_a_gpu_with_its_input_and_output_on_the_cpu():
    problem = compile_problem(graph(), pool(), costs())
    assert (problem.n_operators, problem.n_devices, problem.n_stores, problem.host) == (3, 2, 2, 1)
    assert problem.memory_capacity_bytes.tolist() == [850_000_000] * 2
    assert problem.reference_device == 0
    schedule = decode(problem, [0, 1, 2], [0, 0, 0])
    # 1000 bytes at 1 GB/s take 1 us, and the latency another.
    assert hops(schedule) == [(0, 1, 0, 0, 2_000_000), (3, 0, 1, 8_000_000, 10_000_000)]
    assert spans(schedule) == [(2_000_000, 4_000_000), (4_000_000, 6_000_000), (6_000_000, 8_000_000)]
    assert schedule.weight_bytes.tolist() == [5000, 0]
    assert schedule.transfer_energy_pj == 4000
    assert schedule.energy_pj == 4000 + 10.0 * 10_000_000


def test_model_input_and_output_off_the_host():
    schedule = decode(compile_problem(graph(), pool(model_io_on_host=False), costs()), [0, 1, 2], [0, 0, 0])
    assert schedule.makespan_ps == 6_000_000 and hops(schedule) == []
    one = compile_problem(graph(), pool(), costs(), model_outputs_on_host=False)
    assert (one.inputs_on_host, one.outputs_on_host) == (True, False)


def test_options_of_the_pool_reach_the_problem():
    problem = compile_problem(graph(), pool(blocking_transfers=True, idle_energy="pool", default_device="cpu"), costs())
    assert problem.blocking_transfers and problem.idle_energy_pool and problem.reference_device == 1


def test_pool_without_a_cpu_has_an_implicit_host_without_a_limit():
    pair = DevicePool([device("a"), device("b", workspace_bytes=50_000_000)])
    problem = compile_problem(graph(), pair, costs(), memory_caps={"a": 500})
    assert (problem.n_stores, problem.host) == (3, 2)
    assert problem.memory_capacity_bytes.tolist() == [500, 800_000_000, UNLIMITED_BYTES]
    schedule = decode(problem, [0, 1, 2], [0, 0, 0])
    assert schedule.overflow_bytes == 5000 + 2000 - 500


def test_devices_of_a_domain_share_one_memory_and_hand_over():
    shared = DevicePool(
        [device("gpu", memory_domain="board"), device("cpu", "CPU", memory_domain="board")],
        [Link("gpu", "cpu", latency_us=3.0)],
    )
    schedule = decode(compile_problem(graph(), shared, costs()), [0, 1, 2], [0, 1, 0])
    assert schedule.peak_bytes.tolist() == [7000]
    assert schedule.transferred_bytes == 0
    assert all(t.finish_ps - t.start_ps == 3_000_000 for t in schedule.transfers)


def test_view_groups_and_pins():
    problem = compile_problem(graph(colocation="block", view=True), pool(), costs(), pins={0: 1})
    assert problem.is_view.tolist() == [False, True, False]
    assert problem.tensor_root.tolist() == [0, 1, 1, 3]
    assert problem.group.tolist() == [0, 0, -1]
    assert problem.legal.tolist() == [[False, True], [False, True], [True, True]]


@pytest.mark.parametrize(
    ("options", "times", "code", "words"),
    [
        ({}, ((1, 1), (-1, -1), (1, 1)), "operator_unsupported", ["MatMul", "node1"]),
        ({"forbidden": [0]}, ((1, 1), (1, -1), (1, 1)), "forbidden_leaves_none", ["node1"]),
        ({"pins": {2: 1}}, ((1, 1), (1, 1), (1, -1)), "pin_illegal", ["node2", "cpu"]),
        ({"pins": {9: 1}}, ((1, 1),) * 3, "unknown_operator", ["9"]),
        ({"pins": {0: 2}}, ((1, 1),) * 3, "unknown_device", ["2"]),
        ({"forbidden": [-1]}, ((1, 1),) * 3, "unknown_device", ["-1"]),
    ],
)
def test_impossible_wishes_are_named(options, times, code, words):
    with pytest.raises(PlanError) as caught:
        compile_problem(graph(), pool(), costs(times), **options)
    assert caught.value.code == code
    assert all(word in caught.value.message for word in words)


def test_group_without_a_common_device():
    with pytest.raises(PlanError) as caught:
        compile_problem(graph(colocation="block"), pool(), costs(((1, -1), (-1, 1), (1, 1))))
    assert caught.value.code == "group_unsupported"
    assert caught.value.params["operator"] == "node0"


def test_costs_of_another_graph_are_refused():
    with pytest.raises(PlanError) as caught:
        compile_problem(graph(), pool(), CostTable.from_arrays(np.ones((2, 2)), np.ones((2, 2))))
    assert caught.value.code == "cost_table_shape"


def test_a_memory_domain_with_a_slowdown_makes_its_devices_contend():
    domains = {"board": {"slowdown": 1.5}}
    devices = [device("gpu", memory_domain="board"), device("cpu", "CPU", memory_domain="board"), device("npu", "NPU")]
    links = [Link("gpu", "cpu", latency_us=3.0), Link("npu", "cpu")]
    given = costs(((100, 200, 1),) * 3)
    table = replace(given, memory_share=np.full((3, 3), 512, np.int16))
    problem = compile_problem(graph(), DevicePool(devices, links, memory_domains=domains), table)
    assert problem.contends
    assert problem.memory_excess.tolist() == [512, 0]
    assert problem.op_memory_share.tolist() == [[512, 512, 0]] * 3
    assert not compile_problem(graph(), DevicePool(devices, links), table).contends
    assert not compile_problem(graph(), DevicePool(devices, links, memory_domains=domains), given).contends
