"""Segments: the rule worked by hand, and on random plans convex, acyclic, complete and in an executable order."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.errors import PlanError
from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph, Initializer, Operator, Tensor
from heteroopt.partition import partition


def make_graph(reads, *, outputs=(), weights=(), types=()):
    """Operator i makes tensor i + 1 of 10 (i + 1) bytes and reads tensors ``reads[i]``; tensor 0 is the model input.

    ``weights``: per operator the initializers that it reads, of 100 bytes each.
    """
    n = len(reads)
    kinds = types or ["MatMul"] * n
    readers = [[i for i in range(n) if t in reads[i]] for t in range(n + 1)]
    tensors = tuple(
        Tensor(t, f"t{t}", (t,), "float32", 10 * t or 7, "declared", t - 1, tuple(readers[t])) for t in range(n + 1)
    )
    operators = tuple(
        Operator(
            i, f"o{i}", kinds[i], "", "elementwise" if kinds[i] == "Relu" else "matmul", tuple(reads[i]), (i + 1,),
            tuple(weights[i]) if weights else (), 1, "exact", 1, 1, "fp32", False, "", {}, (i,),
        )
        for i in range(n)
    )  # fmt: skip
    count = 1 + max((w for row in weights for w in row), default=-1)
    stored = tuple(Initializer(i, f"w{i}", (25,), "float32", 100) for i in range(count))
    return Graph("g", operators, tensors, stored, (0,), tuple(outputs) or (n,))


CHAIN = make_graph([[0], [1], [2], [3]])


def of(graph, device, order=None):
    return partition(graph, range(len(device)) if order is None else order, device)


def test_a_chain_on_one_device_is_one_segment():
    cut = of(CHAIN, [0, 0, 0, 0])
    assert [s.operators for s in cut.segments] == [(0, 1, 2, 3)]
    assert (cut.segments[0].inputs, cut.segments[0].outputs) == ((0,), (4,))
    assert (cut.n_segments, cut.cut_edges, cut.cut_bytes, cut.handovers) == (1, 0, 0, ())


def test_a_chain_that_alternates_is_cut_at_every_change():
    cut = of(CHAIN, [0, 1, 1, 0])
    assert [(s.device, s.level, s.operators) for s in cut.segments] == [(0, 0, (0,)), (1, 1, (1, 2)), (0, 2, (3,))]
    assert [s.predecessors for s in cut.segments] == [(), (0,), (1,)]
    assert (cut.cut_edges, cut.cut_bytes) == (2, 10 + 30)


def test_what_would_come_back_opens_a_segment_and_what_would_not_joins():
    # o0 feeds o1 (device 1) and o2; o3 joins both. In this order o2 still belongs to the first segment.
    diamond = make_graph([[0], [1], [1], [2, 3]])
    cut = of(diamond, [0, 1, 0, 0])
    assert [s.operators for s in cut.segments] == [(0, 2), (1,), (3,)]
    assert cut.segment_of == (0, 1, 0, 2)
    # o3 waits for the other device, and what device 0 runs after it runs in its segment.
    later = make_graph([[0], [1], [2], [0]])
    assert [s.operators for s in of(later, [0, 1, 0, 0]).segments] == [(0,), (1,), (2, 3)]
    assert [s.operators for s in of(later, [0, 1, 0, 0], [3, 0, 1, 2]).segments] == [(3, 0), (1,), (2,)]


def test_two_devices_that_only_look_like_a_cycle_are_not_joined_into_one():
    # a0 -> b1 and b0 -> a1: one segment for each device would wait for the other.
    crossed = make_graph([[0], [0], [2], [1]], outputs=(3, 4))
    cut = of(crossed, [0, 1, 0, 1])
    assert [(s.device, s.operators) for s in cut.segments] == [(0, (0,)), (1, (1,)), (0, (2,)), (1, (3,))]


def test_a_tensor_that_two_segments_of_a_device_read_moves_once():
    # t1 is read on device 1 in two segments, which the way over device 0 separates.
    graph = make_graph([[0], [1], [2], [1, 3]])
    cut = of(graph, [0, 1, 0, 1])
    assert [s.operators for s in cut.segments] == [(0,), (1,), (2,), (3,)]
    assert cut.cut_edges == 4
    assert cut.cut_bytes == 10 + 20 + 30


def test_tied_weights_are_listed_and_counted_in_each_segment_that_reads_them():
    cut = of(make_graph([[0], [1], [2]], weights=[[0, 1], [1], [0, 1]]), [0, 1, 1])
    assert [s.initializers for s in cut.segments] == [(0, 1), (1, 0)]
    assert cut.weight_bytes == (200, 200)
    assert cut.copied_weight_bytes == 200


def test_members_are_the_operators_of_the_model_itself():
    graph = fuse(make_graph([[0], [1], [2], [3]], types=["MatMul", "Relu", "MatMul", "Relu"]))
    assert len(graph.operators) == 2
    cut = of(graph, [0, 1])
    assert [s.members for s in cut.segments] == [(0, 1), (2, 3)]
    assert [graph.tensors[t].name for t in cut.segments[0].outputs] == ["t2"]


def test_an_output_of_the_model_leaves_its_segment_although_it_is_read_there():
    cut = of(make_graph([[0], [1]], outputs=(1, 2)), [0, 0])
    assert cut.segments[0].outputs == (1, 2)


@pytest.mark.parametrize(
    ("order", "device", "code"),
    [
        ([1, 0, 2, 3], [0] * 4, "partition_order"),
        ([0, 1, 2], [0] * 4, "plan_shape"),
        ([0, 1, 2, 2], [0] * 4, "plan_shape"),
        ([0, 1, 2, 3], [0] * 3, "plan_shape"),
        ([0, 1, 2, 3], [0, 0, -1, 0], "partition_device"),
    ],
)
def test_a_plan_that_is_none_is_refused(order, device, code):
    with pytest.raises(PlanError) as refusal:
        partition(CHAIN, order, device)
    assert refusal.value.code == code


def test_the_refused_order_names_both_operators():
    with pytest.raises(PlanError, match="runs 'o2' before 'o1'"):
        partition(CHAIN, [0, 2, 1, 3], [0] * 4)


@st.composite
def placed(draw):
    """A random graph, fused or not, a random topological order and devices."""
    n = draw(st.integers(1, 24))
    reads = [sorted(draw(st.sets(st.integers(0, i), min_size=1, max_size=3))) for i in range(n)]
    types = [draw(st.sampled_from(["MatMul", "Relu"])) for _ in range(n)]
    weights = [sorted(draw(st.sets(st.integers(0, 3), max_size=2))) for _ in range(n)]
    graph = make_graph(reads, types=types, weights=weights)
    graph = fuse(graph) if draw(st.booleans()) else graph
    count = len(graph.operators)
    generator = random.Random(draw(st.integers(0, 2**16)))
    ready, order = [i for i in range(count) if not graph.predecessors(i)], []
    while ready:
        order.append(ready.pop(generator.randrange(len(ready))))
        ready += [s for s in graph.successors(order[-1]) if s not in ready and set(graph.predecessors(s)) <= set(order)]
    return graph, order, draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))


def reached(graph):
    """Per operator every operator behind it, by transitive closure."""
    behind = [set() for _ in graph.operators]
    for i in reversed(range(len(graph.operators))):
        for s in graph.successors(i):
            behind[i] |= {s} | behind[s]
    return behind


@settings(max_examples=150, deadline=None)
@given(placed())
def test_segments_are_convex_and_wait_for_none_that_waits_for_them(plan):
    graph, order, device = plan
    cut = partition(graph, order, device)
    behind = reached(graph)
    for segment in cut.segments:
        inside = set(segment.operators)
        assert {device[i] for i in inside} == {segment.device}
        for outside in set(range(len(device))) - inside:
            after = any(outside in behind[i] for i in inside)
            assert not (after and behind[outside] & inside), "a path leaves the segment and comes back"
    done = set()
    for segment in cut.segments:
        read = {graph.tensors[t].producer for t in segment.inputs} - {-1}
        assert read <= done, "not in an executable order"
        assert {cut.segment_of[i] for i in read} == set(segment.predecessors)
        done |= set(segment.operators)
    assert done == set(range(len(device)))
    own = graph.original or graph
    assert sorted(m for s in cut.segments for m in s.members) == list(range(len(own.operators)))


@settings(max_examples=100, deadline=None)
@given(placed())
def test_what_crosses_a_border_is_all_that_a_segment_needs_and_gives(plan):
    graph, order, device = plan
    cut = partition(graph, order, device)
    for segment in cut.segments:
        inside = set(segment.operators)
        here = [graph.operators[i] for i in segment.operators]
        assert set(segment.inputs) == {t for op in here for t in op.inputs if graph.tensors[t].producer not in inside}
        assert set(segment.outputs) == {
            t
            for op in here
            for t in op.outputs
            if t in graph.outputs or any(r not in inside for r in graph.tensors[t].consumers)
        }
        assert set(segment.initializers) == {w for op in here for w in op.initializers}
    by_hand = {(e.tensor, device[e.target]) for e in graph.edges if device[e.source] != device[e.target]}
    assert cut.cut_bytes == sum(graph.tensors[t].size_bytes for t, _ in by_hand)


@settings(max_examples=60, deadline=None)
@given(placed(), st.integers(0, 2**16))
def test_how_the_devices_sequences_are_interleaved_makes_no_difference(plan, seed):
    graph, order, device = plan
    queues = [[i for i in order if device[i] == d] for d in range(4)]
    generator, other = random.Random(seed), []
    while len(other) < len(order):
        queue = generator.choice([q for q in queues if q and set(graph.predecessors(q[0])) <= set(other)])
        other.append(queue.pop(0))
    assert partition(graph, order, device).segment_of == partition(graph, other, device).segment_of
