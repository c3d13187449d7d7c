"""The doorbell: sends a job's id to the broker. The only place in apps that knows Celery."""

from __future__ import annotations

import functools
import logging
import os
import uuid
from typing import TYPE_CHECKING, Any

from django.conf import settings

from config import broker

if TYPE_CHECKING:
    from celery import Celery

log = logging.getLogger(__name__)

TASK_NAME = "workers.run_job"


@functools.cache
def celery_app() -> Celery:
    """Return the Celery application, which the workers use too; made on first use, as the import takes a while."""
    from celery import Celery

    broker.register()
    app = Celery("heteroopt", set_as_current=False)
    app.config_from_object("django.conf:settings", namespace="CELERY")
    return app


def ring(job_id: uuid.UUID, queue: str) -> bool:
    """Send the job's id to ``queue``; ``False`` if the broker does not take it.

    Never raises: a job whose bell stayed silent is queued all the same, and the reaper rings again.
    """
    try:
        celery_app().send_task(TASK_NAME, args=[str(job_id)], queue=queue, ignore_result=True)
    except Exception as error:  # each broker has its own exceptions
        log.warning("The broker did not take job %s: %s", job_id, error)
        return False
    return True


def broker_answers() -> bool:
    """Whether the broker can be reached now."""
    if settings.CELERY_BROKER_URL.startswith("filesystem"):
        return os.access(settings.BROKER_DIR / "messages", os.R_OK | os.W_OK | os.X_OK)
    try:
        with celery_app().connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=2)
            # A pooled socket may be stale: only an answered command counts.
            channel: Any = connection.default_channel
            channel.client.ping()
    except Exception as error:
        log.warning("The broker does not answer: %s", error)
        return False
    return True
