"""Hypervolume within (2, 2, 2) and the choice of the plans that carry it."""

import numpy as np
import pytest

from heteroopt.search.hypervolume import hypervolume, largest_contributors


def test_hand_worked_volumes():
    assert hypervolume(np.empty((0, 3))) == 0.0
    assert hypervolume(np.array([[1.0, 1.0, 1.0]])) == 1.0
    assert hypervolume(np.array([[1.0, 1.0, 1.0], [0.0, 1.5, 1.0]])) == pytest.approx(1.0 + 0.5)
    assert hypervolume(np.array([[2.0, 0.1, 0.1], [0.1, 3.0, 0.1]])) == 0.0


def sphere(count, seed=0):
    points = np.abs(np.random.default_rng(seed).normal(size=(count, 3)))
    return 1.6 - points / np.linalg.norm(points, axis=1)[:, None]


def test_cutting_keeps_the_best_in_each_objective_and_most_of_the_volume():
    points = sphere(1500)
    rows = largest_contributors(points, 128)
    assert len(rows) == 128
    assert rows.tolist() == sorted(set(rows.tolist()))
    assert set(points.argmin(axis=0).tolist()) <= set(rows.tolist())
    assert hypervolume(points[rows]) > 0.97 * hypervolume(points)


def test_small_fronts_stay_whole():
    assert largest_contributors(sphere(5), 5).tolist() == [0, 1, 2, 3, 4]


def test_the_least_contributor_goes_first():
    points = np.array([[0.0, 1.0, 1.0], [0.5, 0.5, 1.0], [0.5001, 0.4999, 1.0], [1.0, 0.0, 1.0]])
    kept = largest_contributors(points, 3).tolist()
    assert len(kept) == 3
    assert {0, 3} <= set(kept)


def test_plans_beyond_the_point_still_count():
    points = np.array([[0.5, 9.0, 1.0], [1.0, 1.0, 1.0], [0.9, 1.2, 1.0], [0.7, 4.0, 1.0]])
    assert 0 in largest_contributors(points, 3)


def test_a_front_of_one_is_allowed():
    assert len(largest_contributors(sphere(20), 1)) == 1
