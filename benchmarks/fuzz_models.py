"""Reads damaged models as uploads are read, and counts what became of them: python -m benchmarks.fuzz_models --json.

Every one must end as a plan's graph or as a refusal with a code; the process that reads must not crash, and the web
process and the workers must go on. Models are read in the sandbox, some hundred to a child; one whose child died is
read again alone, with the limits that an upload has. Every ``--every``-th also goes the whole way: sent by tus, made a
job, run by the worker's code, and shown.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

PER_CHILD = 100
SLOW_SECONDS = 10.0
"""Of processor time: a busy machine makes no model slow."""
READ_BATCH = "benchmarks.fuzz_models:read_batch"


def read_batch(payload: Mapping[str, Any], files: Mapping[str, Path]) -> list[dict[str, Any]]:
    """Read the models of ``payload["seeds"]`` one after another. Runs inside the sandbox."""
    from apps.modelhub.reading import read_model
    from benchmarks.fuzz_mutations import mutated
    from heteroopt.errors import HeteroOptError

    outcomes, data = [], Path("w.bin")
    data.write_bytes(bytes(16))
    for seed in payload["seeds"]:
        path, began = Path("model.onnx"), time.process_time()
        path.write_bytes(mutated(seed))
        sizes = {"N": 2} if seed % 2 else {"N": 2**31 - 1, "seq": 2**31 - 1}
        outcome: dict[str, Any] = {"seed": seed}
        try:
            read = read_model({"dims": sizes, "data_files": {"w.bin": "data0"}}, {"model": path, "data0": data})
            json.dumps(read, allow_nan=False)
            error = read.get("error")
        except HeteroOptError as refusal:
            error = refusal.to_dict()
        except Exception as crash:
            outcome["crash"] = f"{type(crash).__name__}: {crash}"[:300]
            error = None
        if error is not None:
            outcome["code"] = error["code"]
            # The reader's last resort: a refusal all the same, but of a case that nobody thought of.
            if error["params"].get("detail") == "reader_defect":
                outcome["unforeseen"] = error["params"]["reason"]
        outcome["seconds"] = time.process_time() - began
        outcomes.append(outcome)
    return outcomes


def run_batch(seeds: Sequence[int]) -> list[dict[str, Any]]:
    """Outcomes of some models; if the child dies, each is read in a child of its own."""
    from heteroopt.errors import HeteroOptError
    from workers.runners.parse_model import reading_limits
    from workers.sandbox import ALLOWED, run_in_sandbox

    ALLOWED.add(READ_BATCH)
    try:
        outcomes: list[dict[str, Any]] = run_in_sandbox(READ_BATCH, {"seeds": list(seeds)}, limits=reading_limits())
        return outcomes
    except HeteroOptError as error:
        if len(seeds) > 1:
            return [outcome for seed in seeds for outcome in run_batch([seed])]
        outcome: dict[str, Any] = {"seed": seeds[0], "code": error.code, "seconds": 0.0}
        if error.code == "sandbox_crash":
            outcome["crash"] = str(error)
        if error.code == "sandbox_timeout":
            outcome["seconds"] = float(str(error.params["limit_s"]))
        return [outcome]


def the_whole_way(seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Send models to the web application and do their jobs as a worker does, on a database of this process."""
    from rest_framework.test import APIClient

    from apps.accounts.services import ensure_workspace
    from apps.jobs.models import Job, JobState
    from benchmarks.fuzz_mutations import mutated
    from workers import tasks
    from workers.registry import load_runners

    load_runners()
    client = APIClient(SERVER_NAME="localhost")
    client.force_login(ensure_workspace())
    version = {"Tus-Resumable": "1.0.0"}
    for seed in seeds:
        data = mutated(seed) or b"\0"
        path = client.post("/api/uploads/", headers={**version, "Upload-Length": str(len(data))} | _NAMED)["Location"]
        kind = "application/offset+octet-stream"
        client.patch(path, data, content_type=kind, headers={**version, "Upload-Offset": "0"})
        model = client.post(f"{path}finish/", {}, "json").json()
        while (job := Job.objects.filter(state=JobState.QUEUED).first()) is not None:
            tasks.run(job.pk, "fuzz")
        shown = client.get(f"/api/models/{model['id']}/")
        state = shown.json()["state"]
        outcome = {"seed": seed, "state": state, "code": (shown.json()["error"] or {}).get("code")}
        operators = client.get(f"/api/models/{model['id']}/operators/?limit=5").status_code
        if state == "parsing" or outcome["code"] == "job_internal_error" or (state == "ready") != (operators == 200):
            outcome["crash"] = f"{state}, {outcome['code']}, operators {operators}"
        yield outcome


_NAMED = {"Upload-Metadata": "filename bS5vbm54"}  # m.onnx


def fuzz(count: int, first: int, every: int) -> dict[str, Any]:
    """Read ``count`` models from the seed ``first`` on; return the counts and every case that needs a look."""
    outcomes: list[dict[str, Any]] = []
    began = time.perf_counter()
    for start in range(first, first + count, PER_CHILD):
        outcomes += run_batch(range(start, min(start + PER_CHILD, first + count)))
    seconds = time.perf_counter() - began
    web = list(the_whole_way(range(first, first + count, every))) if every else []
    codes = collections.Counter(outcome.get("code", "read") for outcome in outcomes)
    return {
        "models": len(outcomes),
        "crashes": [outcome for outcome in outcomes if "crash" in outcome],
        "unforeseen": [outcome for outcome in outcomes if "unforeseen" in outcome],
        "slow": [outcome for outcome in outcomes if outcome["seconds"] > SLOW_SECONDS],
        "slowest_s": round(max(outcome["seconds"] for outcome in outcomes), 2),
        "outcomes": dict(codes.most_common()),
        "whole_way": {
            "models": len(web),
            "states": dict(collections.Counter(outcome["state"] for outcome in web)),
            "crashes": [outcome for outcome in web if "crash" in outcome],
        },
        "seconds": round(seconds, 1),
    }


def main() -> int:
    """Run it and print the counts; the exit status is 1 after a crash or a model that took too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--every", type=int, default=100, help="how many of them go the whole way: every N-th, 0 none")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({"HETEROOPT_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "config.settings"})
        os.environ["HETEROOPT_RENEW_SECONDS"], os.environ["HETEROOPT_LEASE_SECONDS"] = "1000", "3000"
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        found = fuzz(asked.count, asked.first, asked.every)
    if asked.json:
        print(json.dumps(found, indent=1))
    else:
        print(f"{found['models']} models in {found['seconds']} s, slowest {found['slowest_s']} s")
        for name, count in found["outcomes"].items():
            print(f"{count:7} {name}")
        for kind in ("crashes", "unforeseen", "slow"):
            print(f"{len(found[kind]):7} {kind}: {found[kind][:5]}")
        print(f"{found['whole_way']['models']:7} went the whole way: {found['whole_way']}")
    return 1 if found["crashes"] or found["slow"] or found["whole_way"]["crashes"] else 0


if __name__ == "__main__":
    sys.exit(main())
