"""What a border between segments costs: models cut into 1 to 8 segments, run on one thread, and by the runner on one
core and on two.

Run: python -m benchmarks.borders [--models resnet50,bert,mobilenet] [--segments 1,2,4,8] [--rounds 7] [--json FILE]

Operators are cut into runs of equal number, which alternate between two devices of one core each. Three arms take
turns, round by round: plain sessions one after another on one thread, the runner with both devices on one core, and
with each on a core of its own. Of each, in milliseconds: the item, the sum of its segments (what is above the whole
model is lost layouts and fusions), and the waits between them (hand-over). Medians of rounds. For a quiet machine:
``chrt -r 5``.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.deployment import MODELS
from benchmarks.runner import REST_S, on_cores, session_of
from benchmarks.split import export_split, load_runner

CORES = (0, 1)
Run = tuple[float, float, float]
"""Seconds of an item, of its segments together, of the waits between them."""


class Cut:
    """A model in so many segments, loaded for the three arms."""

    def __init__(self, path: Path, segments: int, folder: Path) -> None:
        export_split(path, segments, folder)
        runner = load_runner(folder)
        self.plans = {
            "one core": runner.Plan(str(folder), 1, on_cores(CORES[:1])),
            "two cores": runner.Plan(str(folder), 1, on_cores(CORES)),
        }
        plan = self.plans["one core"]
        self.segments = plan.segments
        self.inputs = runner.made_up(plan.plan)
        self.sessions = [session_of(folder / segment["file"]) for segment in self.segments]
        self.runs: dict[str, list[Run]] = {"one thread": [], **{name: [] for name in self.plans}}
        self.border_bytes = 0

    def turn(self) -> None:
        """Run an item twice in each arm, after a rest; the second counts."""
        os.sched_setaffinity(0, CORES[:1])
        for _ in range(2):
            last = self._alone()
        self.runs["one thread"].append(last)
        os.sched_setaffinity(0, CORES)
        for name, plan in self.plans.items():
            for _ in range(2):
                time.sleep(REST_S)
                plan.log.clear()
                begin = time.perf_counter()
                plan.run(self.inputs)
                item = time.perf_counter() - begin
            log = sorted(plan.log, key=lambda row: row[2])
            waits = sum(after[2] - before[3] for before, after in pairwise(log))
            self.runs[name].append((item, sum(row[3] - row[2] for row in log), waits))

    def _alone(self) -> Run:
        time.sleep(REST_S)
        begin, spent, values = time.perf_counter(), 0.0, dict(self.inputs)
        for session, segment in zip(self.sessions, self.segments, strict=True):
            start = time.perf_counter()
            made = session.run(segment["outputs"], {name: values[name] for name in segment["inputs"]})
            spent += time.perf_counter() - start
            values.update(zip(segment["outputs"], made, strict=True))
        item = time.perf_counter() - begin
        inside = [name for segment in self.segments for name in segment["inputs"] if name not in self.inputs]
        self.border_bytes = sum(values[name].nbytes for name in inside)
        return item, spent, 0.0

    def report(self, skip: int) -> dict[str, Any]:
        """Medians by arm, in milliseconds."""
        found: dict[str, Any] = {"segments": len(self.segments), "border_bytes": self.border_bytes}
        for name, runs in self.runs.items():
            columns = (statistics.median(run[column] for run in runs[skip:]) for column in range(3))
            found[name] = dict(
                zip(("item_ms", "segments_ms", "waits_ms"), (round(1e3 * value, 3) for value in columns), strict=True)
            )
        return found

    def close(self) -> None:
        """End the runner's threads."""
        for plan in self.plans.values():
            plan.close()


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", default="resnet50,bert,mobilenet")
    parser.add_argument("--segments", default="1,2,4,8")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for name in options.models.split(","):
        with tempfile.TemporaryDirectory(prefix="heteroopt-borders-") as scratch:
            path = Path(scratch) / "model.onnx"
            path.write_bytes(MODELS[name]())
            cuts = [Cut(path, int(word), Path(scratch) / word) for word in options.segments.split(",")]
            for _ in range(options.rounds + 2):
                for cut in cuts:
                    cut.turn()
            for cut in cuts:
                rows.append({"model": name, **cut.report(2)})
                print(json.dumps(rows[-1]), flush=True)
                cut.close()
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
