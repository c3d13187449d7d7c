"""Another team's object does not exist for the caller, and the attempt is noted."""

import uuid

import pytest
from django.http import Http404

from apps.audit.models import AuditEvent
from apps.audit.services import get_visible_or_404, record
from apps.jobs.models import Job


@pytest.fixture
def request_of(rf):
    def make(user, method="delete"):
        request = getattr(rf, method)("/api/jobs/")
        request.user = user
        return request

    return make


@pytest.fixture
def job(team):
    return Job.objects.create(kind="echo", team=team, queue="none")


def test_the_team_sees_its_own(request_of, bob, job):
    assert get_visible_or_404(request_of(bob), Job.objects.all(), job.pk) == job
    assert not AuditEvent.objects.exists()


def test_another_team_is_refused_and_noted(request_of, outsider, other_team, job):
    with pytest.raises(Http404):
        get_visible_or_404(request_of(outsider), Job.objects.all(), job.pk)
    event = AuditEvent.objects.get()
    assert (event.user, event.team, event.action, event.object_type) == (outsider, other_team, "delete", "jobs.job")
    assert (event.object_id, event.denied) == (job.pk, True)
    assert event.details == {"path": "/api/jobs/"}


@pytest.mark.parametrize("object_id", [uuid.UUID(int=0), "not-a-uuid", ""])
def test_what_does_not_exist_is_not_noted(request_of, bob, object_id):
    with pytest.raises(Http404):
        get_visible_or_404(request_of(bob), Job.objects.all(), object_id)
    assert not AuditEvent.objects.exists()


def test_a_filter_that_hides_an_own_object_is_no_denial(request_of, bob, job):
    with pytest.raises(Http404):
        get_visible_or_404(request_of(bob), Job.objects.filter(kind="other"), job.pk)
    assert not AuditEvent.objects.exists()


def test_record(request_of, bob, team, job):
    event = record(request_of(bob), "job.stop", job, details={"why": "test"})
    assert (event.user, event.team, event.object_id, event.denied) == (bob, team, job.pk, False)
