"""Loads the samples of a team that has just been made."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from apps.accounts.models import Team, User
from apps.accounts.signals import workspace_ready
from apps.web.samples import load_samples


@receiver(workspace_ready, dispatch_uid="web.load_samples")
def workspace_is_ready(sender: type[Team], team: Team, user: User, **_: Any) -> None:
    """Load what the team has never had."""
    load_samples(team, user)
