"""Contiguous splits by dynamic programming: hand-worked, and against every placement of small random graphs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.search.bottleneck import contiguous
from heteroopt.search.bottleneck.contiguous import Effort, contiguous_split, split_under
from heteroopt.search.bottleneck.from_problem import load_model
from heteroopt.search.bottleneck.ideals import all_ideals
from heteroopt.search.bottleneck.model import contracted, device_loads, make_model, overflow_bytes
from heteroopt.search.bottleneck.precedence import (
    block_precedence,
    group_blocks,
    make_precedence,
    topological_order,
)
from heteroopt.simulation.decoder import decode_batch
from tests.engine.factories import host_routes, small_problem


def random_model(rng, n, n_devices, *, alike=False):
    """A random DAG, times and transfers; device 0 has memory for everything, the others for part."""
    edges = {(a, b) for b in range(n) for a in range(b) if rng.random() < 0.4}
    columns = 1 if alike else n_devices
    spread = np.ones(n_devices // columns, np.int64)
    time = np.kron(rng.integers(0, 20, (n, columns)), spread)
    legal = np.kron(rng.random((n, columns)) < 0.85, spread).astype(bool)
    legal[:, 0] |= ~legal.any(axis=1)
    out_time, in_time = (np.kron(rng.integers(0, 8, (n + 1, columns)), spread) for _ in range(2))
    readers = [[b for a, b in sorted(edges) if a == t] for t in range(n)] + [[0, n - 1]]
    capacity = rng.integers(n, 3 * n, n_devices) if not alike else np.full(n_devices, 2 * n)
    capacity[0] = max(5 * n, capacity[0])
    model = make_model(
        time=time, legal=legal, size=rng.integers(0, 6, n), memory=np.arange(n_devices, dtype=np.int32),
        capacity=capacity, producer=np.array([*range(n), -1], np.int32), leaves=rng.random(n + 1) < 0.2,
        readers=readers, out_time=out_time, in_time=in_time, host=int(rng.integers(-1, n_devices)),
    )  # fmt: skip
    return model, make_precedence(n, edges), edges


def acyclic(device, edges):
    """Whether the devices can be put in an order such that every edge leads on: what makes a split contiguous."""
    left = set(device)
    links = {(device[a], device[b]) for a, b in edges if device[a] != device[b]}
    while left:
        free = {d for d in left if not any(b == d and a in left for a, b in links)}
        if not free:
            return False
        left -= free
    return True


def best_by_trying(model, edges):
    n, n_devices = model.time.shape
    best = None
    for device in product(range(n_devices), repeat=n):
        row = np.array(device, np.int32)
        if not model.legal[np.arange(n), row].all() or overflow_bytes(model, row) or not acyclic(device, edges):
            continue
        load = int(device_loads(model, row).max())
        best = load if best is None else min(best, load)
    return best


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 3), st.booleans())
def test_it_finds_the_best_contiguous_split(seed, n, n_devices, alike):
    model, precedence, edges = random_model(np.random.default_rng(seed), n, n_devices, alike=alike)
    best = best_by_trying(model, edges)
    split = contiguous_split(model, precedence, Effort())
    if best is None:
        assert split is None
        return
    assert split.exact
    assert split.load_ps == best == device_loads(model, split.device).max()
    assert model.legal[np.arange(n), split.device].all()
    assert overflow_bytes(model, split.device) == 0
    assert acyclic(split.device.tolist(), edges)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_without_all_ideals_or_counts_it_is_still_contiguous_and_never_claims_more(seed, n):
    model, precedence, edges = random_model(np.random.default_rng(seed), n, 3)
    best = best_by_trying(model, edges)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contiguous, "MOST_STATES", 1)
        sequences = contiguous_split(model, precedence, Effort())
    prefixes = contiguous_split(model, precedence, Effort(ideals=1))
    chunks = contiguous_split(model, precedence, Effort(ideals=1, chunks=2))
    for split in (sequences, prefixes, chunks):
        if split is None:
            continue
        assert not split.exact
        assert split.load_ps == device_loads(model, split.device).max() >= best
        assert acyclic(split.device.tolist(), edges)
        assert overflow_bytes(model, split.device) == 0


def chain_model():
    """Items of 4, 3, 2, 5 ps on either of two devices; each tensor takes 1 ps out and 1 ps in."""
    return make_model(
        time=np.array([[4, 4], [3, 3], [2, 2], [5, 5]]), legal=np.ones((4, 2), bool), size=np.array([6, 1, 1, 1]),
        memory=np.array([0, 1], np.int32), capacity=np.array([7, 9]), producer=np.arange(4, dtype=np.int32),
        leaves=np.zeros(4, bool), readers=[[1], [2], [3], []], out_time=np.ones((4, 2), int),
        in_time=np.ones((4, 2), int),
    )  # fmt: skip


def test_a_chain_by_hand():
    """Cut in the middle: 4 + 3 + 1 and 1 + 2 + 5."""
    model = chain_model()
    precedence = make_precedence(4, {(0, 1), (1, 2), (2, 3)})
    split = contiguous_split(model, precedence, Effort())
    assert (split.load_ps, split.exact) == (8, True)
    assert len(set(split.device[:2].tolist())) == len(set(split.device[2:].tolist())) == 1
    assert device_loads(model, split.device).tolist() == [8, 8]
    assert split_under(model, precedence, 8, 100, 1000) == (None, True)
    assert split_under(model, precedence, 9, 100, 1000)[0].load_ps == 8
    assert split_under(model, precedence, 8, 4, 1000) == (None, False)
    assert split_under(model, precedence, 9, 100, 3) == (None, False)
    small = model._replace(capacity=np.array([6, 6]))
    assert contiguous_split(small, precedence, Effort()).load_ps == 1 + 3 + 2 + 5 == 11
    assert contiguous_split(model._replace(capacity=np.array([5, 5])), precedence, Effort()) is None


def test_loads_by_hand():
    """One writing for two readers elsewhere, one reading for two items on one device."""
    model = make_model(
        time=np.array([[10, 20], [1, 2], [3, 4]]), legal=np.ones((3, 2), bool), size=np.zeros(3, int),
        memory=np.array([0, 1], np.int32), capacity=np.array([1, 1]), producer=np.array([0, -1, 2], np.int32),
        leaves=np.array([False, False, True]), readers=[[1, 2], [0, 2], []], out_time=np.array([[5, 6]] * 3),
        in_time=np.array([[7, 8]] * 3), host=0,
    )  # fmt: skip
    assert device_loads(model, np.array([0, 1, 1], np.int32)).tolist() == [10 + 7 + 5, 2 + 4 + 8 + 8 + 6]
    assert device_loads(model, np.array([0, 0, 0], np.int32)).tolist() == [14 + 7, 0]
    joined = contracted(model, np.array([0, 1, 1], np.int32), 2)
    assert joined.time.tolist() == [[10, 20], [4, 6]]
    assert device_loads(joined, np.array([0, 1], np.int32)).tolist() == [10 + 7 + 5, 2 + 4 + 8 + 8 + 6]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_ideals_are_all_of_them_and_linked_by_one_item(seed, n):
    _, precedence, edges = random_model(np.random.default_rng(seed), n, 1)
    closed = [mask for mask in range(1 << n) if all(mask >> a & 1 for a, b in edges if mask >> b & 1)]
    ideals = all_ideals(precedence, 1 << n)
    assert ideals.number == len(closed)
    members = [0]
    for i in range(1, ideals.number):
        links = range(ideals.down_ptr[i], ideals.down_ptr[i + 1])
        found = {members[ideals.down_ideal[k]] | 1 << int(ideals.down_item[k]) for k in links}
        assert len(found) == 1
        members.append(found.pop())
    assert sorted(members) == closed
    assert all_ideals(precedence, len(closed) - 1) is None


def test_groups_become_blocks_and_edges_back_are_left_out():
    block, count = group_blocks(np.array([-1, 3, -1, 3, 0, -1], np.int32))
    assert (block.tolist(), count) == ([0, 1, 2, 1, 3, 4], 5)
    pred_ptr, pred_idx = np.array([0, 0, 1, 2, 3, 4, 5], np.int32), np.array([0, 1, 2, 3, 4], np.int32)
    precedence = block_precedence(pred_ptr, pred_idx, block, count)
    assert precedence.pred_idx.tolist() == [0, 1, 1, 3]
    weight = np.array([1, 1, 9, 5, 1])
    assert topological_order(precedence, weight, True).tolist() == [0, 1, 2, 3, 4]
    assert topological_order(precedence, -weight, True).tolist() == [0, 1, 3, 4, 2]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 3))
def test_behind_a_host_with_blocking_transfers_the_largest_load_is_the_bottleneck(seed, n, n_devices):
    rng = np.random.default_rng(seed)
    inputs = [sorted({0, *(int(t) for t in rng.integers(0, i + 1, 2))}) for i in range(n)]
    problem = small_problem(
        rng.integers(1, 30, (n, n_devices)).tolist(), inputs, [[i + 1] for i in range(n)],
        rng.integers(1, 9, n + 1).tolist(), routes=host_routes(n_devices + 1, n_devices), host=n_devices,
        n_stores=n_devices + 1, output_tensors=[n], blocking=True,
    )  # fmt: skip
    devices = rng.integers(0, n_devices, (4, n)).astype(np.int32)
    decoded = decode_batch(problem, np.tile(np.arange(n, dtype=np.int32), (4, 1)), devices)
    model = load_model(problem)
    assert decoded.busy_ps.tolist() == [device_loads(model, row).tolist() for row in devices]
    assert decoded.bottleneck_ps.tolist() == [device_loads(model, row).max() for row in devices]
