"""The graph that OpenVINO executes: which operators became which layer, in which precision, by which kind of kernel."""

from __future__ import annotations

from typing import Any

import onnx

_NO_RESULT = ("Parameter", "Result", "Constant", "Assign")
_EDGES = ("Input", "Output", "Parameter", "Result")
REFERENCE = "Reference"
"""The layer type of an operator for which the device has no kernel of its own."""


def port_names(model: bytes, read: Any) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return the names of a model's inputs and outputs in the order of OpenVINO's ports.

    Its reader keeps their order but not always their names: where an operator only passes its input on, one port
    stands for both, with the names of either. Where it dropped an input, the ports' own names are all there is.
    """
    graph = onnx.load_from_string(model).graph
    constants = {tensor.name for tensor in graph.initializer}
    stated = ([v.name for v in graph.input if v.name not in constants], [v.name for v in graph.output])
    found: list[list[frozenset[str]]] = []
    for names, ports in zip(stated, (read.inputs, read.outputs), strict=True):
        own = [frozenset(port.get_names()) for port in ports]
        found.append([frozenset({name}) for name in names] if len(names) == len(own) else own)
    return found[0], found[1]


def passed_on(read: Any) -> dict[int, int]:
    """Return the outputs of a model that are its inputs, by their places: OpenVINO never writes a tensor given for
    such an output.
    """
    inputs = {port.get_node().get_friendly_name(): at for at, port in enumerate(read.inputs)}
    found = {}
    for at, port in enumerate(read.outputs):
        source = port.get_node().input_value(0).get_node()
        if source.get_type_name() == "Parameter":
            found[at] = inputs[source.get_friendly_name()]
    return found


def keep_every_result(model: Any) -> list[frozenset[str]]:
    """Make every operator's results outputs of the model, so that nothing can be fused across them; return the names
    of those that were added, in order.
    """
    added: list[Any] = []
    for operator in model.get_ordered_ops():
        if operator.get_type_name() in _NO_RESULT:
            continue
        for at in range(operator.get_output_size()):
            port = operator.output(at)
            if all(target.get_node().get_type_name() != "Result" for target in port.get_target_inputs()):
                added.append(port)
    if added:
        model.add_outputs(added)
    return [frozenset(port.get_names()) for port in added]


def tensors_by_operator(model: Any) -> dict[str, list[str]]:
    """Return the names of the tensors that each operator of a model that was read makes, by the operator's name."""
    return {
        operator.get_friendly_name(): [
            name for at in range(operator.get_output_size()) for name in sorted(operator.output(at).get_names())
        ]
        for operator in model.get_ordered_ops()
    }


def describe_layers(runtime_model: Any) -> list[dict[str, Any]]:
    """Return the layers in the order in which they run: ``name``, ``op_type`` (OpenVINO's), ``operators`` (those of
    the model that it stands for; empty for what was inserted), ``implementation``, ``precision`` and
    ``output_precisions``, whether it is a ``fallback``.
    """
    layers = []
    for node in runtime_model.get_ordered_ops():
        facts = {key: str(value.value) for key, value in node.get_rt_info().items()}
        op_type = facts.get("layerType", node.get_type_name())
        if op_type in _EDGES:
            continue
        implementation = facts.get("primitiveType", "")
        layers.append(
            {
                "order": int(facts.get("execOrder", "0")),
                "name": node.get_friendly_name(),
                "op_type": op_type,
                "operators": [name for name in facts.get("originalLayersNames", "").split(",") if name],
                "implementation": implementation,
                "precision": facts.get("runtimePrecision", ""),
                "output_precisions": [name for name in facts.get("outputPrecisions", "").split(",") if name],
                "fallback": op_type == REFERENCE,
            }
        )
    return sorted(layers, key=lambda layer: int(str(layer["order"])))
