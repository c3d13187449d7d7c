"""Django's database settings for a URL: SQLite tuned for several processes, or PostgreSQL."""

from __future__ import annotations

from typing import Any

import dj_database_url

SQLITE_OPTIONS: dict[str, Any] = {
    # Seconds to wait for another process's write, and to take the write lock at the start: a transaction that reads
    # first and writes later would otherwise fail at once when somebody else has written in between.
    "timeout": 20,
    "transaction_mode": "IMMEDIATE",
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
}


def database(url: str) -> dict[str, Any]:
    """Return the entry of ``DATABASES`` for ``sqlite:///...`` or ``postgres://...``.

    Connections end with their request or job: under ASGI each request has a thread of its own, and a connection that
    outlived it would leak.
    """
    entry: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=0, conn_health_checks=True))
    if entry["ENGINE"] == "django.db.backends.sqlite3":
        entry["OPTIONS"] = dict(SQLITE_OPTIONS)
        entry["TEST"] = {"NAME": f"{entry['NAME']}.test"}
    else:
        entry["OPTIONS"] = {"connect_timeout": 5, **entry.get("OPTIONS", {})}
    return entry
