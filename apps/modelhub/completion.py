"""Complete uploads become a model, unless the team has one with the same content."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from django.db import transaction

from apps.accounts.models import User
from apps.modelhub import contents, services, storage, uploads
from apps.modelhub.models import Model, ModelKind, ModelState, Upload
from apps.modelhub.text import display_name
from heteroopt.errors import ModelError
from heteroopt.graph.data_files import plain_location


def finish(upload: Upload, user: User | None, others: Sequence[Upload], *, name: str = "") -> tuple[Model, bool]:
    """Make a model of an upload and of ``others``, its external data by their file names; tell whether it is new.

    Raises 409 ``upload_incomplete``, 423 ``upload_busy``, ``upload_hash`` for damaged bytes and ``upload_files`` for
    files that cannot belong together; 404 ``upload_gone`` if one was given up meanwhile. A model of the same content
    that was refused is read again.
    """
    _check_together(upload, others)
    every = [upload, *others]
    with contextlib.ExitStack() as stack:
        for one in every:
            stack.enter_context(uploads.locked(one))
        main, *data = (contents.Part(one.file_name, uploads.part_path(one.id), uploads.verified(one)) for one in every)
        hashes = {part.name: part.found.sha256 for part in data}
        with storage.files_arrive(), transaction.atomic():
            # First, so that whoever gives one up meanwhile waits, or was before us.
            deleted, _ = Upload.objects.filter(pk__in=[one.pk for one in every]).delete()
            if deleted < len(every):
                raise uploads.gone()
            known = contents.known(upload.team, contents.content_hash(main.found.sha256, hashes))
            if known is None:
                upload.name = display_name(name, upload.name)
                model = services.add_stored_model(upload, user, main, data)
            else:
                model = _again(known)
        if known is not None:
            for one in every:
                uploads.part_path(one.id).unlink(missing_ok=True)
    return model, known is None


def _check_together(upload: Upload, others: Sequence[Upload]) -> None:
    names = [one.file_name for one in others]
    ids = {one.pk for one in (upload, *others)}
    wrong = [name for name in names if plain_location(name) != name]
    if len(ids) == len(others) + 1 and len(set(names)) == len(names) and not wrong:
        if not others or upload.kind == ModelKind.ONNX:
            return
        wrong = names
    raise ModelError(
        "upload_files",
        "These files cannot belong to one model.",
        hint="Name one .onnx file and each of its data files once, by the names that the model uses.",
        files=(wrong or names)[:20],
    )


def _again(known: Model) -> Model:
    """The server may have learned to read it since."""
    return services.start_reading(known) if known.state == ModelState.REFUSED else known
