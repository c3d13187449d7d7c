"""One Celery worker process: a solo pool, one job at a time, which says that it is alive."""

from __future__ import annotations

import logging
import os
import threading
import warnings
from collections.abc import Sequence
from typing import Any

from celery import signals
from celery.exceptions import SecurityWarning, WorkerShutdown
from django.conf import settings

from apps.jobs.dispatch import celery_app
from apps.jobs.heartbeats import process_name
from workers import devices, keeper
from workers.pulse import Pulse
from workers.registry import load_runners, warm_up
from workers.tasks import add_tasks, busy

log = logging.getLogger(__name__)


def run_worker(queues: Sequence[str], role: str = "worker", runners: Sequence[str] | None = None) -> int:
    """Work until SIGTERM or SIGINT; return the exit status. ``runners``: modules, if not ``HETEROOPT_RUNNERS``."""
    app = celery_app()
    add_tasks(app, process_name())
    log.info("This worker does %s", ", ".join(load_runners(runners)) or "nothing")
    pulse = Pulse(process_name(), role)

    def ready(**_: Any) -> None:
        pulse.start()
        threading.Thread(target=warm_up, name="warm-up", daemon=True).start()

    def shutting_down(**_: Any) -> None:
        keeper.shutdown.set()
        # An idle worker would wait for its broker for two seconds first. This runs in the signal handler, so in the
        # main thread: nothing but the wait is interrupted, and a job is left to end by itself.
        if not busy.locked():
            raise WorkerShutdown(0)

    signals.worker_ready.connect(ready, weak=False)
    signals.worker_shutting_down.connect(shutting_down, weak=False)
    # It warns of root because of pickled messages; ours are job ids in JSON.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    worker = app.Worker(
        hostname=f"{process_name().replace(':', '-')}@heteroopt",
        pool_cls="solo",
        concurrency=1,
        queues=list(queues),
        loglevel=logging.getLevelName(logging.getLogger().level),
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
    try:
        worker.start()
    finally:
        pulse.stop()
    return int(worker.exitcode or 0)


def run_host_worker() -> int:
    """Keep this host's devices, and do the jobs of its queue, until SIGTERM or SIGINT; return the exit status."""
    # Vendors' libraries in the runtimes' processes have no business with the database's password.
    for name in [name for name in os.environ if name.startswith("HETEROOPT_")]:
        del os.environ[name]
    kept = devices.DeviceKeeper()
    devices.provide(kept)
    kept.start()
    try:
        return run_worker([settings.HOST_QUEUE], "devices", settings.HOST_RUNNER_MODULES)
    finally:
        kept.stop()


def default_queues() -> list[str]:
    """Return the queues of ``HETEROOPT_QUEUES``."""
    return list(settings.QUEUES)
