"""Adds, binds, reads in and removes models: everything that touches more than one row or a file."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import RestrictedError
from django.utils import timezone

from apps.accounts.models import Team, User
from apps.jobs.services import submit
from apps.modelhub import contents, storage
from apps.modelhub.graphs import pack
from apps.modelhub.models import Binding, Model, ModelKind, ModelState, ParsedGraph, Upload
from apps.modelhub.text import clean, display_name, file_name
from heteroopt.errors import ModelError
from heteroopt.graph.given import Given

PARSE_MODEL = "parse_model"
PARSE_TABLES = "parse_tables"
MAX_BINDINGS = 50
DIMENSION_ERRORS = frozenset({"tensor_too_large", "graph_too_large", "dimension_invalid", "model_too_expensive"})
"""Refusals that other values for the symbolic dimensions may cure."""
GIVEN_ERRORS = frozenset({"given_invalid", "given_unknown", "shape_conflict"})
"""Refusals of what a person gave: the graph that was there before stays in use."""


def add_model(team: Team, user: User | None, upload: UploadedFile[Any], *, kind: ModelKind, name: str = "") -> Model:
    """Keep an uploaded file and have a worker read it. Raises ``ModelError`` for an empty or too large file.

    Nothing of the content is looked at here; it is only hashed.
    """
    upload.seek(0)
    found = storage.digest(upload.chunks(1 << 20))
    model = _new_model(team, user, found, file=upload.name, kind=kind, name=name)
    try:
        storage.keep(upload, found.sha256)
    except OSError as error:
        model.delete()
        raise ModelError(
            "storage_failed",
            f"The file could not be stored: {error.strerror}.",
            hint="Free some space in the server's data folder and upload it again.",
        ) from error
    start_reading(model)
    return model


def add_stored_model(upload: Upload, user: User | None, main: contents.Part, data: Sequence[contents.Part]) -> Model:
    """Like :func:`add_model` for files that arrived in pieces and lie in the data folder; they are moved."""
    kind = ModelKind(upload.kind)
    model = _new_model(upload.team, user, main.found, file=upload.file_name, kind=kind, name=upload.name, data=data)
    contents.add_data(model, data)
    storage.keep_file(main.path, main.found.sha256)
    start_reading(model)
    return model


@transaction.atomic
def add_sample_model(
    team: Team, user: User | None, *, name: str, file: Path, document: dict[str, Any], summary: dict[str, Any]
) -> Model:
    """Add a model that ships with the product, already read."""
    found = storage.digest(storage.file_chunks(file))
    model = _new_model(team, user, found, file=file.name, kind=ModelKind.ONNX, name=name)
    model.is_sample = True
    model.save(update_fields=["is_sample"])
    copy = storage.path_of(found.sha256).with_suffix(".sample")
    copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    shutil.copyfile(file, copy)
    storage.keep_file(copy, found.sha256)
    accept_graph(model.id, document, summary)
    return model


def _new_model(
    team: Team,
    user: User | None,
    found: storage.Digest,
    *,
    file: str | None,
    kind: ModelKind,
    name: str,
    data: Sequence[contents.Part] = (),
) -> Model:
    """The row comes before the file, so that whoever removes a model with the same content leaves the file alone."""
    kept_name = file_name(file, f"model.{'json' if kind == ModelKind.TABLES else 'onnx'}")
    return Model.objects.create(
        team=team,
        created_by=user,
        name=display_name(name, display_name(kept_name.rsplit(".", 1)[0], kept_name)),
        kind=kind,
        file_name=kept_name,
        size_bytes=found.size_bytes + sum(part.found.size_bytes for part in data),
        sha256=found.sha256,
        content_hash=contents.content_hash(found.sha256, {part.name: part.found.sha256 for part in data}),
    )


@transaction.atomic
def start_reading(
    model: Model,
    dims: Mapping[str, int] | None = None,
    given: Mapping[str, Any] | None = None,
    *,
    keep_as: str = "",
) -> Model:
    """Have a worker read the file; the old graph stays until it is done.

    ``dims``: sizes of its symbolic dimensions; ``given``: what else it leaves open; ``keep_as``: the name under which
    the reading is kept.
    """
    if dims is not None:
        model.dims = clean(dict(dims))
    if given is not None:
        model.given = clean(dict(given))
    job = submit(
        PARSE_TABLES if model.kind == ModelKind.TABLES else PARSE_MODEL,
        team=model.team,
        created_by=model.created_by,
        object_id=model.id,
        payload={"dims": model.dims, "given": model.given, "keep_as": keep_as},
    )
    model.job = job
    model.state = ModelState.PARSING
    model.error = None
    model.save(update_fields=["job", "state", "error", "dims", "given"])
    return model


def bind_dims(
    model: Model, dims: Mapping[str, int], given: Mapping[str, Any] | None = None, *, keep_as: str = ""
) -> Model:
    """Read the model again with these dimensions and answers, and keep the reading under a name if one is given.

    Raises ``ModelError`` for names that it does not have and answers that cannot be.
    """
    if given is not None:
        given = Given.from_dict(given).to_dict()
    known = [entry["name"] for entry in model.dynamic_dims]
    unknown = sorted(set(dims) - set(known))
    if unknown:
        raise ModelError(
            "unknown_dimension",
            f"The model has no symbolic dimension {', '.join(unknown)}.",
            hint=f"It has {', '.join(known)}." if known else "All its dimensions are fixed.",
            unknown=unknown,
            known=known,
        )
    if model.state == ModelState.PARSING:
        raise ModelError(
            "model_busy", "The model is being read.", hint="Wait until that is done, then bind the dimensions."
        )
    keep_as = display_name(keep_as, "") if keep_as else ""
    if keep_as:
        check_room(model, keep_as)
    return start_reading(model, dims, given, keep_as=keep_as)


def check_room(model: Model, name: str) -> None:
    """Raise ``ModelError`` ``binding_limit`` if the model cannot keep one more reading, called ``name``."""
    if Binding.objects.filter(model=model).exclude(name=name).count() >= MAX_BINDINGS:
        raise ModelError(
            "binding_limit",
            f"A model keeps at most {MAX_BINDINGS} bindings.",
            hint="Delete one that is not needed.",
            limit=MAX_BINDINGS,
        )


@transaction.atomic
def accept_graph(
    model_id: uuid.UUID,
    document: dict[str, Any],
    summary: dict[str, Any],
    *,
    given: Mapping[str, Any] | None = None,
    keep_as: str = "",
) -> None:
    """Store what a worker read: the graph becomes the one that searches use; one that nothing uses any more goes."""
    model = Model.objects.only("created_by").filter(pk=model_id).first()
    if model is None:
        return
    dims = clean(document["graph"]["dims"])
    row = ParsedGraph.objects.create(
        graph_hash=summary["graph_hash"],
        dims=dims,
        given=dict(given or {}),
        summary=clean(summary),
        data=pack(document),
    )
    Model.objects.filter(pk=model_id).update(
        graph=row,
        dims=dims,
        given=row.given,
        state=ModelState.READY,
        error=None,
        inspection={"dynamic_dims": row.summary["dynamic_dims"]},
    )
    if keep_as:
        Binding.objects.update_or_create(
            model=model, name=keep_as, defaults={"graph": row, "created_by": model.created_by}
        )
    delete_unused_graphs()


def note_inspection(model_id: uuid.UUID, inspection: dict[str, Any]) -> None:
    """Keep what the header says, so that dimensions can be bound even where no graph could be made yet."""
    Model.objects.filter(pk=model_id).update(inspection=clean(inspection))


def refuse(model_id: uuid.UUID, error: Mapping[str, Any]) -> None:
    """Note why a file could not be read; with symbolic dimensions to bind, other values may still help."""
    model = Model.objects.select_related("graph").defer("graph__data").filter(pk=model_id).first()
    if model is None:
        return
    code = str(error.get("code", ""))
    model.error = clean(dict(error))
    if code in GIVEN_ERRORS and model.graph is not None:
        model.state, model.dims, model.given = ModelState.READY, model.graph.dims, model.graph.given
    elif code in GIVEN_ERRORS:
        model.state = ModelState.NEEDS_DIMS
    else:
        model.state = ModelState.NEEDS_DIMS if code in DIMENSION_ERRORS and model.dynamic_dims else ModelState.REFUSED
    model.save(update_fields=["state", "error", "dims", "given"])


def rename(model: Model, name: str) -> Model:
    """Give a model another name."""
    model.name = display_name(name, model.name)
    model.save(update_fields=["name"])
    return model


def remove_model(model: Model) -> None:
    """Delete a model and its file. If searches used it, or it is a sample, its row is hidden instead.

    The graphs of those searches stay, and a sample that was deleted is not loaded again by the next start.
    """
    hide, hashes = model.is_sample, contents.hashes_of(model)
    if not hide:
        try:
            with transaction.atomic():
                model.delete()
        except RestrictedError:
            hide = True
    if hide:
        model.removed_at = timezone.now()
        model.save(update_fields=["removed_at"])
    contents.discard_unused(hashes)
    delete_unused_graphs()


def delete_unused_graphs() -> None:
    """Delete the graphs that no model, binding, search or profile refers to any more."""
    ParsedGraph.objects.filter(model_rows=None, bindings=None, searches=None, profiles=None).delete()
