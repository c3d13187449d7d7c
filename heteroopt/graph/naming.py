"""Names for operators that the exporter left unnamed, taken from the weights that they use and their neighbours.

``conv2/3x3_w_0`` names a convolution ``conv2/3x3``, the Relu after it ``conv2/3x3/relu`` and a Concat of its
siblings ``conv2/concat``. Operators that have a name of their own keep it.
"""

from __future__ import annotations

import re

from heteroopt.graph.live import LiveNode
from heteroopt.graph.names import is_bare, scope_of
from heteroopt.graph.op_classes import OP_CLASS

_WEIGHT_SUFFIX = re.compile(
    r"[._/](?:w|b|s|rm|riv|weight|bias|scale|mean|var|kernel|gamma|beta|running_mean|running_var)(?:_\d+)?$"
)
_DEVICE_PREFIX = re.compile(r"^(?:gpu|cpu)_\d+/")
_NAMED_BY_WEIGHT = frozenset(("conv", "matmul", "normalization", "recurrent", "embedding", "attention"))


def operator_labels(live: list[LiveNode]) -> list[str]:
    """One label per node, not necessarily unique."""
    labels: list[str] = []
    bases: list[str] = []
    producer = {id(value): i for i, node in enumerate(live) for value in node.outputs}
    for node in live:
        label = node.label
        base = ""
        if is_bare(label):
            before = [
                bases[producer[id(value)]]
                for value in node.inputs
                if value is not None and not value.constant and producer.get(id(value), len(bases)) < len(bases)
            ]
            label, base = _inferred(node, before, label)
        else:
            label = base = label if label == node.node.name else _DEVICE_PREFIX.sub("", label)
        labels.append(label)
        bases.append(base)
    return labels


def _inferred(node: LiveNode, before: list[str], own: str) -> tuple[str, str]:
    """Label and base of an unnamed node; the base is what its followers are named after."""
    suffix = node.op_type.lower()
    stem = _weight_stem(node)
    group = OP_CLASS.get(node.op_type)
    if stem:
        label = stem if group in _NAMED_BY_WEIGHT else f"{stem}/{suffix}"
        return label, stem
    known = [base for base in before if base]
    if not known:
        return own, ""
    if group == "elementwise" and len(known) == 1:
        return f"{known[0]}/{suffix}", known[0]
    scope = scope_of(known[0])
    if len(known) > 1:
        shared = common_prefix(known)
        scope = scope_of(shared + "x") or shared.rstrip("/_.") or scope
    label = f"{scope}/{suffix}" if scope else f"{known[0]}/{suffix}"
    return label, label


def _weight_stem(node: LiveNode) -> str:
    stems = []
    for value in node.inputs:
        if value is not None and value.constant:
            name = _DEVICE_PREFIX.sub("", value.storage.name)
            stem = _WEIGHT_SUFFIX.sub("", name)
            if stem != name and stem and not stem.isdigit():
                stems.append(stem)
    if not stems:
        return ""
    shared = stems[0] if len(set(stems)) == 1 else common_prefix(stems).rstrip("/_.")
    return shared


def common_prefix(names: list[str]) -> str:
    """The longest text that all ``names`` start with."""
    low, high = min(names), max(names)
    same = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    return low[:same]
