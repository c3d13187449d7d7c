"""One of several processes that write to the same SQLite file: ``python -m tests.workers.contender TIMES``."""

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.db import transaction  # noqa: E402

from apps.jobs import leases  # noqa: E402
from apps.jobs.models import Job  # noqa: E402


def main(times: int) -> None:
    """Read, add one and write back ``times`` times; then claim every queued job that can be had."""
    for _ in range(times):
        with transaction.atomic():
            job = Job.objects.get(kind="counter")
            job.progress = {"value": job.progress["value"] + 1}
            job.save(update_fields=["progress"])
    claimed = sum(
        leases.claim(job_id, str(os.getpid())) is not None
        for job_id in Job.objects.filter(kind="contended").values_list("pk", flat=True)
    )
    print(claimed)


if __name__ == "__main__":
    main(int(sys.argv[1]))
