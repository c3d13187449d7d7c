"""Islands: epochs are functions of their arguments, so order, processes and interruptions change nothing."""

import random
from dataclasses import replace

import numpy as np
import pytest

from heteroopt.errors import PlanError
from heteroopt.front.front import Front
from heteroopt.search.archipelago import search_on_islands
from heteroopt.search.islands import (
    MIGRANTS,
    emigrants,
    epoch_end,
    island_settings,
    migrated,
    run_epoch,
    start_epoch,
    united,
)
from heteroopt.search.search import Search
from heteroopt.search.settings import SearchSettings
from tests.engine.factories import random_problem, small_problem

SETTINGS = SearchSettings(population_size=16, generations=25, seed=3, islands=3, polish_decodes=100)


@pytest.fixture(scope="module")
def problem():
    return random_problem(31, 40, 3)


def bytes_of(problem, snapshot):
    return Front.from_snapshot(snapshot, problem).to_bytes()


def by_hand(problem, settings, shuffle=None):
    """All epochs one after another, the islands of each in any order, every state through its bytes."""
    islands = range(settings.islands)
    first = start_epoch(problem, settings, 0, None, None)
    states, arriving = [first.checkpoint()] + [None] * (settings.islands - 1), [None] * settings.islands
    union, epoch = united(problem, settings, states[:1], ()), 0
    while not union.finished:
        leaving = [b""] * settings.islands
        order = list(islands)
        if shuffle is not None:
            shuffle.shuffle(order)
        for island in order:
            search = start_epoch(problem, settings, island, states[island], arriving[island])
            run_epoch(search, epoch_end(settings, problem.n_operators, epoch))
            states[island], leaving[island] = search.checkpoint(), emigrants(search)
        union = united(problem, settings, states, union.snapshot().history)
        arriving, epoch = migrated(leaving), epoch + 1
    return union.snapshot()


def test_processes_and_their_number_change_nothing(problem):
    expected = by_hand(problem, SETTINGS)
    assert bytes_of(problem, by_hand(problem, SETTINGS, random.Random(5))) == bytes_of(problem, expected)
    snapshot = search_on_islands(problem, SETTINGS, processes=2)
    assert bytes_of(problem, snapshot) == bytes_of(problem, expected)
    assert snapshot.history == expected.history
    assert snapshot.evaluations == expected.evaluations


def test_more_islands_and_other_seeds_give_other_fronts_and_none_is_worse_than_one_island_alone(problem):
    three = by_hand(problem, SETTINGS)
    two, other = by_hand(problem, replace(SETTINGS, islands=2)), by_hand(problem, replace(SETTINGS, seed=4))
    assert len({bytes_of(problem, end) for end in (three, two, other)}) == 3
    assert three.outcome == "done"
    assert [entry[0] for entry in three.history] == [0, 3, 6, 9, 12, 15, 18, 21, 24, 25]
    volumes = [entry[1] for entry in three.history]
    assert volumes == sorted(volumes)


def test_a_union_holds_the_best_of_every_island(problem):
    searches = []
    for island in range(3):
        search = start_epoch(problem, SETTINGS, island, None, None)
        run_epoch(search, 5)
        searches.append(search)
    union = united(problem, SETTINGS, [search.checkpoint() for search in searches], ())
    ends = [search.snapshot() for search in searches]
    merged = union.snapshot()
    assert merged.hypervolume >= max(end.hypervolume for end in ends)
    assert merged.hypervolume > min(end.hypervolume for end in ends)
    assert merged.evaluations == sum(end.evaluations for end in ends)
    best = np.min([end.plans.objectives().min(axis=0) for end in ends], axis=0)
    assert np.array_equal(merged.plans.objectives().min(axis=0), best)
    assert (merged.outcome, merged.history[-1][0]) == ("running", 5)
    assert union.stop().outcome == "stopped"


def test_island_0_searches_as_a_search_without_islands_does(problem):
    settings = island_settings(SETTINGS, problem.n_operators, 0)
    assert (settings.seed, settings.islands) == (3, 1)
    assert len({island_settings(SETTINGS, 40, island).seed for island in range(64)}) == 64
    alone = Search(problem, replace(SETTINGS, islands=1))
    alone.start()
    island = start_epoch(problem, SETTINGS, 0, None, None)
    assert island.checkpoint() == alone.checkpoint()


def test_immigrants_come_from_the_island_before_and_join_population_and_archive(problem):
    assert migrated([b"0", b"1", b"2"]) == [b"2", b"0", b"1"]
    strong = Search(problem, SearchSettings(population_size=32, generations=40, seed=1))
    while not strong.finished:
        strong.step()
    weak = start_epoch(problem, SETTINGS, 1, None, None)
    before, state = weak.snapshot(), weak.checkpoint()
    after = start_epoch(problem, SETTINGS, 1, state, emigrants(strong))
    assert after.snapshot().evaluations == before.evaluations + MIGRANTS
    run_epoch(after, 1)
    assert after.snapshot().hypervolume > before.hypervolume
    arrived = {row.tobytes() for row in strong.emigrants(MIGRANTS)[1]}
    assert arrived & {row.tobytes() for row in after.state().population.rows["devices"]}
    assert len(after.state().population.rows["devices"]) == 16


def test_an_epoch_interrupted_and_resumed_ends_in_the_same_state(problem):
    whole = start_epoch(problem, SETTINGS, 1, None, None)
    run_epoch(whole, 3)
    state, arriving = whole.checkpoint(), emigrants(start_epoch(problem, SETTINGS, 0, None, None))
    straight = start_epoch(problem, SETTINGS, 1, state, arriving)
    run_epoch(straight, 6)
    broken = start_epoch(problem, SETTINGS, 1, state, arriving)
    run_epoch(broken, 4)
    resumed = start_epoch(problem, SETTINGS, 1, broken.checkpoint(), None)
    run_epoch(resumed, 6)
    assert resumed.checkpoint() == straight.checkpoint()


def test_stopping_keeps_the_front_so_far(problem):
    seen = []

    def until_the_second_epoch(snapshot):
        seen.append(snapshot.generation)
        return len(seen) < 3

    snapshot = search_on_islands(problem, SETTINGS, processes=1, go_on=until_the_second_epoch)
    assert seen == [0, 3, 6]
    assert (snapshot.outcome, snapshot.generation) == ("stopped", 6)
    assert len(snapshot.plans) >= 1


def test_where_every_plan_can_be_tried_the_first_island_does_it_alone():
    tiny = small_problem(
        [[5, 9], [9, 5]], [[0], [0]], [[1], [2]], [1, 1, 1], energies=[[4, 1], [1, 4]], output_tensors=[1, 2]
    )
    snapshot = search_on_islands(tiny, SETTINGS)
    assert (snapshot.outcome, snapshot.evaluations) == ("exhausted", 8)


def test_where_nothing_fits_the_union_shows_what_misses_by_least():
    tight = random_problem(31, 40, 3)
    tight = replace(tight, memory_capacity_bytes=np.ones_like(tight.memory_capacity_bytes))
    snapshot = by_hand(tight, replace(SETTINGS, generations=2))
    assert snapshot.outcome == "no_feasible"
    assert 1 <= len(snapshot.plans) <= 8
    assert (np.diff(snapshot.plans.overflow_bytes) >= 0).all()


def test_states_of_another_problem_and_damaged_bytes_are_refused(problem):
    state = start_epoch(problem, SETTINGS, 0, None, None).checkpoint()
    for act, code in (
        (lambda: united(random_problem(32, 40, 3), SETTINGS, [state], ()), "checkpoint_mismatch"),
        (lambda: united(problem, SETTINGS, [state, b"damaged"], ()), "checkpoint_unreadable"),
        (lambda: start_epoch(problem, SETTINGS, 0, state, b"damaged"), "checkpoint_unreadable"),
    ):
        with pytest.raises(PlanError) as refusal:
            act()
        assert refusal.value.code == code
