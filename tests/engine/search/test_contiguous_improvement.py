"""Annealing placements for the bottleneck: loads kept right move by move, never worse, the same for one seed."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.search.bottleneck import anneal
from heteroopt.search.bottleneck.anneal import Walk, improve
from heteroopt.search.bottleneck.contiguous import Effort
from heteroopt.search.bottleneck.model import device_loads, make_model, overflow_bytes
from heteroopt.search.bottleneck.precedence import make_precedence
from heteroopt.search.bottleneck.throughput import plan_throughput
from heteroopt.search.random_bits import draw_state
from tests.engine.search.test_contiguous_splits import chain_model, random_model


def start_of(model, device):
    walk = Walk(
        device.copy(), device_loads(model, device), np.zeros(len(model.capacity), np.int64),
        np.zeros((len(model.producer), model.time.shape[1]), np.int32),
    )  # fmt: skip
    np.add.at(walk.used, model.memory[device], model.size)
    for t in range(len(model.producer)):
        np.add.at(walk.readers[t], device[model.read_idx[model.read_ptr[t] : model.read_ptr[t + 1]]], 1)
    return walk


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.integers(2, 4))
def test_loads_follow_every_move(seed, n, n_devices):
    rng = np.random.default_rng(seed)
    model, _, _ = random_model(rng, n, n_devices)
    device = model.legal.argmax(axis=1).astype(np.int32)
    walk, best = start_of(model, device), device.copy()
    anneal._anneal(model, *anneal._neighbours(model), walk, best, 200, 0.5, draw_state(rng))
    after = start_of(model, walk.device)
    assert walk.load.tolist() == after.load.tolist()
    assert walk.used.tolist() == after.used.tolist()
    assert walk.readers.tolist() == after.readers.tolist()
    assert model.legal[np.arange(n), walk.device].all()
    assert model.legal[np.arange(n), best].all()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 10))
def test_a_placement_never_gets_worse_and_depends_on_the_seed_alone(seed, n):
    model, _, _ = random_model(np.random.default_rng(seed), n, 3)
    device = model.legal.argmax(axis=1).astype(np.int32)
    better = improve(model, device, 300, seed)
    assert (overflow_bytes(model, better), device_loads(model, better).max()) <= (
        overflow_bytes(model, device), device_loads(model, device).max(),
    )  # fmt: skip
    assert (improve(model, device, 300, seed) == better).all()


def test_it_beats_every_contiguous_split_where_that_is_possible():
    """A chain 6, 3, 6, 3 without transfer costs: 12 | 6 at best when contiguous, 9 | 9 when not."""
    model = make_model(
        time=np.array([[6, 6], [3, 3], [6, 6], [3, 3]]), legal=np.ones((4, 2), bool), size=np.zeros(4, int),
        memory=np.array([0, 1], np.int32), capacity=np.array([1, 1]), producer=np.arange(4, dtype=np.int32),
        leaves=np.zeros(4, bool), readers=[[1], [2], [3], []], out_time=np.zeros((4, 2), int),
        in_time=np.zeros((4, 2), int),
    )  # fmt: skip
    alone = np.arange(4, dtype=np.int32)
    precedence = make_precedence(4, {(0, 1), (1, 2), (2, 3)})
    plan = plan_throughput(model, (alone, 4), (alone, 4, precedence), moves=500)
    assert (plan.split.load_ps, plan.load_ps, plan.proven) == (9, 9, True)
    uneven = model._replace(time=np.array([[6, 6], [6, 6], [3, 3], [9, 9]]))
    plan = plan_throughput(uneven, (alone, 4), (alone, 4, precedence), moves=500)
    assert (plan.split.load_ps, plan.load_ps, plan.proven) == (12, 12, True)
    crossed = model._replace(time=np.array([[5, 5], [9, 9], [5, 5], [1, 1]]))
    plan = plan_throughput(crossed, (alone, 4), (alone, 4, precedence), moves=500)
    assert (plan.split.load_ps, plan.load_ps, plan.proven) == (14, 10, True)


def test_colocated_items_stay_together_and_what_does_not_fit_is_said():
    model = chain_model()
    together = np.array([0, 1, 1, 0], np.int32)
    one = np.zeros(4, np.int32)
    plan = plan_throughput(model, (together, 2), (one, 1, make_precedence(1, set())), moves=200)
    assert plan.device[0] == plan.device[3] != plan.device[1] == plan.device[2]
    assert (plan.load_ps, plan.split.load_ps, plan.overflow_bytes) == (4 + 5 + 1 + 1, 14, 0)
    small = model._replace(capacity=np.array([5, 5]))
    plan = plan_throughput(small, (together, 2), (one, 1, make_precedence(1, set())), moves=200)
    assert (plan.split, plan.overflow_bytes, plan.proven) == (None, 2, False)


def test_a_split_is_sought_under_the_annealed_load_where_the_best_takes_too_long():
    model, precedence, _ = random_model(np.random.default_rng(3), 8, 3)
    alone = np.arange(8, dtype=np.int32)
    exact = plan_throughput(model, (alone, 8), (alone, 8, precedence), moves=300)
    short = plan_throughput(model, (alone, 8), (alone, 8, precedence), moves=300, effort=Effort(pairs=1))
    assert exact.proven and short.proven
    assert short.load_ps <= exact.split.load_ps
