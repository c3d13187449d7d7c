"""Serializers that every resource shares: errors, remarks, people, pages of a list."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


@extend_schema_field({"type": "object", "additionalProperties": {}})
class ParamsField(serializers.DictField):
    """Figures and names inside a message; which ones there are depends on the code."""


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


class ProblemSerializer(serializers.Serializer[Any]):
    """What is wrong, why, and what to do next; the page words it by ``code``."""

    code = serializers.CharField()
    message = serializers.CharField()
    hint = serializers.CharField(allow_blank=True)
    params = ParamsField()


class ErrorSerializer(serializers.Serializer[Any]):
    """Body of every answer that is not a success."""

    error = ProblemSerializer()


class PersonSerializer(serializers.Serializer[Any]):
    """Someone of the team."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    initials = serializers.CharField()
