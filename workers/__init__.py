"""Processes that do the work: Celery workers, the reaper, the sandbox and their supervisor."""
