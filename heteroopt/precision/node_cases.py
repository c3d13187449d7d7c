"""ONNX's own node tests as programs over plain tensors, which is what every device handle can run."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, defs, helper, numpy_helper

MAX_CASE_BYTES = 1 << 22
"""Cases with more tensor bytes are skipped; the largest of ONNX 1.23 has a quarter of it."""

SUB_BYTE_TYPES = frozenset(
    getattr(TensorProto, name)
    for name in ("UINT4", "INT4", "UINT2", "INT2", "FLOAT4E2M1")
    if hasattr(TensorProto, name)
)
_EXPANDED = "_expanded"
_STRING_EQUAL_OPSET = 19
"""Since this opset ``Equal`` compares strings."""


@dataclass(frozen=True, slots=True)
class NodeCase:
    """One node test.

    ``op_type``, ``domain``: the operator that it tests. ``expanded``: the model holds the body that the standard gives
    for the operator, not the operator. ``inputs`` and ``expected``: arrays by name of the model's input and output.
    ``types``: element types of inputs and outputs ("FLOAT"). ``skip``: why it cannot be run over plain tensors, or "".
    ``exact``: whether results are defined (of random operators, type and shape are all that one can check).
    """

    name: str
    op_type: str
    domain: str
    opset: int
    expanded: bool
    model: bytes
    inputs: dict[str, NDArray[Any]]
    expected: dict[str, NDArray[Any]]
    types: tuple[str, ...]
    relative_tolerance: float
    absolute_tolerance: float
    exact: bool
    skip: str = ""
    helpers: frozenset[str] = frozenset()
    """Other operator types of ai.onnx that must work for the case to pass."""


@dataclass(frozen=True, slots=True)
class OperatorType:
    """An operator of the standard: its newest version, and whether the standard gives it a body of other operators."""

    op_type: str
    domain: str
    since_version: int
    has_body: bool


def operator_types(domain: str = "") -> list[OperatorType]:
    """Return the operators of a domain that are not deprecated, by name."""
    newest: dict[str, Any] = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == domain:
            known = newest.get(schema.name)
            if known is None or schema.since_version > known.since_version:
                newest[schema.name] = schema
    return [
        OperatorType(name, domain, schema.since_version, schema.has_function or schema.has_context_dependent_function)
        for name, schema in sorted(newest.items())
        if not schema.deprecated
    ]


def node_cases(only: Iterable[str] | None = None) -> list[NodeCase]:
    """Return the node tests of the installed ``onnx`` package, those of the operator types ``only`` if given.

    The first call of a process makes the cases, which takes some 10 s; later ones do not.
    """
    wanted = None if only is None else set(only)
    cases = []
    for test, op_type, domain in _collected():
        if wanted is None or op_type in wanted:
            cases.append(_plain(test, op_type, domain))
    return cases


@cache
def _collected() -> list[tuple[Any, str, str]]:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        tests = list(collect_testcases())
    nodes = {test.name: test.model.graph.node[0] for test in tests if test.model and _EXPANDED not in test.name}
    found = []
    for test in tests:
        node = nodes.get(test.name.split(_EXPANDED)[0])
        if node is not None:
            found.append((test, node.op_type, "" if node.domain == "ai.onnx" else node.domain))
    return found


def _plain(test: Any, op_type: str, domain: str) -> NodeCase:
    """Rewrite a test so that sequences, optional values and strings come and go as tensors."""
    model = onnx.ModelProto()
    model.CopyFrom(test.model)
    writer = _Writer(model)
    skip = ""
    given, expected = test.data_sets[0]
    try:
        for value, data in zip(list(model.graph.input), given, strict=True):
            writer.take_input(value, data)
        for value, data in zip(list(model.graph.output), expected, strict=True):
            writer.take_output(value, data)
        writer.finish()
    except _CannotCarry as error:
        skip = str(error)
    if (
        not skip
        and sum(array.nbytes for array in [*writer.inputs.values(), *writer.expected.values()]) > MAX_CASE_BYTES
    ):
        skip = f"more than {MAX_CASE_BYTES} bytes"
    return NodeCase(
        name=test.name,
        op_type=op_type,
        domain=domain,
        opset=next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), 0),
        expanded=_EXPANDED in test.name,
        model=bytes(model.SerializeToString()),
        inputs=writer.inputs,
        expected=writer.expected,
        types=tuple(sorted(writer.types)),
        relative_tolerance=test.rtol,
        absolute_tolerance=test.atol,
        exact=not _random(model, op_type),
        skip=skip,
        helpers=frozenset(node.op_type for node in model.graph.node if node.domain in ("", "ai.onnx")) - {op_type},
    )


def _random(model: onnx.ModelProto, op_type: str) -> bool:
    """Whether any operator of the model draws random numbers."""
    kinds = {node.op_type for node in model.graph.node} | {op_type}
    drawing = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
    # a Dropout with a third input may be in training mode
    return bool(kinds & drawing) or any(node.op_type == "Dropout" and len(node.input) > 2 for node in model.graph.node)


class _CannotCarry(Exception):
    """Why a case cannot be expressed over tensors."""


class _Writer:
    """Rewrites the inputs and outputs of one model."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._model = model
        self._before: list[onnx.NodeProto] = []
        self._after: list[onnx.NodeProto] = []
        self.inputs: dict[str, NDArray[Any]] = {}
        self.expected: dict[str, NDArray[Any]] = {}
        self.types: set[str] = set()

    def take_input(self, value: onnx.ValueInfoProto, data: Any) -> None:
        """Make the value come from plain tensors."""
        kind = value.type.WhichOneof("value")
        if kind == "tensor_type":
            array = self._array(data, value.type.tensor_type.elem_type)
            if value.type.tensor_type.elem_type == TensorProto.STRING:
                self._model.graph.input.remove(value)
                self._model.graph.initializer.append(numpy_helper.from_array(array, value.name))
            else:
                self.inputs[value.name] = array
            return
        self._model.graph.input.remove(value)
        if kind == "sequence_type":
            self._sequence(value.name, value.type.sequence_type, data)
            return
        inner = value.type.optional_type.elem_type
        if data is None:
            self._before.append(helper.make_node("Optional", [], [value.name], type=inner))
            return
        name = f"{value.name}_value"
        if inner.WhichOneof("value") == "sequence_type":
            self._sequence(name, inner.sequence_type, data)
        else:
            self._tensor(name, inner.tensor_type.elem_type, data)
        self._before.append(helper.make_node("Optional", [name], [value.name]))

    def take_output(self, value: onnx.ValueInfoProto, data: Any) -> None:
        """Make the value's parts come out as plain tensors."""
        kind = value.type.WhichOneof("value")
        if kind == "tensor_type":
            if value.type.tensor_type.elem_type == TensorProto.STRING:
                self._equal(value, np.asarray(data))
            else:
                self.expected[value.name] = self._array(data, value.type.tensor_type.elem_type)
            return
        if kind != "sequence_type" or data is None:
            raise _CannotCarry("optional results cannot be carried over")
        self._model.graph.output.remove(value)
        elem_type = value.type.sequence_type.elem_type.tensor_type.elem_type
        if elem_type == TensorProto.STRING:
            raise _CannotCarry("sequences of strings cannot be carried over")
        length = f"{value.name}_length"
        self._after.append(helper.make_node("SequenceLength", [value.name], [length]))
        self._output(length, TensorProto.INT64, np.array(len(data), np.int64))
        for index, item in enumerate(data):
            place, part = f"{value.name}_{index}_place", f"{value.name}_{index}"
            self._model.graph.initializer.append(numpy_helper.from_array(np.array(index, np.int64), place))
            self._after.append(helper.make_node("SequenceAt", [value.name, place], [part]))
            self._output(part, elem_type, self._array(item, elem_type))

    def finish(self) -> None:
        """Put the added operators around the model's own."""
        nodes = [*self._before, *self._model.graph.node, *self._after]
        del self._model.graph.node[:]
        self._model.graph.node.extend(nodes)

    def _sequence(self, name: str, kind: Any, data: Sequence[Any]) -> None:
        elem_type = kind.elem_type.tensor_type.elem_type
        parts = [f"{name}_{index}" for index in range(len(data))]
        for part, item in zip(parts, data, strict=True):
            self._tensor(part, elem_type, item)
        if parts:
            self._before.append(helper.make_node("SequenceConstruct", parts, [name]))
        else:
            self._before.append(helper.make_node("SequenceEmpty", [], [name], dtype=elem_type))

    def _tensor(self, name: str, elem_type: int, data: Any) -> None:
        array = self._array(data, elem_type)
        if elem_type == TensorProto.STRING:
            self._model.graph.initializer.append(numpy_helper.from_array(array, name))
            return
        self._model.graph.input.append(helper.make_tensor_value_info(name, elem_type, array.shape))
        self.inputs[name] = array

    def _output(self, name: str, elem_type: int, array: NDArray[Any]) -> None:
        self._model.graph.output.append(helper.make_tensor_value_info(name, elem_type, array.shape))
        self.expected[name] = array

    def _equal(self, value: onnx.ValueInfoProto, array: NDArray[Any]) -> None:
        """Let the runtime compare strings, which no buffer can hold: the result is whether all are as expected."""
        if not _raise_opset(self._model, _STRING_EQUAL_OPSET):
            raise _CannotCarry("strings cannot be carried over")
        self._model.graph.output.remove(value)
        self.types.add("STRING")
        right, same = f"{value.name}_expected", f"{value.name}_same"
        self._model.graph.initializer.append(numpy_helper.from_array(array.astype(object), right))
        self._after.append(helper.make_node("Equal", [value.name, right], [same]))
        self._output(same, TensorProto.BOOL, np.ones(array.shape, np.bool_))

    def _array(self, data: Any, elem_type: int) -> NDArray[Any]:
        self.types.add(TensorProto.DataType.Name(elem_type))
        if elem_type in SUB_BYTE_TYPES:
            raise _CannotCarry("types of less than a byte cannot be carried over")
        if isinstance(data, TensorProto):
            data = numpy_helper.to_array(data)
        array: NDArray[Any] = np.asarray(data)
        if elem_type == TensorProto.STRING:
            return array.astype(object)
        return np.ascontiguousarray(array, helper.tensor_dtype_to_np_dtype(elem_type)).reshape(array.shape)


def with_constants(case: NodeCase) -> NodeCase | None:
    """Return the case with constants for all inputs but the first, as models mostly have them; ``None`` if it has one.

    The tests of the standard feed axes, shapes, scales and weights while they run, which some runtimes do not take.
    """
    if len(case.inputs) < 2:
        return None
    model = onnx.load_from_string(case.model)
    first, *others = case.inputs
    kept = [value for value in model.graph.input if value.name not in others]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    model.graph.initializer.extend(numpy_helper.from_array(case.inputs[name], name) for name in others)
    return replace(case, model=bytes(model.SerializeToString()), inputs={first: case.inputs[first]})


def in_older_opset(case: NodeCase, most: int = 4) -> list[NodeCase]:
    """Return the case in earlier versions of its operator, newest first: what a runtime has that lags the standard.

    Versions that lack one of its attributes or types are left out; at most ``most`` are tried.
    """
    found: list[NodeCase] = []
    opset = case.opset
    for _ in range(most):
        try:
            opset = defs.get_schema(case.op_type, opset, case.domain).since_version - 1
            if opset < 1 or case.domain != "":
                break
            model = onnx.load_from_string(case.model)
            for entry in model.opset_import:
                if entry.domain in ("", "ai.onnx"):
                    entry.version = opset
            onnx.checker.check_model(model)
        except defs.SchemaError:
            break  # the operator is no older
        except onnx.checker.ValidationError:
            continue
        found.append(replace(case, opset=opset, model=bytes(model.SerializeToString())))
    return found


def _raise_opset(model: onnx.ModelProto, opset: int) -> bool:
    """Use a newer opset if no operator of the model changed in between; whether the model has it now."""
    for entry in model.opset_import:
        if entry.domain not in ("", "ai.onnx"):
            continue
        if entry.version >= opset:
            return True
        for node in model.graph.node:
            if node.domain in ("", "ai.onnx"):
                versions = [defs.get_schema(node.op_type, at).since_version for at in (entry.version, opset)]
                if versions[0] != versions[1]:
                    return False
        entry.version = opset
        model.ir_version = max(model.ir_version, 9)
        return True
    model.opset_import.append(helper.make_opsetid("", opset))
    return True
