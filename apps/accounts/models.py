"""Users, teams, memberships, invitations, and the tokens of people and programs."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, PermissionsMixin, UserManager
from django.db import models

from apps.accounts.roles import PERMISSIONS, Role


class User(AbstractBaseUser, PermissionsMixin):
    """A person who signs in; what they may do is said by their memberships."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    username = models.CharField(max_length=150, unique=True)
    name = models.CharField(max_length=150)
    email = models.EmailField(blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    date_joined = models.DateTimeField(auto_now_add=True)

    objects = UserManager()

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"

    def __str__(self) -> str:
        return self.name or self.username

    @property
    def initials(self) -> str:
        """One or two capital letters for a small round label."""
        words = (self.name or self.username).split()
        return "".join(word[0] for word in words[:2]).upper()


class Team(models.Model):
    """Owns models, pools and searches; nothing is shared between teams."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True)
    approvals_needed = models.PositiveSmallIntegerField(default=1, help_text="how many people approve a plan")
    self_approval = models.BooleanField(default=False, help_text="whether planners may approve their own plans")

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user's role in a team."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["user", "team"], name="one_membership_per_team"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="membership_role_known"),
        )

    def __str__(self) -> str:
        return f"{self.user_id} is {self.role} of {self.team_id}"

    @property
    def permissions(self) -> tuple[str, ...]:
        """What the role allows; see :mod:`apps.accounts.roles`."""
        return PERMISSIONS[self.role]


class SignInToken(models.Model):
    """A link that signs its user in once. Only the hash is kept, so that a copy of the database opens nothing."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"sign-in token of {self.user_id}"


class Invite(models.Model):
    """A link that lets people join a team. Only its hash is kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invites")
    role = models.CharField(max_length=10, choices=Role.choices)
    note = models.CharField(max_length=150, blank=True, help_text="whom it is for")
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    max_uses = models.PositiveSmallIntegerField(default=1)
    uses = models.PositiveSmallIntegerField(default=0)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at", "id")

    def __str__(self) -> str:
        return f"invitation to {self.team_id} as {self.role}"


class ApiToken(models.Model):
    """Lets a program act as a member of one team, within its scope. Only its hash is kept."""

    class Scope(models.TextChoices):
        """What the program may do of what its owner may."""

        READ = "read", "Read"
        WRITE = "write", "Read and write"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=100)
    scope = models.CharField(max_length=5, choices=Scope.choices)
    start = models.CharField(max_length=12, help_text="its first characters, by which people tell it apart")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at", "id")

    def __str__(self) -> str:
        return f"token {self.start} of {self.user_id}"
