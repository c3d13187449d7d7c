"""Brings the database up to date before anything is served."""

from __future__ import annotations

from collections.abc import Callable

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from apps.accounts.models import User
from apps.accounts.services import ensure_workspace


def set_up(say: Callable[[str], object]) -> User:
    """Migrate if needed, make sure of the first team and its samples, and return the first owner."""
    executor = MigrationExecutor(connection)
    pending = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if pending:
        say(f"Updating the database ({pending} steps)")
        call_command("migrate", interactive=False, verbosity=0)
    owner = ensure_workspace()
    connection.close()
    return owner
