"""Where the archives of exports lie, and the links that lend them for a short time."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import uuid
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.core import signing
from django.utils import timezone

from apps.deployments.models import PlanExport
from heteroopt.deployment.export_target import full_disk_named

LINK_SECONDS = 15 * 60
_SALT = "heteroopt.exports.link"


def path_of(export_id: uuid.UUID) -> Path:
    """Where the archive lies; the name holds nothing that a user chose."""
    return Path(settings.MEDIA_ROOT) / "exports" / f"{export_id}.zip"


def keep(source: Path, export_id: uuid.UUID) -> tuple[str, int]:
    """Move an archive to its place; its SHA-256 (hex) and its size in bytes. Raises ``export_disk_full``."""
    target = path_of(export_id)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = target.with_name(f"{export_id}.{os.urandom(6).hex()}.part")
    try:
        with full_disk_named(target):
            shutil.copyfile(source, draft)
        with draft.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
    return found, size


def drafts() -> list[Path]:
    """What :func:`keep` is writing now, and what processes left that were killed meanwhile."""
    return list((Path(settings.MEDIA_ROOT) / "exports").glob("*.part"))


def discard(export_id: uuid.UUID) -> None:
    """Delete an archive, if it is there."""
    path_of(export_id).unlink(missing_ok=True)


def file_name(export: PlanExport) -> str:
    """A name for the download, of letters, digits and ``._-`` only."""
    parts = f"{export.search.model.name}-search{export.search.number}-plan{export.plan_number}-{export.format}"
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '-', parts).strip('-.')[-80:].strip('-.') or 'export'}.zip"


def link_token(export: PlanExport) -> tuple[str, datetime]:
    """A signed word that lends the archive to whoever has it, and when that ends."""
    token = signing.dumps([str(export.pk), export.sha256], salt=_SALT)
    return token, timezone.now() + timedelta(seconds=LINK_SECONDS)


def export_of(token: str) -> PlanExport | None:
    """The export that a signed word lends; ``None`` where it is not ours, too old, or for another archive."""
    try:
        export_id, sha256 = signing.loads(token, salt=_SALT, max_age=LINK_SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return PlanExport.objects.select_related("search__model").filter(pk=export_id, sha256=sha256).first()
