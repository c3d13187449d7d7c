"""Reads an uploaded ONNX file or plain tables, in the sandbox, and stores the graph or the reason for the refusal."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from apps.modelhub import contents, services
from apps.modelhub.models import Model, ModelKind
from apps.modelhub.unpacking import is_archive
from heteroopt.errors import ModelError
from workers.handle import JobHandle
from workers.registry import register
from workers.sandbox import ALLOWED, Limits, default_limits, run_in_sandbox
from workers.unpacking import unpack

READ = {
    services.PARSE_MODEL: "apps.modelhub.reading:read_model",
    services.PARSE_TABLES: "apps.modelhub.reading:read_tables",
}
ALLOWED.update(READ.values())


class ReadingStopped(Exception):
    """The job was asked to stop."""


def reading_limits(file_bytes: int = 0) -> Limits:
    """The sandbox's usual limits, with room for the graph of a large model in the answer.

    The file itself is mapped, which counts as address space but takes no memory that others could need.
    """
    usual = default_limits()
    return dataclasses.replace(usual, memory_bytes=usual.memory_bytes + file_bytes, result_bytes=256 << 20)


def stop_check(job: JobHandle) -> Callable[[], None]:
    """A tick for the sandbox that ends the reading when the job is stopped or lost."""

    def check() -> None:
        if job.cancelled:
            raise ReadingStopped

    return check


@register(services.PARSE_TABLES)
@register(services.PARSE_MODEL)
class ParseModelRunner:
    """Jobs ``parse_model`` and ``parse_tables``; ``object_id`` is the model, ``payload["dims"]`` what to bind,
    ``payload["given"]`` what the file leaves open, ``payload["keep_as"]`` a name for the reading."""

    def run(self, job: JobHandle) -> None:
        """Refusals are raised: the job fails with them, and its end refuses the model."""
        model = None if job.object_id is None else Model.objects.filter(pk=job.object_id).first()
        if model is None:
            return
        given = job.payload.get("given", {})
        try:
            main, data = contents.paths_of(model)
            if model.kind == ModelKind.ONNX and is_archive(main):
                unpack(model, main, stop_check(job))
                main, data = contents.paths_of(model)
            keys = {location: f"data{number}" for number, location in enumerate(data)}
            payload = {"dims": job.payload.get("dims", {}), "given": given, "data_files": keys}
            files = {"model": main, **{keys[location]: path for location, path in data.items()}}
            limits = reading_limits(main.stat().st_size if main.is_file() else 0)
            read = run_in_sandbox(READ[job.kind], payload, files, limits, tick=stop_check(job))
        except ReadingStopped:
            return
        except FileNotFoundError as gone:
            raise ModelError(
                "file_missing",
                "A stored file of the model is gone.",
                hint="Upload the model again.",
                file=Path(gone.filename or "").name[:12],
            ) from gone
        if "error" in read:
            with job.transaction():
                services.note_inspection(model.pk, read["inspection"])
            error = read["error"]
            raise ModelError(error["code"], error["message"], hint=error["hint"], **error["params"])
        with job.transaction():
            kept = {"given": given, "keep_as": job.payload.get("keep_as", "")}
            services.accept_graph(model.pk, read["document"], read["summary"], **kept)
