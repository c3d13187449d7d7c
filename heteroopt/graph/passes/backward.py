"""From a forward graph to the graph of one training step: gradients, kept activations, weight updates (row R4).

The forward operators stay as they are. After them come, in an order in which they can run, one operator per loss
output that computes the loss and its gradient; the gradient operators of :mod:`gradient_rules`, the last forward
operator's first; an Add wherever a tensor or a weight gets a further contribution; and, as soon as the gradient of a
weight is complete, its update. Activations that a gradient operator reads again are its inputs, and so stay in memory
until then. Labels are not counted, normalisations cost in training what they cost at inference, and random masks are
as exported (none in a model exported for inference).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from heteroopt.errors import ModelError, SettingsError
from heteroopt.graph.graph import FLOPS_SOURCES, Graph, Operator
from heteroopt.graph.notes import Notes
from heteroopt.graph.op_classes import TRAINING_DOMAIN
from heteroopt.graph.passes.gradient_flow import GradientFlow, elements_of, find_flow, is_float
from heteroopt.graph.passes.gradient_rules import Part, Site, backward_of
from heteroopt.graph.passes.optimizers import OPTIMIZERS
from heteroopt.graph.passes.step_writer import StepWriter
from heteroopt.graph.passes.weight_groups import weight_groups

LOSS_BYTES = 4


def expand_backward(
    graph: Graph,
    *,
    loss_outputs: Sequence[str] | None = None,
    optimizer: str = "sgd",
    frozen: Collection[str] = (),
) -> Graph:
    """The graph of one training step of ``graph`` (of its original, if it is fused).

    loss_outputs: names of the outputs that the loss is taken of; every floating-point output that depends on a
    weight by default. optimizer: ``sgd``, ``momentum`` or ``adam``, whose states become initializers. frozen: names
    of initializers that training leaves alone. A weight's forward, gradient and update operators get one colocation
    group. Outputs are the losses (4 bytes each) and the model's other outputs. Raises :class:`SettingsError`
    (``unknown_optimizer``) and :class:`ModelError` (``unknown_output``, ``unknown_initializer``,
    ``nothing_to_train``, ``already_training``).
    """
    source = graph if graph.original is None else graph.original
    if optimizer not in OPTIMIZERS:
        raise SettingsError(
            "unknown_optimizer",
            f"There is no optimizer {optimizer!r}.",
            hint=f"Choose one of: {', '.join(OPTIMIZERS)}.",
            optimizer=str(optimizer),
            known=list(OPTIMIZERS),
        )
    if any(op.domain == TRAINING_DOMAIN for op in source.operators):
        raise ModelError("already_training", "The graph is a training step already.", hint="Expand the forward graph.")
    flow = find_flow(source, _losses(source, loss_outputs), _frozen(source, frozen))
    if not flow.weights or not flow.losses:
        raise ModelError(
            "nothing_to_train",
            "No floating-point weight of the model influences a loss output.",
            hint="Choose other loss outputs, or use a model whose weights are not quantised.",
        )
    return _Step(source, flow, optimizer).graph()


def _losses(graph: Graph, names: Sequence[str] | None) -> list[int]:
    if names is None:
        return [t for t in graph.outputs if is_float(graph.tensors[t].dtype)]
    known = {graph.tensors[t].name: t for t in graph.outputs}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ModelError(
            "unknown_output",
            f"The model has no output {unknown[0]!r}.",
            hint=f"Its outputs are: {', '.join(known)}.",
            output=unknown[0],
        )
    return [known[name] for name in dict.fromkeys(names)]


def _frozen(graph: Graph, names: Collection[str]) -> set[int]:
    known = {item.name: item.index for item in graph.initializers}
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise ModelError("unknown_initializer", f"The model has no initializer {unknown[0]!r}.", initializer=unknown[0])
    return {known[name] for name in names}


class _Step:
    """Writes one training step behind the forward operators."""

    def __init__(self, forward: Graph, flow: GradientFlow, optimizer: str) -> None:
        self.forward, self.flow, self.optimizer = forward, flow, optimizer
        self.groups = weight_groups(forward, flow)
        self.writer = StepWriter(forward, self.groups)
        self.gradient: dict[int, int] = {}
        """Tensor of the forward graph -> tensor that holds its gradient so far."""
        self.weight_gradient: dict[int, int] = {}
        self.before_update: dict[int, list[int]] = {}
        """Weight -> tensors whose producers read it and must have run before it changes."""
        self.notes = Notes()

    def graph(self) -> Graph:
        """The whole step."""
        forward, flow = self.forward, self.flow
        losses = [self.loss(t) for t in flow.losses]
        finished: dict[int, list[int]] = {}
        for i, contributors in flow.weights.items():
            finished.setdefault(contributors[0], []).append(i)
        for op in forward.operators:
            if not flow.active(op):
                for i in op.initializers:
                    self.before_update.setdefault(i, []).extend(op.outputs[:1])
        for op in reversed(forward.operators):
            if flow.active(op):
                self.differentiate(op, finished.get(op.index, ()))
        others = tuple(t for t in forward.outputs if t not in flow.losses)
        states = self.writer.initializers[len(forward.initializers) :]
        summary: dict[str, Any] = {
            "code": "training_step",
            "params": {
                "optimizer": self.optimizer,
                "weights": len(flow.weights),
                "forward_operators": len(forward.operators),
                "state_bytes": sum(item.size_bytes for item in states),
            },
        }
        return self.writer.graph((*losses, *others), (summary, *self.notes.result()))

    def loss(self, output: int) -> int:
        """The loss of one output and its gradient: one operation per element (prediction less target)."""
        tensor, writer = self.forward.tensors[output], self.writer
        loss = writer.tensor(f"loss/{tensor.name}", (), "float32", LOSS_BYTES, "inferred")
        start = writer.like(output)
        writer.operator(
            f"loss/{tensor.name}", "LossGradient", "elementwise", (output,), (loss, start),
            flops=elements_of(tensor), precision=writer.precision(tensor.dtype), scope="loss",
        )  # fmt: skip
        self.gradient[output] = start
        return loss

    def differentiate(self, op: Operator, finished: Sequence[int]) -> None:
        """The gradient operators of ``op``, then the updates of the weights whose gradients are complete with it."""
        flow = self.flow
        gradients = [self.gradient[t] for t in op.outputs if t in self.gradient]
        wanted = tuple(t for t in op.inputs if t in flow.tensors)
        trained = tuple(i for i in op.initializers if op.index in flow.weights.get(i, ()))
        backward = backward_of(Site(self.forward, op, wanted, trained))
        scope = f"backward/{op.scope}" if op.scope else "backward"
        found: list[tuple[int, int]] = []
        for part in backward.parts:
            outputs = self.part(op, part, gradients, scope)
            found += zip(part.tensors, outputs, strict=False)
            for i, gradient in zip(part.trained, outputs[len(part.tensors) :], strict=True):
                before = self.weight_gradient.get(i)
                self.weight_gradient[i] = (
                    gradient
                    if before is None
                    else self.sum(before, gradient, self.forward.initializers[i].name, self.groups[op.index])
                )
        for i in finished:
            self.update(i)
        for t, gradient in (*found, *((t, gradients[0]) for t in backward.passed)):
            earlier = self.gradient.get(t)
            self.gradient[t] = (
                gradient if earlier is None else self.sum(earlier, gradient, self.forward.tensors[t].name, "")
            )

    def part(self, op: Operator, part: Part, gradients: list[int], scope: str) -> list[int]:
        """One gradient operator; returns the gradients that it writes, of tensors and then of weights.

        One that reads a weight without writing its gradient also writes an empty tensor that the weight's update
        reads, so that the weight does not change before.
        """
        writer = self.writer
        name = f"backward/{op.name}/{part.suffix}"
        outputs = [writer.like(t) for t in part.tensors] + [writer.like_weight(i) for i in part.trained]
        signals = [i for i in part.weights if i in self.flow.weights and i not in part.trained]
        done = [writer.tensor(f"{name}/done", (0,), "bool", 0, "given")] if signals else []
        for i in signals:
            self.before_update.setdefault(i, []).extend(done)
        if not part.exact:
            self.notes.add("gradient_estimated", operator=op.name, op_type=op.op_type)
        writer.operator(
            name,
            part.op_type,
            part.op_class,
            tuple(dict.fromkeys((*gradients, *part.kept))),
            (*outputs, *done),
            flops=part.flops,
            precision=op.precision,
            scope=scope,
            initializers=part.weights,
            colocation=self.groups.get(op.index, ""),
            flops_source=max(op.flops_source, "exact" if part.exact else "estimated", key=FLOPS_SOURCES.index),
            is_view=part.is_view,
            attributes=op.attributes,
        )
        return outputs

    def sum(self, a: int, b: int, name: str, group: str) -> int:
        """An Add of two contributions to the gradient of what is called ``name``."""
        writer = self.writer
        tensor = writer.tensors[b]
        total = writer.tensor(f"gradient/{name}", tensor.shape, tensor.dtype, tensor.size_bytes, tensor.size_source)
        writer.operator(
            f"backward/{name}/accumulate", "Add", "elementwise",
            tuple(dict.fromkeys((a, b))), (total,),
            flops=elements_of(tensor), precision=writer.precision(tensor.dtype), scope="backward", colocation=group,
        )  # fmt: skip
        return total

    def update(self, i: int) -> None:
        """The update of initializer ``i`` and of the optimizer's states of it, in place."""
        writer, optimizer = self.writer, OPTIMIZERS[self.optimizer]
        item = self.forward.initializers[i]
        kept = (i, *(writer.state(state, i) for state in optimizer.states))
        ordering = self.before_update.get(i, ())
        writer.operator(
            f"update/{item.name}", optimizer.op_type, "elementwise",
            tuple(dict.fromkeys((self.weight_gradient[i], *ordering))), (),
            flops=optimizer.flops_per_parameter * math.prod(item.shape), precision=writer.precision(item.dtype),
            scope="update", initializers=kept, updated=kept, colocation=self.groups[self.flow.weights[i][0]],
        )  # fmt: skip
