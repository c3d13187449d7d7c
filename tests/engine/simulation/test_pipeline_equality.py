"""The compiled pipeline equals the reference pipeline, and both the decoder, on random problems and plans."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.simulation.measures import measure_plans
from heteroopt.simulation.pipeline import run_pipeline_reference
from heteroopt.simulation.pipeline_decoder import pipeline_batch, run_pipeline
from heteroopt.simulation.reference import decode_reference
from tests.engine.factories import plans, random_devices, random_order, random_problem


@settings(max_examples=150, deadline=None)
@given(plans(), st.lists(st.integers(0, 1500), min_size=1, max_size=7))
def test_compiled_equals_reference(plan, arrivals):
    problem, order, device = plan
    arrivals = sorted(arrivals)
    result, _ = run_pipeline_reference(problem, order, device, arrivals)
    compiled = run_pipeline(problem, order, device, len(arrivals), arrivals_ps=np.array(arrivals))
    assert compiled.finish_ps.tolist() == result.finish_ps.tolist()
    assert compiled.peak_bytes.tolist() == result.peak_bytes.tolist()
    assert compiled.throughput_per_s == result.throughput_per_s


@settings(max_examples=100, deadline=None)
@given(plans())
def test_one_item_runs_exactly_as_the_decoder_says(plan):
    problem, order, device = plan
    schedule = decode_reference(problem, order, device)
    result, log = run_pipeline_reference(problem, order, device, [0])
    assert result.step_time_ps == schedule.makespan_ps
    assert len(log) == problem.n_operators + schedule.n_transfers
    for entry in log:
        if entry.kind == "operator":
            assert entry.start_ps == schedule.start_ps[entry.index]
        else:
            assert entry.start_ps == schedule.transfers[entry.index].start_ps
    # Outputs leave when the item is finished, in the decoder they stay.
    assert (result.peak_bytes <= schedule.peak_bytes).all()


@settings(max_examples=60, deadline=None)
@given(plans(), st.integers(2, 9))
def test_no_pipeline_beats_the_bottleneck(plan, items):
    problem, order, device = plan
    alone = replace(problem, op_memory_share=np.zeros_like(problem.op_memory_share), contends=False)
    measured = measure_plans(alone, order[None], device[None])
    values = pipeline_batch(problem, order[None], device[None], items)
    makespan = int(measured.evaluation.time_ps[0])
    assert values.step_time_ps[0] >= max(makespan, items * int(measured.evaluation.bottleneck_ps[0]))
    if not problem.contends:
        assert (values.peak_bytes[0] >= pipeline_batch(problem, order[None], device[None], 1).peak_bytes[0]).all()


def test_batch_rows_do_not_influence_each_other():
    rng = np.random.default_rng(5)
    problem = random_problem(8, 60, 4, domain=True, shared_channels=True)
    orders = np.array([random_order(problem, rng) for _ in range(6)])
    devices = np.array([random_devices(problem, rng) for _ in range(6)])
    together = pipeline_batch(problem, orders, devices, 8)
    for row in range(6):
        alone, _ = run_pipeline_reference(problem, orders[row], devices[row], [0] * 8)
        assert together.finish_ps[row].tolist() == alone.finish_ps.tolist()
        assert together.peak_bytes[row].tolist() == alone.peak_bytes.tolist()
        assert together.throughput_per_s[row] == alone.throughput_per_s
        assert together.step_time_ps[row] == alone.step_time_ps
