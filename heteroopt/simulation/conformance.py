"""What every objective has to keep to, as tests that the author of a plugin can run.

    from heteroopt.simulation.conformance import ObjectiveConformance

    class TestNoise(ObjectiveConformance):
        objective = NOISE

Each ``test_`` method asserts one promise, on a branchy graph of twelve operators on three devices; pytest and unittest
both find them. ``problem`` can be overridden by one on which the objective has something to say.
"""

from __future__ import annotations

import numpy as np

from heteroopt.devices.routes import Hop
from heteroopt.simulation.objective_batch import ObjectiveBatch, ObjectiveOptions
from heteroopt.simulation.objectives import Objective, measured
from heteroopt.simulation.problem import Float64, Int32, Problem, make_problem
from heteroopt.simulation.reference_plan import reference_plan, unpinned

N_OPERATORS, N_DEVICES, N_PLANS = 12, 3, 7


class ObjectiveConformance:
    """Subclass it and set ``objective``."""

    objective: Objective
    options = ObjectiveOptions(items=4, arrivals_per_s=1_000.0)

    def problem(self) -> Problem:
        """Return what is measured on."""
        return branchy_problem()

    def plans(self) -> tuple[Int32, Int32]:
        """Return orders and devices of seven plans, all in the order of the operators."""
        devices = np.random.default_rng(1).integers(0, N_DEVICES, (N_PLANS, N_OPERATORS)).astype(np.int32)
        return np.repeat(np.arange(N_OPERATORS, dtype=np.int32)[None], N_PLANS, axis=0), devices

    def measure(self, orders: Int32, devices: Int32, problem: Problem | None = None) -> Float64:
        """Return the objective of plans; what is no float64 [P] of finite numbers is refused."""
        batch = ObjectiveBatch(problem or self.problem(), orders, devices, self.options)
        return measured(self.objective, batch)

    def test_it_describes_itself(self) -> None:
        """A page can offer it: a key that fits a command line, a name, a direction, a cost."""
        assert self.objective.key.isidentifier() and self.objective.key == self.objective.key.lower()
        assert self.objective.name.strip() and isinstance(self.objective.unit, str)
        assert self.objective.direction in ("min", "max")
        assert self.objective.needs in ("decode", "pipeline", "arrivals")
        assert self.objective.normalise in ("reference", "range")

    def test_it_gives_a_finite_number_for_each_plan(self) -> None:
        """float64 [P]; of a maximised objective above 0, or no multiple of the reference could be taken."""
        values = self.measure(*self.plans())
        assert values.shape == (N_PLANS,) and values.dtype == np.float64 and np.isfinite(values).all()
        assert self.objective.direction == "min" or (values > 0).all()

    def test_no_plans_are_no_trouble(self) -> None:
        """An empty batch gives an empty array."""
        orders, devices = self.plans()
        assert self.measure(orders[:0], devices[:0]).shape == (0,)

    def test_the_same_plans_give_the_same_bits(self) -> None:
        """A search with one seed must give one front: nothing random, nothing kept from call to call."""
        assert self.measure(*self.plans()).tobytes() == self.measure(*self.plans()).tobytes()

    def test_a_plan_is_measured_by_itself(self) -> None:
        """Whatever else is in the batch, and in whatever order: a generation is cut as the search likes."""
        orders, devices = self.plans()
        values = self.measure(orders, devices)
        assert self.measure(orders[::-1].copy(), devices[::-1].copy()).tobytes() == values[::-1].tobytes()
        for row in range(N_PLANS):
            assert self.measure(orders[row : row + 1], devices[row : row + 1])[0] == values[row]

    def test_the_plans_are_left_as_they_are(self) -> None:
        """Measuring writes nothing."""
        orders, devices = self.plans()
        before = orders.copy(), devices.copy()
        self.measure(orders, devices)
        assert np.array_equal(orders, before[0]) and np.array_equal(devices, before[1])

    def test_better_is_less_cost(self) -> None:
        """What is minimised orders plans as the direction says."""
        values = self.measure(*self.plans())
        costs = self.objective.cost(values)
        better = values[:, None] < values[None] if self.objective.direction == "min" else values[:, None] > values[None]
        assert (costs[:, None] < costs[None])[better].all()

    def test_the_reference_plan_is_one_times_itself(self) -> None:
        """Multiples are of its value: it can be measured, is not negative, and comes back from its cost."""
        problem = unpinned(self.problem())
        reference = reference_plan(problem)
        values = self.measure(reference.order[None], reference.devices[None], problem)
        cost = self.objective.cost(values)
        assert (cost >= 0).all() and np.isfinite(cost).all()
        assert cost[0] == 0 or np.isclose(self.objective.value(cost)[0] / values[0], 1.0, rtol=1e-12)

    def test_violations_are_none_or_amounts(self) -> None:
        """float64 [P] of 0 or more, if the objective has any."""
        if self.objective.violation is None:
            return
        batch = ObjectiveBatch(self.problem(), *self.plans(), self.options)
        amounts = np.asarray(self.objective.violation(batch))
        assert amounts.shape == (N_PLANS,) and np.isfinite(amounts).all() and (amounts >= 0).all()


def branchy_problem() -> Problem:
    """Return twelve operators in two lanes that meet, on three unlike devices with their own memories and prices."""
    rng = np.random.default_rng(7)
    time = rng.integers(50_000, 400_000, (N_OPERATORS, N_DEVICES))
    inputs = [[0]] + [[i] if i < N_OPERATORS - 1 else [i - 1, i] for i in range(1, N_OPERATORS)]
    inputs[2] = [1]
    routes = [
        [[] if a == b else [Hop(a, b, a * N_DEVICES + b, 20_000, 10.0, 0.5)] for b in range(N_DEVICES)]
        for a in range(N_DEVICES)
    ]
    return make_problem(
        op_time_ps=time,
        op_energy_pj=rng.integers(1_000, 90_000, (N_OPERATORS, N_DEVICES)),
        inputs=inputs,
        outputs=[[i + 1] for i in range(N_OPERATORS)],
        initializers=[[i] for i in range(N_OPERATORS)],
        is_view=[False] * N_OPERATORS,
        tensor_size_bytes=[4_000 + 300 * i for i in range(N_OPERATORS + 1)],
        output_tensors=[N_OPERATORS],
        init_size_bytes=[1_000] * N_OPERATORS,
        store_memory=list(range(N_DEVICES)),
        memory_capacity_bytes=[1 << 30] * N_DEVICES,
        routes=routes,
        idle_power_w=[1.0, 0.5, 0.2],
        host=0,
        cost_per_hour=[3.0, 1.0, 0.5],
    )
