"""What each role of a team may do."""

from __future__ import annotations

from django.db import models


class Role(models.TextChoices):
    """A member's role in a team."""

    OWNER = "owner", "Owner"
    PLANNER = "planner", "Planner"
    REVIEWER = "reviewer", "Reviewer"
    VIEWER = "viewer", "Viewer"


VIEW, COMMENT, PLAN, APPROVE, MANAGE = "view", "comment", "plan", "approve", "manage"

PERMISSIONS: dict[str, tuple[str, ...]] = {
    Role.OWNER.value: (VIEW, COMMENT, PLAN, APPROVE, MANAGE),
    Role.PLANNER.value: (VIEW, COMMENT, PLAN),
    Role.REVIEWER.value: (VIEW, COMMENT, APPROVE),
    Role.VIEWER.value: (VIEW,),
}
