"""Local search keeps plans legal, follows the front, spends what polishing would, and helps a warm search."""

from dataclasses import replace

import numpy as np
import pytest

from heteroopt.search.archive import Archive
from heteroopt.search.hypervolume import contributions
from heteroopt.search.links import make_costs
from heteroopt.search.local_search import GENERATIONS, ROUNDS, carriers, changed_plans, rounds
from heteroopt.search.search import Search
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.plan_check import check_plan
from tests.engine.factories import random_problem

SETTINGS = SearchSettings(population_size=16, generations=30, seed=3, polish_decodes=1_000)


def test_contributions_are_the_volumes_that_each_plan_alone_adds():
    rows, volumes = contributions(np.array([[1.0, 1.5], [3.0, 0.1], [1.5, 1.0]]))
    assert rows.tolist() == [0, 2]
    assert volumes == pytest.approx([0.25, 0.25])
    assert contributions(np.array([[0.5], [1.5]]))[1].tolist() == [1.5, 0.5]
    rows, volumes = contributions(np.array([[3.0, 0.5], [0.5, 3.0]]))
    assert (rows.tolist(), volumes.tolist()) == ([0, 1], [0.0, 0.0])


def test_carriers_are_those_of_the_largest_contributions():
    front = np.array([[0.2, 1.9], [1.0, 1.0], [1.9, 0.9], [0.5, 5.0]])
    assert carriers(front, 2).tolist() == [1, 0]


def test_rounds_spend_more_than_the_polishing_decodes_in_the_first_generations():
    spent = [[count for count, _ in rounds(SETTINGS, generation)] for generation in range(1, 31)]
    assert spent[0] == [22, 22, 22, 21]
    assert sum(map(sum, spent)) == 20 * 87
    assert [len(each) for each in spent] == [ROUNDS] * GENERATIONS + [0] * 10
    assert list(rounds(replace(SETTINGS, polish_decodes=0), 1)) == []
    draws = [generator.random() for g in (1, 2) for _, generator in rounds(SETTINGS, g)]
    assert len(set(draws)) == 2 * ROUNDS


def test_changed_plans_are_legal_and_differ_from_those_of_the_archive():
    problem = random_problem(31, 40, 3)
    search = Search(problem, SETTINGS)
    search.start()
    archive = search.state().archive
    multiples = archive.objectives / archive.objectives.max(axis=0)
    generator = np.random.default_rng(1)
    orders, devices = changed_plans(archive, multiples, make_costs(problem, search._space), 60, generator)
    assert orders.shape == devices.shape == (60, 40)
    for order, device in zip(orders, devices, strict=True):
        check_plan(problem, order, device)
    held = {row.tobytes() for row in archive.stacked()[1]}
    assert sum(row.tobytes() not in held for row in devices) > 30
    assert archive.stacked()[0].tobytes() == search.state().archive.stacked()[0].tobytes()


def test_plans_outside_the_point_are_changed_too():
    problem = random_problem(31, 40, 3)
    search = Search(problem, SETTINGS)
    search.start()
    archive = search.state().archive
    far = np.full((len(archive), 3), 5.0)
    orders, _ = changed_plans(archive, far, make_costs(problem, search._space), 5, np.random.default_rng(1))
    assert len(orders) == 5
    assert isinstance(archive, Archive)


def test_a_warm_search_gains_by_it_and_has_fewer_children():
    problem = random_problem(51, 60, 4)
    cold = Search(problem, replace(SETTINGS, generations=5))
    front = cold.start().plans
    with_it, without = (
        Search(
            problem, replace(SETTINGS, generations=5, polish_decodes=decodes), warm_start=(front.orders, front.devices)
        )
        for decodes in (2_000, 0)
    )
    for search in (with_it, without):
        while not search.finished:
            search.step()
    assert with_it.snapshot().hypervolume > without.snapshot().hypervolume
    # 3,500 changes, and a quarter of the population, the least, as children.
    first = with_it.snapshot().evaluations - 3_500 - 5 * 4
    assert first == without.snapshot().evaluations - 5 * 16


def test_a_warm_search_resumes_bit_identically_amid_it():
    problem = random_problem(51, 60, 4)
    front = Search(problem, SETTINGS).start().plans
    whole = Search(problem, SETTINGS, warm_start=(front.orders, front.devices))
    for _ in range(4):
        whole.step()
    broken = Search.resume(problem, SETTINGS, whole.checkpoint())
    for search in (whole, broken):
        for _ in range(3):
            search.step()
    assert whole.checkpoint() == broken.checkpoint()
