"""Fixtures for every test: Alice owns a team, Bob plans in it, and an outsider has a team of their own."""

import pytest
from hypothesis import HealthCheck, settings
from rest_framework.test import APIClient

from apps.accounts.models import Membership, Team, User
from apps.accounts.roles import Role
from apps.accounts.services import create_user

# A machine that runs every check at once draws examples slowly; that says nothing of what is tested.
settings.register_profile("loaded machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("loaded machine")


def join(user: User, team: Team, role: Role) -> User:
    Membership.objects.create(user=user, team=team, role=role)
    return user


def signed_in(user: User, *, enforce_csrf_checks: bool = False) -> APIClient:
    client = APIClient(enforce_csrf_checks=enforce_csrf_checks)
    client.force_login(user)
    return client


@pytest.fixture
def team(db) -> Team:
    return Team.objects.create(name="team")


@pytest.fixture
def other_team(db) -> Team:
    return Team.objects.create(name="other team")


@pytest.fixture
def alice(team) -> User:
    """The team's owner."""
    return join(create_user("alice"), team, Role.OWNER)


@pytest.fixture
def bob(team) -> User:
    """A team mate who plans."""
    return join(create_user("bob"), team, Role.PLANNER)


@pytest.fixture
def reviewer(team) -> User:
    """A team mate who reviews."""
    return join(create_user("reviewer"), team, Role.REVIEWER)


@pytest.fixture
def viewer(team) -> User:
    """A team mate who only looks."""
    return join(create_user("viewer"), team, Role.VIEWER)


@pytest.fixture
def outsider(other_team) -> User:
    """The owner of another team."""
    return join(create_user("outsider"), other_team, Role.OWNER)


@pytest.fixture
def anonymous_client(db) -> APIClient:
    return APIClient()


@pytest.fixture
def alice_client(alice) -> APIClient:
    return signed_in(alice)


@pytest.fixture
def bob_client(bob) -> APIClient:
    return signed_in(bob)


@pytest.fixture
def reviewer_client(reviewer) -> APIClient:
    return signed_in(reviewer)


@pytest.fixture
def viewer_client(viewer) -> APIClient:
    return signed_in(viewer)


@pytest.fixture
def outsider_client(outsider) -> APIClient:
    return signed_in(outsider)
