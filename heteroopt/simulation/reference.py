"""The reference decoder: plain, slow Python that defines what a plan means. The compiled decoder must equal it.

Edge scheduling after Sinnen and Sousa, "Communication contention in task scheduling" (IEEE TPDS 16(6), 2005):
one pass over the operators in the plan's order, in which every device and every channel serves in that order. Devices
that slow each other give the result of that pass other times (:mod:`heteroopt.simulation.contention`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heteroopt.partition.levels import SegmentLevels
from heteroopt.simulation.contention import slow_down
from heteroopt.simulation.plan_check import check_plan
from heteroopt.simulation.problem import Hop, Problem
from heteroopt.simulation.schedule import STAYS, Holding, Schedule, Transfer, memory_points


def decode_reference(problem: Problem, order: Sequence[int], device: Sequence[int]) -> Schedule:
    """Decode one plan. Raises :class:`PlanError` if it is not legal for the problem."""
    check_plan(problem, order, device)
    run = decode_alone(problem, order, device)
    if problem.contends:
        slow_down(run)
    return run.schedule([int(i) for i in order])


def decode_alone(problem: Problem, order: Sequence[int], device: Sequence[int]) -> Run:
    """Decode one legal plan as if no device slowed another."""
    run = Run(problem, [int(d) for d in device])
    for operator in order:
        run.place(int(operator))
    return run


class Run:
    """The state of one decoding pass; what it placed, in the order in which it placed it."""

    def __init__(self, problem: Problem, device: list[int]) -> None:
        self.problem = problem
        self.device = device
        self.start = [0] * problem.n_operators
        self.finish = [0] * problem.n_operators
        self.device_free = [0] * problem.n_devices
        self.busy = [0] * problem.n_devices
        self.channel_free = [0] * problem.n_channels
        self.arrival: dict[tuple[int, int], int] = {}
        """(buffer, store) -> when it is complete there."""
        self.held: dict[tuple[int, int], list[int]] = {}
        """(buffer, memory) -> [allocated, freed]."""
        self.transfers: list[Transfer] = []
        self.steps: list[tuple[str, int]] = []
        """``("operator", index)`` and ``("transfer", index in transfers)``, in the order of placement."""
        self.requested: list[int] = []
        """Per transfer the tensor that it was placed for, whose buffer it moves."""
        self.segments = SegmentLevels(problem.n_operators, problem.n_devices)
        self.unpaid = [False] * problem.n_devices
        """Whether the launch of the device's open segment is still to come."""
        self.n_segments = 0
        self.launch_ps = 0
        self.operator_energy = 0
        self.transfer_energy = 0
        for tensor in range(problem.n_tensors):
            if problem.tensor_producer[tensor] < 0:
                self._bring_in_model_input(tensor)

    def _bring_in_model_input(self, tensor: int) -> None:
        """A model input lies on the host from the start until its last read or send there; to the end if it is a
        model output too. With inputs not on the host, it is wherever it is read from the start, at no cost.
        """
        if self.problem.inputs_on_host:
            self._appear(tensor, self.problem.host, 0, 0)
            if self.problem.tensor_is_output[tensor]:
                self._keep(tensor, self.problem.host, STAYS)
        elif self.problem.tensor_is_output[tensor] and self.problem.outputs_on_host:
            self._appear(tensor, self.problem.host, 0, 0)
            self._keep(tensor, self.problem.host, STAYS)

    def place(self, operator: int) -> None:
        """Place one operator and the transfers that its inputs, in their order, still need.

        It starts when its device is free and all its inputs are complete there. A view needs its inputs there too,
        but neither waits for its device nor occupies it. The first operator of a segment that is no view takes the
        launch of the segment too, before its own work: launches keep the device busy, above idle they take no energy.
        A model output goes to the host as soon as its operator is
        placed (the host is its first reader), and stays there; with outputs not on the host it stays where it is.
        """
        problem, home = self.problem, self.device[operator]
        reads = _row(problem.in_ptr, problem.in_tensor, operator)
        makes = _row(problem.out_ptr, problem.out_tensor, operator)
        if self.segments.place(operator, home, _row(problem.pred_ptr, problem.pred_idx, operator)):
            self.n_segments += 1
            self.unpaid[home] = True
        ready = 0
        for tensor in reads:
            self._deliver(tensor, home)
            ready = max(ready, self.arrival[self._buffer(tensor), home], self._exists(tensor))
        if problem.is_view[operator]:
            start = finish = ready
        else:
            start = max(ready, self.device_free[home])
            duration = int(problem.op_time_ps[operator, home])
            if self.unpaid[home]:
                self.unpaid[home] = False
                duration += int(problem.segment_launch_ps[home])
                self.launch_ps += int(problem.segment_launch_ps[home])
            finish = start + duration
            self.device_free[home] = finish
            self.busy[home] += duration
        self.start[operator], self.finish[operator] = start, finish
        self.steps.append(("operator", operator))
        self.operator_energy += int(problem.op_energy_pj[operator, home])
        for tensor in reads:
            self._keep(self._buffer(tensor), home, finish)
        for tensor in makes:
            if self._buffer(tensor) == tensor:
                self._appear(tensor, home, start, finish)
        for tensor in makes:
            if problem.tensor_is_output[tensor]:
                place = problem.host if problem.outputs_on_host else home
                self._deliver(tensor, place)
                self._keep(self._buffer(tensor), place, STAYS)

    def _deliver(self, tensor: int, target: int) -> None:
        """Have the tensor's buffer on the target store: a buffer is sent once to each store.

        Its source is the store of the tensor's producer (the host for a model input). If another store of the
        target's memory holds the buffer, it is handed over from there (from the one that had it first) at the cost
        of the latency. Otherwise it takes the hops of the route, store and forward, each of which is a delivery: a
        copy left on the host by an earlier route is used again.
        """
        problem, buffer = self.problem, self._buffer(tensor)
        if (buffer, target) in self.arrival:
            return
        if problem.tensor_producer[buffer] < 0 and not problem.inputs_on_host:
            self._appear(buffer, target, 0, 0)
            return
        producer = int(problem.tensor_producer[tensor])
        source = self.device[producer] if producer >= 0 else problem.host
        neighbour = self._neighbour(buffer, target)
        if neighbour is not None:
            source = neighbour
        for hop in _route(problem, source, target):
            if (buffer, hop.target) in self.arrival:
                continue
            neighbour = self._neighbour(buffer, hop.target)
            if neighbour is not None:
                hop = _route(problem, neighbour, hop.target)[0]
            self._send(tensor, hop)

    def _neighbour(self, buffer: int, store: int) -> int | None:
        """The store of the same memory that had the buffer first (ties: the lowest), if any has it."""
        memory = self.problem.store_memory
        holders = [
            (self.arrival[buffer, other], other)
            for other in range(self.problem.n_stores)
            if other != store and memory[other] == memory[store] and (buffer, other) in self.arrival
        ]
        return min(holders)[1] if holders else None

    def _send(self, tensor: int, hop: Hop) -> None:
        """Place one hop: it starts when the tensor exists at its source and its channel is free, takes latency +
        bytes / bandwidth, and with blocking transfers also waits for and occupies the devices at both ends.
        """
        problem, buffer = self.problem, self._buffer(tensor)
        size = int(problem.tensor_size_bytes[buffer])
        ends = [s for s in (hop.source, hop.target) if problem.blocking_transfers and s < problem.n_devices]
        start = max(self.arrival[buffer, hop.source], self._exists(tensor), *(self.device_free[s] for s in ends))
        if hop.channel >= 0:
            start = max(start, self.channel_free[hop.channel])
        duration = hop.latency_ps + int(float(size) * hop.ps_per_byte + 0.5)
        finish = start + duration
        if hop.channel >= 0:
            self.channel_free[hop.channel] = finish
        for store in ends:
            self.device_free[store] = finish
            self.busy[store] += duration
        self.transfer_energy += int(float(size) * hop.pj_per_byte + 0.5)
        moved = size if problem.store_memory[hop.source] != problem.store_memory[hop.target] else 0
        self.steps.append(("transfer", len(self.transfers)))
        self.requested.append(tensor)
        self.transfers.append(Transfer(buffer, hop.source, hop.target, hop.channel, start, finish, moved))
        self._keep(buffer, hop.source, finish)
        self._appear(buffer, hop.target, start, finish)

    def _appear(self, buffer: int, store: int, start: int, complete: int) -> None:
        """A buffer is allocated at ``start`` (once per memory) and complete at ``complete``."""
        self.arrival[buffer, store] = complete
        self.held.setdefault((buffer, int(self.problem.store_memory[store])), [start, start])
        self._keep(buffer, store, complete)

    def _keep(self, buffer: int, store: int, until: int) -> None:
        """A read or a send there ends at ``until``: the buffer is not freed before."""
        span = self.held[buffer, int(self.problem.store_memory[store])]
        span[1] = max(span[1], until)

    def _buffer(self, tensor: int) -> int:
        return int(self.problem.tensor_root[tensor])

    def _exists(self, tensor: int) -> int:
        producer = int(self.problem.tensor_producer[tensor])
        return self.finish[producer] if producer >= 0 else 0

    def schedule(self, order: list[int]) -> Schedule:
        """The finished run: the makespan is the finish of the last operator or transfer."""
        problem = self.problem
        makespan = max([0, *self.finish, *(t.finish_ps for t in self.transfers)])
        holdings = tuple(
            sorted(
                Holding(memory, start, buffer, end, int(problem.tensor_size_bytes[buffer]))
                for (buffer, memory), (start, end) in self.held.items()
            )
        )
        weights = self._weights()
        peaks = [
            max(size for _, size in memory_points(holdings, m, weights[m], makespan)) for m in range(problem.n_memories)
        ]
        idle = self._idle_power_w() * float(makespan)
        return Schedule(
            problem=problem,
            order=np.array(order, np.int32),
            device=np.array(self.device, np.int32),
            start_ps=np.array(self.start, np.int64),
            finish_ps=np.array(self.finish, np.int64),
            transfers=tuple(self.transfers),
            holdings=holdings,
            weight_bytes=np.array(weights, np.int64),
            capacity_bytes=problem.memory_capacity_bytes,
            peak_bytes=np.array(peaks, np.int64),
            overflow_bytes=sum(
                max(0, peak - int(limit)) for peak, limit in zip(peaks, problem.memory_capacity_bytes, strict=True)
            ),
            makespan_ps=makespan,
            operator_energy_pj=self.operator_energy,
            transfer_energy_pj=self.transfer_energy,
            idle_energy_pj=idle,
            energy_pj=float(self.operator_energy + self.transfer_energy) + idle,
            load_variance=self._load_variance(makespan),
            busy_ps=np.array(self.busy, np.int64),
            transferred_bytes=sum(t.size_bytes for t in self.transfers),
            n_cut_edges=self._cut_edges(),
            n_segments=self.n_segments,
            launch_ps=self.launch_ps,
        )

    def _weights(self) -> list[int]:
        """An initializer lies once in each memory with a device that uses it, during the whole run."""
        problem = self.problem
        used: set[tuple[int, int]] = set()
        for operator, home in enumerate(self.device):
            for init in _row(problem.init_ptr, problem.init_idx, operator):
                used.add((int(problem.store_memory[home]), init))
        weights = [0] * problem.n_memories
        for memory, init in used:
            weights[memory] += int(problem.init_size_bytes[init])
        return weights

    def _idle_power_w(self) -> float:
        """Of the devices with an operator on them, or of the whole pool; summed in device order."""
        power = 0.0
        for d in range(self.problem.n_devices):
            if self.problem.idle_energy_pool or d in self.device:
                power += float(self.problem.idle_power_w[d])
        return power

    def _load_variance(self, makespan: int) -> float:
        """Summed in device order, so that another decoder can reproduce every bit; 0 for a plan without duration."""
        if makespan == 0:
            return 0.0
        count = float(self.problem.n_devices)
        mean = 0.0
        for busy in self.busy:
            mean += float(busy) / float(makespan)
        mean /= count
        total = 0.0
        for busy in self.busy:
            distance = float(busy) / float(makespan) - mean
            total += distance * distance
        return total / count

    def _cut_edges(self) -> int:
        problem = self.problem
        count = 0
        for reader, home in enumerate(self.device):
            for tensor in _row(problem.in_ptr, problem.in_tensor, reader):
                producer = int(problem.tensor_producer[tensor])
                count += producer >= 0 and self.device[producer] != home
        return count


def _row(ptr: np.ndarray, idx: np.ndarray, row: int) -> list[int]:
    return [int(item) for item in idx[ptr[row] : ptr[row + 1]]]


def _route(problem: Problem, source: int, target: int) -> list[Hop]:
    """The hops from one store to another; none from a store to itself."""
    pair = source * problem.n_stores + target
    return [
        Hop(
            int(problem.hop_from[k]),
            int(problem.hop_to[k]),
            int(problem.hop_channel[k]),
            int(problem.hop_latency_ps[k]),
            float(problem.hop_ps_per_byte[k]),
            float(problem.hop_pj_per_byte[k]),
        )
        for k in range(problem.hop_ptr[pair], problem.hop_ptr[pair + 1])
    ]
