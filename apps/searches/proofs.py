"""Starts a proof of how far a plan can be from the fastest possible, and shows how far it has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction

from apps.accounts.models import User
from apps.jobs import services as jobs
from apps.jobs.models import FINAL_STATES, Job
from apps.searches.fronts import load_plan, stored_front
from apps.searches.models import Search
from apps.searches.proof_jobs import PROVE, proofs_of
from apps.searches.solver_plans import offered
from config.refusals import ConflictError
from heteroopt.errors import HeteroOptError
from heteroopt.units import ps_to_ms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from heteroopt.search.proof import ProofState

DEFAULT_SECONDS, MOST_SECONDS = 90, 600


def start_proof(search: Search, user: User | None, number: int | None, seconds: int) -> Job:
    """Start a proof of plan ``number`` (the fastest by default); one that is under way is returned instead.

    Raises 404 for a number beyond the front, 409 ``no_front_yet`` and ``proof_unavailable``, ``proof_too_large``.
    """
    from heteroopt.search.proof import check_provable

    try:
        check_provable(search.graph.summary["n_schedulable" if search.settings["fuse"] else "n_operators"])
    except HeteroOptError as error:
        if error.code != "proof_unavailable":
            raise
        params: dict[str, Any] = error.params
        raise ConflictError(error.code, error.message, hint=error.hint, **params) from error
    plan = load_plan(search, _fastest(search) if number is None else number, None)
    with transaction.atomic():
        Search.objects.select_for_update().get(pk=search.pk)
        running = proofs_of(search.pk).exclude(state__in=FINAL_STATES).first()
        return running or jobs.submit(
            PROVE,
            team=search.team,
            created_by=user,
            object_id=search.pk,
            payload={"plan": plan.summary["hash"], "seconds": seconds},
        )


def _fastest(search: Search) -> int:
    """Number of the fastest plan; where none fits, of the one that misses by least, which is the first."""
    plans: list[dict[str, Any]] = stored_front(search).body["plans"]
    fitting = [plan for plan in plans if plan["feasible"]]
    return min(fitting, key=lambda plan: plan["exec_time_ms"])["number"] if fitting else 1


def plan_to_prove(search: Search, plan_hash: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """``(order, device)`` of a plan of the newest front, or of its fastest one where it holds the plan no longer."""
    from heteroopt.front.front import Front

    front = Front.from_bytes(bytes(stored_front(search).data))
    row = front.hashes.index(plan_hash) if plan_hash in front.hashes else int(front.plans.time_ps.argmin())
    return front.plans.orders[row], front.plans.devices[row]


def proof_progress(state: ProofState) -> dict[str, Any]:
    """What a proof's job shows: the part of ``ProofSerializer`` that belongs to the solver."""
    return {
        "status": state.status,
        "exec_time_ms": ps_to_ms(state.time_ps),
        "lower_bound_ms": ps_to_ms(state.bound_ps),
        "gap": state.gap,
        "seconds": round(state.seconds, 1),
    }


def newest_proof(search: Search) -> dict[str, Any]:
    """What ``ProofSerializer`` describes."""
    job = proofs_of(search.pk).first()
    return {**proof_body(job), "plan": None if job is None else offered(search, job)}


def proof_body(job: Job | None) -> dict[str, Any]:
    """The same of one job, without the solver's plan."""
    empty = dict.fromkeys(("status", "exec_time_ms", "lower_bound_ms", "gap", "seconds", "plan"))
    if job is None:
        return {"job": None, "state": "none", "limit_s": None, "error": None, **empty}
    return {
        "job": str(job.pk),
        "state": job.state,
        "limit_s": job.payload["seconds"],
        "error": job.error,
        **empty,
        **job.progress,
    }
