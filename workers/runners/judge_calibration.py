"""Learns from an uploaded calibration and judges that, in the sandbox: its errors are what its page shows."""

from __future__ import annotations

from apps.calibrations import services
from apps.calibrations.models import Calibration
from apps.modelhub.text import clean
from workers.handle import JobHandle
from workers.registry import register
from workers.runners.parse_model import ReadingStopped, stop_check
from workers.sandbox import ALLOWED, run_in_sandbox

JUDGE = "apps.calibrations.reading:judge"
ALLOWED.add(JUDGE)


@register(services.JUDGE_CALIBRATION)
class JudgeCalibrationRunner:
    """Job ``judge_calibration``; ``object_id`` is the calibration."""

    def run(self, job: JobHandle) -> None:
        """Keep the figures."""
        if job.object_id is None or not Calibration.objects.filter(pk=job.object_id).exists():
            return
        text = services.bundle_bytes(job.object_id).decode("utf-8")
        try:
            figures = run_in_sandbox(JUDGE, {"text": text}, tick=stop_check(job))
        except ReadingStopped:
            return
        with job.transaction():
            Calibration.objects.filter(pk=job.object_id).update(figures=clean(figures))
