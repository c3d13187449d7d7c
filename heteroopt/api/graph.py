"""Graph as the Python interface offers it: the engine's graph with every way to read a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from heteroopt.graph.given import Given
from heteroopt.graph.graph import Graph as EngineGraph


class Graph(EngineGraph):
    """A model as operators and tensors: ``graph.nodes``, ``graph.edges``, ``node.op_type``."""

    @classmethod
    def of(cls, graph: EngineGraph) -> Self:
        """The same graph as this class; nothing is copied."""
        if isinstance(graph, cls):
            return graph
        wrapped = object.__new__(cls)
        wrapped.__dict__.update(graph.__dict__)
        return wrapped

    @classmethod
    def from_onnx(
        cls,
        source: str | Path | bytes,
        *,
        dims: Mapping[str, int] | None = None,
        name: str | None = None,
        given: Given | Mapping[str, Any] | None = None,
    ) -> Self:
        """Read an ONNX model from a path or bytes.

        dims: sizes of dynamic dimensions; those left out get a default that ``notes`` tells. given: what the file
        leaves open, as ``{"shapes": {tensor: sizes}, "trips": {loop: number}, "then_shares": {if: 0 to 1},
        "costs": {"domain::Type" or operator: {"flops", "flops_per_element", "bytes_read", "bytes_written"}}}``.
        """
        return cls.of(EngineGraph.from_onnx(source, dims=dims, name=name, given=given))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of ``to_dict``."""
        return cls.of(EngineGraph.from_dict(data))

    def training_step(
        self,
        optimizer: str = "sgd",
        *,
        loss_outputs: Sequence[str] | None = None,
        frozen: Collection[str] = (),
    ) -> Self:
        """The graph of one training step: this model, its gradients, and an update of every weight.

        optimizer: ``sgd``, ``momentum`` or ``adam``. loss_outputs: the outputs that the loss is taken of, by default
        all. frozen: names of initializers that training leaves alone. Raises ``ModelError`` and ``SettingsError``.
        """
        from heteroopt.graph.passes import expand_backward

        step = expand_backward(self, loss_outputs=loss_outputs, optimizer=optimizer, frozen=frozen)
        return self.of(step)

    @classmethod
    def from_torchscript(
        cls,
        module: Any,
        example_inputs: Sequence[Any] | None = None,
        *,
        example_kwargs: Mapping[str, Any] | None = None,
        dims: Mapping[str, int] | None = None,
        name: str | None = None,
        given: Given | Mapping[str, Any] | None = None,
    ) -> Self:
        """Read a TorchScript module (``torch.jit.trace`` or ``script``), or the path of one that was saved.

        example_inputs: tensors, or sizes such as ``(1, 3, 224, 224)``; a fresh trace remembers its own. The module
        runs here, and needs the extra ``torch``. Other arguments as of :meth:`from_onnx`. Raises ``ModelError``.
        """
        from heteroopt.graph.pytorch.reader import read_torchscript

        return cls._named(read_torchscript(module, example_inputs, example_kwargs, dims, _stated(given)), name)

    @classmethod
    def from_torch_export(
        cls,
        program: Any,
        example_inputs: Sequence[Any] | None = None,
        *,
        example_kwargs: Mapping[str, Any] | None = None,
        dims: Mapping[str, int] | None = None,
        name: str | None = None,
        given: Given | Mapping[str, Any] | None = None,
    ) -> Self:
        """Read what ``torch.export.export`` returned, the path of what ``torch.export.save`` wrote, or a module.

        A module is exported here, on ``example_inputs`` and ``example_kwargs`` (tensors or sizes). Weights are never
        copied and may be on the meta device. Needs the extra ``torch``. Raises ``ModelError``.
        """
        from heteroopt.graph.pytorch.reader import read_torch_export

        return cls._named(read_torch_export(program, example_inputs, example_kwargs, dims, _stated(given)), name)

    @classmethod
    def _named(cls, graph: EngineGraph, name: str | None) -> Self:
        return cls.of(graph if name is None else replace(graph, name=name))


def _stated(given: Given | Mapping[str, Any] | None) -> Given:
    return given if isinstance(given, Given) else Given.from_dict(given or {})
