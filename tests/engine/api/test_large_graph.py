"""A graph of 20,000 operators in one chain goes the whole way: no recursion, nothing quadratic in memory."""

import json

import numpy as np
import pytest
from onnx import TensorProto, helper

import heteroopt as hopt
from heteroopt.front.front import Front
from heteroopt.search.search import Search

N = 20_000


@pytest.fixture(scope="module")
def chain():
    """Softmax after Softmax: the deepest graph there can be."""
    nodes = [helper.make_node("Softmax", [f"t{i}"], [f"t{i + 1}"], name=f"op{i}") for i in range(N)]
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [8, 64]) for name in ("t0", f"t{N}")]
    graph = helper.make_graph(nodes, "chain", value[:1], value[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString()


def test_from_the_file_to_the_explained_plan(chain, tmp_path):
    graph = hopt.Graph.from_onnx(chain)
    assert len(graph.operators) == N
    pool = hopt.load_sample_pool("workstation")
    scheduler = hopt.Scheduler(graph, pool, population_size=8, generations=1, fuse=False)
    search = Search(scheduler.problem, scheduler.settings)
    first = search.start()
    assert first.lower_bound_ps > 0
    end = search.step()
    assert end.outcome == "done"
    front = Front.from_snapshot(end, scheduler.problem)
    assert len(Front.from_bytes(front.to_bytes()).plans) == len(front.plans) >= 1
    result = hopt.Result(scheduler, end, search.settings)
    best = result.select("fastest")
    document = json.loads(best.to_json())
    assert len(document["operators"]) == N
    assert document["operators"][0]["reason"] is None
    entry = best.explain("op10000")
    assert entry["reason"]["code"]
    assert len(entry["alternatives"]) == len(pool.devices) - 1
    assert np.array_equal(np.sort(front.plans.orders[0]), np.arange(N))
