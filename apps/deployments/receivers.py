"""Deletes an export's archive when its row goes, and what there is of a kept plan when that goes."""

from __future__ import annotations

import functools
from typing import Any

from django.db import transaction
from django.db.models.signals import post_delete
from django.dispatch import receiver

from apps.deployments import archives, exports, trials
from apps.deployments.models import PlanExport, PlanTrial
from apps.searches.models import KeptPlan
from apps.searches.signals import kept_plan_leaves


@receiver(post_delete, sender=PlanExport, dispatch_uid="deployments.export_gone")
def export_gone(sender: type[PlanExport], instance: PlanExport, **_: Any) -> None:
    """After the commit, so that a rolled-back deletion keeps its file."""
    transaction.on_commit(functools.partial(archives.discard, instance.pk))


@receiver(kept_plan_leaves, dispatch_uid="deployments.plan_leaves")
def plan_leaves(sender: type[KeptPlan], plan: KeptPlan, **_: Any) -> None:
    """Exports and trial runs of a kept plan end and go with it: nothing leads to them any more."""
    for export in PlanExport.objects.filter(search=plan.search, plan_hash=plan.hash):
        exports.delete_export(export)
    for trial in PlanTrial.objects.filter(search=plan.search, plan_hash=plan.hash):
        trials.delete_trial(trial)
