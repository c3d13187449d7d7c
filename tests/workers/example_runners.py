"""Kinds of jobs for the tests: one that counts, one that kills its worker, and ones that fail."""

import hashlib
import json
import os
import signal
import time

from heteroopt.errors import ModelError
from workers.registry import register


def count_digest(number: int) -> str:
    """Return what a counting job to ``number`` ends with."""
    digest = ""
    for value in range(number):
        digest = next_digest(digest, value)
    return digest


def next_digest(digest: str, value: int) -> str:
    return hashlib.sha256(f"{digest}{value}".encode()).hexdigest()


@register("count")
class Count:
    """Counts to ``to``, a step each ``seconds``; the digest shows a step that was missed or done twice."""

    def run(self, job):
        state = json.loads(job.last_checkpoint) if job.last_checkpoint else {"value": 0, "digest": ""}
        start = state["value"]
        while state["value"] < job.payload["to"] and not job.cancelled:
            time.sleep(job.payload.get("seconds", 0))
            state = {"digest": next_digest(state["digest"], state["value"]), "value": state["value"] + 1}
            job.checkpoint(json.dumps(state).encode())
            job.progress({**state, "resumed_at": start, "pid": os.getpid()})


@register("echo")
class Echo:
    """Shows its payload as its progress."""

    def run(self, job):
        job.progress(job.payload)


@register("die")
class Die:
    """Takes its worker with it."""

    def run(self, job):
        os.kill(os.getpid(), signal.SIGKILL)


@register("refuse")
class Refuse:
    """Ends with an error that the user must mend."""

    def run(self, job):
        raise ModelError("model_empty", "The file has no operator.", hint="Export it again.", bytes=0)


@register("defect")
class Defect:
    """Ends with a programming error."""

    def run(self, job):
        raise KeyError("secret detail")
