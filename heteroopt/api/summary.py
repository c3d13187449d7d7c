"""Short texts about plans for a terminal or a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from heteroopt.simulation.objectives import DEFAULT_KEYS
from heteroopt.units import BYTES_PER_MB

if TYPE_CHECKING:
    from heteroopt.api.result import Result
    from heteroopt.api.solution import Solution

_KINDS = {
    "default": "everything on {device}",
    "fastest_single": "everything on {device}; the default device cannot take the whole model",
    "least_overflow": "everything on {device}, which does not fit either",
}


def solution_summary(solution: Solution, result: Result) -> str:
    """Values of a plan, absolute and as multiples, and what each device does."""
    default = result.default_plan
    meaning = _KINDS[default["kind"]].format(device=default["device"])
    lines = [
        f"Plan {solution.number} of {len(result.front)} for {result.graph.name} on "
        f"{result.pool.name or 'a pool'} (seed {result.seed})",
        f"  execution time  {solution.exec_time:>12.4g} ms   {solution.exec_time_x:.3f} x",
        f"  energy          {solution.energy:>12.4g} J    {solution.energy_x:.3f} x"
        + (f" {_sourced(solution.energy_sources)}" if solution.energy_sources else ""),
        f"  load balance    {solution.load_balance:>12.4g}      {solution.load_balance_x:.3f} x",
        *_further(solution, result),
        f"  multiples of    {default['exec_time_ms']:.4g} ms, {default['energy_j']:.4g} J"
        f"{_sourced(default['energy_sources'])}, {default['load_balance']:.4g} ({meaning})",
        f"  transfers       {solution.n_transfers} ({solution.transferred_bytes / BYTES_PER_MB:.4g} MB)",
    ]
    if solution.overflow_bytes:
        lines.append(f"  does not fit: {solution.overflow_bytes / BYTES_PER_MB:.4g} MB too much")
    for key, end, bound, _ in result.front.missed(solution.number - 1):
        lines.append(f"  misses {key} {'<=' if end == 'max' else '>='} {bound:.6g}")
    width = max(len(row["name"]) for row in solution.devices)
    lines += [
        f"  {row['tag']:<3} {row['name']:<{width}}  {row['operators']:>6} operators, busy {row['share']:.1%}"
        for row in solution.devices
    ]
    return "\n".join(lines)


def _sourced(sources: Sequence[str]) -> str:
    """Where joules are from, to stand behind them; nothing where that is not known."""
    return f" ({', '.join(sources)})" if sources else ""


def _further(solution: Solution, result: Result) -> list[str]:
    """A line for each objective and constraint beyond the usual three, and for what was asked to be simulated."""
    settings = result.settings
    asked = {*settings.objectives, *(constraint.objective for constraint in settings.constraints)}
    return [
        f"  {entry.name[:1].lower() + entry.name[1:]}: {solution.values[key]:.6g} {entry.unit}".rstrip()
        + f"   {solution.multiples[key]:.3f} x"
        for key, entry in result.front.measures.items()
        if key not in DEFAULT_KEYS and (key in asked or entry.needs != "decode")
    ]
