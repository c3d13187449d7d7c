"""What the body of a control-flow operator holds while it runs, beside inputs and weights of the operator."""

from __future__ import annotations

from heteroopt.graph.live import Body, LiveNode
from heteroopt.graph.node_costs import is_view_node
from heteroopt.graph.values import Value


def working_memory_bytes(live: LiveNode) -> int:
    """Bytes that an operator needs while it runs, beyond its inputs, its weights and its outputs.

    For an operator with bodies that is the largest live set of any of them: what a body got, made and still needs,
    its nodes run in their order and nested bodies included. What it reads from outside is an input of the operator
    and not counted again; nor are the results of a branch of an If, which are the operator's own outputs. A loop's
    results are counted: while the next value is made, the one before still exists. A body that grows from run to run
    counts at its last run.
    """
    own_outputs = live.op_type == "If" and live.domain == ""
    return max((_largest_live_set(body.at_end or body, own_outputs) for body in live.bodies), default=0)


def _largest_live_set(body: Body, outputs_are_outside: bool) -> int:
    buffer: dict[int, int] = {}
    """Value -> the value whose buffer it uses, through views; only those of the body."""
    sizes: dict[int, int] = {}

    def own(value: Value) -> None:
        buffer[id(value)] = id(value)
        sizes[id(value)] = value.size_bytes

    for value in body.inputs:
        own(value)
    for node in body.nodes:
        first = node.inputs[0] if node.inputs else None
        seen_through = is_view_node(node) and first is not None and not first.constant
        for value in node.outputs:
            if not seen_through:
                own(value)
            elif id(first) in buffer:  # a view of something from outside holds nothing here
                buffer[id(value)] = buffer[id(first)]
    last = len(body.nodes)
    freed: dict[int, int] = {}
    for place, node in enumerate(body.nodes):
        for value in (*node.all_inputs(), *node.outputs):
            if id(value) in buffer:
                freed[buffer[id(value)]] = place
    for value in body.outputs:
        if id(value) in buffer:
            owner = buffer[id(value)]
            freed[owner] = last
            if outputs_are_outside:
                sizes[owner] = 0
    dies: list[list[int]] = [[] for _ in range(last + 1)]
    for owner, place in freed.items():
        dies[place].append(owner)
    held = sum(sizes[id(value)] for value in body.inputs if id(value) in freed)
    highest = held
    for place, node in enumerate(body.nodes):
        held += sum(sizes[id(value)] for value in node.outputs if buffer.get(id(value)) == id(value))
        highest = max(highest, held + working_memory_bytes(node))
        held -= sum(sizes[owner] for owner in dies[place])
    return highest
