"""Our own objectives keep to what a plugin's must, and a plugin that does not is found out."""

from dataclasses import replace

import numpy as np
import pytest

from heteroopt.errors import PlanError
from heteroopt.simulation.conformance import ObjectiveConformance
from heteroopt.simulation.objectives import EXEC_TIME, SHIPPED, THROUGHPUT

FINITE, VIOLATIONS = "test_it_gives_a_finite_number_for_each_plan", "test_violations_are_none_or_amounts"
CHECKS = [name for name in dir(ObjectiveConformance) if name.startswith("test_")]


def suite(wanted):
    class Suite(ObjectiveConformance):
        objective = wanted

    return Suite()


@pytest.mark.parametrize("key", SHIPPED)
def test_what_ships_conforms(key):
    for check in CHECKS:
        getattr(suite(SHIPPED[key]), check)()


def _noisy(batch):
    return np.random.default_rng().random(len(batch.orders))


def _relative(batch):
    values = EXEC_TIME.measure(batch)
    return values / values.max() if len(values) else values


def _writes(batch):
    batch.devices[:] = 0
    return EXEC_TIME.measure(batch)


@pytest.mark.parametrize(
    ("broken", "check"),
    [
        (replace(EXEC_TIME, measure=_noisy), "test_the_same_plans_give_the_same_bits"),
        (replace(EXEC_TIME, measure=_relative), "test_a_plan_is_measured_by_itself"),
        (replace(EXEC_TIME, measure=_writes), "test_the_plans_are_left_as_they_are"),
        (replace(EXEC_TIME, direction="up"), "test_it_describes_itself"),
        (replace(EXEC_TIME, key="Time (ms)"), "test_it_describes_itself"),
        (replace(THROUGHPUT, measure=lambda batch: np.zeros(len(batch.orders))), FINITE),
        (replace(EXEC_TIME, measure=lambda batch: np.full(len(batch.orders), np.nan)), FINITE),
        (replace(EXEC_TIME, measure=lambda batch: np.zeros(3)), FINITE),
        (replace(EXEC_TIME, measure=lambda batch: EXEC_TIME.measure(batch)[0]), "test_no_plans_are_no_trouble"),
        (replace(EXEC_TIME, violation=lambda batch: np.full(len(batch.orders), -1.0)), VIOLATIONS),
    ],
)  # fmt: skip
def test_what_does_not_conform_is_found(broken, check):
    with pytest.raises((AssertionError, PlanError)):
        getattr(suite(broken), check)()
