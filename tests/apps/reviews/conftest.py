"""Bob plans, the reviewer reviews, Alice owns the team."""

import pytest

from tests.apps.reviews import steps


@pytest.fixture
def search(bob_client):
    return steps.searched(bob_client)
