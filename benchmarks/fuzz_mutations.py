"""Damages models on purpose: their bytes, their protobuf structure, or both; the same seed gives the same damage."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError, Message  # type: ignore[import-untyped]
from onnx import ModelProto, TensorProto, helper

from benchmarks.fuzz_seeds import seeds

_SEEDS = seeds()
_NUMBERS = (0, 1, -1, 2, 3, 7, 127, 128, 255, 2**16, 2**31 - 1, -(2**31), 2**32, 2**40, 2**62, 2**63 - 1, -(2**63))
_NAMES = (
    "",
    "x",
    "y",
    "w",
    "a",
    "Relu",
    "If",
    "Loop",
    "Constant",
    "Reshape",
    "Gather",
    "\0",
    "\u202e",
    "../x",
    "N" * 3000,
)
_TYPES = (
    "Add", "MatMul", "Conv", "Gemm", "Reshape", "Concat", "Split", "Slice", "Gather", "If", "Loop", "Scan", "LSTM",
    "Resize", "Einsum", "Expand", "Tile", "ConstantOfShape", "Range", "Pad", "TopK", "Unsqueeze", "Transpose",
    "OneHot", "Cast", "Shape", "NonZero", "Block", "Act", "DequantizeLinear", "SequenceAt", "Optional", "Attention",
)  # fmt: skip


def mutated(seed: int) -> bytes:
    """A damaged model; a third each by bytes, by structure, and by structure then bytes."""
    random = Random(seed)
    data = random.choice(_SEEDS)
    how = random.randrange(3)
    if how != 0:
        data = _damage_structure(data, random)
    if how != 1:
        data = _damage_bytes(data, random)
    return data


def _damage_bytes(data: bytes, random: Random) -> bytes:
    out = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 3, 8, 32))):
        if not out:
            break
        at, kind = random.randrange(len(out)), random.randrange(8)
        length = min(random.choice((1, 1, 2, 4, 16, 64, 400)), len(out) - at)
        if kind == 0:
            out[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            out[at] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
        elif kind == 2:
            del out[at : at + length]
        elif kind == 3:
            out[at:at] = random.randbytes(length)
        elif kind == 4:
            out[at:at] = out[at : at + length] * random.choice((1, 2, 50))
        elif kind == 5:
            other = random.choice(_SEEDS)
            start = random.randrange(len(other))
            out[at : at + length] = other[start : start + length]
        elif kind == 6:
            out[at:at] = b"\xff" * random.randrange(1, 11) + bytes([random.randrange(128)])
        else:
            del out[at:]
    return bytes(out)


def _damage_structure(data: bytes, random: Random) -> bytes:
    model = ModelProto.FromString(data)
    for _ in range(random.choice((1, 1, 2, 3, 6))):
        random.choice(_CHANGES)(model, random)
    try:
        return bytes(model.SerializeToString())
    except (DecodeError, ValueError):
        return data


def _messages(message: Message) -> list[Message]:
    """Every message inside, this one first."""
    found = [message]
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in value if field.is_repeated else (value,):
                found += _messages(inner)
    return found


def _change_a_field(model: ModelProto, random: Random) -> None:
    """Set, clear, repeat or drop a field of any message."""
    message = random.choice(_messages(model))
    present = [field for field, _ in message.ListFields()]
    field = random.choice(present or list(message.DESCRIPTOR.fields))
    if random.random() < 0.2:
        message.ClearField(field.name)
    elif field.is_repeated:
        _change_a_list(getattr(message, field.name), field, random)
    elif field.type != FieldDescriptor.TYPE_MESSAGE:
        _try(lambda: setattr(message, field.name, _value(field, random)))


def _change_a_list(items: Any, field: Any, random: Random) -> None:
    if not items:
        return
    at, kind = random.randrange(len(items)), random.randrange(4)
    if kind == 0:
        del items[at]
    elif kind == 1 and field.type == FieldDescriptor.TYPE_MESSAGE:
        items.add().CopyFrom(items[at])
    elif kind == 1:
        items.extend([items[at]] * random.choice((1, 3, 70)))
    elif kind == 2 and field.type == FieldDescriptor.TYPE_MESSAGE:
        items[at].CopyFrom(random.choice(list(items)))
    elif field.type != FieldDescriptor.TYPE_MESSAGE:
        _try(lambda: items.__setitem__(at, _value(field, random)))


def _value(field: Any, random: Random) -> Any:
    if field.type == FieldDescriptor.TYPE_STRING:
        return random.choice((*_NAMES, *_TYPES))
    if field.type == FieldDescriptor.TYPE_BYTES:
        return random.choice((b"", b"SAME_UPPER", b"VALID", b"\xff\xfe", b"ij,jk->", b"nearest", random.randbytes(16)))
    if field.type in (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE):
        return random.choice((0.0, -1.0, 1e30, float("nan"), float("inf"), 0.5))
    if field.type == FieldDescriptor.TYPE_ENUM:
        return random.choice([value.number for value in field.enum_type.values])
    return random.choice(_NUMBERS)


def _try(change: Callable[[], object]) -> None:
    """Numbers that a field cannot hold stay out."""
    try:
        change()
    except (ValueError, TypeError, OverflowError):
        return


def _swap_an_operator(model: ModelProto, random: Random) -> None:
    if nodes := _nodes(model):
        random.choice(nodes).op_type = random.choice(_TYPES)


def _rewire(model: ModelProto, random: Random) -> None:
    """Let an operator read or write another value, which may make a cycle, a clash or a gap."""
    if nodes := _nodes(model):
        names = [name for node in nodes for name in (*node.input, *node.output)] or [""]
        node = random.choice(nodes)
        ports = random.choice((node.input, node.output))
        if ports:
            ports[random.randrange(len(ports))] = random.choice(names)


def _change_dims(model: ModelProto, random: Random) -> None:
    tensors = [message for message in _messages(model) if isinstance(message, TensorProto)]
    shapes = [port.type.tensor_type.shape.dim for port in (*model.graph.input, *model.graph.output)]
    if tensors and random.random() < 0.5:
        dims = random.choice(tensors).dims
        if dims:
            dims[random.randrange(len(dims))] = random.choice(_NUMBERS)
        else:
            dims.append(random.choice(_NUMBERS))
    elif shapes and (dims := random.choice(shapes)):
        if random.random() < 0.3:
            dims[random.randrange(len(dims))].dim_param = random.choice(_NAMES)
        else:
            dims[random.randrange(len(dims))].dim_value = random.choice(_NUMBERS)


def _nest(model: ModelProto, random: Random) -> None:
    """Put the whole graph, or a body, into branches of an If, some levels deep."""
    for _ in range(random.choice((1, 3, 12, 40))):
        inner = ModelProto()
        inner.graph.CopyFrom(model.graph)
        del inner.graph.input[:]
        outputs = [port.name for port in inner.graph.output]
        node = helper.make_node("If", ["c"], outputs, then_branch=inner.graph, else_branch=inner.graph)
        del model.graph.node[:]
        model.graph.node.append(node)
        if model.ByteSize() > 1 << 20:
            return


def _recurse(model: ModelProto, random: Random) -> None:
    """Let a function call another, or itself."""
    if model.functions:
        caller, called = random.choice(model.functions), random.choice(model.functions)
        for _ in range(random.choice((1, 2, 30))):
            node = caller.node.add(op_type=called.name, domain=called.domain)
            node.input.extend(called.input)
            node.output.append(f"r{random.randrange(1000)}")


def _nodes(model: ModelProto) -> list[Any]:
    return [message for message in _messages(model) if message.DESCRIPTOR.name == "NodeProto"]


_CHANGES = (
    _change_a_field, _change_a_field, _change_a_field, _swap_an_operator, _rewire, _change_dims, _change_dims, _nest,
    _recurse,
)  # fmt: skip
