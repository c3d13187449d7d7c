"""Plans to export in the tests: a small encoder on a data-centre pool, cut as a search or as chance has it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

import heteroopt as hopt
from heteroopt.api.exporting import plan_request
from heteroopt.deployment.exporting import ExportRequest
from heteroopt.deployment.front_points import FrontPoints
from heteroopt.graph.samples import bert_encoder_onnx

MODEL = bert_encoder_onnx(layers=1, hidden=64, heads=2, seq=16)


@cache
def scheduler(pool: str = "data_center") -> hopt.Scheduler:
    return hopt.Scheduler(hopt.Graph.from_onnx(MODEL), hopt.load_sample_pool(pool), generations=3, population_size=16)


@cache
def result(pool: str = "data_center"):
    return scheduler(pool).run(seed=7)


def model_file(folder: Path) -> Path:
    path = folder / "encoder.onnx"
    path.write_bytes(MODEL)
    return path


def request(pool: str = "data_center", row: int = -1, model: Path | None = None, **options: str) -> ExportRequest:
    """A plan of the front with its reasons."""
    found = result(pool)
    return replace(
        plan_request(found.pareto_front[row].plan, model=model, options=options),
        front=FrontPoints.of_front(found.front),
    )


def random_request(seed: int, pool: str = "data_center", model: Path | None = None, **options: str) -> ExportRequest:
    """Every operator on a legal device by chance, in the graph's order."""
    from heteroopt.simulation.decoder import decode_one

    found = result(pool)
    problem, rng = found.scheduler.problem, np.random.default_rng(seed)
    n = len(found.graph.operators)
    device = np.array([rng.choice(np.flatnonzero(problem.legal[i])) for i in range(n)], np.int32)
    plan = found.plan(0)
    schedule = decode_one(problem, np.arange(n, dtype=np.int32), device)
    return plan_request(replace(plan, schedule=schedule, number=None, figures=None), model=model, options=options)
