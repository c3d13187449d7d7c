"""Runs inside another Python that has anrg-saga: reads an instance as JSON, writes every scheduler's answer as JSON.

Imports nothing of ours. Input: ``tasks`` {name: cost}, ``edges`` [[source, target, size]], ``nodes`` {name: speed},
``links`` [[a, b, speed]], ``limit_s`` per scheduler, ``heft_runs``. Output, one line a scheduler: ``name``,
``seconds`` (CPU; of its HEFT the median of so many further runs), ``placement`` {task: [node, start]} or ``error``.
"""

import json
import logging
import signal
import statistics
import sys
import time

import saga.schedulers as schedulers
from saga import Network, TaskGraph

LEFT_OUT = {
    "BruteForceScheduler",
    "SMTScheduler",
    "HybridScheduler",
}  # exponential, needs a solver, is a list of others


def main() -> None:
    """Run all schedulers on the instance."""
    logging.disable(logging.CRITICAL)
    data = json.load(sys.stdin)
    graph = TaskGraph.create(list(data["tasks"].items()), [tuple(edge) for edge in data["edges"]])
    network = Network.create(list(data["nodes"].items()), [tuple(link) for link in data["links"]])
    signal.signal(signal.SIGALRM, _over)
    for name in schedulers.__all__:
        if name in LEFT_OUT:
            continue
        began = time.process_time()
        answer = {"name": name.removesuffix("Scheduler")}
        try:
            signal.alarm(data["limit_s"])
            schedule = getattr(schedulers, name)().schedule(network, graph)
            signal.alarm(0)
            answer["placement"] = {
                task.name: [node, task.start] for node, tasks in schedule.mapping.items() for task in tasks
            }
        except Exception as error:  # any scheduler may fail in its own way; the others still count
            signal.alarm(0)
            answer["error"] = f"{type(error).__name__}: {error}"[:200]
        answer["seconds"] = time.process_time() - began
        if name == "HeftScheduler" and "error" not in answer:
            answer["seconds"] = statistics.median(
                _seconds(network, graph, schedulers.HeftScheduler()) for _ in range(data["heft_runs"])
            )
        print(json.dumps(answer), flush=True)


def _seconds(network: Network, graph: TaskGraph, scheduler: schedulers.HeftScheduler) -> float:
    began = time.process_time()
    scheduler.schedule(network, graph)
    return time.process_time() - began


def _over(*_: object) -> None:
    raise TimeoutError("stopped at the limit")


if __name__ == "__main__":
    main()
