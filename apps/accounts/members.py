"""Who is in a team, as what; a team never loses its last owner."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from apps.accounts import tokens
from apps.accounts.invites import open_invites, revoke
from apps.accounts.models import ApiToken, Membership, Team, User
from apps.accounts.roles import PERMISSIONS, Role
from config.refusals import ConflictError


def members(team: Team) -> QuerySet[Membership]:
    """Active members in the order in which they joined."""
    return (
        Membership.objects.select_related("user", "team")
        .filter(team=team, user__is_active=True)
        .order_by("created_at", "id")
    )


def members_who_may(team: Team, permission: str) -> QuerySet[Membership]:
    """Active members whose role has a permission."""
    return members(team).filter(role__in=[role for role, words in PERMISSIONS.items() if permission in words])


def memberships_of(user: User | None) -> QuerySet[Membership]:
    """The teams of somebody, the first one first."""
    return Membership.objects.select_related("team").filter(user=user).order_by("created_at", "id")


@transaction.atomic
def change_role(membership: Membership, role: str) -> Membership:
    """Give a member another role. Raises 409 ``last_owner``."""
    membership = _locked(membership)
    if role != Role.OWNER:
        _keep_an_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    return membership


@transaction.atomic
def remove_member(membership: Membership) -> None:
    """Take somebody out of the team, with their tokens for it and the invitations that they gave.

    Raises 409 ``last_owner``.
    """
    membership = _locked(membership)
    _keep_an_owner(membership)
    user, team = membership.user, membership.team
    tokens.revoke(ApiToken.objects.filter(user=user, team=team))
    revoke(open_invites(team).filter(created_by=user))
    membership.delete()


def join(user: User, team: Team, role: str) -> Membership:
    """Make somebody a member. Raises 409 ``already_member``."""
    membership, made = Membership.objects.get_or_create(user=user, team=team, defaults={"role": role})
    if not made:
        raise ConflictError("already_member", "You are a member of this team already.", team=team.name)
    return membership


def _locked(membership: Membership) -> Membership:
    """The row as it is now, while nobody else changes the team's members."""
    Team.objects.select_for_update().get(pk=membership.team_id)
    return Membership.objects.select_related("team", "user").get(pk=membership.pk)


def _keep_an_owner(membership: Membership) -> None:
    if membership.role != Role.OWNER:
        return
    others = members(membership.team).filter(role=Role.OWNER).exclude(pk=membership.pk)
    if not others.exists():
        raise ConflictError(
            "last_owner",
            "A team keeps at least one owner.",
            hint="Make somebody else an owner first.",
        )
