"""The bound of a proof holds for every plan, and closes where the relaxation leaves nothing out."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.errors import HeteroOptError
from heteroopt.search import proof as proofs
from heteroopt.search.exhaustive import all_genomes
from heteroopt.search.proof import Proof
from heteroopt.search.proof_model import order_of
from heteroopt.search.proof_sections import find_gates
from heteroopt.search.space import make_space
from heteroopt.simulation.decoder import decode_batch
from heteroopt.simulation.problem import Hop
from heteroopt.simulation.topology import canonical_order
from tests.engine.factories import problems, random_devices, random_order, small_problem, star_routes


def seeded(problem, seed=0):
    rng = np.random.default_rng(seed)
    return random_order(problem, rng), random_devices(problem, rng)


@settings(max_examples=40, deadline=None)
@given(problems(max_operators=5, max_devices=3), st.integers(0, 2**32 - 1))
def test_no_plan_of_all_is_faster_than_the_bound(problem, seed):
    genomes = all_genomes(make_space(problem))
    if genomes is None:
        return
    times = decode_batch(problem, *genomes).time_ps
    proof = Proof(problem, *seeded(problem, seed))
    state = proof.run(20)
    assert state.status in ("optimal", "feasible")
    assert state.bound_ps <= times.min()
    plan = proof.plan()
    assert times.min() <= plan.makespan_ps
    if plan.overflow_bytes == proof._best.overflow_bytes:
        assert plan.makespan_ps <= max(state.time_ps, proof._best.makespan_ps)
    if state.status == "optimal":
        assert state.time_ps <= times.min() * (1 + proofs.OPTIMAL_GAP)


@settings(max_examples=15, deadline=None)
@given(problems(max_operators=14), st.integers(0, 2**32 - 1))
def test_no_decoded_plan_is_faster_whenever_it_stops(problem, seed):
    rng = np.random.default_rng(seed)
    orders = np.array([random_order(problem, rng) for _ in range(50)])
    devices = np.array([random_devices(problem, rng) for _ in range(50)])
    times = decode_batch(problem, orders, devices).time_ps
    best = int(times.argmin())
    bounds = []
    state = Proof(problem, orders[best], devices[best]).run(
        20, on_progress=lambda now: bounds.append(now.bound_ps), limit_work=0.05
    )
    assert bounds == sorted(bounds)
    assert state.bound_ps <= times.min()


@settings(max_examples=15, deadline=None)
@given(problems(max_operators=5, max_devices=2), st.integers(0, 2**32 - 1))
def test_rounding_to_coarse_steps_keeps_the_bound_valid(problem, seed):
    genomes = all_genomes(make_space(problem))
    if genomes is None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("heteroopt.search.proof_model.STEPS", 8)
        state = Proof(problem, *seeded(problem, seed)).run(20)
    assert state.bound_ps <= decode_batch(problem, *genomes).time_ps.min()


def test_a_small_optimum_is_proved_from_a_bad_plan():
    # Four operators of 30 on either of two devices, no data: 60, not the 120 of the plan given.
    problem = small_problem([[30, 30]] * 4, [[]] * 4, [[i] for i in range(4)], [0] * 4, outputs_on_host=False)
    proof = Proof(problem, np.arange(4), np.zeros(4, np.int32))
    state = proof.run(20)
    assert (state.time_ps, state.bound_ps, state.status) == (120, 60, "feasible")
    assert state.gap == 1.0
    plan = proof.plan()
    assert plan.makespan_ps == 60
    again = Proof(problem, plan.order, plan.device)
    assert again.run(20).status == "optimal"


def test_ctrl_c_reaches_the_caller_while_the_solver_runs(monkeypatch):
    # Independent operators on four unlike devices: the solver cannot prove the best division of their times at once.
    times = [[30 + 7 * i + 3 * d for d in range(4)] for i in range(24)]
    problem = small_problem(times, [[]] * 24, [[i] for i in range(24)], [0] * 24, outputs_on_host=False)
    proof = Proof(problem, np.arange(24), np.zeros(24, np.int32))

    ran, waits = [], threading.Event.wait

    def pressed(event, timeout=None):
        """Once, while the solver runs: where a terminal's Ctrl-C finds the main thread."""
        found = [thread for thread in threading.enumerate() if thread.name == "proof" and not ran]
        if found and timeout is not None:
            ran.extend(found)
            signal.raise_signal(signal.SIGINT)
        return waits(event, timeout)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores SIGINT
    try:
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(threading.Event, "wait", pressed)
            proof.run(4)
    finally:
        signal.signal(signal.SIGINT, before)
    assert 0 < proof.state.bound_ps <= proof.state.time_ps
    assert len(ran) == 1
    assert not ran[0].is_alive()


def test_transfers_count_by_the_cheapest_way():
    # The input leaves the host (0), which cannot compute; the output comes back: 40 + 90 + 60.
    problem = small_problem([[-1, 100, 90]], [[0]], [[1]], [30, 50], output_tensors=[1])
    state = Proof(problem, np.array([0]), np.array([1])).run(20)
    assert (state.time_ps, state.bound_ps) == (200, 190)


def test_a_way_that_no_route_takes_does_not_count():
    # From 0 to 1 the link takes 10 + 100, and the way through store 2 20 + 2; but nothing is ever sent that way.
    routes = star_routes(3)
    for u, v in ((0, 2), (2, 1)):
        routes[u][v] = [Hop(u, v, routes[u][v][0].channel, 1, 0.1, 0.0)]
    problem = small_problem([[5, -1, -1], [-1, 7, -1]], [[], [0]], [[0], [1]], [100, 0], routes=routes)
    state = Proof(problem, np.array([0, 1]), np.array([0, 1])).run(20)
    assert (state.time_ps, state.bound_ps) == (122, 122)


def test_gates_are_what_every_operator_comes_before_or_after():
    # 0 -> {1, 2 -> 3} -> 4 -> 5
    reads = [[], [0], [0], [2], [1, 3], [4]]
    problem = small_problem([[1, 1]] * 6, reads, [[i] for i in range(6)], [0] * 6)
    assert find_gates(problem) == [0, 4, 5]


def test_sections_bound_branches_that_the_longest_path_does_not_see():
    # Eight times a gate of 1 and, from it to the next, three branches of 10; of two devices one takes two of them.
    reads, n = [], 0
    for block in range(8):
        reads.append([n - 3, n - 2, n - 1] if block else [])
        reads += [[n], [n], [n]]
        n += 4
    times = [[1, 1] if i % 4 == 0 else [10, 10] for i in range(n)]
    problem = small_problem(times, reads, [[i] for i in range(n)], [0] * n, routes=star_routes(2, latency_ps=0))
    problem = replace(problem, outputs_on_host=False)
    state = Proof(problem, np.arange(n), np.array([0 if i % 4 < 3 else 1 for i in range(n)])).run(30)
    assert (state.time_ps, state.bound_ps, state.status) == (8 * 21, 8 * 21, "optimal")


def long_problem(n=60):
    rng = np.random.default_rng(5)
    inputs = [sorted({int(t) for t in rng.integers(max(0, i - 6), i, 2)}) if i else [] for i in range(n)]
    return small_problem(
        rng.integers(50, 2000, (n, 4)).tolist(), inputs, [[i] for i in range(n)], rng.integers(0, 900, n).tolist()
    )


def test_it_stops_when_told():
    problem = long_problem()
    proof = Proof(problem, canonical_order(problem), np.zeros(60, np.int32))
    state = proof.run(60, on_progress=lambda _: False)
    assert state.status == "stopped"
    assert 0 < state.bound_ps <= state.time_ps
    assert state.seconds < 30


def test_one_worker_with_a_budget_of_work_repeats_itself():
    problem = long_problem(30)
    states = [
        Proof(problem, canonical_order(problem), np.zeros(30, np.int32)).run(60, limit_work=0.05) for _ in range(2)
    ]
    assert states[0].bound_ps == states[1].bound_ps
    assert states[0].status == states[1].status


def test_ties_of_starts_keep_precedence():
    problem = small_problem([[0, 0]] * 3, [[], [0], [1]], [[0], [1], [2]], [0, 0, 0])
    assert order_of(problem, np.zeros(3, np.int64)).tolist() == [0, 1, 2]


def test_what_cannot_be_proved_is_said(monkeypatch):
    problem = small_problem([[1]] * 3, [[]] * 3, [[0], [1], [2]], [0, 0, 0])
    monkeypatch.setattr(proofs, "MOST_OPERATORS", 2)
    with pytest.raises(HeteroOptError) as caught:
        Proof(problem, np.arange(3), np.zeros(3, np.int32))
    assert (caught.value.code, caught.value.params) == ("proof_too_large", {"n_operators": 3, "limit": 2})
    monkeypatch.setattr(proofs, "MOST_OPERATORS", 3)
    monkeypatch.setattr(proofs, "find_spec", lambda _: None)
    with pytest.raises(HeteroOptError) as caught:
        Proof(problem, np.arange(3), np.zeros(3, np.int32))
    assert caught.value.code == "proof_unavailable"
    assert "--with proof" in caught.value.hint
