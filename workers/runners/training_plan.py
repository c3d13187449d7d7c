"""Plans parallel training, or plans it again after a loss."""

from __future__ import annotations

from apps.training.models import TrainingPlanRow
from apps.training.queries import all_plans
from apps.training.services import TRAINING_PLAN, make_plan
from workers.handle import JobHandle
from workers.registry import register


class PlanningStopped(Exception):
    """The job was asked to stop."""


@register(TRAINING_PLAN)
class TrainingPlanRunner:
    """Job ``training_plan``; ``object_id`` is the row. A retry begins anew."""

    def run(self, job: JobHandle) -> None:
        """Refusals are raised: the job fails with them. A plan that is stopped has no result."""
        row = None if job.object_id is None else all_plans().filter(pk=job.object_id).first()
        if row is None:
            return

        def tell(share: float) -> None:
            job.progress({"share": round(share, 3)})
            if job.cancelled:
                raise PlanningStopped

        try:
            plan, result = make_plan(row, tell)
        except PlanningStopped:
            return
        with job.transaction():
            TrainingPlanRow.objects.filter(pk=row.pk).update(plan=plan, result=result)
