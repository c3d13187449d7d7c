"""Files that arrive in pieces: the client asks how much is there and continues from that byte."""

from __future__ import annotations

import contextlib
import datetime
import errno
import fcntl
import os
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import connection, transaction
from django.http import UnreadablePostError
from django.utils import timezone

from apps.accounts.models import Team, User
from apps.modelhub import limits, storage
from apps.modelhub.checksums import Checksum
from apps.modelhub.models import ModelKind, Upload
from apps.modelhub.text import display_name, file_name
from config.refusals import ConflictError, WebError
from heteroopt.errors import ModelError

_PIECE = 1 << 16
CONTINUE = "Continue from that byte."
_IN_MEMORY = 1 << 20


def lifetime() -> datetime.timedelta:
    """An upload to which nothing was added for this long is deleted."""
    return datetime.timedelta(hours=settings.UPLOAD_HOURS)


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
    """Start an upload. Raises what :mod:`apps.modelhub.limits` says of its size."""
    limits.check_upload(team, size_bytes)
    upload = Upload.objects.create(
        team=team,
        created_by=user,
        file_name=file_name(file, "model.onnx"),
        name=display_name(name, ""),
        kind=ModelKind(kind),
        size_bytes=size_bytes,
        sha256=sha256,
        expires_at=timezone.now() + lifetime(),
    )
    part_path(upload.id).touch(mode=0o600)
    return upload


@contextlib.contextmanager
def locked(upload: Upload) -> Iterator[IO[bytes]]:
    """The part, held by this request alone: 423 ``upload_busy`` while another one writes to it or completes it."""
    try:
        file = part_path(upload.id).open("r+b")
    except FileNotFoundError:
        raise gone() from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WebError(
                "upload_busy",
                "Another request is writing to this upload.",
                http_status=423,
                hint="Ask for its offset in a moment, and continue from there.",
            ) from None
        # Whoever held it may have completed or discarded it in between.
        if not Upload.objects.filter(pk=upload.pk).exists():
            raise gone()
        yield file


def append(upload: Upload, offset: int, pieces: Iterable[bytes], checksum: Checksum | None = None) -> int:
    """Add bytes from ``offset`` on and return the new length.

    Raises 409 ``upload_offset`` unless exactly ``offset`` bytes are there, ``upload_overrun`` for more bytes than
    were announced, 460 ``upload_checksum`` for bytes that are not those of ``checksum``, and 507 ``storage_full``;
    after each of them the file is as it was. Of a piece that is cut what arrived stays, unless it has a checksum:
    409 ``upload_incomplete``. 404 ``upload_gone`` if it was given up meanwhile.
    """
    with locked(upload) as file:
        length = file.seek(0, os.SEEK_END)
        if length != offset:
            raise ConflictError(
                "upload_offset",
                f"{length} bytes have arrived, so the next piece starts there.",
                hint=CONTINUE,
                offset=length,
            )
        # The sender sets the pace from here on, so leave the connection to the database to others until then.
        if not connection.in_atomic_block:
            connection.close()
        bounded = _bounded(pieces, upload, length)
        try:
            for piece in bounded if checksum is None else _checked(bounded, checksum):
                length += file.write(piece)
            _settle(file)
        except UnreadablePostError as error:
            _settle(file)
            _put_off(upload)
            raise _incomplete(upload, length) from error
        except BaseException as error:
            # Without this, closing the file would write what is still in its buffer.
            with contextlib.suppress(OSError):
                file.flush()
            file.truncate(offset)
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise limits.storage_full() from error
            raise
    _put_off(upload)
    return length


def _put_off(upload: Upload) -> None:
    """Something arrived: keep it for another lifetime. Raises ``upload_gone`` if it was given up meanwhile."""
    upload.expires_at = timezone.now() + lifetime()
    if not Upload.objects.filter(pk=upload.pk).update(expires_at=upload.expires_at):
        raise gone()


def _settle(file: IO[bytes]) -> None:
    """A machine that stops after this must not leave a hole of the right length."""
    file.flush()
    os.fsync(file.fileno())


def _bounded(pieces: Iterable[bytes], upload: Upload, length: int) -> Iterator[bytes]:
    """``pieces`` after ``length`` bytes, as long as they are no more than were announced."""
    for piece in pieces:
        length += len(piece)
        if length > upload.size_bytes:
            raise _overrun(upload)
        yield piece


def _checked(given: Iterable[bytes], checksum: Checksum) -> Iterator[bytes]:
    """``given``, kept aside until all is there and verified: a process that dies leaves nothing unverified."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY, dir=settings.FILE_UPLOAD_TEMP_DIR) as aside:
        for piece in given:
            checksum.update(piece)
            aside.write(piece)
        checksum.verify()
        aside.seek(0)
        yield from pieces(aside)


def pieces(stream: IO[bytes]) -> Iterable[bytes]:
    """A request's body, piece by piece."""
    while piece := stream.read(_PIECE):
        yield piece


def verified(upload: Upload) -> storage.Digest:
    """Hash of a complete upload. Raises 409 ``upload_incomplete``; damaged bytes are deleted: ``upload_hash``.

    404 ``upload_gone`` if it was given up meanwhile.
    """
    length = offset_of(upload)
    if length != upload.size_bytes:
        raise _incomplete(upload, length) if part_path(upload.id).exists() else gone()
    try:
        found = storage.digest(storage.file_chunks(part_path(upload.id)))
    except FileNotFoundError:
        raise gone() from None
    if upload.sha256 and found.sha256 != upload.sha256:
        discard(upload)
        raise ModelError(
            "upload_hash",
            "The bytes that arrived are not those of the file: their SHA-256 differs.",
            hint="Upload the file again.",
            expected=upload.sha256,
            found=found.sha256,
        )
    return found


def discard(upload: Upload) -> None:
    """Delete an upload and what has arrived of it."""
    with transaction.atomic():
        upload_id = upload.id
        upload.delete()
    part_path(upload_id).unlink(missing_ok=True)


def delete_expired() -> int:
    """Delete every upload that was abandoned, of all teams, and parts that no row names; return how many there were."""
    expired = list(Upload.objects.filter(expires_at__lt=timezone.now())[:1000])
    for upload in expired:
        discard(upload)
    return len(expired) + _delete_strays()


def _delete_strays() -> int:
    """Parts whose row went with its team: old enough that no request is about to make the row."""
    gone, before = 0, time.time() - lifetime().total_seconds()
    for path in Path(settings.TEMPORARY_DIR).glob("upload-*.part"):
        with contextlib.suppress(FileNotFoundError, ValueError):
            row = Upload.objects.filter(pk=uuid.UUID(path.stem.removeprefix("upload-")))
            if path.stat().st_mtime < before and not row.exists():
                path.unlink()
                gone += 1
    return gone


def _incomplete(upload: Upload, length: int) -> ConflictError:
    return ConflictError(
        "upload_incomplete", f"{length} of {upload.size_bytes} bytes have arrived.", hint=CONTINUE, offset=length
    )


def _overrun(upload: Upload) -> ModelError:
    return ModelError(
        "upload_overrun",
        f"The upload was announced with {upload.size_bytes} bytes, and more are sent.",
        hint="Start again with the right size.",
        size_bytes=upload.size_bytes,
    )


def gone() -> WebError:
    """The answer about an upload that is no more."""
    return WebError(
        "upload_gone",
        "The upload is complete, was given up or has expired.",
        http_status=404,
        hint="Upload the file again.",
    )
