"""The one Celery task: claims a job by its id, runs it, and says how it ended."""

from __future__ import annotations

import logging
import threading
import uuid
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError, connection

from apps.jobs import leases
from apps.jobs.dispatch import TASK_NAME
from apps.jobs.leases import Lease
from heteroopt.errors import HeteroOptError
from workers.handle import JobHandle, LeaseLost, WorkerStopping
from workers.keeper import LeaseKeeper
from workers.registry import runner_for

if TYPE_CHECKING:
    from celery import Celery

log = logging.getLogger(__name__)

# Held while a job is worked on, from its claim to its end.
busy = threading.Lock()


def add_tasks(app: Celery, owner: str) -> None:
    """Register the task; ``owner`` is what leases call this process."""

    @app.task(name=TASK_NAME, ignore_result=True)
    def run_job(job_id: str) -> None:
        run(uuid.UUID(job_id), owner)


def run(job_id: uuid.UUID, owner: str) -> bool:
    """Do the job if it is still to be done; ``False`` if somebody else has it or it has ended."""
    with busy:
        return _run(job_id, owner)


def _run(job_id: uuid.UUID, owner: str) -> bool:
    lease = leases.claim(job_id, owner)
    if lease is None:
        return False
    with LeaseKeeper(lease) as keeper:
        try:
            _work(lease, keeper)
        except LeaseLost:
            log.warning("Job %s was taken from %s", job_id, owner)
        except WorkerStopping:
            leases.release(lease)
        except HeteroOptError as error:
            leases.fail(lease, error.to_dict())
        except (OperationalError, InterfaceError):
            # The database went away: the lease runs out and the reaper sees to the next attempt.
            log.exception("Job %s lost its database", job_id)
            connection.close()
        except Exception as error:
            log.exception("Job %s failed", job_id)
            leases.fail(lease, _internal(error).to_dict())
    return True


def _work(lease: Lease, keeper: LeaseKeeper) -> None:
    job = JobHandle(lease, keeper)
    runner_for(job.kind).run(job)
    job.end()


def _internal(error: Exception) -> HeteroOptError:
    if isinstance(error, MemoryError):
        return HeteroOptError("job_memory", "The worker ran out of memory.", hint="Try a smaller model or population.")
    return HeteroOptError(
        "job_internal_error",
        f"The worker failed: {type(error).__name__}.",
        hint="This is a defect in HeteroOpt. The workers' log has the details.",
        kind=type(error).__name__,
    )
