"""What other apps can act on when a job ends, whoever ended it."""

from __future__ import annotations

from django.dispatch import Signal

# Sent with ``job`` inside the transaction that makes the job done, failed or stopped, exactly once per job:
# by the worker, by a cancellation, or by the reaper after the last attempt. Receivers only write rows.
job_ended = Signal()
