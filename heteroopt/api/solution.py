"""Solution: one plan of a front."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heteroopt.deployment.tables import device_rows, operator_rows, placement_rows
from heteroopt.simulation.naming import operator_index, unknown_operator
from heteroopt.simulation.objectives import DEFAULT_KEYS
from heteroopt.simulation.schedule import Schedule

if TYPE_CHECKING:
    from heteroopt.api.result import Result
    from heteroopt.deployment.plan import Plan


class Solution:
    """One plan: ``exec_time`` in ms, ``energy`` in J, ``load_balance`` as variance of the devices' utilisation.

    ``exec_time_x``, ``energy_x``, ``load_balance_x``: multiples of the default plan. ``values`` and ``multiples``: of
    every measure of the front, by key. ``number``: position in the
    front from 1. ``hash``: identifies placement and order.
    """

    def __init__(self, result: Result, row: int) -> None:
        front = result.front
        self._result = result
        self._row = row
        self.number = row + 1
        self.hash = front.hashes[row]
        self.values = {key: float(entry.values[row]) for key, entry in front.measures.items()}
        self.multiples = {key: float(entry.multiples[row]) for key, entry in front.measures.items()}
        self.exec_time, self.energy, self.load_balance = (self.values[key] for key in DEFAULT_KEYS)
        self.exec_time_x, self.energy_x, self.load_balance_x = (self.multiples[key] for key in DEFAULT_KEYS)
        self.overflow_bytes = int(front.plans.overflow_bytes[row])
        self.transferred_bytes = int(front.plans.transferred_bytes[row])
        self.n_transfers = int(front.plans.n_transfers[row])
        self.peak_memory_bytes = int(self.values["peak_memory_bytes"])

    @property
    def feasible(self) -> bool:
        """Whether every memory holds its peak and every constraint of the search is kept."""
        return self.overflow_bytes == 0 and not self._result.front.missed(self._row)

    @property
    def energy_sources(self) -> list[str]:
        """Where its joules are from: measured, estimated, template or given, of the operators together."""
        from heteroopt.costs.energy_origin import energy_sources

        return energy_sources(self._result.costs, self._result.front.plans.devices[self._row])

    @cached_property
    def plan(self) -> Plan:
        """The plan decoded, with the reason of every operator; of the largest graphs without (see ``explain``)."""
        return self._result.plan(self._row, explain=True)

    @cached_property
    def schedule(self) -> Schedule:
        """Start and finish of every operator and transfer, memory courses, energy parts."""
        return self._result.plan(self._row).schedule

    @property
    def placement(self) -> dict[str, str]:
        """Device of every operator of the model itself, by name."""
        return {row["name"]: row["device"] for row in placement_rows(self._result.plan(self._row))}

    @property
    def operators(self) -> list[dict[str, Any]]:
        """The operator table, in the order of execution: device, order, start_ms, end_ms, time_ms, energy_j, reason."""
        return operator_rows(self.plan)

    @property
    def devices(self) -> list[dict[str, Any]]:
        """Per device: operators, busy_ms, share of the makespan."""
        return device_rows(self._result.plan(self._row))

    def explain(self, operator: str) -> dict[str, Any]:
        """Reason of one operator, and what moving it to each other device would change. Raises ``SettingsError``."""
        from heteroopt.api.reasons import explanation_of

        index = operator_index(self._result.graph)
        if operator not in index:
            raise unknown_operator(operator)
        result = self._result
        return explanation_of(
            result.scheduler.problem, result.graph, result.pool, result.costs, self.schedule, index[operator]
        )

    def summary(self) -> str:
        """A few lines of text: values, multiples of the default plan, what each device does."""
        from heteroopt.api.summary import solution_summary

        return solution_summary(self, self._result)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able values, units in the names."""
        return {
            "number": self.number,
            "exec_time_ms": self.exec_time,
            "energy_j": self.energy,
            "load_balance": self.load_balance,
            "exec_time_x": self.exec_time_x,
            "energy_x": self.energy_x,
            "load_balance_x": self.load_balance_x,
            "peak_memory_bytes": self.peak_memory_bytes,
            "transferred_bytes": self.transferred_bytes,
            "n_transfers": self.n_transfers,
            "overflow_bytes": self.overflow_bytes,
            "feasible": self.feasible,
            "hash": self.hash,
            "values": dict(self.values),
            "multiples": dict(self.multiples),
        }

    def to_json(self, *, with_search: bool = True) -> str:
        """The plan file: with the front and the inputs, so that `heteroopt select` and `explain` can work on it."""
        from heteroopt.deployment.plan_json import dump_document

        return dump_document(self._document(with_search=with_search))

    def save(self, path: str | Path) -> None:
        """Write ``to_json`` to a file."""
        from heteroopt.deployment.plan_json import write_document

        write_document(path, self._document(with_search=True))

    def _document(self, *, with_search: bool) -> dict[str, Any]:
        from heteroopt.deployment.plan_json import plan_document

        search = self._result.to_dict() if with_search else None
        return plan_document(self.plan, search=search, with_inputs=with_search)

    def to_csv(self) -> str:
        """The operator table as CSV, units in the headings."""
        from heteroopt.deployment.operator_csv import operator_csv

        return operator_csv(self.plan)

    def export(
        self,
        format: str,
        folder: str | Path,
        *,
        model: str | Path | None = None,
        options: Mapping[str, str] | None = None,
        replace_existing: bool = False,
    ) -> dict[str, Any]:
        """Write the plan in a format that an execution engine loads (`heteroopt export --list`); its manifest.

        ``folder``: a new one, or the name of an archive (.zip, .tar.gz). ``model``: the ONNX file that was planned,
        where the format needs it. ``replace_existing``: an export that is there already is
        replaced. Raises ``Refusal`` where the format cannot hold the plan, with what to do.
        """
        from dataclasses import replace

        from heteroopt.api.exporting import plan_request, write_export
        from heteroopt.deployment.front_points import FrontPoints

        request = plan_request(self.plan, model=None if model is None else Path(model), options=options)
        request = replace(request, front=FrontPoints.of_front(self._result.front))
        return write_export(format, request, Path(folder), replace_existing=replace_existing)

    def __repr__(self) -> str:
        return (
            f"<Solution {self.number}: exec_time={self.exec_time:.4g} ms, energy={self.energy:.4g} J, "
            f"load_balance={self.load_balance:.4g}>"
        )
