"""Reads an uploaded ONNX file, in the sandbox, and stores the graph or the reason for the refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from apps.modelhub import services
from apps.modelhub.models import Model
from apps.modelhub.storage import path_of
from workers.handle import JobHandle
from workers.registry import register
from workers.sandbox import ALLOWED, Limits, default_limits, run_in_sandbox

INSPECT = "apps.modelhub.reading:inspect_model"
READ = "apps.modelhub.reading:read_model"
ALLOWED.update({INSPECT, READ})


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


@register(services.PARSE_MODEL)
class ParseModelRunner:
    """Job ``parse_model``; ``object_id`` is the model, ``payload["dims"]`` the dimensions to bind."""

    def run(self, job: JobHandle) -> None:
        """Refusals are raised: the job fails with them, and its end refuses the model."""
        model = Model.objects.filter(pk=job.object_id).only("sha256").first()
        if model is None:
            return
        files = {"model": path_of(model.sha256)}
        check, limits = stop_check(job), reading_limits()
        try:
            inspection: dict[str, Any] = run_in_sandbox(INSPECT, {}, files, limits, tick=check)
            with job.transaction():
                services.note_inspection(model.pk, inspection)
            payload = {"dims": job.payload.get("dims", {}), "inspection": inspection}
            read = run_in_sandbox(READ, payload, files, limits, tick=check)
        except ReadingStopped:
            return
        with job.transaction():
            services.accept_graph(model.pk, read["document"], read["summary"])
