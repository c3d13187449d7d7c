"""``manage.py load_samples``: loads the sample models and pools that a team has never had."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.accounts.models import Membership
from apps.accounts.roles import Role
from apps.accounts.services import first_owner
from apps.web.samples import load_samples, restore_samples


class Command(BaseCommand):
    """Loads samples; a second run finds nothing to do."""

    help = "Load the sample models and pools into the first owner's team, and bring back those that were deleted."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare ``--keep-deleted``."""
        parser.add_argument("--keep-deleted", action="store_true", help="do not bring back samples that were deleted")

    def handle(self, *args: Any, keep_deleted: bool, **options: Any) -> None:
        """Load what is missing."""
        owner = first_owner()
        if owner is None:
            raise CommandError("There is no team yet. Run `./run setup` first.")
        owned = Membership.objects.select_related("team").filter(user=owner, role=Role.OWNER)
        membership = owned.earliest("created_at")
        loaded = load_samples(membership.team, owner, self.stdout.write)
        restored = 0 if keep_deleted else restore_samples(membership.team)
        self.stdout.write(f"{loaded} loaded, {restored} brought back.")
