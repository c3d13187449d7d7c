"""Deletes an export's archive when its row goes, whatever deleted it."""

from __future__ import annotations

import functools
from typing import Any

from django.db import transaction
from django.db.models.signals import post_delete
from django.dispatch import receiver

from apps.deployments import archives
from apps.deployments.models import PlanExport


@receiver(post_delete, sender=PlanExport, dispatch_uid="deployments.export_gone")
def export_gone(sender: type[PlanExport], instance: PlanExport, **_: Any) -> None:
    """After the commit, so that a rolled-back deletion keeps its file."""
    transaction.on_commit(functools.partial(archives.discard, instance.pk))
