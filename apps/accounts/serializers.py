"""What every resource shows of errors and people."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


@extend_schema_field({"type": "object", "additionalProperties": {}})
class ParamsField(serializers.DictField):
    """Figures and names inside a message; which ones there are depends on the code."""


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


ERRORS = {400: ErrorSerializer, 403: ErrorSerializer, 404: ErrorSerializer}
