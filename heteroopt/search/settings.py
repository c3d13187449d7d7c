"""What a person may set about a search, checked, with defaults that depend on the size of the graph."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING

from heteroopt.errors import SettingsError
from heteroopt.search.constraints import Constraint, check_arrivals, read_constraints, searchable
from heteroopt.simulation.pipeline_result import DEFAULT_ITEMS, check_items

if TYPE_CHECKING:
    from heteroopt.simulation.objective_batch import ObjectiveOptions

OBJECTIVES = ("exec_time_ms", "energy_j", "load_balance")
"""Keys of the objectives that a search has by default."""
MOST_OBJECTIVES = 3

MOST_ISLANDS = 64

_EVALUATIONS = 128 * 200
_POLISH_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Settings of one search.

    ``population_size`` and ``generations`` default to 128 and 200 (R15); left ``None`` they are chosen by
    ``resolved``: graphs above 1,000 operators get fewer individuals and more generations for the same number of
    evaluations. ``polish_decodes``: plans decoded by simulated annealing of the best plans in the first ten
    generations, by default 40 % of population times generations; every generation has so many children fewer that
    the evaluations come to that product. ``makespan_cap`` is a
    multiple of the reference plan's time, beyond which a plan counts as violating (``None`` = no cap).
    ``front_size`` bounds the front that is shown, never the archive behind it.
    ``objectives``: one to three keys of the registry (:mod:`heteroopt.simulation.objectives`), in the order of the
    plot's axes. ``constraints``: bounds on any objectives; a plan that misses one loses to every plan that does not.
    ``items_in_flight`` and ``micro_batches`` (by default the same): what the pipeline's throughput and step time are
    simulated with. ``arrival_rate_per_s``: items that arrive per second: the finished front shows the P99 latency at
    that rate, which can be an objective or constrained then.
    ``islands``: populations that search side by side and exchange plans (:mod:`heteroopt.search.islands`); each makes
    all generations.
    """

    population_size: int | None = None
    generations: int | None = None
    mutation_prob: float = 0.15
    polish_decodes: int | None = None
    seed: int = 0
    makespan_cap: float | None = 2.0
    front_size: int = 128
    objectives: tuple[str, ...] = OBJECTIVES
    constraints: tuple[Constraint, ...] = ()
    items_in_flight: int | None = None
    micro_batches: int | None = None
    arrival_rate_per_s: float | None = None
    islands: int = 1

    def __post_init__(self) -> None:
        """Refuse values out of range with ``SettingsError``."""
        if self.population_size is not None:
            _whole("population_size", self.population_size, 4, 10_000)
        if self.generations is not None:
            _whole("generations", self.generations, 0, 1_000_000)
        if self.polish_decodes is not None:
            _whole("polish_decodes", self.polish_decodes, 0, 1_000_000_000)
        _whole("seed", self.seed, 0, 2**63 - 1)
        _whole("front_size", self.front_size, 1, 10_000)
        _whole("islands", self.islands, 1, MOST_ISLANDS)
        _number("mutation_prob", self.mutation_prob, 0.0, 1.0)
        if self.makespan_cap is not None:
            _number("makespan_cap", self.makespan_cap, 1.0, 1e6)
        for items in (self.items_in_flight, self.micro_batches):
            if items is not None:
                check_items(items)
        if self.arrival_rate_per_s is not None:
            from heteroopt.simulation.latency import check_rate

            check_rate(self.arrival_rate_per_s)
        object.__setattr__(self, "objectives", _objectives(self.objectives))
        object.__setattr__(self, "constraints", read_constraints(self.constraints))
        bounded = [constraint.objective for constraint in self.constraints]
        check_arrivals((*self.objectives, *bounded), self.arrival_rate_per_s)

    @property
    def options(self) -> ObjectiveOptions:
        """Return what objectives need to know beyond the plan."""
        from heteroopt.simulation.objective_batch import ObjectiveOptions

        items = self.items_in_flight or DEFAULT_ITEMS
        return ObjectiveOptions(items, self.arrival_rate_per_s, self.micro_batches)

    def resolved(self, n_operators: int) -> SearchSettings:
        """Return the settings with everything filled in that depends on the size of the graph."""
        population = self.population_size
        if population is None:
            population = 128 if n_operators <= 1_000 else 96 if n_operators <= 5_000 else 64
        generations = self.generations
        if generations is None:
            generations = 200 if self.population_size is not None else round(_EVALUATIONS / population)
        polish = self.polish_decodes
        if polish is None:
            polish = round(_POLISH_SHARE * population * generations)
        return replace(self, population_size=population, generations=generations, polish_decodes=polish)

    def offspring_per_generation(self, share: float = 1.0) -> int:
        """Return how many children a generation of resolved settings has: what polishing leaves, at least a quarter.

        ``share``: how many times the polishing decodes are spent on single plans.
        """
        population, generations = self.population_size or 0, self.generations or 0
        polished = int(share * (self.polish_decodes or 0)) // max(1, generations)
        return max(math.ceil(population / 4), population - polished)

    def to_dict(self) -> dict[str, object]:
        """Return a JSON-able dictionary that ``from_dict`` reads back."""
        constraints = [constraint.to_dict() for constraint in self.constraints]
        return {**asdict(self), "objectives": list(self.objectives), "constraints": constraints}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> SearchSettings:
        """Read ``to_dict``'s form; unknown keys are refused with ``SettingsError``."""
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(data) - known)
        if unknown:
            raise SettingsError(
                "setting_unknown",
                f"Unknown search setting: {', '.join(unknown)}.",
                hint=f"Known settings are {', '.join(sorted(known))}.",
                unknown=unknown,
            )
        return cls(**data)  # type: ignore[arg-type]


def _objectives(given: object) -> tuple[str, ...]:
    """Keys of one to three different objectives; old names are accepted."""
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise _refused(given)
    keys = tuple(given)
    if keys == OBJECTIVES:
        return keys
    keys = tuple(searchable(key).key for key in keys)
    if not 1 <= len(keys) <= MOST_OBJECTIVES or len(set(keys)) != len(keys):
        raise _refused(list(keys))
    return keys


def _refused(given: object) -> SettingsError:
    return SettingsError(
        "objectives_invalid",
        f"Objectives must be one to {MOST_OBJECTIVES} different keys, not {given!r}.",
        hint=f"Leave the setting out to optimise {', '.join(OBJECTIVES)}; bound further ones by constraints.",
        objectives=given if isinstance(given, list) else [str(given)],
        most=MOST_OBJECTIVES,
    )


def _whole(name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise _out_of_range(name, value, low, high, "a whole number")


def _number(name: str, value: object, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise _out_of_range(name, value, low, high, "a number")
    if not low <= value <= high:
        raise _out_of_range(name, value, low, high, "a number")


def _out_of_range(name: str, value: object, low: float, high: float, kind: str) -> SettingsError:
    return SettingsError(
        "setting_out_of_range",
        f"The search setting {name} must be {kind} from {low:g} to {high:g}, not {value!r}.",
        hint="Correct the value or leave it out to use the default.",
        setting=name,
        value=str(value),
        low=low,
        high=high,
    )
