"""A thread that writes this process's heartbeat row."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from apps.jobs import heartbeats

log = logging.getLogger(__name__)


class Pulse:
    """Beats from :meth:`start` to :meth:`stop`, which removes the row."""

    def __init__(self, name: str, role: str) -> None:
        self.name = name
        self.role = role
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)

    def start(self) -> None:
        """Beat at once, then at each renewal interval; a second call does nothing (a broker may reconnect)."""
        if self._thread.ident is None:
            self._thread.start()

    def stop(self) -> None:
        """Stop beating and forget the process."""
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            self._try(lambda: heartbeats.beat(self.name, self.role))
            if self._ended.wait(settings.JOB_RENEW_SECONDS):
                break
        self._try(lambda: heartbeats.forget(self.name))
        connection.close()

    @staticmethod
    def _try(act: Callable[[], None]) -> None:
        try:
            act()
        except (DatabaseError, InterfaceError) as error:
            log.warning("Heartbeat not written: %s", error)
            connection.close()
