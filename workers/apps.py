"""Registers the workers' management commands, and their sandbox for what a request reads at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.apps import AppConfig

READ_AT_ONCE = (
    "apps.pools.reading:read_pool",
    "apps.pools.reading:read_topology_pool",
    "apps.training.reading:read_cluster",
    "apps.calibrations.reading:read",
)
MEMORY_BYTES = 1 << 30
SECONDS = 10.0


class WorkersConfig(AppConfig):
    """Processes that do the work."""

    name = "workers"

    def ready(self) -> None:
        """Offer the sandbox to the apps, which may not import it."""
        from apps.jobs import sandbox

        sandbox.provide(read_at_once)


def read_at_once(function: str, payload: Mapping[str, Any]) -> Any:
    """Run an allowed function in the sandbox with limits that suit a request."""
    from workers.sandbox import ALLOWED, Limits, run_in_sandbox

    ALLOWED.update(READ_AT_ONCE)
    return run_in_sandbox(function, payload, limits=Limits(MEMORY_BYTES, cpu_seconds=SECONDS, wall_seconds=2 * SECONDS))
