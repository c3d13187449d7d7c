"""The blocks between which the paper cuts contiguous splits, and the order between them.

Nodes of one colour class are one block. Contiguity is that of forward nodes; a backward node goes with its class. A
class of backward nodes alone takes part in mirror image: an edge between backward nodes, one of them in such a class,
orders the blocks the other way round. Blocks that then hang together in a cycle are joined, and so is a block that
costs no time and has a single neighbour (a weight, say), none of it through a backward node, with that neighbour.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.published import Workload
from heteroopt.search.bottleneck.precedence import Precedence, make_precedence

Int32 = NDArray[np.int32]


def color_blocks(workload: Workload) -> tuple[Int32, int]:
    """Return the block of every node (in the file's order) and the number of blocks: one per colour class."""
    keys = [(0, node.color) if node.color is not None else (1, node.id) for node in workload.nodes]
    number = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    return np.array([number[key] for key in keys], np.int32), len(number)


def contiguity_blocks(workload: Workload) -> tuple[Int32, int, Precedence]:
    """Return the block of every node, the number of blocks, and the precedence between them, acyclic."""
    block, count = color_blocks(workload)
    row = {node.id: k for k, node in enumerate(workload.nodes)}
    forward = np.zeros(count, np.bool_)
    forward[block[[not node.backward for node in workload.nodes]]] = True
    edges: set[tuple[int, int]] = set()
    for source, target in workload.edges:
        u, v = row[source], row[target]
        a, b = int(block[u]), int(block[v])
        if not workload.nodes[u].backward and not workload.nodes[v].backward:
            edges.add((a, b))
        elif workload.nodes[u].backward and workload.nodes[v].backward and not (forward[a] and forward[b]):
            edges.add((b, a))
    joined = _components(count, {(a, b) for a, b in edges if a != b})
    block = joined[block]
    edges = {(int(joined[a]), int(joined[b])) for a, b in edges}
    joined = _join_idle_leaves(workload, block, edges)
    block = joined[block]
    edges = {(int(joined[a]), int(joined[b])) for a, b in edges if joined[a] != joined[b]}
    order = _topological(int(joined.max()) + 1, edges)
    edges = {(int(order[a]), int(order[b])) for a, b in edges}
    return order[block], len(order), make_precedence(len(order), edges)


def _components(count: int, edges: set[tuple[int, int]]) -> Int32:
    """The strongly connected component of each block, numbered from 0 (Tarjan's algorithm, without recursion)."""
    successors: list[list[int]] = [[] for _ in range(count)]
    for a, b in sorted(edges):
        successors[a].append(b)
    found = np.full(count, -1, np.int32)
    low, entered = [0] * count, [-1] * count
    stack: list[int] = []
    on_stack = [False] * count
    clock, components = 0, 0
    for root in range(count):
        if entered[root] >= 0:
            continue
        path = [(root, iter(successors[root]))]
        entered[root] = low[root] = clock
        clock += 1
        stack.append(root)
        on_stack[root] = True
        while path:
            here, rest = path[-1]
            for other in rest:
                if entered[other] < 0:
                    entered[other] = low[other] = clock
                    clock += 1
                    stack.append(other)
                    on_stack[other] = True
                    path.append((other, iter(successors[other])))
                    break
                if on_stack[other]:
                    low[here] = min(low[here], entered[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[here])
                if low[here] == entered[here]:
                    while True:
                        member = stack.pop()
                        on_stack[member] = False
                        found[member] = components
                        if member == here:
                            break
                    components += 1
    return found


def _join_idle_leaves(workload: Workload, block: Int32, edges: set[tuple[int, int]]) -> Int32:
    """Return the new number of each block, after joining until no block is left that could be joined."""
    count = int(block.max()) + 1
    busy = np.zeros(count, np.bool_)
    for k, node in enumerate(workload.nodes):
        if node.cpu_time + node.accelerator_time >= 1e-6:
            busy[block[k]] = True
    row = {node.id: k for k, node in enumerate(workload.nodes)}
    tied = np.zeros(count, np.bool_)
    for source, target in workload.edges:
        u, v = row[source], row[target]
        if workload.nodes[v].backward and not workload.nodes[u].backward:
            tied[block[u]] = True
    near: list[set[int]] = [set() for _ in range(count)]
    for a, b in edges:
        if a != b:
            near[a].add(b)
            near[b].add(a)
    into = list(range(count))
    waiting = list(range(count))
    while waiting:
        leaf = waiting.pop()
        if into[leaf] != leaf or busy[leaf] or tied[leaf] or len(near[leaf]) != 1:
            continue
        (heir,) = near[leaf]
        into[leaf] = heir
        near[heir].discard(leaf)
        waiting.append(heir)

    def last(b: int) -> int:
        while into[b] != b:
            b = into[b]
        return b

    kept = {b: k for k, b in enumerate(b for b in range(count) if into[b] == b)}
    return np.array([kept[last(b)] for b in range(count)], np.int32)


def _topological(count: int, edges: set[tuple[int, int]]) -> Int32:
    """The place of each block in a topological order."""
    missing = [0] * count
    successors: list[list[int]] = [[] for _ in range(count)]
    for a, b in sorted(edges):
        successors[a].append(b)
        missing[b] += 1
    ready = [b for b in range(count) if missing[b] == 0]
    place = np.empty(count, np.int32)
    for k in range(count):
        here = ready[k]
        place[here] = k
        for other in successors[here]:
            missing[other] -= 1
            if missing[other] == 0:
                ready.append(other)
    return place
