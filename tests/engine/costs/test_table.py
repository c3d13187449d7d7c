"""CostTable: the one gate that no NaN, infinity or negative figure gets past."""

import json

import numpy as np
import pytest

from heteroopt.costs import CostTable
from heteroopt.errors import CostError

NAMES = {"operator_names": ["conv1", "fc"], "device_names": ["gpu0", "npu0"]}


def test_given_figures():
    table = CostTable.from_arrays([[10, -1], [3.6, 5]], [[100, 7], [1, 2]], **NAMES)
    assert table.time_ps.tolist() == [[10, -1], [4, 5]]
    assert table.energy_pj.tolist() == [[100, 0], [1, 2]]
    assert table.supported.tolist() == [[True, False], [True, True]]
    assert table.coverage() == {"given": 0.75, "unsupported": 0.25}
    assert (table.n_operators, table.n_devices) == (2, 2)


@pytest.mark.parametrize(
    ("time", "energy", "field", "device"),
    [
        ([[1, np.nan], [1, 1]], [[0, 0], [0, 0]], "time_ps", "npu0"),
        ([[1, np.inf], [1, 1]], [[0, 0], [0, 0]], "time_ps", "npu0"),
        ([[1, -2], [1, 1]], [[0, 0], [0, 0]], "time_ps", "npu0"),
        ([[10**16 + 2, 1], [1, 1]], [[0, 0], [0, 0]], "time_ps", "gpu0"),
        ([[1, 1], [1, 1]], [[np.nan, 0], [0, 0]], "energy_pj", "gpu0"),
        ([[1, 1], [1, 1]], [[-1, 0], [0, 0]], "energy_pj", "gpu0"),
    ],
)
def test_impossible_entries_are_refused_with_operator_and_device(time, energy, field, device):
    with pytest.raises(CostError) as caught:
        CostTable.from_arrays(time, energy, **NAMES)
    assert caught.value.code == "cost_entry"
    assert (caught.value.params["field"], caught.value.params["operator"]) == (field, "conv1")
    assert caught.value.params["device"] == device


def test_the_interval_holds_the_time():
    for low, high in (([[11]], [[12]]), ([[1]], [[9]]), ([[-1]], [[12]])):
        with pytest.raises(CostError):
            CostTable.from_arrays([[10]], [[0]], low_ps=low, high_ps=high)


def test_shapes_must_agree():
    for time, energy in (([1, 2], [1, 2]), ([[1]], [[1, 2]])):
        with pytest.raises(CostError) as caught:
            CostTable.from_arrays(time, energy)
        assert caught.value.code == "cost_shape"


def test_a_total_that_could_overflow_is_refused():
    with pytest.raises(CostError) as caught:
        CostTable.from_arrays(np.full((500, 1), 10**16), np.zeros((500, 1)))
    assert caught.value.code == "cost_total"


def test_round_trip_and_hash():
    table = CostTable.from_arrays([[10, -1], [3, 5]], [[100, 0], [1, 2]], **NAMES)
    again = CostTable.from_dict(json.loads(json.dumps(table.to_dict())))
    assert again.to_dict() == table.to_dict()
    assert again.content_hash == table.content_hash
    other = CostTable.from_arrays([[10, -1], [3, 6]], [[100, 0], [1, 2]], **NAMES)
    assert other.content_hash != table.content_hash
    with pytest.raises(CostError):
        CostTable.from_dict({"time_ps": [[1]]})


def test_entries_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        CostTable.from_arrays([[1]], [[1]]).time_ps[0, 0] = 2


def test_shares_of_the_memory_are_kept_checked_and_left_out_where_nothing_asks_for_them():
    plain = CostTable.from_arrays([[10, 20]], [[0, 0]], bound=[[1, 0]])
    assert plain.shares().tolist() == [[1024, 0]]
    assert "memory_share" not in plain.to_dict()
    shared = CostTable.from_arrays([[10, 20]], [[0, 0]], memory_share=[[512, 0]])
    again = CostTable.from_dict(json.loads(json.dumps(shared.to_dict())))
    assert again.shares().tolist() == [[512, 0]]
    assert again.content_hash == shared.content_hash
    for wrong in ([[1025, 0]], [[-1, 0]], [[np.nan, 0]], [[1, 2, 3]]):
        with pytest.raises(CostError):
            CostTable.from_arrays([[10, 20]], [[0, 0]], memory_share=wrong)
