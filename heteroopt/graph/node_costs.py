"""Work and traffic of a live node with the bodies inside it, as the rules and a person say."""

from __future__ import annotations

import math

from heteroopt.graph.flops import flops
from heteroopt.graph.flops_estimate import estimated_flops
from heteroopt.graph.flops_view import View
from heteroopt.graph.given import NOTHING_GIVEN, Given, OperatorCost
from heteroopt.graph.live import Body, LiveNode
from heteroopt.graph.op_classes import OP_CLASS, VIEW_TYPES
from heteroopt.graph.shapes import STANDARD_DOMAINS
from heteroopt.graph.traffic import bytes_moved

MAX_AMOUNT = 2**62
"""Beyond it a graph is refused, so that means need no exact numbers."""
CONTROL_FLOW = frozenset(("If", "Loop", "Scan", "SequenceMap"))
_SURENESS = ("exact", "given", "estimated", "bytes_only")


def is_standard(domain: str) -> bool:
    """Whether operators of ``domain`` are ONNX's own or Microsoft's published fused ones."""
    return domain in STANDARD_DOMAINS or domain == "com.microsoft"


def is_view_node(live: LiveNode) -> bool:
    """Whether the output is the first input's buffer under another shape (a Dropout at inference included)."""
    if live.domain != "" or live.op_type not in VIEW_TYPES:
        return False
    training = live.inputs[2] if live.op_type == "Dropout" and len(live.inputs) > 2 else None
    return training is None or (training.constant and training.data is not None and not training.data.any())


class NodeCosts:
    """Costs of nodes under what a person gave; ``used`` holds the keys of the given costs that applied."""

    def __init__(self, given: Given = NOTHING_GIVEN) -> None:
        self.given = given
        self.used: set[str] = set()

    def stated(self, live: LiveNode, label: str = "") -> OperatorCost | None:
        """The cost that a person gave for this node."""
        found = self.given.cost(label or live.label, live.domain, live.op_type)
        if found is None:
            return None
        self.used.add(found[0])
        return found[1]

    def flops(self, live: LiveNode, label: str = "") -> tuple[int, str]:
        """FLOP of one run of the node with its bodies, and how sure that is."""
        stated = self.stated(live, label)
        if stated is not None and stated.flops is not None:
            return stated.flops, "given"
        if stated is not None and stated.flops_per_element is not None:
            elements = sum(value.elements for value in live.outputs if value.name)
            return math.ceil(stated.flops_per_element * elements), "given"
        if live.bodies and live.domain == "" and live.op_type in CONTROL_FLOW:
            return self._control_flow(live)
        if not is_standard(live.domain):
            return 0, "bytes_only"
        view = View(live.op_type, live.attributes, live.inputs, live.outputs, live.version)
        counted = flops(view, live.domain)
        if counted is None:
            if live.op_type not in OP_CLASS:
                return 0, "bytes_only"
            return estimated_flops(view), "estimated"
        work, exact = counted
        guessed = any(value.estimated for value in (*live.all_inputs(), *live.outputs) if value.name)
        return work, "exact" if exact and not guessed else "estimated"

    def _control_flow(self, live: LiveNode) -> tuple[int, str]:
        """Branches by their shares or the largest, loops by their trips; as sure as the least sure part."""
        parts: list[int] = []
        sureness = "exact"
        for body in live.bodies:
            found = [self.flops(node) for node in body.nodes]
            parts.append(body.trips * sum(work for work, _ in found))
            sources = [source for _, source in found] + (["estimated"] if body.guessed else [])
            sureness = max((sureness, *sources), key=_SURENESS.index)
        if live.op_type != "If":
            return sum(parts), "estimated" if sureness == "bytes_only" else sureness
        if len(set(parts)) > 1 or sureness == "bytes_only":
            sureness = "estimated"
        return _of_branches(live.bodies, parts), sureness

    def bytes(self, live: LiveNode, is_view: bool, label: str = "") -> tuple[int, int]:
        """Bytes read and written in one run, those inside the bodies included."""
        if is_view:
            return 0, 0
        read, written = bytes_moved(live.op_type, live.inputs, live.outputs)
        inside = []
        for body in live.bodies:
            moved = [self.bytes(node, is_view_node(node)) for node in body.nodes]
            inside.append((body.trips * sum(r for r, _ in moved), body.trips * sum(w for _, w in moved)))
        if inside and live.op_type == "If":
            if live.bodies[0].share is None:
                inside = [max(inside, key=sum)]
            else:
                inside = [
                    (
                        _of_branches(live.bodies, [r for r, _ in inside]),
                        _of_branches(live.bodies, [w for _, w in inside]),
                    )
                ]
        read, written = read + sum(r for r, _ in inside), written + sum(w for _, w in inside)
        stated = self.stated(live, label)
        if stated is not None:
            read = read if stated.bytes_read is None else stated.bytes_read
            written = written if stated.bytes_written is None else stated.bytes_written
        return read, written


def _of_branches(bodies: list[Body], amounts: list[int]) -> int:
    """The mean over the branches by their shares, rounded up; the largest where no shares are known."""
    if any(body.share is None for body in bodies) or max(amounts, default=0) > MAX_AMOUNT:
        return max(amounts, default=0)
    return math.ceil(sum((body.share or 0.0) * amount for body, amount in zip(bodies, amounts, strict=True)))
