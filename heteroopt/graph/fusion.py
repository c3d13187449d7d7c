"""Fusion pre-pass: small operators join their producer, so that fewer nodes are scheduled (row R3).

An operator of :data:`JOINING_CLASSES`, or a BatchNormalization, joins the cluster of a producer whose outputs
nobody else reads and which are no outputs of the graph. A cluster therefore has one exit, its last member: every
path that leaves it starts there, so clusters are convex and the fused graph is acyclic.

A DequantizeLinear goes the other way: it joins the operator that reads it, if that is the only one, and never its
producer, so that what passes between clusters of a quantised model are the quantised numbers.

Graphs of a training step are more closely woven. There a forward operator also joins a producer whose outputs the
backward pass keeps, and a gradient operator or weight update a producer of its colocation group, whoever else reads
the producer's outputs. Such a cluster has several exits; it stays convex because everything outside that reads from
it stands behind its last member, so that no path returns. Clusters never hold operators of two colocation groups.
"""

from __future__ import annotations

from dataclasses import dataclass

from heteroopt.graph.graph import FLOPS_SOURCES, Graph, Operator, Tensor
from heteroopt.graph.op_classes import TRAINING_DOMAIN

JOINING_CLASSES = frozenset(("elementwise", "view"))
JOINING_TYPES = frozenset(("BatchNormalization", "BatchNormalizationGrad", "AddGrad", "SubGrad", "SumGrad"))


def fuse(graph: Graph) -> Graph:
    """Return the fused graph; its ``original`` is the unfused one and ``members`` index the operators of that.

    FLOPs add up, bytes leave the internal tensors out, initializers are united, colocation groups never mix.
    """
    source = graph if graph.original is None else graph.original
    clusters = find_clusters(source)
    owner = {m: i for i, members in enumerate(clusters) for m in members}
    internal = {t for members in clusters for m in members[:-1] for t in _passed_on(source, m, owner)}
    kept = [tensor for tensor in source.tensors if tensor.index not in internal]
    position = {tensor.index: i for i, tensor in enumerate(kept)}
    operators = tuple(_merged(source, i, members, internal, position, owner) for i, members in enumerate(clusters))
    tensors = tuple(
        Tensor(
            position[t.index], t.name, t.shape, t.dtype, t.size_bytes, t.size_source,
            -1 if t.producer < 0 else owner[t.producer],
            tuple(sorted({owner[c] for c in t.consumers} - {owner.get(t.producer, -1)})),
        )
        for t in kept
    )  # fmt: skip
    return Graph(
        name=source.name,
        operators=operators,
        tensors=tensors,
        initializers=source.initializers,
        inputs=tuple(position[t] for t in source.inputs),
        outputs=tuple(position[t] for t in source.outputs),
        dims=source.dims,
        opset=source.opset,
        notes=source.notes,
        original=source,
    )


@dataclass(slots=True)
class _Cluster:
    """Members in order, and the operators outside that read from them."""

    members: list[int]
    readers: set[int]


def find_clusters(graph: Graph) -> list[list[int]]:
    """Partition of the operators into clusters; members ascending, clusters ordered by their last member."""
    graph_outputs = set(graph.outputs)
    cluster_of: list[_Cluster] = []
    for op in graph.operators:
        producer = _producer_to_join(graph, op, graph_outputs, cluster_of)
        if producer < 0:
            cluster = _Cluster([op.index], _readers(graph, op))
        else:
            cluster = cluster_of[producer]
            cluster.members.append(op.index)
            cluster.readers |= _readers(graph, op)
            cluster.readers.discard(op.index)
        cluster_of.append(cluster)
        for index in _dequantised_for(graph, op, graph_outputs):
            if cluster_of[index] is not cluster and len(cluster_of[index].members) == 1:
                cluster.members.insert(0, index)
                cluster_of[index] = cluster
    distinct = {id(cluster): sorted(cluster.members) for cluster in cluster_of}
    return sorted(distinct.values(), key=lambda members: members[-1])


def _dequantises(op: Operator) -> bool:
    """Whether the operator turns quantised activations into floating-point ones."""
    return op.op_type == "DequantizeLinear" and bool(op.inputs)


def _dequantised_for(graph: Graph, op: Operator, graph_outputs: set[int]) -> list[int]:
    """Operators that dequantise an input of ``op`` and whose output nothing else reads."""
    found = []
    for t in op.inputs:
        producer = graph.tensors[t].producer
        if producer >= 0 and _dequantises(graph.operators[producer]) and not _dequantises(op):
            source = graph.operators[producer]
            if _readers(graph, source) == {op.index} and not graph_outputs.intersection(source.outputs):
                found.append(producer)
    return list(dict.fromkeys(found))


def _producer_to_join(graph: Graph, op: Operator, graph_outputs: set[int], cluster_of: list[_Cluster]) -> int:
    """The latest producer that ``op`` may join, or -1."""
    if (op.op_class not in JOINING_CLASSES and op.op_type not in JOINING_TYPES) or _dequantises(op):
        return -1
    best = -1
    for t in op.inputs:
        index = graph.tensors[t].producer
        if index <= best:
            continue
        cluster, producer = cluster_of[index], graph.operators[index]
        if producer.colocation != op.colocation or graph_outputs.intersection(producer.outputs):
            continue
        others = cluster.readers - {op.index}
        if not others or (min(others) > op.index and _may_leave(graph, producer, op, others)):
            best = index
    return best


def _readers(graph: Graph, op: Operator) -> set[int]:
    """Operators that read an output of ``op``."""
    return {reader for t in op.outputs for reader in graph.tensors[t].consumers}


def _may_leave(graph: Graph, producer: Operator, op: Operator, others: set[int]) -> bool:
    """Whether ``op`` may join although ``others`` read from the cluster too: see the module's description."""
    if op.domain == TRAINING_DOMAIN:
        return producer.domain == TRAINING_DOMAIN and op.colocation != ""
    return producer.domain != TRAINING_DOMAIN and all(
        graph.operators[reader].domain == TRAINING_DOMAIN for reader in others
    )


def _passed_on(graph: Graph, member: int, owner: dict[int, int]) -> list[int]:
    """Outputs of a member that is not the last of its cluster and that only the cluster reads."""
    return [
        t
        for t in graph.operators[member].outputs
        if graph.tensors[t].consumers and all(owner[c] == owner[member] for c in graph.tensors[t].consumers)
    ]


def _merged(
    graph: Graph,
    index: int,
    members: list[int],
    internal: set[int],
    position: dict[int, int],
    owner: dict[int, int],
) -> Operator:
    ops = [graph.operators[m] for m in members]
    anchor = _anchor(ops)
    read, written = _bytes(graph, ops, internal)
    attributes = dict(anchor.attributes)
    if len(ops) > 1:
        attributes["fused"] = [op.op_type for op in ops if op is not anchor][:16]
    return Operator(
        index=index,
        name=anchor.name,
        op_type=anchor.op_type,
        domain=anchor.domain,
        op_class=anchor.op_class,
        inputs=tuple(
            dict.fromkeys(
                position[t]
                for op in ops
                for t in op.inputs
                if t not in internal and owner.get(graph.tensors[t].producer) != index
            )
        ),
        outputs=tuple(position[t] for op in ops for t in op.outputs if t not in internal),
        initializers=tuple(dict.fromkeys(i for op in ops for i in op.initializers)),
        flops=sum(op.flops for op in ops),
        flops_source=max((op.flops_source for op in ops), key=FLOPS_SOURCES.index),
        bytes_read=read,
        bytes_written=written,
        precision=anchor.precision,
        is_view=all(op.is_view for op in ops),
        scope=anchor.scope,
        attributes=attributes,
        members=tuple(members),
        colocation=anchor.colocation,
        workspace_bytes=max(op.workspace_bytes for op in ops),
    )


def _anchor(ops: list[Operator]) -> Operator:
    """The member that the cluster is named after: the first that does not merely accompany another."""
    for op in ops:
        if op.op_class not in JOINING_CLASSES and op.op_type not in JOINING_TYPES:
            return op
    own = [op for op in ops if not op.is_view and op.op_type not in ("QuantizeLinear", "DequantizeLinear")]
    return next(iter(own), next((op for op in ops if not op.is_view), ops[0]))


def _bytes(graph: Graph, ops: list[Operator], internal: set[int]) -> tuple[int, int]:
    """Bytes read and written without the buffers that never leave the cluster.

    A view in the cluster passes its source's buffer on, so buffers are followed to where they were written.
    """
    buffer: dict[int, int] = {}
    for op in ops:
        if op.is_view and op.inputs:
            source = op.inputs[0]
            buffer.update((t, buffer.get(source, source)) for t in op.outputs)
    written_here = {t for op in ops if not op.is_view for t in op.outputs}
    escaping = {buffer.get(t, t) for op in ops for t in op.outputs if t not in internal}
    inside = {t for t in written_here if t in internal and t not in escaping}
    read, written = sum(op.bytes_read for op in ops), sum(op.bytes_written for op in ops)
    for op in ops:
        if not op.is_view:
            read -= sum(
                graph.tensors[t].size_bytes for t in op.inputs if t in internal and buffer.get(t, t) in written_here
            )
            written -= sum(graph.tensors[t].size_bytes for t in op.outputs if t in inside)
    return max(read, 0), max(written, 0)
