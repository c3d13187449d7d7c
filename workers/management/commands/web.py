"""``manage.py web``: the web process."""

from __future__ import annotations

import ctypes
import socket
import sys
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from apps.searches.warming import warm_up_in_background
from workers.orphans import die_with_parent

M_ARENA_MAX = -8

WARM_UP_AFTER_SECONDS = 3.0
"""Only then are kernels loaded, so that the first page does not share the processor with them."""


def keep_heaps_few() -> None:
    """Have glibc share two heaps among all threads: each request has a thread of its own, and a heap never shrinks."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(M_ARENA_MAX, 2)


class Command(BaseCommand):
    """Serves pages, the API and event streams."""

    help = "Run the web process (ASGI)."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare ``--fd`` and ``--parent``."""
        parser.add_argument("--fd", type=int, default=-1, help="listening socket to take over")
        parser.add_argument("--parent", type=int, default=0, help="end with the process of this id")

    def handle(self, *args: Any, fd: int, parent: int, **options: Any) -> None:
        """Serve until SIGTERM or SIGINT; open event streams are cut after two seconds."""
        if parent:
            die_with_parent(parent)
        keep_heaps_few()
        warm_up_in_background(WARM_UP_AFTER_SECONDS)
        server = uvicorn.Server(
            uvicorn.Config(
                "config.asgi:application",
                host=settings.HOST,
                port=settings.PORT,
                lifespan="off",
                # The link with the sign-in token must not end up in a log.
                access_log=False,
                log_config=None,
                server_header=False,
                proxy_headers=False,
                ws="none",
                timeout_graceful_shutdown=2,
            )
        )
        server.run(sockets=[socket.socket(fileno=fd)] if fd >= 0 else None)
