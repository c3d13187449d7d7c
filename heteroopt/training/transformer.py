"""Transformer models by their measures: FLOPs, bytes, tensors, and the annotations that a plan gives to them.

FLOP = 2 x MAC. A layer is four attention projections and three of a gated feed-forward network, as in Llama.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heteroopt.training.annotations import (
    DUPLICATE,
    Annotation,
    DeviceGroup,
    DistributedState,
    MeshAxis,
    Placement,
    Shape,
    Split,
)


@dataclass(frozen=True, slots=True)
class Transformer:
    """A decoder's measures. ``key_value_heads``: fewer than ``heads`` for grouped queries."""

    name: str
    layers: int
    hidden: int
    feed_forward: int
    heads: int
    key_value_heads: int
    vocabulary: int

    @property
    def key_value_width(self) -> int:
        """Columns of the key and of the value projection."""
        return self.hidden * self.key_value_heads // self.heads

    def layer_parameters(self) -> int:
        """Weights of one layer, norms left out."""
        h = self.hidden
        return 2 * h * h + 2 * h * self.key_value_width + 3 * h * self.feed_forward

    def parameters(self) -> int:
        """Weights of the model: layers, embedding and head."""
        return self.layers * self.layer_parameters() + 2 * self.vocabulary * self.hidden

    def layer_flop(self, tokens: int, sequence: int) -> float:
        """FLOP of one layer forward and backward: 6 a weight and token, and causal attention, half of the square."""
        return 6.0 * tokens * self.layer_parameters() + 6.0 * tokens * sequence * self.hidden

    def head_flop(self, tokens: int) -> float:
        """FLOP of the output head forward and backward."""
        return 6.0 * tokens * self.hidden * self.vocabulary

    def layer_tensors(self) -> Iterator[tuple[str, Shape, int | None]]:
        """Yield name, shape (rows out, columns in) and the dimension that tensor parallelism splits, or ``None``."""
        h, f, kv = self.hidden, self.feed_forward, self.key_value_width
        yield "attention.q", (h, h), 0
        yield "attention.k", (kv, h), 0
        yield "attention.v", (kv, h), 0
        yield "attention.o", (h, h), 1
        yield "mlp.gate", (f, h), 0
        yield "mlp.up", (f, h), 0
        yield "mlp.down", (h, f), 1
        yield "attention.norm", (h,), None
        yield "mlp.norm", (h,), None


PRESETS = {
    one.name: one
    for one in (
        Transformer("llama-7b", 32, 4096, 11008, 32, 32, 32000),
        Transformer("llama-13b", 40, 5120, 13824, 40, 40, 32000),
        Transformer("llama-32b", 60, 6656, 17920, 64, 64, 50304),
        Transformer("llama-70b", 80, 8192, 28672, 64, 8, 32000),
    )
}
"""Llama 7B and 13B: Touvron et al. 2023, table 2; 70B: Touvron et al. 2023 (Llama 2), grouped queries; the 32B is the
stack of the published plans (60 layers, hidden 6656, feed-forward 17920, vocabulary 50,304)."""


@dataclass(frozen=True, slots=True)
class StageDevices:
    """What annotations need to know of a pipeline stage: its GPUs, in tensor-parallel order, and its layers."""

    gpus: tuple[int, ...]
    first_layer: int
    layers: int


def annotate(model: Transformer, pipelines: Sequence[Sequence[StageDevices]]) -> dict[str, tuple[Shape, Annotation]]:
    """Return shape and annotation of every weight: split inside a stage, duplicated over the pipelines."""
    found: dict[str, tuple[Shape, Annotation]] = {}
    for layer in range(model.layers):
        holders = [
            next(stage.gpus for stage in stages if stage.first_layer <= layer < stage.first_layer + stage.layers)
            for stages in pipelines
        ]
        for name, shape, dim in model.layer_tensors():
            found[f"layer{layer}.{name}"] = shape, _held(holders, dim)
    first = [stages[0].gpus for stages in pipelines]
    last = [stages[-1].gpus for stages in pipelines]
    words = model.vocabulary, model.hidden
    for name, holders in (("embedding", first), ("head", last)):
        # The vocabulary is cut where every degree divides it: the loss then needs no whole row of logits.
        found[name] = words, _held(holders, 0 if all(words[0] % len(gpus) == 0 for gpus in holders) else 1)
    found["norm"] = (model.hidden,), _held(last, None)
    for name, (shape, annotation) in found.items():
        annotation.check(name, shape)
    return found


def _held(holders: Sequence[tuple[int, ...]], dim: int | None) -> Annotation:
    what: Placement = DUPLICATE if dim is None else Split(dim)
    return Annotation(
        tuple(DeviceGroup(gpus, DistributedState((MeshAxis(what, len(gpus)),))) for gpus in holders), DUPLICATE
    )
