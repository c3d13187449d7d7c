"""Plans that the solvers of proofs found: kept by the proof's job, and added to the search's front when asked to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import transaction
from django.db.models import F

from apps.jobs.models import Job
from apps.searches.front_json import best_multiples, grown, upgraded
from apps.searches.fronts import next_number, numbers_of, stored_front, with_kept
from apps.searches.models import Search, SearchFront, SolverPlan
from apps.searches.planning import planning_of
from apps.searches.services import engine_settings
from config.refusals import ConflictError
from heteroopt.errors import PlanError
from heteroopt.units import ps_to_ms

if TYPE_CHECKING:
    from heteroopt.front.front import Front
    from heteroopt.simulation.schedule import Schedule


def solver_plan(search: Search, job: Job, schedule: Schedule) -> SolverPlan:
    """The unsaved row of a plan that the solver of a proof found."""
    from heteroopt.front.plan_hash import plan_hashes

    order, device = np.asarray(schedule.order, np.int32), np.asarray(schedule.device, np.int32)
    return SolverPlan(
        job=job,
        search=search,
        order=order.tolist(),
        device=device.tolist(),
        hash=plan_hashes(planning_of(search).problem, order[None], device[None])[0],
        exec_time_ms=ps_to_ms(schedule.makespan_ps),
    )


def offered(search: Search, job: Job) -> dict[str, Any] | None:
    """What ``SolverPlanSerializer`` describes: the plan of a proof and whether it can join the front; ``None`` where
    the proof or the search has not ended, or the solver found none.
    """
    found = SolverPlan.objects.filter(job=job).first()
    stored = SearchFront.objects.filter(search=search).first()
    if found is None or stored is None or not search.is_final:
        return None
    _, _, against = _measured(search, stored, found)
    code = None if against is None else against.params["detail"]
    return {
        "hash": found.hash,
        "exec_time_ms": found.exec_time_ms,
        "number": _number_in(stored, found.hash),
        "addable": against is None,
        "reason": None if against is None else {"code": code, "params": against.params},
    }


def add_to_front(search: Search, job: Job | None) -> tuple[int, SolverPlan]:
    """Add the plan of a proof to the front, behind its plans; return its number. All other numbers stay.

    Raises 409 ``solver_plan_missing`` for a proof without one, ``search_running`` while the search may still replace
    its front, ``plan_in_front`` for one added before, and ``plan_cannot_join`` with a reason where it adds nothing.
    """
    from heteroopt.front.joining import with_plan

    with transaction.atomic():
        row = Search.objects.select_for_update().select_related("job").get(pk=search.pk)
        found = None if job is None else SolverPlan.objects.filter(job=job, search=row).first()
        if found is None:
            raise ConflictError(
                "solver_plan_missing",
                "The proof has no plan of its own to add.",
                hint="Wait until a proof has ended, or prove again with more time.",
            )
        if not row.is_final:
            raise ConflictError(
                "search_running",
                "The search is still running: its next front would replace what is added.",
                hint="Wait until it ends, or stop it.",
            )
        stored = stored_front(row)
        number = _number_in(stored, found.hash)
        if number is not None:
            raise ConflictError(
                "plan_in_front", f"The front holds this plan already: it is plan {number}.", number=number
            )
        front, one, _ = _measured(search, stored, found)
        number = next_number(row, with_kept(row, upgraded(stored.body)["plans"]))
        try:
            front = with_plan(front, one, numbers_of(stored))
        except PlanError as error:
            raise ConflictError(error.code, error.message, hint=error.hint, **error.params) from error
        Search.objects.filter(pk=row.pk).update(
            n_plans=len(front),
            best=best_multiples(front),
            changes=F("changes") + 1,
            front_revision=F("front_revision") + 1,
            last_number=number,
        )
        row.refresh_from_db(fields=["front_revision"])
        stored.revision = row.front_revision
        stored.body = grown(upgraded(stored.body), front, found.hash, number)
        stored.data = front.to_bytes()
        stored.save()
    return number, found


def _number_in(stored: SearchFront, plan_hash: str) -> int | None:
    return next((plan["number"] for plan in stored.body["plans"] if plan["hash"] == plan_hash), None)


def _measured(search: Search, stored: SearchFront, found: SolverPlan) -> tuple[Front, Front, PlanError | None]:
    """The stored front, the plan alone, measured in the same way, and what speaks against it."""
    from heteroopt.front.front import Front
    from heteroopt.front.joining import front_of_one, objection

    front = Front.from_bytes(bytes(stored.data))
    order, device = np.array(found.order, np.int32), np.array(found.device, np.int32)
    one = front_of_one(planning_of(search).problem, order, device, front.reference, engine_settings(search))
    return front, one, objection(front, one, numbers_of(stored))
