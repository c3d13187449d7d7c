"""What separates two plans of one problem: operators that moved, and the change of every figure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heteroopt.errors import PlanError
from heteroopt.search.plan_set import PlanSet
from heteroopt.units import PJ_PER_J, PS_PER_MS


@dataclass(frozen=True, slots=True)
class Comparison:
    """The second plan seen from the first; deltas are second minus first.

    ``moved``: (operator, device in the first, device in the second). ``n_reordered``: operators whose place among
    the operators of their own device changed though the device did not. ``delta_peak_bytes`` per memory,
    ``delta_busy_ms`` per device.
    """

    moved: tuple[tuple[int, int, int], ...]
    n_reordered: int
    delta_time_ms: float
    delta_energy_j: float
    delta_load_balance: float
    delta_transferred_bytes: int
    delta_n_transfers: int
    delta_overflow_bytes: int
    delta_peak_bytes: tuple[int, ...]
    delta_busy_ms: tuple[float, ...]


def compare_plans(first: PlanSet, first_row: int, second: PlanSet, second_row: int) -> Comparison:
    """Compare a plan of one set with a plan of another (or the same). Raises ``PlanError`` for different problems."""
    if first.devices.shape[1] != second.devices.shape[1] or first.busy_ps.shape[1] != second.busy_ps.shape[1]:
        raise PlanError("plans_unlike", "Plans of different models or pools cannot be compared.")
    before, after = first.devices[first_row], second.devices[second_row]
    moved = np.flatnonzero(before != after)
    same = before == after
    places = _places(first.orders[first_row], before, same), _places(second.orders[second_row], after, same)

    def delta(name: str) -> float:
        return float(getattr(second, name)[second_row]) - float(getattr(first, name)[first_row])

    peak = second.peak_bytes[second_row] - first.peak_bytes[first_row]
    busy = second.busy_ps[second_row] - first.busy_ps[first_row]
    return Comparison(
        moved=tuple((int(i), int(before[i]), int(after[i])) for i in moved),
        n_reordered=int((places[0][same] != places[1][same]).sum()),
        delta_time_ms=delta("time_ps") / PS_PER_MS,
        delta_energy_j=delta("energy_pj") / PJ_PER_J,
        delta_load_balance=delta("load_variance"),
        delta_transferred_bytes=int(delta("transferred_bytes")),
        delta_n_transfers=int(delta("n_transfers")),
        delta_overflow_bytes=int(delta("overflow_bytes")),
        delta_peak_bytes=tuple(int(value) for value in peak),
        delta_busy_ms=tuple(float(value) / PS_PER_MS for value in busy),
    )


def _places(order: np.ndarray, device: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return per counted operator its place among the counted operators of its device."""
    place = np.zeros(len(order), np.int64)
    next_place: dict[int, int] = {}
    for operator in order.tolist():
        if counted[operator]:
            target = int(device[operator])
            place[operator] = next_place.get(target, 0)
            next_place[target] = place[operator] + 1
    return place
