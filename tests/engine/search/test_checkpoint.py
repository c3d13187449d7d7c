"""A search that was interrupted ends as one that was not."""

import numpy as np
import pytest

from heteroopt.errors import PlanError
from heteroopt.front.front import Front
from heteroopt.search.packing import pack, unpack
from heteroopt.search.search import Search
from heteroopt.search.settings import SearchSettings
from tests.engine.factories import random_problem

FORTY = SearchSettings(population_size=16, generations=40, seed=5)


def run(search):
    while not search.finished:
        search.step()
    return search.snapshot()


@pytest.mark.parametrize("tight", [False, True])
def test_killed_after_generation_17_of_40(tight):
    def problem():
        return random_problem(41, 40, 3, groups=True, tight=tight)

    whole = Search(problem(), FORTY)
    expected = run_from_start(whole)

    broken = Search(problem(), FORTY)
    broken.start()
    for _ in range(17):
        broken.step()
    data = broken.checkpoint()
    for _ in range(3):
        broken.step()
    del broken

    resumed = Search.resume(problem(), FORTY, data)
    assert resumed.generation == 17
    counted = []
    while not resumed.finished:
        counted.append(resumed.step().generation)
    assert counted == list(range(18, 41))
    result = resumed.snapshot()
    assert result.history == expected.history
    assert [generation for generation, _, _ in result.history] == list(range(41))
    assert Front.from_snapshot(result, problem()).to_bytes() == Front.from_snapshot(expected, problem()).to_bytes()
    assert resumed.checkpoint() == whole.checkpoint()


def run_from_start(search):
    search.start()
    return run(search)


def test_resuming_again_and_again_changes_nothing():
    problem = random_problem(42, 30, 3)
    settings = SearchSettings(population_size=12, generations=6)
    expected = run_from_start(Search(problem, settings))
    search = Search(problem, settings)
    search.start()
    while not search.finished:
        search = Search.resume(problem, None, search.checkpoint())
        search.step()
    for name, values in expected.plans.arrays().items():
        assert np.array_equal(values, search.snapshot().plans.arrays()[name]), name


def test_a_finished_search_stays_finished():
    problem = random_problem(43, 4, 2)
    search = Search(problem, FORTY)
    before = search.start()
    again = Search.resume(problem, FORTY, search.checkpoint())
    assert again.finished
    assert again.step().outcome == before.outcome


def test_equal_states_have_equal_bytes():
    problem = random_problem(44, 30, 3)
    first, second = Search(problem, FORTY), Search(problem, FORTY)
    first.start()
    second.start()
    assert first.checkpoint() == second.checkpoint()
    first.step()
    assert first.checkpoint() != second.checkpoint()


def refused(problem, settings, data):
    with pytest.raises(PlanError) as refusal:
        Search.resume(problem, settings, data)
    return refusal.value


def test_another_problem_or_other_settings_are_refused():
    problem = random_problem(45, 30, 3)
    search = Search(problem, FORTY)
    search.start()
    data = search.checkpoint()
    other = refused(random_problem(46, 30, 3), FORTY, data)
    assert (other.code, other.params["what"]) == ("checkpoint_mismatch", "problem")
    changed = refused(problem, SearchSettings(population_size=16, generations=41, seed=5), data)
    assert (changed.code, changed.params["what"]) == ("checkpoint_mismatch", "settings")


def test_bytes_that_are_no_checkpoint_are_refused():
    problem = random_problem(45, 30, 3)
    search = Search(problem, FORTY)
    search.start()
    data = search.checkpoint()
    header, arrays = unpack(data)
    for wrong in (b"", b"abc", data[:-200], pack({**header, "version": 0}, arrays), pack({"version": 1}, arrays)):
        assert refused(problem, FORTY, wrong).code == "checkpoint_unreadable"


def test_packing_never_loads_objects():
    with pytest.raises(ValueError, match=r"[Oo]bject"):
        pack({}, {"objects": np.array([object()])})
