"""Starts and deletes training plans, and makes their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction

from apps.accounts.models import Team, User
from apps.jobs import services as jobs
from apps.training.models import TrainingPlanRow
from config.refusals import ConflictError
from heteroopt.training.plan import TrainingPlan
from heteroopt.training.plan_file import plan_alone, plan_from
from heteroopt.training.planner import plan
from heteroopt.training.profile import published_profile
from heteroopt.training.report import busiest_links, plan_report
from heteroopt.training.request import PlanRequest, request_from
from heteroopt.training.what_if import after_loss

TRAINING_PLAN = "training_plan"
UNNAMED = "Cluster"


@transaction.atomic
def start_plan(team: Team, user: User | None, asked: PlanRequest, name: str = "") -> TrainingPlanRow:
    """Plan in a job."""
    name = name or asked.cluster.name or UNNAMED
    row = TrainingPlanRow.objects.create(team=team, created_by=user, name=name[:200], request=asked.to_json())
    return _started(row)


@transaction.atomic
def start_after_loss(
    row: TrainingPlanRow, user: User | None, gpus: Sequence[int], nodes: Sequence[str]
) -> TrainingPlanRow:
    """Plan again in a job without these GPUs and nodes, besides those that are lost already.

    Raises 409 ``training_plan_not_ready``; ``gpu_unknown`` and ``node_unknown``.
    """
    if row.plan is None:
        raise ConflictError(
            "training_plan_not_ready", "This plan has not been made yet.", hint="Wait until it is done, or plan again."
        )
    cluster = request_from(row.request).cluster.without(*row.lost, *gpus)
    for node in nodes:
        cluster = cluster.without_node(node)
    after = TrainingPlanRow.objects.create(
        team=row.team, created_by=user, name=row.name, request=row.request, before=row, lost=sorted(cluster.lost)
    )
    return _started(after)


def _started(row: TrainingPlanRow) -> TrainingPlanRow:
    row.job = jobs.submit(TRAINING_PLAN, team=row.team, created_by=row.created_by, object_id=row.pk)
    row.save(update_fields=["job"])
    return row


@transaction.atomic
def delete_plan(row: TrainingPlanRow) -> None:
    """Delete a plan and what was planned after losses of it; their jobs are stopped."""
    for after in row.after.all():
        delete_plan(after)
    if row.job_id is not None:
        jobs.cancel(row.job_id)
    row.delete()


def asked_of(row: TrainingPlanRow) -> PlanRequest:
    """What was asked, without the GPUs that are lost."""
    asked = request_from(row.request)
    return replace(asked, cluster=asked.cluster.without(*row.lost))


def plan_of(row: TrainingPlanRow) -> tuple[PlanRequest, TrainingPlan]:
    """A plan that has been made."""
    asked = asked_of(row)
    assert row.plan is not None
    return asked, plan_from(row.plan, asked, published_profile())


def exported(row: TrainingPlanRow) -> dict[str, Any]:
    """The plan file: the plan with the annotation of every weight, and what was asked."""
    asked, found = plan_of(row)
    return plan_alone(asked, found)


def make_plan(row: TrainingPlanRow, progress: Callable[[float], None]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return plan and result of a row. Raises ``training_infeasible`` and ``shards_lost``."""
    profile = published_profile()
    asked = asked_of(row)
    work = asked.work
    if row.before is None:
        planned = plan(asked.cluster, work, profile, asked.choice, progress)
        chosen, moved = planned.plan, None
        alike = planned.homogeneous
    else:
        before_asked, before = plan_of(row.before)
        lost = sorted(set(row.lost) - before_asked.cluster.lost)
        found = after_loss(before, before_asked.cluster, lost, work, profile, asked.choice, progress=progress)
        chosen, alike = found.plan, found.planned.homogeneous
        seconds = dict(enumerate(found.sends.link_seconds))
        moved = {
            "lost": lost,
            "before_step_s": before.step_s,
            "moved_bytes": found.sends.moved_bytes,
            "send_s": found.sends.seconds,
            "bound_s": found.bound_s,
            "point_to_point_s": found.point_to_point.seconds,
            "links": busiest_links(seconds, found.cluster),
        }
    report = plan_report(chosen, asked.cluster, work, profile)
    homogeneous = None
    if alike is not None:
        first = alike.pipelines[0]
        homogeneous = {
            "step_s": alike.step_s,
            "pipelines": len(alike.pipelines),
            "stages": len(first.stages),
            "degree": first.stages[0].degree,
        }
    return chosen.to_json(), {**report, "best_homogeneous": homogeneous, "moved": moved}
