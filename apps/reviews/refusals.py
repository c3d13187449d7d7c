"""Why an act on a review is refused, by the code of what keeps somebody from it."""

from __future__ import annotations

from collections.abc import Callable

from rest_framework import exceptions

from config.refusals import ConflictError, WebError


def _role() -> Exception:
    return exceptions.PermissionDenied("Your role does not allow this.", code="permission_denied")


def _own_plan() -> Exception:
    return WebError(
        "review_own_plan",
        "You planned this, so you cannot approve it.",
        http_status=403,
        hint="Ask a reviewer or another owner.",
    )


def _draft() -> Exception:
    return ConflictError(
        "review_is_draft", "The plan was not sent for review yet.", hint="Send it for review, then decide."
    )


def _under_way() -> Exception:
    return ConflictError("review_under_way", "The plan is in review, or approved.", hint="Take it back first.")


def _outdated() -> Exception:
    return ConflictError(
        "review_outdated",
        "Something changed beneath the plan after it was sent for review.",
        hint="Ask for review again, then decide.",
    )


def _decided() -> Exception:
    return ConflictError("review_decided", "You have said this in this round.", hint="You can still change your mind.")


REFUSALS: dict[str, Callable[[], Exception]] = {
    "permission_denied": _role,
    "review_own_plan": _own_plan,
    "review_is_draft": _draft,
    "review_under_way": _under_way,
    "review_outdated": _outdated,
    "review_decided": _decided,
}
