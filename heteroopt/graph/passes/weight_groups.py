"""Which operators must share a device, so that a weight, its gradient and its update are in one place."""

from __future__ import annotations

from heteroopt.graph.fusion import find_clusters
from heteroopt.graph.graph import Graph
from heteroopt.graph.passes.gradient_flow import GradientFlow


def weight_groups(graph: Graph, flow: GradientFlow) -> dict[int, str]:
    """Colocation of the operators of ``graph``, by index; operators that are absent may go anywhere.

    The unit is the cluster that fusion places together (a convolution with its normalisation and activation), if it
    holds a trained weight: its gradient operators share its device, and so do clusters that read one weight or that
    shared a group before.
    """
    clusters = find_clusters(graph)
    parent = list(range(len(clusters)))

    def root(k: int) -> int:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    first: dict[tuple[str, object], int] = {}
    owned: dict[int, list[int]] = {}
    for k, members in enumerate(clusters):
        ops = [graph.operators[m] for m in members]
        weights = sorted({i for op in ops for i in op.initializers if i in flow.weights})
        owned[k] = weights
        keys: list[tuple[str, object]] = [("weight", i) for i in weights]
        keys += [("group", op.colocation) for op in ops if op.colocation]
        for key in keys:
            parent[root(k)] = root(first.setdefault(key, k))
    named: dict[int, str] = {}
    given: dict[int, str] = {}
    for k, members in enumerate(clusters):
        for m in members:
            if graph.operators[m].colocation:
                given.setdefault(root(k), graph.operators[m].colocation)
        if owned[k]:
            named.setdefault(root(k), f"weights:{graph.initializers[owned[k][0]].name}")
    return {
        m: given.get(root(k), named.get(root(k), ""))
        for k, members in enumerate(clusters)
        if root(k) in named or root(k) in given
        for m in members
    }
