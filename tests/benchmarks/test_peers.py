"""What the benchmarks compare with: models of the sizes they say, and a lean decoder that does the same work."""

import numpy as np
import pytest

from benchmarks.lean_decoder import lean_decoder
from benchmarks.models import branchy_graph, gpt_graph, light_model
from benchmarks.synthetic import synthetic_problem
from heteroopt.simulation.decoder import decode_batch
from tests.engine.factories import random_devices, random_order


def test_the_lean_decoder_equals_the_compiled_one():
    problem, rng = synthetic_problem(60), np.random.default_rng(0)
    orders = np.array([random_order(problem, rng) for _ in range(20)], np.int32)
    devices = np.array([random_devices(problem, rng) for _ in range(20)], np.int32)
    expected = decode_batch(problem, orders, devices)
    decode = lean_decoder(problem)
    for row in range(20):
        time_ps, energy_pj, variance = decode(orders[row].tolist(), devices[row].tolist())
        assert time_ps == expected.time_ps[row]
        assert energy_pj == pytest.approx(expected.energy_pj[row], rel=1e-12)
        assert variance == pytest.approx(expected.load_variance[row], rel=1e-9)


def test_graphs_have_the_sizes_that_they_are_named_for():
    assert len(branchy_graph(60).operators) == 60
    assert branchy_graph(60).content_hash == branchy_graph(60).content_hash
    two, three = (gpt_graph(layers, 64, 4, 16, 100) for layers in (2, 3))
    assert len(three.operators) - len(two.operators) == 50
    assert light_model("squeezenet", 32).flops == 32 * light_model("squeezenet", 1).flops
