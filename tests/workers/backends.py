"""A database and a broker with real worker processes, which the test process shares."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import connections
from django.test import override_settings

from apps.accounts.models import Team
from apps.jobs import dispatch
from apps.jobs.models import Job, WorkerHeartbeat
from config.broker import transport_options
from config.database import database
from tests.workers.services import wait_until

# Long enough for a busy machine to renew in time, short enough for a test to wait for.
LEASE_SECONDS, RENEW_SECONDS, REAP_SECONDS = 2.0, 0.4, 0.2


class Backend:
    """Starts and kills workers; in between the test reads and writes the same rows."""

    def __init__(self, name: str, environment: dict[str, str]) -> None:
        self.name = name
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("HETEROOPT_")},
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "HETEROOPT_RUNNERS": "tests.workers.example_runners",
            "HETEROOPT_LEASE_SECONDS": str(LEASE_SECONDS),
            "HETEROOPT_RENEW_SECONDS": str(RENEW_SECONDS),
            "HETEROOPT_REAP_SECONDS": str(REAP_SECONDS),
            **environment,
        }
        self.processes: dict[int, subprocess.Popen[bytes]] = {}

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "config", *arguments]

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            self.command(*arguments, "--parent", str(os.getpid())),
            env=self.environment,
            cwd=settings.BASE_DIR,
            start_new_session=True,
        )
        self.processes[process.pid] = process
        return process

    def workers(self, number: int) -> None:
        """Make sure that ``number`` workers are there."""
        alive = [process for process in self.processes.values() if "worker" in process.args and process.poll() is None]
        started = [self.start("worker") for _ in range(number - len(alive))]
        for process in started:
            wait_until(lambda process=process: self._ready(process), what="the worker is ready")

    @staticmethod
    def _ready(process: subprocess.Popen[bytes]) -> bool:
        """Whether the worker takes jobs, or has already been killed by one."""
        alive = WorkerHeartbeat.objects.filter(name__endswith=f":{process.pid}").exists()
        return alive or process.poll() is not None

    def kill(self, pid: int, number: int = signal.SIGKILL) -> None:
        self.processes[pid].send_signal(number)

    def close(self) -> None:
        for process in self.processes.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def team() -> Team:
    return Team.objects.get_or_create(name="team")[0]


def wait_for(job: Job, condition, seconds: float = 30.0) -> Job:
    """Wait until ``condition(job)`` holds and return the job as it is then."""

    def holds() -> bool:
        job.refresh_from_db()
        return bool(condition(job))

    wait_until(holds, seconds, f"{job} attempt {job.attempt}, {job.progress}, {job.error}")
    return job


def set_up(environment: dict[str, str]) -> None:
    """Migrate an empty database, in a process of its own."""
    backend = Backend("set up", environment)
    subprocess.run(
        backend.command("migrate", "--skip-checks"),
        env=backend.environment,
        cwd=settings.BASE_DIR,
        check=True,
        capture_output=True,
    )


@contextlib.contextmanager
def in_this_process(environment: dict[str, str]) -> Iterator[None]:
    """Let this process's Django use the database and the broker of ``environment``."""
    broker = environment["HETEROOPT_BROKER_URL"]
    folder = Path(environment["HETEROOPT_DATA_DIR"]) / "broker"
    files = transport_options(folder)
    before = connections.settings["default"]
    data = Path(environment["HETEROOPT_DATA_DIR"])
    changed = override_settings(
        MEDIA_ROOT=data / "files",
        TEMPORARY_DIR=data / "tmp",
        BROKER_DIR=folder,
        CELERY_BROKER_URL=broker,
        CELERY_BROKER_TRANSPORT_OPTIONS=files if broker.startswith("filesystem") else {"max_retries": 1},
        JOB_LEASE_SECONDS=LEASE_SECONDS,
    )
    _use({**before, **database(environment["HETEROOPT_DATABASE_URL"])})
    dispatch.celery_app.cache_clear()
    try:
        with changed:
            yield
    finally:
        dispatch.celery_app.cache_clear()
        _use(before)


def _use(entry: dict[str, object]) -> None:
    connections["default"].close()
    connections.settings["default"] = entry
    del connections["default"]
