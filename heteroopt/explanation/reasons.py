"""Choosing the one reason that the numbers of a plan and of its moves prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heteroopt.explanation.moves import ALLOWED, FORBIDDEN, Moves, bound_together
from heteroopt.simulation.problem import Bool, Problem
from heteroopt.simulation.schedule import Schedule
from heteroopt.units import pj_to_j, ps_to_ms

NEGLIGIBLE = 1e-6
"""Changes below this share (of time and energy; absolute for load variance) count as none."""


@dataclass(frozen=True)
class Change:
    """What moving to ``device`` changes: time in ps, energy in pJ, 0 if negligible; overflow is the plan's then."""

    device: int
    time: float
    energy: float
    variance: float
    transferred_bytes: int
    overflow_bytes: int

    @property
    def none_worse(self) -> bool:
        return self.time <= 0 and self.energy <= 0 and self.variance <= 0

    @property
    def equal(self) -> bool:
        return self.time == 0 and self.energy == 0 and self.variance == 0


def changes(schedule: Schedule, moves: Moves, row: int) -> list[Change]:
    """One entry for every other device that the operator may move to."""
    home = int(schedule.device[moves.operators[row]])
    return [
        Change(
            device=target,
            time=_material(int(moves.time_ps[row, target]) - schedule.makespan_ps, schedule.makespan_ps),
            energy=_material(float(moves.energy_pj[row, target]) - schedule.energy_pj, schedule.energy_pj),
            variance=_material(float(moves.load_variance[row, target]) - schedule.load_variance, 1.0),
            transferred_bytes=int(moves.transferred_bytes[row, target]) - schedule.transferred_bytes,
            overflow_bytes=int(moves.overflow_bytes[row, target]),
        )
        for target in range(moves.state.shape[1])
        if target != home and moves.state[row, target] == ALLOWED
    ]


def _material(delta: float, base: float) -> float:
    return 0.0 if abs(delta) <= NEGLIGIBLE * abs(base) else float(delta)


def choose_reason(
    problem: Problem,
    schedule: Schedule,
    moves: Moves,
    row: int,
    operators: Sequence[str],
    devices: Sequence[str],
    sources: Sequence[Sequence[str]],
) -> dict[str, Any]:
    """``{"code", "params"}`` (see :data:`~heteroopt.explanation.explanation.REASONS`) for one row of ``moves``.

    Facts that leave no choice come first, then memory, then the strongest rival among the devices with room: one
    that is better or equal if there is any, else the one with which the plan would be fastest. ``operators`` and
    ``devices`` are names; ``sources[operator][device]`` says where the time comes from.
    """
    operator = moves.operators[row]
    home = int(schedule.device[operator])
    fact = _no_choice(problem, schedule, moves, row, operators, devices)
    if fact is not None:
        return fact
    all_changes = changes(schedule, moves, row)
    roomy = [c for c in all_changes if c.overflow_bytes <= schedule.overflow_bytes]
    relieved = [c for c in roomy if c.overflow_bytes < schedule.overflow_bytes]
    better = [c for c in roomy if c.none_worse and not c.equal] + relieved
    if better:
        best = min(better, key=lambda c: (c.overflow_bytes, c.time, c.energy, c.variance, c.device))
        return _reason(
            "better_elsewhere",
            device=devices[best.device],
            delta_ms=ps_to_ms(best.time),
            delta_j=pj_to_j(best.energy),
            delta_load_balance=best.variance,
            overflow_bytes=best.overflow_bytes,
        )
    full = [c for c in all_changes if c.overflow_bytes > schedule.overflow_bytes]
    if full and (not roomy or any(c.none_worse and not c.equal for c in full)):
        wanted = min(full, key=lambda c: (not c.none_worse, c.time, c.energy, c.device))
        return _reason("memory_full_elsewhere", device=devices[wanted.device], overflow_bytes=wanted.overflow_bytes)
    equal = [c for c in roomy if c.equal]
    if equal:
        return _reason("equal_elsewhere", device=devices[equal[0].device])
    rival = min(roomy, key=lambda c: (c.time, c.energy, c.variance, c.device))
    if rival.time > 0:
        return _time_reason(problem, schedule, operator, home, rival, operators, devices, sources)
    params: dict[str, Any] = {"device": devices[rival.device], "faster_ms": ps_to_ms(-rival.time)}
    if rival.energy > 0:
        params["saved_j"] = pj_to_j(rival.energy)
    if rival.variance > 0 and (rival.energy <= 0 or rival.time < 0):
        params["delta_load_balance"] = rival.variance
    if "delta_load_balance" not in params:
        return _reason("saves_energy", **params)
    return _reason("trade_off" if "saved_j" in params else "balance", **params)


def _no_choice(
    problem: Problem, schedule: Schedule, moves: Moves, row: int, operators: Sequence[str], devices: Sequence[str]
) -> dict[str, Any] | None:
    """A pin, a view beside its input, a group whose first member speaks for it, or no second device to run on."""
    operator = moves.operators[row]
    home = int(schedule.device[operator])
    if problem.pin[operator] >= 0:
        return _reason("pinned", device=devices[home])
    if problem.is_view[operator]:
        producer = int(problem.tensor_producer[problem.in_tensor[problem.in_ptr[operator]]])
        if producer >= 0 and schedule.device[producer] == home:
            return _reason("view_follows", operator=operators[producer])
    if problem.supported[operator].sum() == 1:
        return _reason("only_supported_here", device=devices[home])
    group = np.flatnonzero(problem.group == problem.group[operator]).tolist() if problem.group[operator] >= 0 else []
    if group and group[0] != operator:
        return _reason("colocated", operator=operators[group[0]], members=len(group))
    states = {d: int(state) for d, state in enumerate(moves.state[row]) if d != home}
    if ALLOWED in states.values():
        return None
    shut = [devices[d] for d, state in states.items() if state == FORBIDDEN]
    if shut:
        return _reason("others_forbidden", devices=shut)
    # Only another member of the group can be what holds it: by a pin, or by being supported nowhere else.
    holder = next(
        (i for i in group[1:] if problem.pin[i] >= 0),
        min(group[1:], key=lambda i: int(problem.supported[i].sum())),
    )
    return _reason("colocated", operator=operators[holder], members=len(group))


def _time_reason(
    problem: Problem,
    schedule: Schedule,
    operator: int,
    home: int,
    rival: Change,
    operators: Sequence[str],
    devices: Sequence[str],
    sources: Sequence[Sequence[str]],
) -> dict[str, Any]:
    """Why the plan takes longer with the operator on the rival: its own speed, a transfer, or other work there."""
    bound = list(bound_together(problem, operator))
    runs: Bool = np.all(problem.supported[bound], axis=0)
    own = problem.op_time_ps[bound].sum(axis=0)
    others = [d for d in range(problem.n_devices) if d != home and runs[d]]
    following = min(others, key=lambda d: (int(own[d]), d))
    fastest = bool(own[home] < own[following])
    slowdown = int(own[rival.device] - own[home])
    explained = 2 * slowdown >= rival.time
    moves_more = rival.transferred_bytes > 0
    if fastest and (explained or not moves_more):
        return _reason(
            "fastest_here",
            device=devices[following],
            time_ms=ps_to_ms(int(own[home])),
            other_time_ms=ps_to_ms(int(own[following])),
            source=sources[operator][home],
        )
    params: dict[str, Any] = {"device": devices[rival.device]}
    if moves_more:
        return _reason(
            "avoids_transfer",
            **params,
            transfer_bytes=rival.transferred_bytes,
            delta_ms=ps_to_ms(rival.time),
        )
    beside = _runs_beside(problem, schedule, operator, rival.device)
    if beside is not None:
        return _reason("parallel_branch", **params, operator=operators[beside], delta_ms=ps_to_ms(rival.time))
    return _reason("slower_elsewhere", **params, delta_ms=ps_to_ms(rival.time))


def _runs_beside(problem: Problem, schedule: Schedule, operator: int, device: int) -> int | None:
    """The operator on ``device`` whose run overlaps the given one's longest, if any does."""
    start, finish = schedule.start_ps, schedule.finish_ps
    overlap = np.minimum(finish, finish[operator]) - np.maximum(start, start[operator])
    overlap[schedule.device != device] = 0
    longest = int(overlap.argmax())
    return longest if overlap[longest] > 0 else None


def _reason(code: str, **params: Any) -> dict[str, Any]:
    return {"code": code, "params": params}
