"""Triton's model configuration as protobuf text: written here, and parsed again by protobuf with Triton's field names.

Field names, numbers and enumerations are those of ``model_config.proto`` (package ``inference``) of Triton's common
repository; only the part that an export uses is declared.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format  # type: ignore[import-untyped]

DATA_TYPES: dict[str, str] = {
    "bool": "TYPE_BOOL", "uint8": "TYPE_UINT8", "uint16": "TYPE_UINT16", "uint32": "TYPE_UINT32",
    "uint64": "TYPE_UINT64", "int8": "TYPE_INT8", "int16": "TYPE_INT16", "int32": "TYPE_INT32", "int64": "TYPE_INT64",
    "float16": "TYPE_FP16", "float32": "TYPE_FP32", "float64": "TYPE_FP64", "string": "TYPE_STRING",
    "bfloat16": "TYPE_BF16",
}  # fmt: skip
"""Triton's data type by the graph's name of it."""
_TYPE_NUMBERS = (
    "TYPE_INVALID", "TYPE_BOOL", "TYPE_UINT8", "TYPE_UINT16", "TYPE_UINT32", "TYPE_UINT64", "TYPE_INT8", "TYPE_INT16",
    "TYPE_INT32", "TYPE_INT64", "TYPE_FP16", "TYPE_FP32", "TYPE_FP64", "TYPE_STRING", "TYPE_BF16",
)  # fmt: skip
_KINDS = ("KIND_AUTO", "KIND_GPU", "KIND_CPU", "KIND_MODEL")
_FIELDS: dict[str, tuple[tuple[str, int, str, bool], ...]] = {
    "ModelTensorReshape": (("shape", 1, "int64", True),),
    "ModelInput": (
        ("name", 1, "string", False), ("data_type", 2, "DataType", False), ("dims", 4, "int64", True),
        ("reshape", 5, "ModelTensorReshape", False),
    ),
    "ModelOutput": (
        ("name", 1, "string", False), ("data_type", 2, "DataType", False), ("dims", 3, "int64", True),
        ("reshape", 5, "ModelTensorReshape", False),
    ),
    "ModelInstanceGroup": (("kind", 4, "Kind", False), ("count", 2, "int32", False), ("gpus", 3, "int32", True)),
    "MapEntry": (("key", 1, "string", False), ("value", 2, "string", False)),
    "Step": (
        ("model_name", 1, "string", False), ("model_version", 2, "int64", False), ("input_map", 3, "MapEntry", True),
        ("output_map", 4, "MapEntry", True),
    ),
    "ModelEnsembling": (("step", 1, "Step", True),),
    "ModelConfig": (
        ("name", 1, "string", False), ("platform", 2, "string", False), ("max_batch_size", 4, "int32", False),
        ("input", 5, "ModelInput", True), ("output", 6, "ModelOutput", True),
        ("instance_group", 7, "ModelInstanceGroup", True), ("default_model_filename", 8, "string", False),
        ("ensemble_scheduling", 15, "ModelEnsembling", False), ("backend", 17, "string", False),
    ),
}  # fmt: skip
_SCALARS = {"string": 9, "int64": 3, "int32": 5}


@cache
def _config_class() -> Any:
    """The message class ``ModelConfig`` of the declared part."""
    file = descriptor_pb2.FileDescriptorProto(
        name="heteroopt_triton.proto", package="heteroopt_triton", syntax="proto3"
    )
    for name, values in (("DataType", _TYPE_NUMBERS), ("Kind", _KINDS)):
        kind = file.enum_type.add(name=name)
        for number, value in enumerate(values):
            kind.value.add(name=value, number=number)
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for field, number, of, repeated in fields:
            entry = message.field.add(name=field, number=number, label=3 if repeated else 1)
            if of in _SCALARS:
                entry.type = _SCALARS[of]
            else:
                entry.type = 14 if of in ("DataType", "Kind") else 11
                entry.type_name = f".heteroopt_triton.{of}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("heteroopt_triton.ModelConfig"))


def config_text(config: dict[str, Any]) -> str:
    """Protobuf text of a configuration given by field names. Raises ``ValueError`` for what the fields cannot hold."""
    message = _config_class()()
    try:
        _fill(message, config)
    except (AttributeError, TypeError) as error:
        raise ValueError(str(error)) from error
    text: str = text_format.MessageToString(message, as_utf8=True)
    return text


def parsed_config(text: str) -> Any:
    """The message that a text holds. Raises ``ValueError`` for anything that Triton's fields do not allow."""
    try:
        return text_format.Parse(text, _config_class()())
    except text_format.ParseError as error:
        raise ValueError(str(error)) from error


def _fill(message: Any, values: dict[str, Any]) -> None:
    for key, value in values.items():
        if isinstance(value, dict):
            getattr(message, key).SetInParent()
            _fill(getattr(message, key), value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for entry in value:
                _fill(getattr(message, key).add(), entry)
        elif isinstance(value, list):
            getattr(message, key).extend(value)
        elif isinstance(value, str) and message.DESCRIPTOR.fields_by_name[key].enum_type is not None:
            setattr(message, key, message.DESCRIPTOR.fields_by_name[key].enum_type.values_by_name[value].number)
        else:
            setattr(message, key, value)
