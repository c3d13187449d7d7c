"""One row for each act that somebody may have to answer for."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models


class AuditEvent(models.Model):
    """An act, or with ``denied`` the refused attempt at one. Rows are only ever added."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField(auto_now_add=True)
    # The actor's team, so that each team reads its own trail only.
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, null=True, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    action = models.CharField(max_length=60)
    object_type = models.CharField(max_length=60)
    object_id = models.UUIDField(null=True)
    denied = models.BooleanField(default=False)
    details = models.JSONField(default=dict)

    class Meta:
        indexes = (models.Index(fields=["team", "-at"], name="audit_team_at"),)

    def __str__(self) -> str:
        return f"{self.action} {self.object_type} {self.object_id}{' denied' if self.denied else ''}"
