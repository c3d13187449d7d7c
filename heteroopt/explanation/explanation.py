"""What an explanation consists of: the codes of reasons and alternatives, and the figures that go with each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

REASONS: Mapping[str, tuple[str, ...]] = {
    "pinned": ("device",),
    "view_follows": ("operator",),
    "only_supported_here": ("device",),
    "others_forbidden": ("devices",),
    "colocated": ("operator", "members"),
    "memory_full_elsewhere": ("device", "overflow_bytes"),
    "fastest_here": ("device", "time_ms", "other_time_ms", "source"),
    "avoids_transfer": ("device", "transfer_bytes", "delta_ms"),
    "parallel_branch": ("device", "operator", "delta_ms"),
    "slower_elsewhere": ("device", "delta_ms"),
    "saves_energy": ("device", "saved_j", "faster_ms", "energy_sources"),
    "balance": ("device", "delta_load_balance", "faster_ms"),
    "trade_off": ("device", "faster_ms", "saved_j", "delta_load_balance", "energy_sources"),
    "equal_elsewhere": ("device",),
    "better_elsewhere": (
        "device",
        "delta_ms",
        "delta_j",
        "delta_load_balance",
        "overflow_bytes",
        "energy_sources",
    ),
}
"""Code of a reason -> its parameters. ``device`` and ``operator`` are names; figures carry their unit.

pinned, others_forbidden: a person's choice (``devices`` are the forbidden ones that could run it).
view_follows: a view lies where its input (made by ``operator``) does. only_supported_here: no other device can.
colocated: shares its device with ``operator``, whose reason holds for all ``members`` (a count).
memory_full_elsewhere: moving it to ``device`` exceeds a memory by ``overflow_bytes``.
fastest_here: it (with its group) takes ``time_ms`` here and ``other_time_ms`` on the next fastest device;
``source`` of that figure is one of ``heteroopt.costs.table.COST_SOURCES``.
avoids_transfer: on ``device`` the plan moves ``transfer_bytes`` more and takes ``delta_ms`` longer.
parallel_branch: ``operator`` runs on ``device`` at the same time; there the plan takes ``delta_ms`` longer.
slower_elsewhere: on any other device the plan takes longer, on ``device`` by ``delta_ms``.
saves_energy, balance: on ``device`` the plan is ``faster_ms`` (0 or more) faster, but takes ``saved_j`` more energy,
or its load variance is ``delta_load_balance`` higher. trade_off: faster there, at the price of both.
equal_elsewhere: on ``device`` no objective changes by a millionth.
better_elsewhere: the search missed it: moving it to ``device`` alone would improve the plan.
``energy_sources``: where the operator's joules here and there are from, of ``heteroopt.costs.table.ENERGY_SOURCES``.
"""

ALTERNATIVE_CODES: tuple[str, ...] = ("ok", "not_supported", "forbidden", "pinned", "exceeds_memory")


@dataclass(frozen=True)
class OperatorExplanation:
    """Why an operator is where it is, and what moving it to each other device would change.

    ``reason`` is ``{"code", "params"}`` with a code of :data:`REASONS`. ``alternatives`` has an entry for every
    other device, by device index: ``device``, ``code``, ``delta_time_ms``, ``delta_energy_j``,
    ``delta_load_balance``, ``delta_transferred_bytes``, ``overflow_bytes``; the figures are ``None`` where it may
    not run. The whole plan is decoded for each; what must share its device, and views of its outputs, move along.
    """

    operator: int
    reason: Mapping[str, Any]
    alternatives: tuple[Mapping[str, Any], ...]
