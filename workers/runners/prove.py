"""Proves a bound for a search, written to the job's progress as it rises."""

from __future__ import annotations

from apps.jobs.models import Job
from apps.searches import proofs
from apps.searches.planning import planning_of
from apps.searches.proof_jobs import PROVE
from apps.searches.queries import all_searches
from apps.searches.solver_plans import solver_plan
from heteroopt.search.proof import Proof, ProofState
from workers.handle import JobHandle
from workers.registry import register


@register(PROVE)
class ProveRunner:
    """Job ``prove``; ``object_id`` is the search, ``payload``: hash of the plan and seconds. A retry begins anew."""

    def run(self, job: JobHandle) -> None:
        """Prove until the gap is closed, the time is over or the job is stopped; bound and the solver's plan stay."""
        search = None if job.object_id is None else all_searches().filter(pk=job.object_id).first()
        if search is None:
            return
        order, device = proofs.plan_to_prove(search, job.payload["plan"])
        proof = Proof(planning_of(search).problem, order, device)

        def tell(state: ProofState) -> bool:
            job.progress(proofs.proof_progress(state))
            return not job.cancelled

        state = proof.run(float(job.payload["seconds"]), on_progress=tell)
        found = proof.solver_plan()
        if found is not None:
            kept = solver_plan(search, Job.objects.get(pk=job.id), found)
            with job.transaction():
                kept.save()
        job.progress(proofs.proof_progress(state), now=True)
