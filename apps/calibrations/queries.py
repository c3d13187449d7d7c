"""What a team may see of the calibrations."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from django.http import HttpRequest
from rest_framework.request import Request

from apps.accounts.permissions import current_team
from apps.audit.services import get_visible_or_404
from apps.calibrations.models import Calibration

_RELATED = ("device__runtime__host", "device__runtime__fingerprint", "job", "check_job", "created_by")


def all_calibrations() -> QuerySet[Calibration]:
    """Calibrations that were not removed, of every team, newest first, without their measurements."""
    rows = Calibration.objects.filter(removed_at=None).select_related(*_RELATED)
    return rows.defer("bundle", "job__checkpoint", "check_job__checkpoint")


def visible_calibrations(request: HttpRequest | Request) -> QuerySet[Calibration]:
    """Calibrations of the caller's team."""
    return all_calibrations().filter(team=current_team(request))


def get_calibration(request: HttpRequest | Request, calibration_id: uuid.UUID) -> Calibration:
    """One calibration of the caller's team; 404 for any other."""
    return get_visible_or_404(request, all_calibrations(), calibration_id)
