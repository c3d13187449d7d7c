"""Islands: populations that search side by side and exchange plans in a ring at fixed generations.

Everything here is a function of its arguments: an island's epoch of its state and immigrants, the migration of all
emigrants, the union of all states. So whoever runs the epochs, in whatever order and on however many machines, gets
the same bytes. Ring migration after Z. Skolicki and K. De Jong, "The influence of migration sizes and intervals on
island models", GECCO 2005: few plans, seldom.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.archive import Archive
from heteroopt.search.checkpoint import Entry, fingerprint, load, mismatch, unreadable
from heteroopt.search.evaluation import exact
from heteroopt.search.packing import pack, unpack
from heteroopt.search.search import Search
from heteroopt.search.settings import SearchSettings
from heteroopt.search.snapshot import concluded
from heteroopt.simulation.problem import Problem

Int32 = NDArray[np.int32]
Plans = tuple[Int32, Int32]

EPOCHS, LONGEST_EPOCH = 10, 20
"""A search has about so many epochs, none of more generations than this."""

MIGRANTS = 8
"""Plans that leave each island after each epoch, for the next one in the ring."""


def island_settings(settings: SearchSettings, n_operators: int, island: int) -> SearchSettings:
    """Return the settings of one island: those of the search with a seed of its own; island 0 has the search's."""
    seed = settings.seed
    if island > 0:
        seed = int(np.random.SeedSequence([settings.seed, island]).generate_state(1, np.uint64)[0] >> np.uint64(1))
    return replace(settings.resolved(n_operators), seed=seed, islands=1)


def epoch_end(settings: SearchSettings, n_operators: int, epoch: int) -> int:
    """Return the generation at which an epoch (from 0) ends; the last ones end with the search."""
    generations = settings.resolved(n_operators).generations or 0
    return (epoch + 1) * min(LONGEST_EPOCH, max(1, -(-generations // EPOCHS)))


def epochs(settings: SearchSettings, n_operators: int) -> int:
    """Return how many epochs a search has that runs to its end; at least the one that makes the first plans."""
    generations = settings.resolved(n_operators).generations or 0
    return max(1, -(-generations // epoch_end(settings, n_operators, 0)))


def start_epoch(
    problem: Problem,
    settings: SearchSettings,
    island: int,
    state: bytes | None,
    immigrants: bytes | None,
    warm_start: Plans | None = None,
) -> Search:
    """Return an island's search at the start of an epoch; without a state, of its first one.

    ``state``: its ``Search.checkpoint`` after the epoch before; ``immigrants``: what :func:`migrated` gave it.
    """
    own = island_settings(settings, problem.n_operators, island)
    if state is None:
        search = Search(problem, own, warm_start=warm_start)
        search.start()
        return search
    search = Search.resume(problem, own, state)
    if immigrants is not None:
        search.immigrate(*_read(immigrants))
    return search


def run_epoch(search: Search, until: int, go_on: Callable[[Search], bool] | None = None) -> None:
    """Step until generation ``until`` or the search's end; ``go_on`` is asked before each step."""
    while not search.finished and search.generation < until:
        if go_on is not None and not go_on(search):
            search.stop()
            return
        search.step()


def emigrants(search: Search) -> bytes:
    """Return the plans that leave an island, as bytes."""
    orders, devices = search.emigrants(MIGRANTS)
    return pack({}, {"orders": orders, "devices": devices})


def count_plans(emigrants: bytes) -> int:
    """Return how many plans left an island, from their bytes. Raises ``PlanError`` ``checkpoint_unreadable``."""
    return len(_read(emigrants)[0])


def migrated(leaving: Sequence[bytes]) -> list[bytes]:
    """Return what arrives on each island: the emigrants of the one before it in the ring."""
    return [leaving[island - 1] for island in range(len(leaving))]


def united(problem: Problem, settings: SearchSettings, states: Sequence[bytes], history: Sequence[Entry]) -> Search:
    """Return all islands seen as one search, to show: what any of them has found, and no population.

    ``states``: of all islands, in their order. ``history``: the entries of earlier unions; one for the generation
    that all have reached is added, if it is new. Once every island has ended, so has the union.
    Raises ``PlanError`` ``checkpoint_unreadable`` and ``checkpoint_mismatch``.
    """
    islands = [load(state) for state in states]
    own = fingerprint(problem)
    if any(island.fingerprint != own for island in islands):
        raise mismatch("problem")
    archive = reduce(Archive.united, (island.archive for island in islands))
    ends = {island.outcome for island in islands}
    outcome = "running"
    if "running" not in ends:
        outcome = "stopped" if "stopped" in ends else "exhausted" if ends == {"exhausted"} else "done"
        outcome = concluded(outcome, len(archive))
    state = replace(
        islands[0],
        settings=settings.resolved(problem.n_operators),
        history=list(history),
        evaluations=sum(island.evaluations for island in islands),
        outcome=outcome,
        archive=archive,
        least=None,
        population=None,
    )
    search = Search.of_state(problem, state)
    for island in islands:
        if len(archive) == 0 and island.least is not None:
            search.keep_least(exact(problem, *island.least))
    generation = min(island.history[-1][0] for island in islands)
    if search.generation < generation:
        search.record(generation)
    return search


def _read(immigrants: bytes) -> Plans:
    try:
        _, arrays = unpack(immigrants)
        return arrays["orders"], arrays["devices"]
    except (ValueError, KeyError, zipfile.BadZipFile, EOFError) as error:
        raise unreadable(error) from error
