"""The planning problem as flat arrays: what the decoders, the search kernels and the bounds read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heteroopt.devices.memories import UNLIMITED_BYTES
from heteroopt.devices.routes import NO_CHANNEL, Hop
from heteroopt.errors import PlanError
from heteroopt.simulation.sharing import slowdown_excess, slowed_shares

Bool = NDArray[np.bool_]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]

__all__ = ["UNLIMITED_BYTES", "Hop", "Problem", "ProblemArrays", "csr", "legal_devices", "make_problem"]


IS_VIEW = 1
MAKES_OUTPUT = 2
"""Bits of ``op_kind``."""


class ProblemArrays(NamedTuple):
    """The part of a problem that compiled kernels need, by name; see :class:`Problem` for shapes and units."""

    op_time_ps: Int64
    op_energy_pj: Int64
    legal: Bool
    group: Int32
    is_view: Bool
    pred_ptr: Int32
    pred_idx: Int32
    succ_ptr: Int32
    succ_idx: Int32
    in_ptr: Int32
    in_tensor: Int32
    out_ptr: Int32
    out_tensor: Int32
    read_ptr: Int32
    read_op: Int32
    init_ptr: Int32
    init_idx: Int32
    init_size_bytes: Int64
    tensor_size_bytes: Int64
    tensor_producer: Int32
    tensor_root: Int32
    tensor_is_output: Bool
    store_memory: Int32
    memory_capacity_bytes: Int64
    hop_ptr: Int32
    hop_channel: Int32
    hop_from: Int32
    hop_to: Int32
    hop_latency_ps: Int64
    hop_ps_per_byte: Float64
    hop_pj_per_byte: Float64
    idle_power_w: Float64
    host: int
    n_channels: int
    blocking_transfers: bool
    inputs_on_host: bool
    outputs_on_host: bool
    idle_energy_pool: bool
    op_cost: Int64
    op_held_bytes: Int64
    op_kind: NDArray[np.uint8]
    in_maker: Int32
    input_bytes: int
    segment_launch_ps: Int64
    launching: bool
    op_memory_share: Int32
    memory_excess: Int64
    contends: bool


@dataclass(frozen=True, eq=False)
class Problem:
    """A graph, a pool and its costs, compiled. n operators, D devices, S stores, T tensors.

    A *store* is where a tensor can lie: device d's is store d; store D, if there is one, is the implicit host.
    Stores of one memory domain map to one *memory*. Times are integer picoseconds, energies picojoules.
    ``in``, ``out``, ``pred``, ``succ``, ``read`` and ``init`` are CSR lists: the items of row i are
    ``idx[ptr[i]:ptr[i + 1]]``. The hops of the route from store u to store v are those of row ``u * S + v``.
    """

    op_time_ps: Int64
    """[n, D] time of the operator there; -1 where the device does not support it."""
    op_energy_pj: Int64
    """[n, D] energy above idle."""
    supported: Bool
    """[n, D] whether the device can run the operator at all."""
    legal: Bool
    """[n, D] supported, not forbidden, its pin, and legal for every member of its group."""
    pin: Int32
    """[n] the device that a person pinned the operator to, -1 for none."""
    forbidden: Bool
    """[D] devices that a person excluded."""
    group: Int32
    """[n] members of one group (>= 0) share a device; -1 for none."""
    is_view: Bool
    """[n] the outputs are the first input's buffer and cost nothing."""
    pred_ptr: Int32
    pred_idx: Int32
    succ_ptr: Int32
    succ_idx: Int32
    in_ptr: Int32
    in_tensor: Int32
    out_ptr: Int32
    out_tensor: Int32
    read_ptr: Int32
    """[T + 1] readers of each tensor, with ``read_op``, ascending."""
    read_op: Int32
    init_ptr: Int32
    init_idx: Int32
    init_size_bytes: Int64
    tensor_size_bytes: Int64
    tensor_producer: Int32
    """[T] operator index, -1 for a model input."""
    tensor_root: Int32
    """[T] the tensor whose buffer this one is: itself, or through views the first one of the chain."""
    tensor_is_output: Bool
    store_memory: Int32
    """[S] memory of each store, numbered in order of first use."""
    memory_capacity_bytes: Int64
    """[M] usable bytes: after fraction, user's cap and workspace."""
    hop_ptr: Int32
    hop_channel: Int32
    """Channel of a hop, -1 for a move inside a memory domain, which queues on nothing."""
    hop_from: Int32
    hop_to: Int32
    hop_latency_ps: Int64
    hop_ps_per_byte: Float64
    hop_pj_per_byte: Float64
    idle_power_w: Float64
    host: int
    n_channels: int
    blocking_transfers: bool
    inputs_on_host: bool
    outputs_on_host: bool
    idle_energy_pool: bool
    reference_device: int
    device_cost_per_hour: Float64
    """[D] in whatever currency the pool uses; 0 where unknown."""
    device_cost_known: Bool
    """[D] whether the pool gives the device's cost."""
    segment_launch_ps: Int64
    """[D] what a segment (:mod:`heteroopt.partition`) costs its device before its first operator that is no view."""
    op_memory_share: Int32
    """[n, D] share of the operator's time there that the memory takes, per 1,024; 0 where nothing slows it."""
    memory_excess: Int64
    """[M] what two operators of share 1 that overlap in this memory are slowed by, less 1, per 1,024."""
    contends: bool
    """Whether devices can slow each other, so that decoding has to follow what overlaps (:mod:`.contention`)."""

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, np.ndarray):
                if not value.flags.c_contiguous:
                    raise PlanError("problem_array", f"Array {item.name} is not contiguous.", array=item.name)
                value.setflags(write=False)

    @property
    def n_operators(self) -> int:
        return int(self.op_time_ps.shape[0])

    @property
    def n_devices(self) -> int:
        return int(self.op_time_ps.shape[1])

    @property
    def n_stores(self) -> int:
        return int(self.store_memory.shape[0])

    @property
    def n_tensors(self) -> int:
        return int(self.tensor_size_bytes.shape[0])

    @property
    def n_initializers(self) -> int:
        return int(self.init_size_bytes.shape[0])

    @property
    def n_memories(self) -> int:
        return int(self.memory_capacity_bytes.shape[0])

    @property
    def launching(self) -> bool:
        """Whether segments cost anything on any device."""
        return bool(self.segment_launch_ps.any())

    @property
    def model_io_on_host(self) -> bool:
        """Whether model inputs start on the host and model outputs end there."""
        return self.inputs_on_host and self.outputs_on_host

    @property
    def op_cost(self) -> Int64:
        """[n, D, 2] time (0 for views) and energy side by side, as the decoder reads them."""
        time = np.where(self.is_view[:, None], 0, self.op_time_ps)
        return np.ascontiguousarray(np.stack((time, self.op_energy_pj), axis=2))

    @property
    def op_held_bytes(self) -> Int64:
        """[n] all that the operator ever has on its device by itself: its outputs and its weights."""
        reader = np.repeat(np.arange(self.n_operators), np.diff(self.init_ptr))
        held = np.zeros(self.n_operators, np.int64)
        np.add.at(held, reader, self.init_size_bytes[self.init_idx])
        own = (self.tensor_producer >= 0) & (self.tensor_root == np.arange(self.n_tensors))
        np.add.at(held, self.tensor_producer[own], self.tensor_size_bytes[own])
        return held

    @property
    def op_kind(self) -> NDArray[np.uint8]:
        """[n] bits ``IS_VIEW`` and ``MAKES_OUTPUT`` (of the model)."""
        kind = np.where(self.is_view, IS_VIEW, 0).astype(np.uint8)
        makers = self.tensor_producer[self.tensor_is_output]
        kind[makers[makers >= 0]] |= MAKES_OUTPUT
        return kind

    @property
    def in_maker(self) -> Int32:
        """Producer of each tensor of ``in_tensor``, -1 for a model input."""
        return np.ascontiguousarray(self.tensor_producer[self.in_tensor])

    @property
    def input_bytes(self) -> int:
        """All model inputs together."""
        return int(self.tensor_size_bytes[self.tensor_producer < 0].sum())

    @cached_property
    def arrays(self) -> ProblemArrays:
        """The flat tuple that compiled kernels take."""
        return ProblemArrays(*(getattr(self, name) for name in ProblemArrays._fields))

    @property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """Operator indices of each group, in group order."""
        count = int(self.group.max(initial=-1)) + 1
        return tuple(tuple(int(i) for i in np.flatnonzero(self.group == g)) for g in range(count))


def csr(rows: Sequence[Sequence[int]]) -> tuple[Int32, Int32]:
    """Pack lists of indices as ``(ptr, idx)``."""
    ptr = np.zeros(len(rows) + 1, np.int32)
    np.cumsum([len(row) for row in rows], out=ptr[1:])
    idx = np.fromiter((item for row in rows for item in row), np.int32, int(ptr[-1]))
    return ptr, idx


def make_problem(
    *,
    op_time_ps: Int64,
    op_energy_pj: Int64,
    inputs: Sequence[Sequence[int]],
    outputs: Sequence[Sequence[int]],
    initializers: Sequence[Sequence[int]],
    is_view: Sequence[bool],
    tensor_size_bytes: Sequence[int],
    output_tensors: Sequence[int],
    init_size_bytes: Sequence[int],
    store_memory: Sequence[int],
    memory_capacity_bytes: Sequence[int],
    routes: Sequence[Sequence[Sequence[Hop]]],
    idle_power_w: Sequence[float],
    host: int,
    reference_device: int = 0,
    group: Sequence[int] | None = None,
    pin: Sequence[int] | None = None,
    forbidden: Sequence[int] = (),
    blocking_transfers: bool = False,
    inputs_on_host: bool = True,
    outputs_on_host: bool = True,
    idle_energy_pool: bool = False,
    cost_per_hour: Sequence[float | None] | None = None,
    segment_launch_ps: Sequence[int] | None = None,
    memory_share: NDArray[np.integer] | None = None,
    memory_slowdown: Sequence[float] | None = None,
) -> Problem:
    """Build a :class:`Problem` from lists per operator, deriving everything that follows from them.

    ``inputs``, ``outputs`` and ``initializers`` list tensor and initializer indices per operator; ``routes[u][v]``
    the hops from store u to store v. Inside a memory (domain) a route becomes one hop of the summed latencies that
    moves no bytes. A view without an activation input keeps its own buffer. ``cost_per_hour`` [D] holds ``None``
    where the cost is unknown; ``segment_launch_ps`` [D] is 0 unless given. ``memory_share`` [n, D] per 1,024 and
    ``memory_slowdown`` [M], 1 to 16, of two memory-bound operators: none without them. Raises :class:`PlanError` if a
    route is missing, if no device is legal for an operator (see :func:`legal_devices`), or ``contention_too_long``.
    """
    n, n_devices = op_time_ps.shape
    n_stores = len(store_memory)
    n_tensors = len(tensor_size_bytes)
    producer = np.full(n_tensors, -1, np.int32)
    readers: list[list[int]] = [[] for _ in range(n_tensors)]
    for i in range(n):
        for tensor in outputs[i]:
            producer[tensor] = i
        for tensor in inputs[i]:
            readers[tensor].append(i)
    preds = [sorted({int(producer[t]) for t in inputs[i]} - {-1}) for i in range(n)]
    succs = [sorted({reader for t in outputs[i] for reader in readers[t]}) for i in range(n)]
    view = np.array([bool(is_view[i]) and len(inputs[i]) > 0 for i in range(n)], np.bool_)
    is_output = np.zeros(n_tensors, np.bool_)
    is_output[list(output_tensors)] = True

    hops: list[Hop] = []
    hop_ptr = np.zeros(n_stores * n_stores + 1, np.int32)
    for u in range(n_stores):
        for v in range(n_stores):
            route = [] if u == v else [_inside(hop, store_memory) for hop in routes[u][v]]
            if u != v and store_memory[u] == store_memory[v]:
                route = [Hop(u, v, NO_CHANNEL, sum(hop.latency_ps for hop in route), 0.0, 0.0)]
            elif u != v and not route:
                raise PlanError("no_route", f"There is no route from store {u} to store {v}.", source=u, target=v)
            hops.extend(route)
            hop_ptr[u * n_stores + v + 1] = len(hops)

    supported = np.ascontiguousarray(op_time_ps >= 0)
    forbidden_mask = np.zeros(n_devices, np.bool_)
    forbidden_mask[list(forbidden)] = True
    pins = np.full(n, -1, np.int32) if pin is None else np.asarray(pin, np.int32)
    groups = np.full(n, -1, np.int32) if group is None else np.asarray(group, np.int32)
    hourly: list[float | None] = [None] * n_devices if cost_per_hour is None else list(cost_per_hour)
    memory = np.asarray(store_memory, np.int32)
    excess = slowdown_excess(memory[:n_devices], len(memory_capacity_bytes), memory_slowdown)
    share = slowed_shares(op_time_ps, view, memory[:n_devices], excess, memory_share)
    pred_ptr, pred_idx = csr(preds)
    succ_ptr, succ_idx = csr(succs)
    in_ptr, in_tensor = csr(inputs)
    out_ptr, out_tensor = csr(outputs)
    read_ptr, read_op = csr(readers)
    init_ptr, init_idx = csr(initializers)
    return Problem(
        op_time_ps=np.ascontiguousarray(op_time_ps, np.int64),
        op_energy_pj=np.ascontiguousarray(op_energy_pj, np.int64),
        supported=supported,
        legal=legal_devices(supported, forbidden_mask, pins, groups),
        pin=pins,
        forbidden=forbidden_mask,
        group=groups,
        is_view=view,
        pred_ptr=pred_ptr,
        pred_idx=pred_idx,
        succ_ptr=succ_ptr,
        succ_idx=succ_idx,
        in_ptr=in_ptr,
        in_tensor=in_tensor,
        out_ptr=out_ptr,
        out_tensor=out_tensor,
        read_ptr=read_ptr,
        read_op=read_op,
        init_ptr=init_ptr,
        init_idx=init_idx,
        init_size_bytes=np.asarray(init_size_bytes, np.int64),
        tensor_size_bytes=np.asarray(tensor_size_bytes, np.int64),
        tensor_producer=producer,
        tensor_root=_roots(inputs, outputs, view, producer),
        tensor_is_output=is_output,
        store_memory=memory,
        memory_capacity_bytes=np.asarray(memory_capacity_bytes, np.int64),
        hop_ptr=hop_ptr,
        hop_channel=np.array([hop.channel for hop in hops], np.int32),
        hop_from=np.array([hop.source for hop in hops], np.int32),
        hop_to=np.array([hop.target for hop in hops], np.int32),
        hop_latency_ps=np.array([hop.latency_ps for hop in hops], np.int64),
        hop_ps_per_byte=np.array([hop.ps_per_byte for hop in hops], np.float64),
        hop_pj_per_byte=np.array([hop.pj_per_byte for hop in hops], np.float64),
        idle_power_w=np.asarray(idle_power_w, np.float64),
        host=int(host),
        n_channels=max((hop.channel for hop in hops), default=-1) + 1,
        blocking_transfers=bool(blocking_transfers),
        inputs_on_host=bool(inputs_on_host),
        outputs_on_host=bool(outputs_on_host),
        idle_energy_pool=bool(idle_energy_pool),
        reference_device=int(reference_device),
        device_cost_per_hour=np.array([0.0 if cost is None else float(cost) for cost in hourly]),
        device_cost_known=np.array([cost is not None for cost in hourly], np.bool_),
        segment_launch_ps=np.zeros(n_devices, np.int64)
        if segment_launch_ps is None
        else np.asarray(segment_launch_ps, np.int64),
        op_memory_share=share,
        memory_excess=excess,
        contends=bool(share.any()),
    )


def _inside(hop: Hop, store_memory: Sequence[int]) -> Hop:
    """The hop, or its latency alone where both its ends lie in one memory."""
    if store_memory[hop.source] == store_memory[hop.target]:
        return Hop(hop.source, hop.target, NO_CHANNEL, hop.latency_ps, 0.0, 0.0)
    return hop


def legal_devices(supported: Bool, forbidden: Bool, pin: Int32, group: Int32) -> Bool:
    """[n, D] devices that each operator may take; members of a group may take what all of them may.

    Raises :class:`PlanError` ``operator_unsupported`` (no device runs it), ``pin_illegal``, ``pin_conflict`` (in a
    group), ``forbidden_leaves_none`` or ``group_unsupported``, each with the ``operator`` index.
    """
    n = supported.shape[0]
    for i in range(n):
        if not supported[i].any():
            raise PlanError("operator_unsupported", f"No device of the pool supports operator {i}.", operator=i)
        if not (supported[i] & ~forbidden).any():
            raise PlanError(
                "forbidden_leaves_none", f"Every device that supports operator {i} is forbidden.", operator=i
            )
        if pin[i] >= 0 and not (supported[i, pin[i]] and not forbidden[pin[i]]):
            raise PlanError(
                "pin_illegal",
                f"Operator {i} is pinned to device {pin[i]}, which is forbidden or does not support it.",
                operator=i,
                device=int(pin[i]),
            )
    legal = supported & ~forbidden[None, :]
    pinned = np.flatnonzero(pin >= 0)
    legal[pinned] = False
    legal[pinned, pin[pinned]] = True
    for g in range(int(group.max(initial=-1)) + 1):
        members = np.flatnonzero(group == g)
        if not len(members):
            continue
        shared = legal[members].all(axis=0)
        if not shared.any():
            code = "pin_conflict" if len(set(pin[members].tolist()) - {-1}) > 1 else "group_unsupported"
            raise PlanError(
                code,
                f"The operators that must share a device with operator {members[0]} have no device in common.",
                operator=int(members[0]),
                members=[int(i) for i in members],
            )
        legal[members] = shared
    return np.ascontiguousarray(legal)


def _roots(inputs: Sequence[Sequence[int]], outputs: Sequence[Sequence[int]], view: Bool, producer: Int32) -> Int32:
    """[T] follow each view's first input back to the tensor that owns the buffer."""
    root = np.full(len(producer), -1, np.int32)
    for tensor in range(len(producer)):
        chain = []
        current = tensor
        while root[current] < 0:
            chain.append(current)
            maker = int(producer[current])
            if maker < 0 or not view[maker]:
                root[current] = current
                break
            current = int(inputs[maker][0])
        root[chain] = root[current]
    return root
