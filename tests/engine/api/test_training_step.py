"""Training steps through the Python interface: their plans keep weights, gradients and updates together."""

from __future__ import annotations

import numpy as np
import pytest

import heteroopt as hopt
from heteroopt.graph.samples import bert_encoder_onnx
from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.reference import decode_reference


@pytest.fixture(scope="module")
def step():
    graph = hopt.Graph.from_onnx(bert_encoder_onnx(layers=2, hidden=64, heads=2, seq=16, vocabulary=100))
    return graph.training_step("momentum")


def test_a_step_is_planned(step):
    assert isinstance(step, hopt.Graph)
    scheduler = hopt.Scheduler(step, hopt.load_sample_pool("data_center"), generations=4, population_size=16)
    result = scheduler.run(seed=3)
    assert len(result.pareto_front) > 1
    for devices in result.front.plans.devices:
        homes: dict[str, set[int]] = {}
        for operator, device in zip(scheduler.graph.operators, devices, strict=True):
            if operator.colocation:
                homes.setdefault(operator.colocation, set()).add(int(device))
        assert all(len(places) == 1 for places in homes.values())
    best = result.pareto_front[0]
    assert best.exec_time <= result.default_plan["exec_time_ms"]


def test_both_decoders_agree_on_a_step(step):
    problem = hopt.Scheduler(step, hopt.load_sample_pool("data_center")).problem
    rng = np.random.default_rng(5)
    device = np.zeros(problem.n_operators, np.int32)
    for members in problem.members:
        device[list(members)] = rng.integers(problem.n_devices)
    order = np.arange(problem.n_operators, dtype=np.int32)
    compiled, plain = decode_one(problem, order, device), decode_reference(problem, order, device)
    assert compiled.makespan_ps == plain.makespan_ps
    assert compiled.peak_bytes.tolist() == plain.peak_bytes.tolist()
