"""Awkward inputs from model to table: names that trip up spreadsheets, and a model that its pool cannot hold."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from itertools import pairwise
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

import heteroopt as hopt
from heteroopt.deployment.csv_cells import restored
from heteroopt.deployment.placement_reader import read_placement

NAMES = [
    "=cmd|'/c calc'!A1",
    "+1",
    "-1+1",
    "@sum",
    "\tbegins with a tab",
    "\rbegins with a return",
    "two\nlines",
    "two\r\nlines",
    'comma, "quote"; semicolon',
    "a\ttab",
    "right\u202eto left\u2066",
    "'kept",
    "算子 naïve",
]


def chain(names: list[str]) -> onnx.ModelProto:
    """A Relu of each name, one after the other."""
    nodes = [helper.make_node("Relu", [f"t{i}"], [f"t{i + 1}"], name=name) for i, name in enumerate(names)]
    ends = [helper.make_tensor_value_info(f"t{i}", TensorProto.FLOAT, [1, 1000]) for i in (0, len(names))]
    return helper.make_model(helper.make_graph(nodes, "awkward", ends[:1], ends[1:]))


def test_the_table_of_operators_holds_every_name_and_is_read_back(tmp_path: Path):
    path = tmp_path / "awkward.onnx"
    onnx.save(chain(NAMES), path)
    graph = hopt.Graph.from_onnx(path)
    pool = hopt.load_sample_pool(hopt.list_sample_pools()[0])
    result = hopt.Scheduler(graph, pool, generations=3, population_size=8, fuse=False).run()
    plan = result.pareto_front[0]
    text = plan.to_csv()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [int(row["index"]) for row in sorted(rows, key=lambda row: int(row["order"]))] == list(range(len(NAMES)))
    for row in rows:
        for cell in row.values():
            assert not cell.startswith(("=", "+", "@", "\t", "\r"))
            # Nothing that breaks a line, moves text to the other side or cannot be seen reaches a cell.
            assert all(unicodedata.category(c) not in ("Cc", "Cf") for c in cell)
        assert json.loads(restored(row["model operators"])) == [restored(row["name"])]
    told = {restored(row["name"]): row["device"] for row in rows}
    assert len(told) == len(NAMES)  # names that differ in what cannot be shown alone stay apart
    assert {"=cmd|'/c calc'!A1", "-1+1", "'kept", "算子 naïve", 'comma, "quote"; semicolon'} < set(told)
    assert told == plan.placement
    assert {row.operator: row.device for row in read_placement(text.encode())} == told


def heavy(memory_gb: float) -> hopt.Result:
    """A search of 12 layers of 1 GB each on two devices."""
    names = [f"layer{i}" for i in range(12)]
    tables = hopt.load_tables(
        {
            "format": "heteroopt-tables-1",
            "devices": [
                {"name": name, "device_type": "GPU", "memory_size_bytes": int(memory_gb * 1e9)} for name in ("a", "b")
            ],
            "operators": [{"name": name, "time_ms": {"a": 1.0, "b": 1.0}, "weight_bytes": 10**9} for name in names],
            "edges": [{"source": a, "target": b, "size_bytes": 1000} for a, b in pairwise(names)],
        }
    )
    return hopt.Scheduler(tables.graph, tables.pool, costs=tables.costs, generations=3, population_size=8).run()


def test_a_model_that_does_not_fit_says_by_how_much_and_what_would_do():
    result = heavy(4)
    assert result.outcome == "no_feasible"
    with pytest.raises(hopt.PlanError) as caught:
        result.select("fastest")
    least = min(plan.overflow_bytes for plan in result.pareto_front)
    params = caught.value.params
    assert params["overflow_bytes"] == least > 0
    exceeded = params["memory_exceeded"]
    # 12 GB over two devices of 0.85 x 4 GB: 5.2 GB are missing at the least.
    assert sum(one["overflow_bytes"] for one in exceeded) == least
    assert least == pytest.approx(12e9 - 2 * 0.85 * 4e9, rel=1e-3)
    assert "give a 7.059 GB of memory in place of 4 GB and give b 7.059 GB" in str(caught.value.hint)
    # The change that it names is enough, and hardly less would be.
    assert heavy(7.059).outcome != "no_feasible"
    assert heavy(7.05).outcome == "no_feasible"
