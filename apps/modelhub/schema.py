"""Fields and remarks that every resource above the accounts shares; errors and people come from the accounts."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.accounts.serializers import ErrorSerializer, ParamsField, PersonSerializer, ProblemSerializer

__all__ = [
    "CountsField",
    "ErrorSerializer",
    "NamesField",
    "NumbersField",
    "ParamsField",
    "PersonSerializer",
    "ProblemSerializer",
    "RemarkSerializer",
]


@extend_schema_field({"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}})
class CountsField(serializers.DictField):
    """Names to whole numbers."""

    child = serializers.IntegerField(min_value=0)


@extend_schema_field({"type": "object", "additionalProperties": {"type": "number"}})
class NumbersField(serializers.DictField):
    """Names to numbers."""

    child = serializers.FloatField()


@extend_schema_field({"type": "object", "additionalProperties": {"type": "string"}})
class NamesField(serializers.DictField):
    """Names to names."""

    child = serializers.CharField(max_length=1000, trim_whitespace=False)


class RemarkSerializer(serializers.Serializer[Any]):
    """A statement that the page words by its code, with the figures in ``params``."""

    code = serializers.CharField()
    params = ParamsField()
