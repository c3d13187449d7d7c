"""A plain Python decoder as a specialist would write it for speed: lists, local names, no memory, no records.

It gives the makespan, energy and load variance of the simulation's rules for problems whose devices have memories of
their own and do not block for transfers; memory is left out, since it never binds where this is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from heteroopt.simulation.problem import Problem


def lean_decoder(problem: Problem) -> Callable[[Sequence[int], Sequence[int]], tuple[int, float, float]]:
    """Return the function from (order, device) to (makespan in ps, energy in pJ, load variance)."""
    n, n_devices, n_stores, host = problem.n_operators, problem.n_devices, problem.n_stores, int(problem.host)
    assert problem.n_memories == n_stores and not problem.blocking_transfers and problem.inputs_on_host

    def lists(ptr: object, idx: object) -> list[list[int]]:
        bounds, values = ptr.tolist(), idx.tolist()  # type: ignore[attr-defined]
        return [values[bounds[i] : bounds[i + 1]] for i in range(len(bounds) - 1)]

    reads, makes = lists(problem.in_ptr, problem.in_tensor), lists(problem.out_ptr, problem.out_tensor)
    time, energy = problem.op_time_ps.tolist(), problem.op_energy_pj.tolist()
    view, size = problem.is_view.tolist(), problem.tensor_size_bytes.tolist()
    root, producer = problem.tensor_root.tolist(), problem.tensor_producer.tolist()
    outputs = [[t for t in made if problem.tensor_is_output[t]] if problem.outputs_on_host else [] for made in makes]
    hops = list(
        zip(
            problem.hop_from.tolist(), problem.hop_to.tolist(), problem.hop_channel.tolist(),
            problem.hop_latency_ps.tolist(), problem.hop_ps_per_byte.tolist(), problem.hop_pj_per_byte.tolist(),
            strict=True,
        )
    )  # fmt: skip
    bounds = problem.hop_ptr.tolist()
    route = [hops[bounds[pair] : bounds[pair + 1]] for pair in range(n_stores * n_stores)]
    idle = problem.idle_power_w.tolist()

    def decode(order: Sequence[int], device: Sequence[int]) -> tuple[int, float, float]:
        free, busy, channel_free = [0] * n_stores, [0] * n_devices, [0] * problem.n_channels
        finish = [0] * n
        arrival: dict[tuple[int, int], int] = {}
        used = [False] * n_devices
        makespan = operators_pj = transfers_pj = 0
        for operator in order:
            home = device[operator]
            ready = 0
            wanted = [(tensor, home) for tensor in reads[operator]]
            for sending in (False, True):
                for tensor, place in wanted:
                    maker, buffer = producer[tensor], root[tensor]
                    source, exists = (device[maker], finish[maker]) if maker >= 0 else (host, 0)
                    if not sending and exists > ready:
                        ready = exists
                    if source == place:
                        continue
                    first = producer[buffer]
                    owner, made = (device[first], finish[first]) if first >= 0 else (host, 0)
                    there = made if owner == place else arrival.get((buffer, place))
                    if there is None:
                        for origin, target, channel, latency, ps_per_byte, pj_per_byte in route[
                            source * n_stores + place
                        ]:
                            if target == owner or (buffer, target) in arrival:
                                continue
                            at = made if origin == owner else arrival[buffer, origin]
                            sent = max(at, exists, channel_free[channel])
                            there = sent + latency + int(size[buffer] * ps_per_byte + 0.5)
                            channel_free[channel] = arrival[buffer, target] = there
                            transfers_pj += int(size[buffer] * pj_per_byte + 0.5)
                            if there > makespan:
                                makespan = there
                        there = arrival[buffer, place]
                    if not sending and there > ready:
                        ready = there
                if sending:
                    break
                duration = 0 if view[operator] else time[operator][home]
                if not view[operator]:
                    ready = max(ready, free[home])
                    free[home] = ready + duration
                    busy[home] += duration
                finish[operator] = end = ready + duration
                if end > makespan:
                    makespan = end
                operators_pj += 0 if view[operator] else energy[operator][home]
                used[home] = True
                wanted = [(tensor, host) for tensor in outputs[operator]]
        power = 0.0
        for d in range(n_devices):
            power += idle[d] if used[d] or problem.idle_energy_pool else 0.0
        shares = [value / makespan for value in busy] if makespan else [0.0] * n_devices
        mean = sum(shares) / n_devices
        variance = sum((share - mean) * (share - mean) for share in shares) / n_devices
        return makespan, float(operators_pj + transfers_pj) + power * makespan, variance

    return decode
