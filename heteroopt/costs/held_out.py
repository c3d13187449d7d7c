"""Judging a cost model on measurements that it has not seen: five folds, and the largest operators from the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from heteroopt.costs.accuracy import Accuracy, accuracy
from heteroopt.costs.cost_models import CostModel, checked_predictions, learned
from heteroopt.costs.facts import OperatorFacts
from heteroopt.costs.features import work
from heteroopt.costs.fitted_roofline import FEWEST_ROWS, FittedRoofline

FloatArray = npt.NDArray[np.float64]

FOLDS = 5
LARGEST_SHARE = 0.15
COMPUTE_CLASSES = frozenset(("matmul", "conv", "depthwise_conv", "attention", "recurrent"))
CHAIN = ("template", "roofline", "model")
"""What may predict an operator that was not measured, the plainest first; each has to be better than the one before."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """``level`` is not used for ``group`` ("*": wherever nothing else is said): its mean error is not below
    ``kept_error``, that of ``kept``, which it would have replaced.
    """

    group: str
    level: str
    error: float
    kept: str
    kept_error: float

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True)
class HeldOut:
    """Errors on held-out measurements, overall and by group; ``used``: of what is chosen for each operator.

    All are errors of what was measured: programs of one operator each, with their start.

    ``largest``: the largest 15 % by FLOP of the operators that compute, predicted from the smaller ones. ``parity``:
    ``[structure, group, measured s, predicted s]`` of every row. ``levels``: what predicts each group, "*" the others.
    """

    n: int
    used: Accuracy
    by_level: Mapping[str, Accuracy] = field(default_factory=dict)
    by_group: Mapping[str, Mapping[str, Accuracy]] = field(default_factory=dict)
    largest: Mapping[str, Accuracy] = field(default_factory=dict)
    largest_by_group: Mapping[str, Accuracy] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    refusals: tuple[Refusal, ...] = ()
    log_errors: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """5 % and 95 % quantile of log(measured / predicted) by level, and by "level group" where there are enough."""
    parity: tuple[tuple[str, str, float, float], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form, for pages and files."""
        return {
            "n": self.n,
            "used": self.used.to_dict(),
            "by_level": {name: value.to_dict() for name, value in self.by_level.items()},
            "by_group": {
                group: {name: value.to_dict() for name, value in rows.items()} for group, rows in self.by_group.items()
            },
            "largest": {name: value.to_dict() for name, value in self.largest.items()},
            "largest_by_group": {name: value.to_dict() for name, value in self.largest_by_group.items()},
            "levels": dict(self.levels),
            "refusals": [refusal.to_dict() for refusal in self.refusals],
            "parity": [list(row) for row in self.parity],
        }


def hold_out(
    rows: Sequence[OperatorFacts],
    seconds: FloatArray,
    template: Callable[[Sequence[OperatorFacts]], FloatArray] | None,
    *,
    kind: type[CostModel],
    start_s: float = 0.0,
    seed: int = 0,
    trees: int,
) -> HeldOut:
    """Judge rows and their seconds [n]; ``template`` predicts from the device's figures alone, where it has any.

    ``kind``: what "model" stands for. ``start_s``: what starting a program takes; it is part of the seconds, and of
    every prediction.
    """
    groups = np.array([facts.group for facts in rows])
    predicted = {"roofline": np.zeros(len(rows)), "model": np.zeros(len(rows))}
    if template is not None:
        predicted["template"] = template(rows)
    order = np.random.default_rng(seed).permutation(len(rows))
    for fold in np.array_split(order, FOLDS):
        train = np.setdiff1d(order, fold)
        for level, values in _fit_and_predict(rows, seconds, train, fold, kind, start_s, trees).items():
            predicted[level][fold] = values
    chain = [level for level in CHAIN if level in predicted]
    levels, refusals = _choose(predicted, seconds, groups, chain)
    used = np.zeros(len(rows))
    by_level: dict[str, Accuracy] = {level: accuracy(predicted[level], seconds) for level in chain}
    by_group: dict[str, dict[str, Accuracy]] = {}
    log_errors: dict[str, tuple[float, float]] = {}
    for level in chain:
        log_errors[level] = _quantiles(np.log(seconds / predicted[level]))
    for group in sorted(set(groups)):
        at = groups == group
        level = levels.get(group, levels["*"])
        used[at] = predicted[level][at]
        by_group[group] = {name: accuracy(predicted[name][at], seconds[at]) for name in chain}
        if at.sum() >= 2 * FEWEST_ROWS:
            log_errors[f"{level} {group}"] = _quantiles(np.log(seconds[at] / used[at]))
    largest, largest_by_group = _largest(rows, seconds, groups, template, kind, start_s, trees)
    return HeldOut(
        n=len(rows),
        used=accuracy(used, seconds),
        by_level=by_level,
        by_group=by_group,
        largest=largest,
        largest_by_group=largest_by_group,
        levels=levels,
        refusals=tuple(refusals),
        log_errors=log_errors,
        parity=tuple(
            (facts.structure, str(group), float(a), float(b))
            for facts, group, a, b in zip(rows, groups, seconds, used, strict=True)
        ),
    )


def _fit_and_predict(
    rows: Sequence[OperatorFacts], seconds: FloatArray, train: npt.NDArray[np.intp], test: npt.NDArray[np.intp],
    kind: type[CostModel], start_s: float, trees: int,
) -> dict[str, FloatArray]:  # fmt: skip
    known, asked = [rows[i] for i in train], [rows[i] for i in test]
    roofline = FittedRoofline.fit(known, seconds[train], start_s)
    trained = learned(kind, known, seconds[train], start_s, trees)
    return {"roofline": roofline.predict(asked), "model": checked_predictions(trained, asked)}


def _choose(
    predicted: Mapping[str, FloatArray], seconds: FloatArray, groups: npt.NDArray[np.str_], chain: Sequence[str]
) -> tuple[dict[str, str], list[Refusal]]:
    levels: dict[str, str] = {}
    refusals: list[Refusal] = []
    every = np.ones(len(seconds), np.bool_)
    wanted = [("*", every)] + [(str(group), groups == group) for group in sorted(set(groups))]
    for group, at in wanted:
        if at.sum() < FEWEST_ROWS and group != "*":
            continue
        kept = chain[0]
        for level in chain[1:]:
            before, after = (accuracy(predicted[name][at], seconds[at]).mape for name in (kept, level))
            if after < before:
                kept = level
            else:
                refusals.append(Refusal(group, level, after, kept, before))
        levels[group] = kept
    return levels, refusals


def _largest(
    rows: Sequence[OperatorFacts],
    seconds: FloatArray,
    groups: npt.NDArray[np.str_],
    template: Callable[[Sequence[OperatorFacts]], FloatArray] | None,
    kind: type[CostModel],
    start_s: float,
    trees: int,
) -> tuple[dict[str, Accuracy], dict[str, Accuracy]]:
    flops, _ = work(rows)
    compute = np.array([facts.op_class in COMPUTE_CLASSES for facts in rows], np.bool_)
    if compute.sum() < 4 * FEWEST_ROWS:
        return {}, {}
    limit = np.quantile(flops[compute], 1.0 - LARGEST_SHARE)
    large = compute & (flops > limit)
    test, train = np.flatnonzero(large), np.flatnonzero(~large)
    predicted = _fit_and_predict(rows, seconds, train, test, kind, start_s, trees)
    if template is not None:
        predicted["template"] = template([rows[int(i)] for i in test])
    model = predicted["model"]
    by_group = {
        str(group): accuracy(model[groups[test] == group], seconds[test][groups[test] == group])
        for group in sorted(set(groups[test]))
    }
    return {level: accuracy(values, seconds[test]) for level, values in predicted.items()}, by_group


def _quantiles(logs: FloatArray) -> tuple[float, float]:
    low, high = np.quantile(logs, [0.05, 0.95])
    return min(0.0, float(low)), max(0.0, float(high))
