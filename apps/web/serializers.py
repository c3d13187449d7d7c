"""What the session resource gives."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.accounts.roles import Role
from apps.modelhub.schema import PersonSerializer


class SessionTeamSerializer(serializers.Serializer[Any]):
    """The team that the session works in."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)


class SessionSerializer(serializers.Serializer[Any]):
    """Who is signed in; ``user`` and ``team`` are null for nobody."""

    user = PersonSerializer(allow_null=True)
    team = SessionTeamSerializer(allow_null=True)
    teams = SessionTeamSerializer(many=True, help_text="all teams of the user")
    permissions = serializers.ListField(child=serializers.CharField())
    version = serializers.CharField()
    csrf_token = serializers.CharField(help_text="to send as X-CSRFToken with every change")
    max_upload_bytes = serializers.IntegerField()
