"""The files that a model consists of: stored by their hash, kept while any model needs them, told apart by one hash."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction
from django.db.models import Q

from apps.accounts.models import Team
from apps.modelhub import storage
from apps.modelhub.models import Model, ModelFile
from heteroopt.errors import ModelError


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a model: its name relative to the model, where its bytes lie now, and what they are."""

    name: str
    path: Path
    found: storage.Digest


def content_hash(main: str, data: Mapping[str, str]) -> str:
    """One SHA-256 for a model file and its data files (name to hash); that of the model file alone without any."""
    if not data:
        return main
    lines = [main, *(f"{name}\0{sha256}" for name, sha256 in sorted(data.items()))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def paths_of(model: Model) -> tuple[Path, dict[str, Path]]:
    """Where the model file lies, and its data files by their location."""
    main, data = model.sha256, {}
    for file in model.files.all():
        if file.is_main:
            main = file.sha256
        else:
            data[file.name] = storage.path_of(file.sha256)
    return storage.path_of(main), data


def whole_file(model: Model) -> Path:
    """The file of a model that is to be run. Raises ``ModelError`` ``model_in_parts``, ``file_missing``."""
    main, data = paths_of(model)
    if data:
        raise ModelError(
            "model_in_parts",
            "Only a model in one file can be run; this one keeps weights in other files.",
            hint="Save it with its weights inside (below 2 GB), and upload that.",
        )
    if not main.is_file():
        raise ModelError("file_missing", "A stored file of the model is gone.", hint="Upload it again.", file=main.name)
    return main


def known(team: Team, sha256: str) -> Model | None:
    """The team's oldest model with this content, or that was unpacked from this very archive."""
    same = Q(content_hash=sha256) | Q(sha256=sha256, files__is_main=True)
    return Model.objects.filter(same, team=team, removed_at=None).order_by("created_at").first()


def add_data(model: Model, data: Iterable[Part]) -> None:
    """Keep data files with a model; the rows come before the files, as :func:`discard_unused` needs it."""
    parts = list(data)
    _add_rows(model.id, parts, main=None)
    for part in parts:
        storage.keep_file(part.path, part.found.sha256)


def accept_unpacked(model_id: uuid.UUID, main: Part, data: list[Part]) -> None:
    """Replace the archive that a model came in by what was in it."""
    packed = Model.objects.values_list("sha256", flat=True).get(pk=model_id)
    with transaction.atomic():
        ModelFile.objects.filter(model=model_id).delete()
        _add_rows(model_id, data, main=main)
        Model.objects.filter(pk=model_id).update(
            content_hash=content_hash(main.found.sha256, {part.name: part.found.sha256 for part in data}),
            size_bytes=sum(part.found.size_bytes for part in (main, *data)),
        )
    for part in (main, *data):
        storage.keep_file(part.path, part.found.sha256)
    discard_unused([packed])


def _add_rows(model_id: uuid.UUID, data: list[Part], *, main: Part | None) -> None:
    rows = [(part, False) for part in data] + ([] if main is None else [(main, True)])
    ModelFile.objects.bulk_create(
        ModelFile(
            model_id=model_id,
            name=part.name,
            size_bytes=part.found.size_bytes,
            sha256=part.found.sha256,
            is_main=is_main,
        )
        for part, is_main in rows
    )


def hashes_of(model: Model) -> list[str]:
    """Hashes of every file that may be stored for a model."""
    return [model.sha256, *model.files.values_list("sha256", flat=True)]


def discard_unused(hashes: Iterable[str]) -> None:
    """Delete stored files that no model which is still shown needs."""
    with storage.files_leave():
        for sha256 in set(hashes):
            # A model that came in an archive needs what was in it, not the archive.
            whole = Model.objects.filter(sha256=sha256, removed_at=None).exclude(files__is_main=True)
            part = ModelFile.objects.filter(sha256=sha256, model__removed_at=None)
            if not whole.exists() and not part.exists():
                storage.discard(sha256)
