"""What a runtime can do with every operator of the standard, found by running ONNX's own node tests on it.

``OperatorMap.to_json``::

    {"kind": "operator_map", "runtime": "openvino", "version": "2026.4.1", "device": "CPU", "index": 0,
     "precision": "fp32", "fingerprint": "0123456789abcdef", "onnx_version": "1.23.2",
     "made_at": "2026-11-30T12:00:00Z", "seconds": 41.2, "stopped": false,
     "summary": {"native": 150, "composed": 20, ...},
     "operators": [{"op_type": "Abs", "domain": "", "status": "native", "since_version": 13, "opsets": [13],
                    "types": ["FLOAT"], "passed": 1, "failed": 0, "wrong": 0, "skipped": 0,
                    "reason": {"code": "", "says": "", "case": ""}}, ...]}

``passed``, ``failed``, ``wrong`` and ``skipped`` count cases. ``types`` are the element types of the cases that passed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

import onnx

from heteroopt.errors import HeteroOptError
from heteroopt.precision.case_runs import CaseResult, Outcome, run_case
from heteroopt.precision.node_cases import (
    NodeCase,
    OperatorType,
    in_older_opset,
    node_cases,
    operator_types,
    with_constants,
)
from heteroopt.precision.own_device import OwnDevice
from heteroopt.progress import Progress, ProgressCallback
from heteroopt.runtimes.errors import RuntimeFault

KIND = "operator_map"
OLDER, CONSTANTS = "older_opset", "constant_operands"
"""Reasons of an operator that runs in an earlier version of it only, or with constants for all inputs but the first."""

MAX_RESTARTS = 40
"""A plugin that died so often is not started again; what is left counts as failed for that reason."""


class Status(StrEnum):
    """What a runtime does with an operator type."""

    NATIVE = "native"
    """It has the operator: cases pass, and none gives wrong results."""
    COMPOSED = "composed"
    """It runs as several other operators: the runtime takes it apart, or only the standard's body of it passes."""
    FALLS_BACK = "falls_back"
    """It runs, on another device than the one asked."""
    WRONG = "wrong"
    """It runs, and some cases give other results than the standard says."""
    UNSUPPORTED = "unsupported"
    """No case of it runs."""
    NOT_TESTED = "not_tested"
    """The standard has no test for it, or none that can be carried over."""


@dataclass(frozen=True, slots=True)
class OperatorReason:
    """Why a status is not plainly "native": what the runtime says, the case that shows it, and a ``code``.

    That is the code of an error, or ``wrong_results``, ``body_only``, ``taken_apart``, ``older_opset``,
    ``constant_operands``, ``seen_in``, ``fell_back``, ``not_carried``, ``no_case``, ``stopped``. A native operator may
    have the reason of its cases that failed.
    """

    code: str = ""
    says: str = ""
    case: str = ""


@dataclass(frozen=True, slots=True)
class OperatorSupport:
    """One row of the map."""

    op_type: str
    domain: str
    status: Status
    since_version: int
    opsets: tuple[int, ...]
    types: tuple[str, ...]
    passed: int
    failed: int
    wrong: int
    skipped: int
    reason: OperatorReason = field(default_factory=OperatorReason)

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON-able data."""
        return {**asdict(self), "status": str(self.status), "opsets": list(self.opsets), "types": list(self.types)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> OperatorSupport:
        """Read ``to_dict``'s form."""
        reason = data.get("reason") or {}
        return cls(
            op_type=str(data["op_type"]),
            domain=str(data.get("domain", "")),
            status=Status(data["status"]),
            since_version=int(data.get("since_version", 0)),
            opsets=tuple(int(number) for number in data.get("opsets", ())),
            types=tuple(str(name) for name in data.get("types", ())),
            passed=int(data["passed"]),
            failed=int(data["failed"]),
            wrong=int(data["wrong"]),
            skipped=int(data["skipped"]),
            reason=OperatorReason(**{key: str(reason.get(key, "")) for key in ("code", "says", "case")}),
        )


@dataclass(frozen=True, slots=True)
class OperatorMap:
    """The rows of one device, and what exactly was asked. ``made_at`` is the caller's text."""

    runtime: str
    version: str
    device: str
    index: int
    precision: str
    fingerprint: str
    onnx_version: str
    made_at: str
    seconds: float
    operators: tuple[OperatorSupport, ...]
    stopped: bool = False

    @property
    def label(self) -> str:
        """The runtime as people call it: ``openvino 2026.4.1``."""
        return f"{self.runtime} {self.version.partition('-')[0]}".strip()

    def summary(self) -> dict[str, int]:
        """Return how many operators have each status."""
        counts = Counter(str(row.status) for row in self.operators)
        return {str(status): counts[str(status)] for status in Status}

    def to_json(self) -> dict[str, Any]:
        """Return the form that the module's docstring shows."""
        return {
            "kind": KIND,
            **{name: getattr(self, name) for name in _PLAIN},
            "summary": self.summary(),
            "operators": [row.to_dict() for row in self.operators],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OperatorMap:
        """Read ``to_json``'s form. Raises ``HeteroOptError`` ``operator_map_invalid``."""
        try:
            if data.get("kind") != KIND:
                raise ValueError(f"its kind is {data.get('kind')!r}")
            return cls(
                **{name: _PLAIN[name](data[name]) for name in _PLAIN},
                operators=tuple(OperatorSupport.from_dict(row) for row in data["operators"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise HeteroOptError(
                "operator_map_invalid",
                f"This is no operator map: {type(error).__name__}: {error}.",
                hint="Use what `heteroopt operators --out FILE` wrote.",
                says=f"{type(error).__name__}: {error}",
            ) from error


_PLAIN: Mapping[str, type] = {
    "runtime": str, "version": str, "device": str, "index": int, "precision": str, "fingerprint": str,
    "onnx_version": str, "made_at": str, "seconds": float, "stopped": bool,
}  # fmt: skip


def map_operators(
    device: OwnDevice,
    runtime_name: str | None = None,
    *,
    only: Iterable[str] | None = None,
    made_at: str = "",
    every_body: bool = False,
    progress: ProgressCallback | None = None,
) -> OperatorMap:
    """Run the node tests of ai.onnx on a device and return its map; ``only``: some operator types.

    Tests of the standard's bodies are run where the operator itself does not pass, or all with ``every_body``: they
    are the largest ones and change nothing else in the map.

    A case that ends or hangs the plugin's process is counted as failed, the process is started again, and the map
    goes on. When ``progress`` (unit: operators) asks to stop, the operators that are left are ``not_tested``.
    Raises ``RuntimeFault`` where the device cannot be used at all.
    """
    begin = time.perf_counter()
    wanted = None if only is None else set(only)
    types = [entry for entry in operator_types() if wanted is None or entry.op_type in wanted]
    by_type: dict[str, list[NodeCase]] = {entry.op_type: [] for entry in types}
    for case in node_cases(by_type):
        if case.domain == "" and case.op_type in by_type:
            by_type[case.op_type].append(case)
    untested = {name for name, cases in by_type.items() if not cases}
    identity = device.identity()
    runner = _Runner(device)
    rows: list[OperatorSupport] = []
    helped: dict[str, str] = {}
    stopped = False
    for done, entry in enumerate(types):
        cases = [] if stopped else [case for case in by_type[entry.op_type] if not case.expanded]
        results = runner.run_all(entry, cases)
        cases, results = _with_variants(runner, entry, cases, results)
        works = any(result.outcome == Outcome.PASSED for result in results)
        bodies = [] if stopped else [case for case in by_type[entry.op_type] if case.expanded]
        bodies = [case for case in bodies if every_body or not works or case.helpers & untested]
        results += runner.run_all(entry, bodies)
        cases += bodies
        for case, result in zip(cases, results, strict=True):
            if result.outcome == Outcome.PASSED:
                for name in case.helpers:
                    helped.setdefault(name, case.name)
        rows.append(_stopped_row(entry) if stopped else classify(entry, cases, results))
        if not stopped and progress is not None:
            stopped = progress(Progress(done + 1, len(types), "operators")) is False and done + 1 < len(types)
    return OperatorMap(
        runtime=runtime_name or device.runtime,
        version=identity["version"],
        device=identity["device"],
        index=device.index,
        precision=device.precision,
        fingerprint=identity["fingerprint"],
        onnx_version=onnx.__version__,
        made_at=made_at,
        seconds=round(time.perf_counter() - begin, 3),
        operators=tuple(_seen_in_others(row, helped) for row in rows),
        stopped=stopped,
    )


def _with_variants(
    runner: _Runner, entry: OperatorType, cases: Sequence[NodeCase], results: Sequence[CaseResult]
) -> tuple[list[NodeCase], list[CaseResult]]:
    """Try what did not pass as models have it: with constants for all inputs but the first, and in earlier versions
    of the operator, from the newest on until one passes.
    """
    cases, results = list(cases), list(results)
    for i, case in enumerate(cases):
        if not case.expanded and (_retried(results[i]) or results[i].fell_back):
            _replace(runner, entry, cases, results, i, [with_constants(case)], CONSTANTS)
    if any(result.outcome in (Outcome.PASSED, Outcome.WRONG) for result in results):
        return cases, results
    opset = 0
    for i, case in enumerate(cases):
        if case.expanded or results[i].code != "program_refused":
            continue
        older = [one for one in in_older_opset(case) if not opset or one.opset == opset]
        tries = [one for known in older for one in (known, with_constants(known))]
        _replace(runner, entry, cases, results, i, tries, OLDER)
        opset = cases[i].opset if results[i].code == OLDER else opset  # one version is enough for the others
    return cases, results


def _retried(result: CaseResult) -> bool:
    return result.outcome == Outcome.WRONG or result.code in ("program_refused", "program_failed")


def _replace(
    runner: _Runner, entry: OperatorType, cases: list[NodeCase], results: list[CaseResult], i: int,
    tries: Iterable[NodeCase | None], code: str,
) -> None:  # fmt: skip
    """Put the first try that passes on the device itself in the place of a case that did not."""
    for case in tries:
        if case is None:
            continue
        result = runner.run(case, entry.has_body)
        if result.outcome == Outcome.PASSED and not result.fell_back:
            says = results[i].says
            cases[i], results[i] = case, replace(result, code=code, says=says)
            return


class _Runner:
    """Runs cases until the plugin cannot be brought back any more."""

    def __init__(self, device: OwnDevice) -> None:
        self._device = device
        self._first_start = device.starts
        self._gone: RuntimeFault | None = None

    def run_all(self, entry: OperatorType, cases: Sequence[NodeCase]) -> list[CaseResult]:
        """Run the cases of an operator; what the runtime made of them is asked until one runs as itself."""
        results: list[CaseResult] = []
        known = False
        for case in cases:
            result = self.run(case, entry.has_body and not case.expanded and not known, not known)
            whole = not (result.fell_back or result.composed or case.expanded)
            known = known or (result.outcome == Outcome.PASSED and whole)
            results.append(result)
        return results

    def run(self, case: NodeCase, may_be_taken_apart: bool, details: bool = True) -> CaseResult:
        if self._gone is None:
            try:
                if self._device.starts - self._first_start > MAX_RESTARTS:
                    raise RuntimeFault(
                        "runtime_not_running",
                        f"{self._device.runtime} ended {MAX_RESTARTS} times and was not started again.",
                        hint="Look at its first failures in this map.",
                        runtime=self._device.runtime,
                    )
                return run_case(self._device, case, may_be_taken_apart=may_be_taken_apart, details=details)
            except RuntimeFault as error:
                self._gone = error
        return CaseResult(case.name, case.op_type, Outcome.FAILED, self._gone.code, self._gone.message)


def classify(entry: OperatorType, cases: Sequence[NodeCase], results: Sequence[CaseResult]) -> OperatorSupport:
    """Return the row of an operator type from how its cases ended (``results`` in the order of ``cases``)."""
    pairs = list(zip(cases, results, strict=True))
    plain = [result for case, result in pairs if not case.expanded]
    bodies = [result for case, result in pairs if case.expanded]
    counts = Counter(result.outcome for result in results)
    passed = [result for result in plain if result.outcome == Outcome.PASSED]
    status, reason = _status(plain, bodies, passed)
    return OperatorSupport(
        op_type=entry.op_type,
        domain=entry.domain,
        status=status,
        since_version=entry.since_version,
        opsets=tuple(sorted({case.opset for case in cases})),
        types=tuple(
            sorted({name for case, result in pairs if result.outcome == Outcome.PASSED for name in case.types})
        ),
        passed=counts[Outcome.PASSED],
        failed=counts[Outcome.FAILED],
        wrong=counts[Outcome.WRONG],
        skipped=counts[Outcome.SKIPPED],
        reason=reason,
    )


def _status(
    plain: Sequence[CaseResult], bodies: Sequence[CaseResult], passed: Sequence[CaseResult]
) -> tuple[Status, OperatorReason]:
    ran = [result for result in [*plain, *bodies] if result.outcome != Outcome.SKIPPED]
    wrong = [result for result in plain if result.outcome == Outcome.WRONG]
    if not ran:
        skipped = next(iter([*plain, *bodies]), None)
        return Status.NOT_TESTED, _reason(skipped) if skipped else OperatorReason("no_case")
    if wrong:
        return Status.WRONG, _reason(wrong[0])
    if passed:
        if all(result.fell_back for result in passed):
            return Status.FALLS_BACK, OperatorReason("fell_back", "", passed[0].case)
        if all(result.composed for result in passed):
            return Status.COMPOSED, OperatorReason("taken_apart", "", passed[0].case)
        limited = passed[0] if all(result.code in (OLDER, CONSTANTS) for result in passed) else None
        return Status.NATIVE, (_reason(limited) if limited else _commonest(plain)) or OperatorReason()
    failed = _commonest(plain)
    body = next((result for result in bodies if result.outcome == Outcome.PASSED), None)
    if body is not None:
        return Status.COMPOSED, OperatorReason("body_only", failed.says if failed else "", body.case)
    return Status.UNSUPPORTED, failed or _commonest(bodies) or _reason(ran[0])


def _commonest(results: Sequence[CaseResult]) -> OperatorReason | None:
    """Return the reason that most of the failed cases share, with the first case that has it."""
    failed = [result for result in results if result.outcome == Outcome.FAILED]
    if not failed:
        return None
    (code, says), _ = Counter((result.code, result.says) for result in failed).most_common(1)[0]
    return _reason(next(result for result in failed if (result.code, result.says) == (code, says)))


def _reason(result: CaseResult) -> OperatorReason:
    return OperatorReason(result.code, result.says, result.case)


def _stopped_row(entry: OperatorType) -> OperatorSupport:
    reason = OperatorReason("stopped")
    return OperatorSupport(
        entry.op_type, entry.domain, Status.NOT_TESTED, entry.since_version, (), (), 0, 0, 0, 0, reason
    )


def _seen_in_others(row: OperatorSupport, helped: Mapping[str, str]) -> OperatorSupport:
    """An operator without a test of its own that takes part in a passed case of another one works."""
    if row.status != Status.NOT_TESTED or row.reason.code != "no_case" or row.op_type not in helped:
        return row
    return replace(row, status=Status.NATIVE, reason=OperatorReason("seen_in", "", helped[row.op_type]))
