"""Reads an uploaded ONNX file or plain tables, in the sandbox, and stores the graph or the reason for the refusal."""

from __future__ import annotations

from collections.abc import Callable

from apps.modelhub import services
from apps.modelhub.models import Model
from apps.modelhub.storage import path_of
from heteroopt.errors import ModelError
from workers.handle import JobHandle
from workers.registry import register
from workers.sandbox import ALLOWED, Limits, default_limits, run_in_sandbox

READ = {
    services.PARSE_MODEL: "apps.modelhub.reading:read_model",
    services.PARSE_TABLES: "apps.modelhub.reading:read_tables",
}
ALLOWED.update(READ.values())


class ReadingStopped(Exception):
    """The job was asked to stop."""


def reading_limits() -> Limits:
    """The sandbox's usual limits, with room for the graph of a large model in the answer."""
    usual = default_limits()
    return Limits(usual.memory_bytes, usual.cpu_seconds, usual.wall_seconds, usual.file_bytes, 256 << 20)


def stop_check(job: JobHandle) -> Callable[[], None]:
    """A tick for the sandbox that ends the reading when the job is stopped or lost."""

    def check() -> None:
        if job.cancelled:
            raise ReadingStopped

    return check


@register(services.PARSE_TABLES)
@register(services.PARSE_MODEL)
class ParseModelRunner:
    """Jobs ``parse_model`` and ``parse_tables``; ``object_id`` is the model, ``payload["dims"]`` what to bind."""

    def run(self, job: JobHandle) -> None:
        """Refusals are raised: the job fails with them, and its end refuses the model."""
        model = None if job.object_id is None else Model.objects.filter(pk=job.object_id).only("sha256").first()
        if model is None:
            return
        files, payload = {"model": path_of(model.sha256)}, {"dims": job.payload.get("dims", {})}
        try:
            read = run_in_sandbox(READ[job.kind], payload, files, reading_limits(), tick=stop_check(job))
        except ReadingStopped:
            return
        if "error" in read:
            with job.transaction():
                services.note_inspection(model.pk, read["inspection"])
            error = read["error"]
            raise ModelError(error["code"], error["message"], hint=error["hint"], **error["params"])
        with job.transaction():
            services.accept_graph(model.pk, read["document"], read["summary"])
