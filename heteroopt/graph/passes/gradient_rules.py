"""The gradient operators of one forward operator: what they compute, what they read again, what they cost.

FLOP are counted as in :mod:`heteroopt.graph.flops`: 2 per multiply-accumulate of a contraction, a fixed number per
element otherwise (a transcendental counts 4). A contraction has one product for each operand that needs a gradient,
each of as many multiply-accumulates as the forward one; a bias is summed where its weight's gradient is computed.
Operands that are small constants written into the graph are no tensors: ``x * c`` reads nothing again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from heteroopt.graph.graph import Graph, Operator
from heteroopt.graph.passes.gradient_flow import elements_of, is_float


@dataclass(frozen=True, slots=True)
class Part:
    """One gradient operator. It reads the gradients of the forward operator's outputs, ``kept`` activations and
    ``weights`` (initializers), and writes the gradients of ``tensors`` and ``trained`` initializers."""

    op_type: str
    suffix: str
    op_class: str
    tensors: tuple[int, ...] = ()
    trained: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()
    flops: int = 0
    exact: bool = True
    is_view: bool = False


@dataclass(frozen=True, slots=True)
class Backward:
    """The parts of one operator; ``passed`` inputs simply get the output's gradient."""

    parts: tuple[Part, ...] = ()
    passed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Site:
    """One operator on the backward path: ``wanted`` inputs and ``trained`` initializers need a gradient."""

    graph: Graph
    op: Operator
    wanted: tuple[int, ...]
    trained: tuple[int, ...]

    def elements(self, tensor: int) -> int:
        """Number of elements of a tensor."""
        return elements_of(self.graph.tensors[tensor])

    def weight_elements(self, initializer: int) -> int:
        """Number of elements of an initializer."""
        return math.prod(self.graph.initializers[initializer].shape)

    @property
    def y(self) -> int:
        """The first output."""
        return self.op.outputs[0]

    @property
    def out(self) -> int:
        """Elements of the first output."""
        return self.elements(self.y)

    def part(self, kept: tuple[int, ...], flops: int, *, weights: tuple[int, ...] = (), **changes: object) -> Backward:
        """One operator ``<type>Grad`` for everything that needs a gradient."""
        values: dict[str, object] = {
            "op_type": f"{self.op.op_type}Grad", "suffix": "grad", "op_class": self.op.op_class,
            "tensors": self.wanted, "trained": self.trained, "kept": tuple(dict.fromkeys(kept)), "weights": weights,
            "flops": flops, **changes,
        }  # fmt: skip
        return Backward((Part(**values),))  # type: ignore[arg-type]


Rule = Callable[[Site], Backward]


def _contraction(site: Site) -> Backward:
    """dX = dY W', dW = X' dY: one product per operand; an operand multiplied by itself takes both."""
    op, graph = site.op, site.graph
    matrices = [i for i in op.initializers if len(graph.initializers[i].shape) > 1]
    operands = list(op.inputs[: max(1, 2 - len(matrices))])
    matrices = matrices[: 2 - len(operands)]
    addends = [t for t in op.inputs if t not in operands]
    biases = tuple(i for i in site.trained if i not in matrices)
    products = 2 if len(operands) + len(matrices) == 1 else 1
    parts = []
    for t in operands:
        if t in site.wanted:
            kept = tuple(o for o in operands if o != t) if products == 1 else (t,)
            which = f"input{operands.index(t)}" if len(operands) > 1 else "input"
            parts.append(
                Part(f"{op.op_type}InputGrad", which, op.op_class, (t,), (), kept, tuple(matrices), products * op.flops)
            )
    moved = tuple(t for t in addends if t in site.wanted and site.elements(t) < site.out)
    passed = tuple(t for t in addends if t in site.wanted and t not in moved)
    own = tuple(i for i in matrices if i in site.trained)
    summed = site.out * (len(biases) + len(moved))
    if own:
        parts.append(
            Part(f"{op.op_type}WeightGrad", "weight", op.op_class, moved, (*own, *biases), tuple(operands),
                 flops=len(own) * op.flops + summed)
        )  # fmt: skip
    elif biases or moved:
        parts.append(Part(f"{op.op_type}BiasGrad", "bias", "reduction", moved, biases, flops=summed))
    return Backward(tuple(parts), passed)


def _unary(keeps: str, factor: int) -> Rule:
    """``factor`` FLOP per element; ``keeps`` names what is read again: ``x``, ``y``, both or nothing."""

    def rule(site: Site) -> Backward:
        if site.trained or len(site.op.inputs) != 1:
            return _unknown(site)
        return site.part(_kept(site, keeps), factor * max(site.out, site.elements(site.op.inputs[0])))

    return rule


def _kept(site: Site, keeps: str) -> tuple[int, ...]:
    return (*(site.op.inputs[:1] if "x" in keeps else ()), *((site.y,) if "y" in keeps else ()))


def _sum(scale: int) -> Rule:
    """Add, Sub, Sum, Mean: the gradient passes through; it is summed over what was broadcast, and scaled or negated
    at ``scale`` FLOP per element where the operator does that to an operand (Sub: to the second)."""

    def rule(site: Site) -> Backward:
        op = site.op
        negated = op.op_type == "Sub"
        scaled = {t for k, t in enumerate(op.inputs) if scale and not (negated and k == 0)}
        passed = tuple(t for t in site.wanted if t not in scaled and site.elements(t) >= site.out)
        computed = tuple(t for t in site.wanted if t not in passed)
        if not computed and not site.trained:
            return Backward((), passed)
        work = sum(site.out * ((t in scaled) * scale + (site.elements(t) < site.out)) for t in computed)
        work += sum(site.out * (scale + (site.weight_elements(i) < site.out)) for i in site.trained)
        summed = all(site.elements(t) < site.out for t in computed)
        done = site.part((), work, tensors=computed, op_class="reduction" if summed else op.op_class)
        return Backward(done.parts, passed)

    return rule


def _product(site: Site) -> Backward:
    """Mul and Div: dA = dY B (dY / B), dB = dY A (-dY Y / B): each reads the other operand again."""
    op, divides = site.op, site.op.op_type == "Div"
    if len(op.inputs) + len(op.initializers) > 2:
        return _unknown(site)
    second: tuple[int, ...] = op.inputs[1:2]
    kept: list[int] = []
    flops, weights = 0, op.initializers if site.wanted else ()
    for k, t in enumerate(op.inputs):
        if t in site.wanted:
            kept += ([*second, site.y] if k else [*second]) if divides else [o for o in op.inputs if o != t]
            flops += site.out * ((3 if divides and k else 1) + (site.elements(t) < site.out))
    for i in site.trained:
        kept += [site.y] if divides else op.inputs[:1]
        weights = op.initializers if divides else weights
        flops += site.out * ((3 if divides else 1) + (site.weight_elements(i) < site.out))
    return site.part(tuple(kept), flops, weights=weights)


def _normalization(factor: int) -> Rule:
    """The input is read again and normalised again; the sums over the statistics' axes and dX take the rest."""

    def rule(site: Site) -> Backward:
        if len(site.op.inputs) != 1:
            return _unknown(site)
        return site.part(site.op.inputs, factor * site.out, weights=site.op.initializers[:1])

    return rule


def _view(site: Site) -> Backward:
    """A view of the output's gradient; a Dropout that drops scales by its mask."""
    if not site.op.is_view or len(site.wanted) != 1:
        return site.part(site.op.outputs[1:], 2 * site.out)
    if site.op.op_type in ("Identity", "Dropout"):
        return Backward((), site.wanted)
    return site.part((), 0, op_type="Reshape", op_class="view", is_view=True)


def _pool(keeps: str, *, per_input: bool = False) -> Rule:
    """As many operations as the forward one: each gradient goes back to the elements of its window."""

    def rule(site: Site) -> Backward:
        flops = site.elements(site.op.inputs[0]) if per_input else site.op.flops
        return site.part(_kept(site, keeps), flops)

    return rule


def _reduce(keeps: str, factor: int) -> Rule:
    """The gradient is broadcast over what was reduced, ``factor`` FLOP per element of the input."""

    def rule(site: Site) -> Backward:
        return site.part(_kept(site, keeps), factor * site.elements(site.op.inputs[0]), op_class="elementwise")

    return rule


def _move(site: Site) -> Backward:
    """The gradient moves back; elements that were copied several times are summed. Indices are read again."""
    indices = tuple(t for t in site.op.inputs if not _floating(site, t))
    copied = site.op.op_type in ("Expand", "Tile")
    return site.part(indices, site.out if copied else site.op.flops)


def _embedding(site: Site) -> Backward:
    """A dense gradient of the table, cleared and then added to row by row: one addition per element."""
    return site.part(tuple(t for t in site.op.inputs if not _floating(site, t)), site.out)


def _where(site: Site) -> Backward:
    """Each operand takes the gradient where the condition chose it."""
    flops = sum(site.out * (1 + (site.elements(t) < site.out)) for t in site.wanted)
    flops += sum(site.out * (1 + (site.weight_elements(i) < site.out)) for i in site.trained)
    return site.part(tuple(t for t in site.op.inputs if not _floating(site, t)), flops)


def _unknown(site: Site) -> Backward:
    """The declared rule for everything else: twice the forward operator's work, and all that it read and wrote."""
    return site.part((*site.op.inputs, *site.op.outputs), 2 * site.op.flops, weights=site.op.initializers, exact=False)


def _floating(site: Site, tensor: int) -> bool:
    return is_float(site.graph.tensors[tensor].dtype)


RULES: dict[str, Rule] = {
    "Conv": _contraction, "ConvTranspose": _contraction, "MatMul": _contraction, "FusedMatMul": _contraction,
    "Gemm": _contraction,
    "Relu": _unary("y", 1), "LeakyRelu": _unary("x", 2), "Clip": _unary("x", 1), "ThresholdedRelu": _unary("x", 1),
    "Shrink": _unary("x", 1), "Sigmoid": _unary("y", 3), "Tanh": _unary("y", 3), "Exp": _unary("y", 1),
    "Log": _unary("x", 1), "Sqrt": _unary("y", 2), "Neg": _unary("", 1), "Abs": _unary("x", 1),
    "Reciprocal": _unary("y", 3), "Erf": _unary("x", 7), "Sin": _unary("x", 5), "Cos": _unary("x", 6),
    "Elu": _unary("y", 2), "Selu": _unary("y", 3), "Celu": _unary("y", 3), "HardSigmoid": _unary("y", 2),
    "HardSwish": _unary("x", 4), "Softplus": _unary("x", 5), "Softsign": _unary("x", 4), "Pow": _unary("x", 6),
    "Gelu": _unary("x", 17), "QuickGelu": _unary("x", 10), "Swish": _unary("x", 9), "Cast": _unary("", 1),
    "CastLike": _unary("", 1),
    "Softmax": _unary("y", 4), "LogSoftmax": _unary("y", 7),
    "Add": _sum(0), "Sum": _sum(0), "Sub": _sum(1), "Mean": _sum(1), "Mul": _product, "Div": _product,
    "Where": _where,
    # xhat 2, dscale 2, dbias 1, dX 4 (per channel); with a scale per element also dY scale and its two sums, 4.
    "BatchNormalization": _normalization(9), "InstanceNormalization": _normalization(9),
    "LayerNormalization": _normalization(13), "GroupNormalization": _normalization(13),
    "RMSNormalization": _normalization(10), "SimplifiedLayerNormalization": _normalization(10),
    "MaxPool": _pool("xy"), "AveragePool": _pool(""), "GlobalAveragePool": _pool("", per_input=True),
    "GlobalMaxPool": _pool("xy", per_input=True),
    "ReduceSum": _reduce("", 0), "ReduceMean": _reduce("", 1), "ReduceMax": _reduce("xy", 1),
    "ReduceMin": _reduce("xy", 1), "ReduceSumSquare": _reduce("x", 2), "ReduceL2": _reduce("xy", 2),
    "Gather": _embedding, "GatherElements": _embedding, "GatherND": _embedding,
    **dict.fromkeys(("Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Dropout"), _view),
    **dict.fromkeys(
        ("Transpose", "Concat", "Split", "Slice", "Pad", "Expand", "Tile", "Resize", "Upsample", "DepthToSpace",
         "SpaceToDepth", "Trilu", "CenterCropPad", "ReverseSequence", "CumSum"), _move,
    ),
}  # fmt: skip


def backward_of(site: Site) -> Backward:
    """The gradient operators of one operator; those without a rule of their own get twice its work."""
    standard = site.op.domain in ("", "com.microsoft")
    return RULES.get(site.op.op_type, _unknown)(site) if standard else _unknown(site)
