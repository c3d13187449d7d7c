"""Scheduler: a graph, a pool and goals in; a Result with the Pareto front out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from heteroopt.api.goals import MemoryConstraint, Objective, memory_caps, objective_weights, told_apart
from heteroopt.api.placing import cost_table, scheduled_graph
from heteroopt.api.result import Result
from heteroopt.api.warm_start import earlier_plans
from heteroopt.costs.table import CostTable
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.errors import SettingsError
from heteroopt.graph.graph import Graph
from heteroopt.progress import Progress, ProgressCallback
from heteroopt.search.constraints import Constraint
from heteroopt.search.inheritance import EarlierPlans
from heteroopt.search.search import Search
from heteroopt.search.settings import OBJECTIVES, SearchSettings
from heteroopt.search.snapshot import FrontSnapshot
from heteroopt.simulation.compile import compile_problem
from heteroopt.simulation.naming import device_indices, pin_indices


class Scheduler:
    """Multi-objective search for plans.

    graph, devices: what is placed, and where (a pool, or devices that get default links). objectives: which ones
    are optimised (one to three), with the weights that ``result.select()`` uses; time, energy and load balance with
    equal weights by default. constraints: memory limits and bounds on objectives. items_in_flight, micro_batches: what
    the pipeline's figures are simulated with. arrival_rate_per_s: of items, for the P99 latency, which can be an
    objective or constrained then.
    population_size, generations: 128 and 200 by default, fewer and more above 1,000 operators. mutation_prob: of
    each child. fuse: place runs of small operators together with their producers (off
    when costs are given). costs: a CostTable measured elsewhere, for the operators of ``graph`` as they are. pins:
    operator name to device name. forbidden_devices: names. makespan_cap: plans slower than this multiple of the
    default plan count as invalid. warm_start: an earlier result on the same model, or a file with its plans; the
    search starts from them. The pool may differ: devices are matched by name, and operators whose device is gone or
    forbidden go where they are fastest. islands: populations that search side by side in processes of their own and
    exchange plans; each makes all generations.
    Raises ``SettingsError``, ``PoolError`` and ``CostError`` for what cannot be.
    """

    def __init__(
        self,
        graph: Graph,
        devices: DevicePool | Sequence[DeviceSpec],
        objectives: Sequence[Objective] | None = None,
        constraints: Sequence[MemoryConstraint | Constraint] | MemoryConstraint | Constraint = (),
        population_size: int | None = None,
        generations: int | None = None,
        mutation_prob: float = 0.15,
        *,
        fuse: bool = True,
        costs: CostTable | None = None,
        pins: Mapping[str, str] | None = None,
        forbidden_devices: Sequence[str] = (),
        makespan_cap: float | None = 2.0,
        front_size: int = 128,
        items_in_flight: int | None = None,
        micro_batches: int | None = None,
        arrival_rate_per_s: float | None = None,
        warm_start: Result | EarlierPlans | str | Path | None = None,
        islands: int = 1,
    ) -> None:
        chosen = [Objective(name) for name in OBJECTIVES] if objectives is None else list(objectives)
        if not chosen or not all(isinstance(objective, Objective) for objective in chosen):
            raise SettingsError(
                "objectives_invalid",
                "Objectives must be a list of Objective(type=..., weight=...).",
                allowed=list(OBJECTIVES),
            )
        limits, bounds = told_apart(constraints)
        self.weights = objective_weights(chosen)
        self.settings = SearchSettings(
            population_size=population_size,
            generations=generations,
            mutation_prob=mutation_prob,
            makespan_cap=makespan_cap,
            front_size=front_size,
            objectives=tuple(objective.type for objective in chosen),
            constraints=bounds,
            items_in_flight=items_in_flight,
            micro_batches=micro_batches,
            arrival_rate_per_s=arrival_rate_per_s,
            islands=islands,
        )
        self.graph = scheduled_graph(graph, fuse=fuse and costs is None)
        self.pool = devices if isinstance(devices, DevicePool) else DevicePool(devices)
        self.costs = cost_table(self.graph, self.pool, costs)
        self.pins = dict(pins or {})
        self.forbidden_devices = tuple(forbidden_devices)
        self.memory_caps = memory_caps(limits, self.pool)
        self.problem = compile_problem(
            self.graph,
            self.pool,
            self.costs,
            pins=pin_indices(self.graph, self.pool, self.pins),
            forbidden=device_indices(self.pool, self.forbidden_devices),
            memory_caps=self.memory_caps,
        )
        earlier = None if warm_start is None else earlier_plans(warm_start)
        self._inherited = None if earlier is None else earlier.on(self.graph, self.pool)

    def run(self, seed: int = 0, *, progress: ProgressCallback | None = None) -> Result:
        """Search and return the result; the same seed gives the same front, bit for bit.

        ``progress`` is called after each generation (of islands: after each epoch of some generations) and stops the
        search by returning ``False``; the front so far is kept.
        """
        settings = SearchSettings.from_dict({**self.settings.to_dict(), "seed": seed})
        if settings.islands > 1:
            return Result(self, self._run_islands(settings, progress), settings.resolved(self.problem.n_operators))
        search = Search(self.problem, settings, warm_start=self._inherited)
        snapshot = search.start()
        while not search.finished:
            if not _goes_on(progress, snapshot):
                snapshot = search.stop()
                break
            snapshot = search.step()
        if progress is not None:
            progress(Progress(snapshot.generation, snapshot.generations, snapshot.outcome))
        return Result(self, snapshot, search.settings)

    def _run_islands(self, settings: SearchSettings, progress: ProgressCallback | None) -> FrontSnapshot:
        from heteroopt.search.archipelago import search_on_islands

        snapshot = search_on_islands(
            self.problem, settings, warm_start=self._inherited, go_on=partial(_goes_on, progress)
        )
        if progress is not None:
            progress(Progress(snapshot.generation, snapshot.generations, snapshot.outcome))
        return snapshot


def _goes_on(progress: ProgressCallback | None, snapshot: FrontSnapshot) -> bool:
    """Tell how far the search is, and ask whether it goes on."""
    if progress is None:
        return True
    return progress(Progress(snapshot.generation, snapshot.generations, "search")) is not False
