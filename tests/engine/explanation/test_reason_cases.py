"""The reason of one operator in small cases, one for every code."""

from __future__ import annotations

import pytest

from heteroopt.explanation.explain import explain_problem
from heteroopt.explanation.explanation import REASONS
from heteroopt.units import ps_to_ms
from tests.engine.factories import small_problem

PJ = 1e-12
ONE = {"inputs": [[]], "outputs": [[0]], "sizes": [0], "outputs_on_host": False}
PAIR = {"inputs": [[], [0]], "outputs": [[0], [1]], "sizes": [100, 0], "outputs_on_host": False}
TWO = {"inputs": [[], []], "outputs": [[0], [1]], "sizes": [0, 0], "outputs_on_host": False}


def reason(problem, device, operator, order=None, energy_sources=()):
    n = problem.n_operators
    found = explain_problem(
        problem,
        [f"op{i}" for i in range(n)],
        [f"dev{d}" for d in range(problem.n_devices)],
        [["roofline"] * problem.n_devices] * n,
        list(range(n)) if order is None else order,
        device,
        [operator],
        energy_sources,
    )[0]
    return found.reason["code"], found.reason["params"], found.alternatives


def case_fastest_here():
    code, params, (there,) = reason(small_problem([[10, 25]], **ONE), [0], 0)
    assert there["delta_time_ms"] == ps_to_ms(15)
    assert params == {"device": "dev1", "time_ms": 1e-8, "other_time_ms": 2.5e-8, "source": "roofline"}
    return code


def case_avoids_transfer():
    code, params, _ = reason(small_problem([[10, 10], [10, 9]], **PAIR), [0, 0], 1)
    assert params == {"device": "dev1", "transfer_bytes": 100, "delta_ms": ps_to_ms(109)}
    return code


def case_parallel_branch():
    # Both devices are equal; operator 1 would wait behind operator 0 there.
    code, params, _ = reason(small_problem([[10, 10], [10, 10]], **TWO), [0, 1], 1)
    assert params == {"device": "dev0", "operator": "op0", "delta_ms": ps_to_ms(10)}
    return code


def case_slower_elsewhere():
    # Device 1 is the fastest of all, but too far from the input that lies on a memory shared with device 0.
    problem = small_problem(
        [[10, 10, 1], [10, 9, 1]], **PAIR, store_memory=[0, 0, 1], inputs_on_host=False, forbidden=[2]
    )
    code, params, _ = reason(problem, [0, 0], 1)
    assert params == {"device": "dev1", "delta_ms": ps_to_ms(9)}
    return code


def case_saves_energy():
    problem = small_problem([[10, 10]], **ONE, energies=[[3, 8]])
    code, params, _ = reason(problem, [0], 0, energy_sources=[["measured", "template"]])
    assert params == {"device": "dev1", "saved_j": 5 * PJ, "faster_ms": 0.0, "energy_sources": ["measured", "template"]}
    assert reason(problem, [0], 0, energy_sources=[["given", "given"]])[1]["energy_sources"] == ["given"]
    assert reason(problem, [0], 0)[1]["energy_sources"] == []
    return code


def case_balance():
    # Device 2 makes the makespan of 100 alone; busy shares 0.1, 0.1, 1 are more even than 0.2, 0, 1.
    problem = small_problem([[-1, -1, 100], [10, 10, -1], [10, 10, -1]], [[]] * 3, [[0], [1], [2]], [0] * 3)
    code, params, _ = reason(problem, [2, 0, 1], 2)
    assert params["device"] == "dev0" and params["faster_ms"] == 0.0
    assert params["delta_load_balance"] == pytest.approx(0.56 / 3 - 0.54 / 3)
    return code


def case_trade_off():
    problem = small_problem([[20, 5], [10, 10]], **TWO, energies=[[1, 9], [0, 0]])
    code, params, _ = reason(problem, [0, 1], 0)
    assert params["device"] == "dev1"
    assert params["faster_ms"] == ps_to_ms(5) and params["saved_j"] == 8 * PJ
    return code


def case_equal_elsewhere():
    code, params, _ = reason(small_problem([[10, 10]], **ONE), [0], 0)
    assert params == {"device": "dev1"}
    return code


def case_better_elsewhere():
    code, params, _ = reason(small_problem([[10, 4]], **ONE, energies=[[3, 1]]), [0], 0)
    assert params["device"] == "dev1"
    assert params["delta_ms"] == ps_to_ms(-6) and params["delta_j"] == -2 * PJ
    return code


def case_memory_full_elsewhere():
    problem = small_problem([[10, 5]], **ONE, initializers=[[0]], init_sizes=[50], capacity=[50, 40])
    code, params, (there,) = reason(problem, [0], 0)
    assert params == {"device": "dev1", "overflow_bytes": 10}
    assert there["code"] == "exceeds_memory" and there["overflow_bytes"] == 10
    return code


def case_only_supported_here():
    code, params, (there,) = reason(small_problem([[10, -1]], **ONE), [0], 0)
    assert params == {"device": "dev0"} and there["code"] == "not_supported"
    return code


def case_others_forbidden():
    code, params, alternatives = reason(small_problem([[10, 1, 1]], **ONE, forbidden=[1, 2]), [0], 0)
    assert params == {"devices": ["dev1", "dev2"]}
    assert [a["code"] for a in alternatives] == ["forbidden", "forbidden"]
    return code


def case_pinned():
    code, params, (there,) = reason(small_problem([[10, 1]], **ONE, pin=[0]), [0], 0)
    assert params == {"device": "dev0"} and there["code"] == "pinned"
    return code


def case_colocated():
    problem = small_problem([[10, 10], [10, 20]], **TWO, group=[0, 0])
    code, params, (there,) = reason(problem, [0, 0], 1)
    assert params == {"operator": "op0", "members": 2}
    assert there["delta_time_ms"] == ps_to_ms(10)
    assert reason(problem, [0, 0], 0)[0] == "fastest_here"
    return code


def case_view_follows():
    problem = small_problem([[10, 10], [0, 0]], [[], [0]], [[0], [1]], [100, 100], views=[1])
    code, params, _ = reason(problem, [0, 0], 1)
    assert params == {"operator": "op0"}
    return code


@pytest.mark.parametrize("expected", sorted(REASONS))
def test_reason(expected):
    assert globals()[f"case_{expected}"]() == expected


def test_group_held_by_the_pin_or_the_support_of_another_member():
    pinned = small_problem([[10, 10], [10, 20]], **TWO, group=[0, 0], pin=[-1, 0])
    code, params, (there,) = reason(pinned, [0, 0], 0)
    assert (code, params["operator"], there["code"]) == ("colocated", "op1", "pinned")
    unsupported = small_problem([[10, 10], [10, -1]], **TWO, group=[0, 0])
    code, params, (there,) = reason(unsupported, [0, 0], 0)
    assert (code, params["operator"], there["code"]) == ("colocated", "op1", "not_supported")


def test_views_move_with_their_operator():
    # Moving operator 0 takes its view along: only operator 2 is left, and needs the buffer of 100 bytes once.
    problem = small_problem(
        [[10, 10], [0, 0], [5, 5]], [[], [0], [1]], [[0], [1], [2]], [100, 100, 0], views=[1], outputs_on_host=False
    )
    _, _, (there,) = reason(problem, [0, 0, 0], 0)
    assert there["delta_transferred_bytes"] == 100
    assert there["delta_time_ms"] == ps_to_ms(110)


def test_alternating_supported_operators_stay_together_because_of_transfers():
    # The accelerator (1) is twice as fast on every second operator, but each cut costs more than it saves.
    n = 40
    times = [[20, 10] if i % 2 else [20, -1] for i in range(n)]
    problem = small_problem(
        times, [[], *[[i] for i in range(n - 1)]], [[i] for i in range(n)], [30] * n, outputs_on_host=False
    )
    code, params, _ = reason(problem, [0] * n, 5)
    assert code == "avoids_transfer"
    assert params == {"device": "dev1", "transfer_bytes": 60, "delta_ms": ps_to_ms(2 * 40 - 10)}
