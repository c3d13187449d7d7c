"""Every reason is true by the numbers that it shows: each claim is checked against a decode of its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.explanation.explain import explain_problem
from heteroopt.explanation.explanation import ALTERNATIVE_CODES, REASONS
from heteroopt.explanation.moves import bound_together, moves_together
from heteroopt.explanation.reasons import NEGLIGIBLE
from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.problem import Problem
from heteroopt.units import pj_to_j, ps_to_ms
from tests.engine.factories import plans


def explain(problem: Problem, order, device):
    names = [f"op{i}" for i in range(problem.n_operators)]
    devices = [f"dev{d}" for d in range(problem.n_devices)]
    sources = [["given"] * problem.n_devices] * problem.n_operators
    return explain_problem(problem, names, devices, sources, order, device, range(problem.n_operators))


def moved_plan(problem: Problem, order, device, operator: int, target: int):
    changed = np.array(device).copy()
    for i in moves_together(problem, device, operator):
        if problem.legal[i, target]:
            changed[i] = target
    return decode_one(problem, order, changed)


@settings(max_examples=120, deadline=None)
@given(plans(max_operators=12), st.integers(0, 2**32 - 1))
def test_reasons_and_alternatives_are_true(plan, seed):
    problem, order, device = plan
    base = decode_one(problem, order, device)
    for found in explain(problem, order, device):
        i = found.operator
        home = int(device[i])
        assert [a["device"] for a in found.alternatives] == [d for d in range(problem.n_devices) if d != home]
        gains = {}
        for option in found.alternatives:
            target = option["device"]
            assert option["code"] in ALTERNATIVE_CODES
            if option["code"] not in ("ok", "exceeds_memory"):
                assert not problem.legal[i, target] and option["delta_time_ms"] is None
                continue
            moved = moved_plan(problem, order, device, i, target)
            gains[target] = moved
            assert option["delta_time_ms"] == ps_to_ms(moved.makespan_ps - base.makespan_ps)
            assert option["delta_energy_j"] == pj_to_j(moved.energy_pj - base.energy_pj)
            assert option["delta_load_balance"] == moved.load_variance - base.load_variance
            assert option["delta_transferred_bytes"] == moved.transferred_bytes - base.transferred_bytes
            assert option["overflow_bytes"] == moved.overflow_bytes
            assert (option["code"] == "exceeds_memory") == (moved.overflow_bytes > 0)
        check_reason(problem, base, i, home, found.reason, gains)


def check_reason(problem: Problem, base, i: int, home: int, reason, gains) -> None:
    code, params = reason["code"], reason["params"]
    assert set(params) == set(REASONS[code])
    if code == "pinned":
        assert problem.pin[i] == home
    elif code == "view_follows":
        producer = int(params["operator"].removeprefix("op"))
        assert problem.is_view[i] and base.device[producer] == home
    elif code == "only_supported_here":
        assert problem.supported[i].sum() == 1
    elif code == "colocated":
        other = int(params["operator"].removeprefix("op"))
        assert other != i and problem.group[other] == problem.group[i] >= 0
        assert params["members"] == (problem.group == problem.group[i]).sum()
    elif code == "others_forbidden":
        assert params["devices"] and not gains
    else:
        target = int(params["device"].removeprefix("dev"))
        assert target != home
        if code == "fastest_here":
            together = list(bound_together(problem, i))
            times = problem.op_time_ps[together].sum(axis=0)
            others = [
                int(times[d]) for d in range(problem.n_devices) if d != home and problem.supported[together, d].all()
            ]
            assert params["time_ms"] == ps_to_ms(int(times[home])) < params["other_time_ms"]
            assert params["other_time_ms"] == ps_to_ms(min(others)) == ps_to_ms(int(times[target]))
            return
        moved = gains[target]
        slower = moved.makespan_ps - base.makespan_ps
        dearer = moved.energy_pj - base.energy_pj
        uneven = moved.load_variance - base.load_variance
        if code == "memory_full_elsewhere":
            assert params["overflow_bytes"] == moved.overflow_bytes > base.overflow_bytes
        elif code == "avoids_transfer":
            assert params["transfer_bytes"] == moved.transferred_bytes - base.transferred_bytes > 0
            assert params["delta_ms"] == ps_to_ms(slower) > 0
        elif code == "parallel_branch":
            other = int(params["operator"].removeprefix("op"))
            assert base.device[other] == target
            assert max(base.start_ps[i], base.start_ps[other]) < min(base.finish_ps[i], base.finish_ps[other])
            assert params["delta_ms"] == ps_to_ms(slower) > 0
        elif code == "slower_elsewhere":
            assert params["delta_ms"] == ps_to_ms(slower) > 0
        elif code == "saves_energy":
            assert params["saved_j"] == pj_to_j(dearer) > 0
            assert params["faster_ms"] >= 0
        elif code == "balance":
            assert params["delta_load_balance"] == uneven > 0
            assert params["faster_ms"] >= 0
        elif code == "trade_off":
            assert params["faster_ms"] == ps_to_ms(-slower) > 0
            assert params["saved_j"] == pj_to_j(dearer) > 0 and params["delta_load_balance"] == uneven > 0
        elif code == "equal_elsewhere":
            assert abs(slower) <= NEGLIGIBLE * base.makespan_ps
            assert abs(dearer) <= NEGLIGIBLE * base.energy_pj
            assert abs(uneven) <= NEGLIGIBLE
        elif code == "better_elsewhere":
            assert moved.overflow_bytes <= base.overflow_bytes
            better = (slower < 0, dearer < 0, uneven < 0)
            worse = (slower > NEGLIGIBLE * base.makespan_ps, dearer > NEGLIGIBLE * base.energy_pj, uneven > NEGLIGIBLE)
            assert moved.overflow_bytes < base.overflow_bytes or (any(better) and not any(worse))
        else:
            pytest.fail(f"unknown reason {code}")
