"""The stored fronts that were read last, unpacked: a plan is looked up many times before its front changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from apps.searches.models import Search, SearchFront

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from heteroopt.front.front import Front

MOST_BYTES = 64_000_000
"""Of genomes, all kept fronts together; the one that was read last is always kept."""

_lock = threading.Lock()
_kept: OrderedDict[tuple[UUID, int, datetime], Front] = OrderedDict()


def newest_front(search: Search) -> tuple[SearchFront, Front] | None:
    """The row of the newest front, its ``data`` perhaps not read, and what is in it; ``None`` before the first one.

    Thread-safe. Every writing of a row raises its revision, so what is kept is never an older front's. Nobody
    may write into the arrays.
    """
    rows = SearchFront.objects.filter(search=search)
    row = rows.defer("data").first()
    if row is None:
        return None
    front = _known(row)
    if front is None:
        from heteroopt.front.front import Front

        # Read as a whole: the data alone could be those of a newer revision.
        row = rows.first()
        if row is None:
            return None
        front = Front.from_bytes(bytes(row.data))
        _keep(row, front)
    return row, front


def _key(row: SearchFront) -> tuple[UUID, int, datetime]:
    return row.search_id, row.revision, row.updated_at


def _known(row: SearchFront) -> Front | None:
    with _lock:
        front = _kept.get(_key(row))
        if front is not None:
            _kept.move_to_end(_key(row))
        return front


def _keep(row: SearchFront, front: Front) -> None:
    with _lock:
        for older in [key for key in _kept if key[0] == row.search_id]:
            del _kept[older]
        _kept[_key(row)] = front
        while len(_kept) > 1 and sum(size_bytes(kept) for kept in _kept.values()) > MOST_BYTES:
            _kept.popitem(last=False)


def size_bytes(front: Front) -> int:
    """Memory of the front's plans."""
    return sum(array.nbytes for array in front.plans.arrays().values())
