"""How much a team may upload and keep, and how much the disk can take."""

from __future__ import annotations

import shutil
from typing import Final

from django.conf import settings
from django.db.models import Sum

from apps.accounts.models import Team
from apps.modelhub.models import Model, Upload
from config.refusals import ConflictError, UploadTooLarge, WebError

MAX_DATA_FILES: Final = 2_000
"""Files with external data that one model may bring, as exporters write one for each weight: each takes a descriptor
of the process that completes or reads it (:mod:`config.open_files`)."""
MAX_UPLOADS: Final = 2 * MAX_DATA_FILES
"""Uploads of one team that are under way at the same time."""
DISK_RESERVE_BYTES: Final = 256 << 20
"""Stays free for the database and the logs."""


def check_upload(team: Team, size_bytes: int) -> None:
    """Refuse a file above the limit or the team's (413), one too many (409), one that the disk cannot hold (507)."""
    if size_bytes > settings.MAX_UPLOAD_BYTES:
        raise UploadTooLarge(settings.MAX_UPLOAD_BYTES)
    under_way = Upload.objects.filter(team=team)
    if under_way.count() >= MAX_UPLOADS:
        raise ConflictError(
            "uploads_too_many",
            f"The team has {MAX_UPLOADS} uploads under way.",
            hint="Complete or give up some of them, or pack the files into one archive.",
            limit=MAX_UPLOADS,
        )
    announced = under_way.aggregate(sum=Sum("size_bytes"))["sum"] or 0
    kept = Model.objects.filter(team=team, removed_at=None).aggregate(sum=Sum("size_bytes"))["sum"] or 0
    if announced + kept + size_bytes > settings.TEAM_STORAGE_BYTES:
        raise WebError(
            "team_storage_full",
            f"With this file the team's models would take more than {settings.TEAM_STORAGE_BYTES} bytes.",
            http_status=413,
            hint="Delete models that are not needed, or raise HETEROOPT_TEAM_STORAGE_BYTES on the server.",
            limit_bytes=settings.TEAM_STORAGE_BYTES,
            used_bytes=announced + kept,
        )
    if shutil.disk_usage(settings.TEMPORARY_DIR).free < size_bytes + DISK_RESERVE_BYTES:
        raise storage_full()


def storage_full() -> WebError:
    """The refusal of a file that the server's disk has no room for."""
    return WebError(
        "storage_full",
        "The server's disk has no room for this file.",
        http_status=507,
        hint="Free some space in the server's data folder, then continue the upload.",
    )
