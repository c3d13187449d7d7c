"""What the team's resources take and give: members, invitations, tokens."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.accounts.invites import MOST_DAYS as MOST_INVITE_DAYS
from apps.accounts.invites import MOST_USES
from apps.accounts.models import ApiToken
from apps.accounts.roles import Role
from apps.accounts.serializers import PersonSerializer
from apps.accounts.tokens import MOST_DAYS as MOST_TOKEN_DAYS

MOST_APPROVALS = 10


class LineField(serializers.CharField):
    """One line of text: white space of any kind becomes single blanks."""

    def to_internal_value(self, data: Any) -> str:
        """Join the words."""
        return " ".join(str(super().to_internal_value(data)).split())


class TeamSerializer(serializers.Serializer[Any]):
    """The caller's team and its rules for approvals."""

    id = serializers.UUIDField(read_only=True)
    name = LineField(max_length=150, min_length=1)
    approvals_needed = serializers.IntegerField(min_value=1, max_value=MOST_APPROVALS)
    self_approval = serializers.BooleanField(help_text="whether planners may approve their own plans")
    created_at = serializers.DateTimeField(read_only=True)


class MemberSerializer(serializers.Serializer[Any]):
    """Somebody's membership."""

    id = serializers.UUIDField(help_text="of the membership")
    user = PersonSerializer()
    email = serializers.CharField(source="user.email", allow_blank=True)
    role = serializers.ChoiceField(choices=Role.choices)
    joined_at = serializers.DateTimeField(source="created_at")
    last_sign_in = serializers.DateTimeField(source="user.last_login", allow_null=True)


class RoleSerializer(serializers.Serializer[Any]):
    """A role to give."""

    role = serializers.ChoiceField(choices=Role.choices)


class InviteAskedSerializer(serializers.Serializer[Any]):
    """An invitation to make."""

    role = serializers.ChoiceField(choices=Role.choices)
    days = serializers.IntegerField(min_value=1, max_value=MOST_INVITE_DAYS, default=7)
    max_uses = serializers.IntegerField(min_value=1, max_value=MOST_USES, default=1)
    note = LineField(max_length=150, required=False, default="", allow_blank=True, help_text="whom it is for")


class InviteSerializer(serializers.Serializer[Any]):
    """An open invitation; its link is known to whoever made it only."""

    id = serializers.UUIDField()
    role = serializers.ChoiceField(choices=Role.choices)
    note = serializers.CharField(allow_blank=True)
    created_by = PersonSerializer(allow_null=True)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    max_uses = serializers.IntegerField()
    uses = serializers.IntegerField()


class NewInviteSerializer(InviteSerializer):
    """An invitation that has just been made, with its secret, which is shown this once."""

    secret = serializers.CharField()
    path = serializers.CharField(help_text="of the page that accepts it")


class InvitationSerializer(serializers.Serializer[Any]):
    """The secret of an invitation."""

    secret = serializers.CharField(max_length=200)


class AcceptSerializer(InvitationSerializer):
    """The secret of an invitation, and who somebody new is."""

    name = LineField(max_length=150, required=False, default="", allow_blank=True)
    email = serializers.EmailField(max_length=150, required=False, default="", allow_blank=True)


class InvitationShownSerializer(serializers.Serializer[Any]):
    """Where an invitation leads."""

    team = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)
    invited_by = serializers.CharField(allow_null=True)
    expires_at = serializers.DateTimeField()
    already_member = serializers.BooleanField()


class TokenAskedSerializer(serializers.Serializer[Any]):
    """A token to make."""

    name = LineField(max_length=100, min_length=1)
    scope = serializers.ChoiceField(choices=ApiToken.Scope.choices)
    days = serializers.IntegerField(min_value=1, max_value=MOST_TOKEN_DAYS, default=90)


class TokenSerializer(serializers.Serializer[Any]):
    """A token without its secret."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    scope = serializers.ChoiceField(choices=ApiToken.Scope.choices)
    start = serializers.CharField(help_text="its first characters")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)


class NewTokenSerializer(TokenSerializer):
    """A token that has just been made, with its secret, which is shown this once."""

    secret = serializers.CharField()


class ProfileSerializer(serializers.Serializer[Any]):
    """What one is called, and the address by which one can be mentioned."""

    name = LineField(max_length=150, min_length=1)
    email = serializers.EmailField(max_length=150, allow_blank=True)


class SignInLinkSerializer(serializers.Serializer[Any]):
    """A one-time link that signs its maker in in another browser."""

    path = serializers.CharField()
    expires_at = serializers.DateTimeField()


class ChosenTeamSerializer(serializers.Serializer[Any]):
    """A team to work in."""

    team = serializers.UUIDField()
