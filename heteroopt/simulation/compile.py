"""From a graph, a pool and its costs to the flat problem that the decoders and the search read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from heteroopt.costs.table import CostTable
from heteroopt.devices.memories import find_memories
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.routes import find_routes
from heteroopt.errors import PlanError
from heteroopt.graph.graph import Graph
from heteroopt.simulation.problem import Problem, make_problem
from heteroopt.units import us_to_ps


def compile_problem(
    graph: Graph,
    pool: DevicePool,
    costs: CostTable,
    *,
    pins: Mapping[int, int] | None = None,
    forbidden: Sequence[int] = (),
    memory_caps: Mapping[str, int] | None = None,
    model_inputs_on_host: bool | None = None,
    model_outputs_on_host: bool | None = None,
) -> Problem:
    """Compile a :class:`Problem`.

    ``pins`` maps operator to device index; ``forbidden`` lists device indices; ``memory_caps`` are bytes by device
    name, in addition to the pool's. Where model inputs start and outputs end follows the pool unless given here.
    Raises :class:`PlanError`: ``no_operators``, ``cost_table_shape``, ``unknown_operator``, ``unknown_device``, and
    ``contention_too_long``, and
    with the operator's name those of :func:`~heteroopt.simulation.problem.legal_devices`.
    """
    n, n_devices = len(graph.operators), len(pool)
    if n == 0:
        raise PlanError("no_operators", "The graph has no operator to place.")
    if costs.time_ps.shape != (n, n_devices):
        raise PlanError(
            "cost_table_shape",
            f"The cost table is for {costs.n_operators} operators on {costs.n_devices} devices; the graph has {n} "
            f"operators and the pool {n_devices} devices.",
        )
    pin = np.full(n, -1, np.int32)
    for operator, device in (pins or {}).items():
        if not 0 <= operator < n:
            message = f"There is no operator {operator}; there are {n}."
            raise PlanError("unknown_operator", message, operator=operator, count=n)
        _check_device(device, n_devices)
        pin[operator] = device
    for device in forbidden:
        _check_device(device, n_devices)

    memories = find_memories(pool, memory_caps)
    routes = find_routes(pool)
    stores = range(routes.n_stores)
    groups = {
        name: index
        for index, name in enumerate(dict.fromkeys(op.colocation for op in graph.operators if op.colocation))
    }
    outputs, tensor_bytes = _with_workspaces(graph)
    try:
        return make_problem(
            op_time_ps=costs.time_ps,
            op_energy_pj=costs.energy_pj,
            inputs=[op.inputs for op in graph.operators],
            outputs=outputs,
            initializers=[op.initializers for op in graph.operators],
            is_view=[op.is_view for op in graph.operators],
            tensor_size_bytes=tensor_bytes,
            output_tensors=graph.outputs,
            init_size_bytes=[item.size_bytes for item in graph.initializers],
            store_memory=memories.store_memory,
            memory_capacity_bytes=memories.capacity_bytes,
            routes=[[routes.between(u, v) for v in stores] for u in stores],
            idle_power_w=[device.idle_power_w for device in pool.devices],
            host=pool.host,
            reference_device=pool.default_index,
            group=[groups.get(op.colocation, -1) for op in graph.operators],
            pin=pin.tolist(),
            forbidden=forbidden,
            blocking_transfers=pool.blocking_transfers,
            inputs_on_host=pool.model_io_on_host if model_inputs_on_host is None else model_inputs_on_host,
            outputs_on_host=pool.model_io_on_host if model_outputs_on_host is None else model_outputs_on_host,
            idle_energy_pool=pool.idle_energy == "pool",
            cost_per_hour=[device.cost_per_hour for device in pool.devices],
            segment_launch_ps=costs.segment_launch_ps.tolist()
            or [us_to_ps(device.segment_launch_us) for device in pool.devices],
            memory_share=costs.shares(),
            memory_slowdown=memories.slowdown,
        )
    except PlanError as error:
        raise _named(error, graph, pool) from error


def _with_workspaces(graph: Graph) -> tuple[list[tuple[int, ...]], list[int]]:
    """Outputs per operator and bytes per tensor; a workspace is one more output, which nobody reads.

    It is thus held on the operator's device from its start to its end. These tensors come after those of the graph.
    """
    outputs = [op.outputs for op in graph.operators]
    sizes = [tensor.size_bytes for tensor in graph.tensors]
    for op in graph.operators:
        if op.workspace_bytes and not op.is_view:
            outputs[op.index] = (*op.outputs, len(sizes))
            sizes.append(op.workspace_bytes)
    return outputs, sizes


def _check_device(index: int, count: int) -> None:
    if not 0 <= index < count:
        message = f"There is no device {index}; there are {count}."
        raise PlanError("unknown_device", message, device=index, count=count)


def _named(error: PlanError, graph: Graph, pool: DevicePool) -> PlanError:
    """The same error with the operator's and the device's name in place of their indices."""
    index = error.params.get("operator")
    if not isinstance(index, int):
        return error
    operator = graph.operators[index]
    params = {**error.params, "operator": operator.name, "op_type": operator.op_type, "index": index}
    device = error.params.get("device")
    name = pool.devices[device].name if isinstance(device, int) else ""
    if name:
        params["device"] = name
    label = f"{operator.op_type} operator {operator.name!r}"
    message, hint = {
        "operator_unsupported": (
            f"No device of the pool supports the {label}.",
            "Add a device that does, or add the type to a device's supported operators.",
        ),
        "forbidden_leaves_none": (
            f"Every device that supports the {label} is forbidden.",
            "Allow one of them again.",
        ),
        "pin_illegal": (
            f"The {label} is pinned to {name}, which is forbidden or does not support it.",
            "Remove the pin, or pin it elsewhere.",
        ),
        "pin_conflict": (
            f"The {label} shares a device with operators that are pinned elsewhere.",
            "Pin the whole group to one device.",
        ),
        "group_unsupported": (
            f"No device may run the {label} together with all operators that must share its device.",
            "Split the group, or add a device that supports all of it.",
        ),
    }.get(error.code, (error.message, error.hint))
    return PlanError(error.code, message, hint=hint, **params)
