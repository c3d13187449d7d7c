"""Files that arrive in pieces: the client asks how much is there and continues from that byte."""

from __future__ import annotations

import datetime
import fcntl
import os
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Team, User
from apps.modelhub import services, storage
from apps.modelhub.models import Model, ModelKind, Upload
from apps.modelhub.text import display_name, file_name
from heteroopt.errors import HeteroOptError, ModelError

LIFETIME = datetime.timedelta(hours=24)
"""An upload to which nothing was added for this long is deleted."""
_PIECE = 1 << 16


def part_path(upload_id: uuid.UUID) -> Path:
    """Where the part that has arrived lies."""
    return Path(settings.TEMPORARY_DIR) / f"upload-{upload_id}.part"


def offset_of(upload: Upload) -> int:
    """Bytes that have arrived: the length of the file is the truth."""
    try:
        return part_path(upload.id).stat().st_size
    except FileNotFoundError:
        return 0


def begin(
    team: Team, user: User | None, *, file: str, size_bytes: int, sha256: str = "", name: str = "", kind: str = "onnx"
) -> Upload:
    """Start an upload, and delete those that were abandoned. Raises 413 for a size above the limit."""
    delete_expired()
    if size_bytes > settings.MAX_UPLOAD_BYTES:
        raise storage.too_large()
    upload = Upload.objects.create(
        team=team,
        created_by=user,
        file_name=file_name(file, "model.onnx"),
        name=display_name(name, ""),
        kind=ModelKind(kind),
        size_bytes=size_bytes,
        sha256=sha256,
        expires_at=timezone.now() + LIFETIME,
    )
    part_path(upload.id).touch(mode=0o600)
    return upload


def append(upload: Upload, offset: int, pieces: Iterable[bytes]) -> int:
    """Add bytes from ``offset`` on and return the new length.

    Raises 409 ``upload_offset`` unless exactly ``offset`` bytes are there, and ``upload_overrun`` for more bytes than
    were announced (what fits is kept out: the file stays as it was).
    """
    with part_path(upload.id).open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        length = file.seek(0, os.SEEK_END)
        if length != offset:
            raise _conflict(
                "upload_offset", f"{length} bytes have arrived, so the next piece starts there.", offset=length
            )
        for piece in pieces:
            length += len(piece)
            if length > upload.size_bytes:
                file.truncate(offset)
                raise ModelError(
                    "upload_overrun",
                    f"The upload was announced with {upload.size_bytes} bytes, and more are sent.",
                    hint="Start again with the right size.",
                    size_bytes=upload.size_bytes,
                )
            file.write(piece)
    Upload.objects.filter(pk=upload.pk).update(expires_at=timezone.now() + LIFETIME)
    return length


def pieces(stream: IO[bytes]) -> Iterable[bytes]:
    """A request's body, piece by piece."""
    while piece := stream.read(_PIECE):
        yield piece


def finish(upload: Upload, user: User | None) -> Model:
    """Make a model of a complete upload. Raises 409 ``upload_incomplete``, and ``upload_hash`` for damaged bytes."""
    path = part_path(upload.id)
    length = offset_of(upload)
    if length != upload.size_bytes:
        raise _conflict("upload_incomplete", f"{length} of {upload.size_bytes} bytes have arrived.", offset=length)
    found = storage.digest(storage.file_chunks(path))
    if upload.sha256 and found.sha256 != upload.sha256:
        discard(upload)
        raise ModelError(
            "upload_hash",
            "The bytes that arrived are not those of the file: their SHA-256 differs.",
            hint="Upload the file again.",
            expected=upload.sha256,
            found=found.sha256,
        )
    model = services.add_stored_model(upload.team, user, path, found, upload)
    upload.delete()
    return model


def discard(upload: Upload) -> None:
    """Delete an upload and what has arrived of it."""
    with transaction.atomic():
        upload_id = upload.id
        upload.delete()
    part_path(upload_id).unlink(missing_ok=True)


def delete_expired() -> int:
    """Delete every upload that was abandoned, of all teams; return how many there were."""
    expired = list(Upload.objects.filter(expires_at__lt=timezone.now())[:100])
    for upload in expired:
        discard(upload)
    return len(expired)


def _conflict(code: str, message: str, *, offset: int) -> HeteroOptError:
    error = HeteroOptError(code, message, hint="Continue from that byte.", offset=offset)
    error.http_status = 409  # type: ignore[attr-defined]
    return error
