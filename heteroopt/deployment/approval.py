"""What a file says of who agreed to its plan.

An approval is a mapping that the reviews give: ``state`` (``approved``, or ``stale`` where something beneath the plan
has changed since), ``plan`` (its hash), ``by`` (names), ``at`` (ISO 8601), ``stale``, ``reasons`` (``{"code", ...}``).
Without one the plan is not approved, and every format says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NOT_APPROVED = "not approved"


def approval_entry(approval: Mapping[str, Any] | None) -> dict[str, Any] | str:
    """The entry of a JSON document: the approval itself, or the text ``not approved``."""
    return NOT_APPROVED if approval is None else dict(approval)


def approval_text(approval: Mapping[str, Any] | None) -> str:
    """The same in one line, for tables and reports."""
    if approval is None:
        return NOT_APPROVED
    who, when = " and ".join(approval["by"]), str(approval["at"])[:10]
    said = f"approved by {who} on {when}"
    if not approval["stale"]:
        return said
    return f"approval is stale ({', '.join(reason['code'] for reason in approval['reasons'])}): {said}"
