"""The supervisor's dealings with the database: migrations, the sign-in link, the jobs of a dead worker."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable

from django.core.management import call_command
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor

from apps.accounts.models import User
from apps.accounts.services import ensure_workspace, issue_sign_in_token
from apps.hosts import reporting
from apps.jobs import recovery
from apps.jobs.heartbeats import process_name
from heteroopt import kernels

log = logging.getLogger(__name__)


def set_up(say: Callable[[str], object]) -> User:
    """Migrate if needed, make sure of the first team and its samples, and return the first owner."""
    executor = MigrationExecutor(connection)
    pending = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if pending:
        say(f"Updating the database ({pending} steps)")
        call_command("migrate", interactive=False, verbosity=0)
        say("Looking for the sample workspace")
    owner = ensure_workspace()
    connection.close()
    return owner


def compile_kernels(say: Callable[[str], object]) -> None:
    """Compile the kernels of the search where that was not done yet, in another process, so that no search waits."""
    if kernels.are_compiled():
        return
    say("Compiling the search kernels (once, about a minute)")
    ran = subprocess.run([sys.executable, "-m", "heteroopt.kernels"], check=False, stdin=subprocess.DEVNULL)
    if ran.returncode:
        log.warning("The kernels could not be compiled ahead (exit code %d); the first search does it.", ran.returncode)


def sign_in_path(user: User) -> str:
    """Return the path of a new one-time sign-in link."""
    path = f"/signin/{issue_sign_in_token(user)}/"
    connection.close()
    return path


def bury(pid: int) -> None:
    """Free a dead process's jobs and devices; without the database they are free when their leases run out."""
    try:
        recovery.worker_died(process_name(pid))
        reporting.release(process_name(pid))
    except (DatabaseError, InterfaceError) as error:
        log.warning("The database does not answer: %s", error)
    finally:
        connection.close()
