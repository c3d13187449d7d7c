"""Appends operators, tensors and initializers to a forward graph and closes it into a new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from heteroopt.graph.dtypes import BY_NAME, UNKNOWN_TYPE
from heteroopt.graph.graph import Graph, Initializer, Operator, Tensor
from heteroopt.graph.names import UniqueNames
from heteroopt.graph.op_classes import TRAINING_DOMAIN


class StepWriter:
    """The forward graph's operators, with ``groups`` (operator index -> colocation), and what is added to them."""

    def __init__(self, forward: Graph, groups: dict[int, str]) -> None:
        self.forward = forward
        self.operators = [replace(op, colocation=groups.get(op.index, "")) for op in forward.operators]
        self.tensors = list(forward.tensors)
        self.initializers = list(forward.initializers)
        self._names = _taken([op.name for op in forward.operators])
        self._tensor_names = _taken([tensor.name for tensor in forward.tensors])
        self._initializer_names = _taken([item.name for item in forward.initializers])

    def tensor(self, name: str, shape: tuple[int, ...] | None, dtype: str, size_bytes: int, source: str) -> int:
        """Index of a new tensor; the operator that gets it as an output becomes its producer."""
        index = len(self.tensors)
        self.tensors.append(Tensor(index, self._tensor_names.take(name), shape, dtype, size_bytes, source, -1, ()))
        return index

    def like(self, t: int) -> int:
        """A new tensor for the gradient of tensor ``t``."""
        tensor = self.tensors[t]
        return self.tensor(f"gradient/{tensor.name}", tensor.shape, tensor.dtype, tensor.size_bytes, tensor.size_source)

    def like_weight(self, i: int) -> int:
        """A new tensor for the gradient of initializer ``i``."""
        item = self.initializers[i]
        return self.tensor(f"gradient/{item.name}", item.shape, item.dtype, item.size_bytes, "given")

    def state(self, prefix: str, i: int) -> int:
        """Index of a new initializer that an optimizer keeps for initializer ``i``."""
        item, index = self.initializers[i], len(self.initializers)
        name = self._initializer_names.take(f"{prefix}/{item.name}")
        self.initializers.append(Initializer(index, name, item.shape, item.dtype, item.size_bytes))
        return index

    def operator(
        self,
        name: str,
        op_type: str,
        op_class: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        *,
        flops: int,
        precision: str,
        scope: str,
        initializers: Sequence[int] = (),
        updated: Sequence[int] = (),
        colocation: str = "",
        flops_source: str = "exact",
        is_view: bool = False,
        attributes: dict[str, Any] | None = None,
    ) -> None:
        """Append an operator. It reads its inputs and ``initializers`` once, and writes its outputs and those of its
        initializers that are ``updated``."""
        index = len(self.operators)
        sizes = [self.initializers[i].size_bytes for i in initializers]
        read = sum(self.tensors[t].size_bytes for t in inputs) + sum(sizes)
        written = sum(self.tensors[t].size_bytes for t in outputs)
        written += sum(self.initializers[i].size_bytes for i in updated)
        for t in outputs:
            self.tensors[t] = replace(self.tensors[t], producer=index)
        self.operators.append(
            Operator(
                index=index,
                name=self._names.take(name),
                op_type=op_type,
                domain=TRAINING_DOMAIN,
                op_class=op_class,
                inputs=tuple(inputs),
                outputs=tuple(outputs),
                initializers=tuple(initializers),
                flops=flops,
                flops_source=flops_source,
                bytes_read=0 if is_view else read,
                bytes_written=0 if is_view else written,
                precision=precision,
                is_view=is_view,
                scope=scope,
                attributes=dict(attributes or {}),
                members=(index,),
                colocation=colocation,
            )
        )

    def precision(self, dtype: str) -> str:
        """Precision in which values of this type are computed."""
        return BY_NAME.get(dtype, UNKNOWN_TYPE).precision

    def graph(self, outputs: tuple[int, ...], notes: tuple[dict[str, Any], ...]) -> Graph:
        """The whole graph."""
        readers: list[list[int]] = [[] for _ in self.tensors]
        for op in self.operators:
            for t in op.inputs:
                readers[t].append(op.index)
        return Graph(
            name=self.forward.name,
            operators=tuple(self.operators),
            tensors=tuple(replace(t, consumers=tuple(readers[t.index])) for t in self.tensors),
            initializers=tuple(self.initializers),
            inputs=self.forward.inputs,
            outputs=outputs,
            dims=self.forward.dims,
            opset=self.forward.opset,
            notes=(*self.forward.notes, *notes),
        )


def _taken(names: list[str]) -> UniqueNames:
    unique = UniqueNames()
    for name in names:
        unique.take(name)
    return unique
