"""Ranks, crowding, survival without copies, the archive; against plain definitions and pymoo's own classes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pymoo.operators.survival.rank_and_crowding.metrics import calc_crowding_distance
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from heteroopt.search.archive import Archive
from heteroopt.search.dominance import (
    archive_merge,
    crowding_distance,
    placement_hash,
    ranks,
    slower_copies,
    survivors,
)

POINTS = st.integers(0, 2**32 - 1)


def cloud(seed, count, levels=6):
    """Points on a coarse grid, so that ties and copies occur."""
    return np.random.default_rng(seed).integers(0, levels, (count, 3)).astype(float)


@settings(max_examples=40, deadline=None)
@given(POINTS, st.integers(1, 40))
def test_ranks_equal_pymoo(seed, count):
    points = cloud(seed, count)
    expected = np.empty(count, int)
    for level, front in enumerate(NonDominatedSorting().do(points)):
        expected[front] = level
    assert ranks(points, np.zeros(count)).tolist() == expected.tolist()


@settings(max_examples=40, deadline=None)
@given(POINTS, st.integers(3, 40))
def test_crowding_equals_pymoo_up_to_its_scale(seed, count):
    points = np.random.default_rng(seed).random((count, 3))
    ours, theirs = crowding_distance(points), calc_crowding_distance(points)
    assert np.array_equal(np.isinf(ours), np.isinf(theirs))
    inner = np.isfinite(ours)
    assert np.allclose(ours[inner] / 3, theirs[inner])


def test_an_objective_that_does_not_vary_adds_no_crowding():
    points = np.array([[0.0, 1.0, 7.0], [1.0, 0.5, 7.0], [2.0, 0.0, 7.0]])
    assert crowding_distance(points)[1] == 2.0


def test_what_fits_ranks_before_what_does_not_in_proportion_to_the_violation():
    points = np.array([[9.0, 9.0, 9.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [5.0, 5.0, 5.0]])
    assert ranks(points, np.array([0.0, 1.5, 2.0, 0.2])).tolist() == [0, 2, 3, 1]


def test_of_one_placement_the_best_order_survives_and_the_population_may_shrink():
    points = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.5, 2.5, 1.0], [1.0, 2.0, 3.0], [0.5, 3.0, 3.0]])
    placement = np.array([7, 7, 7, 8, 9], np.uint64)
    assert slower_copies(points, np.zeros(5), placement).tolist() == [False, True, True, False, False]
    rows, rank, _ = survivors(points, np.zeros(5), placement, 5)
    assert sorted(rows.tolist()) == [0, 3, 4]
    assert rank.tolist() == [0, 0, 0]


def test_of_one_placement_an_order_that_fits_goes_before_a_faster_one_that_does_not():
    points = np.array([[1.0, 2.0, 3.0], [1.5, 2.5, 3.0]])
    assert slower_copies(points, np.array([1.2, 0.0]), np.array([7, 7], np.uint64)).tolist() == [True, False]


@settings(max_examples=40, deadline=None)
@given(POINTS, st.integers(1, 40), st.integers(1, 40))
def test_survivors_are_whole_fronts_and_the_least_crowded_of_the_next(seed, count, keep):
    rng = np.random.default_rng(seed)
    points = rng.random((count, 3))
    rows, rank, crowding = survivors(points, np.zeros(count), np.arange(count, dtype=np.uint64), keep)
    assert len(rows) == len(set(rows.tolist())) == min(keep, count)
    every = ranks(points, np.zeros(count))
    assert every[rows].tolist() == rank.tolist() == sorted(rank.tolist())
    last = rank[-1]
    dropped = np.setdiff1d(np.flatnonzero(every == last), rows)
    assert not np.isin(np.flatnonzero(every < last), rows, invert=True).any()
    front = np.flatnonzero(every == last)
    distance = dict(zip(front.tolist(), crowding_distance(points[front]).tolist(), strict=True))
    if len(dropped):
        assert min(crowding[rank == last]) >= max(distance[row] for row in dropped.tolist())


def test_hashes_tell_placements_apart():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 4, (3000, 30)).astype(np.int32)
    rows = np.unique(rows, axis=0)
    assert len(set(placement_hash(rows).tolist())) == len(rows)
    assert placement_hash(rows[:5].copy()).tolist() == placement_hash(rows)[:5].tolist()


@settings(max_examples=60, deadline=None)
@given(POINTS, st.integers(1, 60), st.integers(1, 7))
def test_an_archive_holds_exactly_the_non_dominated_plans(seed, count, batch):
    """All placements different: the archive is the set of non-dominated points, whatever the batches."""
    points = cloud(seed, count)
    archive = Archive.empty()
    genome = np.arange(count, dtype=np.int32)[:, None]
    for begin in range(0, count, batch):
        part = slice(begin, begin + batch)
        archive = archive.with_plans(points[part], genome[part, 0].astype(np.uint64), genome[part], genome[part])
    no_worse = (points[:, None] <= points[None]).all(axis=2)
    dominated = (no_worse & (points[:, None] < points[None]).any(axis=2)).any(axis=0)
    expected = {tuple(point) for point in points[~dominated].tolist()}
    held = [tuple(p) for p in archive.objectives.tolist()]
    assert len(held) == len(set(held))
    assert set(held) == expected
    orders, _ = archive.stacked()
    assert all(tuple(points[row]) == point for row, point in zip(orders[:, 0].tolist(), held, strict=True))


def test_of_several_orders_for_one_placement_the_fastest_stays():
    held = np.array([[5.0, 1.0, 1.0]])
    slower = np.array([[6.0, 1.0, 0.5]])
    faster = np.array([[4.0, 1.0, 1.5]])
    same = np.array([3], np.uint64)
    keep_held, keep_new = archive_merge(held, same, slower, same)
    assert (keep_held.tolist(), keep_new.tolist()) == ([True], [False])
    keep_held, keep_new = archive_merge(held, same, faster, same)
    assert (keep_held.tolist(), keep_new.tolist()) == ([False], [True])
    _, both = archive_merge(held, same, slower, np.array([4], np.uint64))
    assert both.tolist() == [True]


def test_an_archive_without_news_is_the_same_object():
    gene = np.zeros((1, 1), np.int32)
    archive = Archive.of(np.ones((1, 3)), np.array([1], np.uint64), gene, gene)
    assert archive.with_plans(np.full((1, 3), 2.0), np.array([2], np.uint64), gene, gene) is archive


def test_an_archive_beyond_its_size_is_thinned_out_and_keeps_its_ends(monkeypatch):
    monkeypatch.setattr("heteroopt.search.archive.MOST_GENOME_BYTES", 1)
    points = np.abs(np.random.default_rng(0).normal(size=(1500, 3)))
    points = 2.0 - points / np.linalg.norm(points, axis=1)[:, None]
    genes = np.arange(1500, dtype=np.int32)[:, None]
    archive = Archive.empty().with_plans(points, np.arange(1500, dtype=np.uint64), genes, genes)
    assert len(archive) == 1024 * 3 // 4
    assert np.array_equal(archive.objectives.min(axis=0), points.min(axis=0))
    orders, _ = archive.stacked()
    assert np.array_equal(points[orders[:, 0]], archive.objectives)
