"""The stored front of a search, and the plan that is meant by a number."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.http import Http404
from numpy.typing import NDArray

from apps.searches.models import Search, SearchFront
from heteroopt.errors import HeteroOptError

Int32 = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan of a stored front: its summary, its genome (int32[n] each) and where it was taken from."""

    summary: dict[str, Any]
    order: Int32
    device: Int32
    revision: int


def pack_genomes(orders: Int32, devices: Int32) -> bytes:
    """Orders and devices, int32 [k, n] each, as compressed npz in the smallest type that holds them."""
    buffer = io.BytesIO()
    small = np.uint16 if orders.shape[1] <= 1 << 16 else np.int32
    np.savez_compressed(buffer, orders=orders.astype(small), devices=devices.astype(np.uint16))
    return buffer.getvalue()


def unpack_genomes(data: bytes | memoryview) -> tuple[Int32, Int32]:
    """Inverse of :func:`pack_genomes`."""
    with np.load(io.BytesIO(bytes(data)), allow_pickle=False) as arrays:
        return arrays["orders"].astype(np.int32), arrays["devices"].astype(np.int32)


def _conflict(code: str, message: str, hint: str) -> HeteroOptError:
    error = HeteroOptError(code, message, hint=hint)
    error.http_status = 409  # type: ignore[attr-defined]
    return error


def stored_front(search: Search) -> SearchFront:
    """The newest front. Raises 409 ``no_front_yet``."""
    front = SearchFront.objects.filter(search=search).first()
    if front is None:
        raise _conflict("no_front_yet", "The search has no front yet.", "Ask again when front_revision is above 0.")
    return front


def front_body(search: Search) -> dict[str, Any]:
    """The front as the page reads it, with the search's state now."""
    front = stored_front(search)
    return {**front.body, "revision": front.revision, "state": search.state}


def load_plan(search: Search, number: int, plan_hash: str | None) -> StoredPlan:
    """The plan at a number (1-based), or wherever the plan with ``plan_hash`` is now.

    Raises 404 for a number beyond the front, 409 ``plan_gone`` for a hash that the newest front no longer holds.
    """
    front = stored_front(search)
    plans: list[dict[str, Any]] = front.body["plans"]
    if plan_hash:
        row = next((i for i, plan in enumerate(plans) if plan["hash"] == plan_hash), None)
        if row is None:
            raise _conflict("plan_gone", "The front no longer holds this plan.", "Read the front again.")
    elif 1 <= number <= len(plans):
        row = number - 1
    else:
        raise Http404
    orders, devices = unpack_genomes(front.genomes)
    return StoredPlan(plans[row], orders[row], devices[row], front.revision)
