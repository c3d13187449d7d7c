"""Type and shape of the values at the borders of a cut model's segments."""

from __future__ import annotations

from functools import cached_property

import onnx
from onnx import ValueInfoProto, helper

from heteroopt.deployment.exporting import Refusal
from heteroopt.deployment.model_nodes import nodes_of
from heteroopt.deployment.model_source import Source
from heteroopt.graph.dtypes import BY_NAME
from heteroopt.graph.graph import Graph
from heteroopt.graph.names import display_name


class BorderTypes:
    """What a value is: as the file declares it, as it was planned, else as ONNX infers it from the file."""

    def __init__(self, source: Source, graph: Graph) -> None:
        model = source.model
        self._source = source
        self._declared = {i.name: i for i in (*model.graph.input, *model.graph.value_info, *model.graph.output)}
        self._planned = {tensor.name: tensor for tensor in graph.tensors}

    def of(self, name: str) -> ValueInfoProto:
        """The declaration for an input or output of a segment; sizes that were not planned for stay open.

        Raises :class:`Refusal` ``export_size_unknown`` where not even the type is known.
        """
        known = self._other_kinds.get(name) or self._declared.get(name)
        if known is not None and not known.type.HasField("tensor_type"):
            if known.type.WhichOneof("value") is not None:
                return known
            known = None
        tensor = self._planned.get(display_name(name))
        kind = BY_NAME.get(tensor.dtype) if tensor is not None else None
        if tensor is None or kind is None:
            known = known or self._inferred.get(name)
            if known is None:
                raise _unknown(name)
            return known
        if tensor.shape is not None:
            sizes = [None] * len(tensor.shape) if tensor.size_source == "estimated" else list(tensor.shape)
            return helper.make_tensor_value_info(name, kind.number, sizes)
        known = known or self._inferred.get(name)
        return known if known is not None else helper.make_tensor_value_info(name, kind.number, None)

    @cached_property
    def _other_kinds(self) -> dict[str, ValueInfoProto]:
        """Sequences and optional values, of which a plan knows only what is inside them."""
        marks = ("Sequence", "Optional", "SplitToSequence")
        if not any(node.op_type.startswith(marks) for node in nodes_of(self._source.model.graph)):
            return {}
        return {name: item for name, item in self._inferred.items() if not item.type.HasField("tensor_type")}

    @cached_property
    def _inferred(self) -> dict[str, ValueInfoProto]:
        try:
            graph = onnx.shape_inference.infer_shapes(self._source.model).graph
        except Exception:  # of several unrelated kinds, for models that it cannot follow or that are too large
            return {}
        found = (*graph.value_info, *graph.output)
        return {item.name: item for item in found if item.type.WhichOneof("value") is not None}


def _unknown(name: str) -> Refusal:
    return Refusal(
        "export_size_unknown",
        f"Type and shape of {display_name(name)!r}, which crosses the border of a segment, are not known.",
        hint="State it where the model is read (--shape), or pin what makes and reads it to one device.",
        tensor=display_name(name),
    )
