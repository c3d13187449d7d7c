"""Models to cut: a small encoder, and hand-made ones with sizes computed inside, branches, loops and shared weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import heteroopt as hopt
from heteroopt.api.exporting import plan_request
from heteroopt.costs.roofline import roofline_cost_table
from heteroopt.deployment.plan import Plan
from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.compile import compile_problem
from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.reference_plan import reference_plan

POOL = """
name = "two"
[[devices]]
name = "cpu0"
template = "Intel_Xeon_8380"
[[devices]]
name = "gpu0"
template = "NVIDIA_A100_40G"
"""


def graph_of(model: Path, *, fused=False):
    graph = Graph.from_onnx(model)
    return fuse(graph) if fused else graph


def run_whole(model: Path, inputs):
    """Outputs of the model in one piece."""
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, inputs), strict=True))


def request_for(model: Path, devices, order=None, *, fused=False, pool=POOL, **options):
    """A request with every operator of the model where ``devices`` (a function of index and count) puts it."""
    graph = graph_of(model, fused=fused)
    pool = hopt.DevicePool.from_toml(pool)
    costs = roofline_cost_table(graph, pool)
    problem = compile_problem(graph, pool, costs)
    n = len(graph.operators)
    device = np.array([devices(i, n) for i in range(n)], np.int32)
    schedule = decode_one(problem, np.arange(n) if order is None else order, device)
    plan = Plan(graph, pool, costs, problem, reference_plan(problem), SearchSettings(), schedule)
    return plan_request(plan, model=model, options=options)


def float_input(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def weight(name, *shape, seed=0):
    return numpy_helper.from_array(np.random.default_rng(seed).standard_normal(shape).astype(np.float32), name)


def save(path, nodes, inputs, outputs, initializers=(), opset=17, ir=9, **more):
    graph = helper.make_graph(list(nodes), "g", list(inputs), list(outputs), list(initializers))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir, **more)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return path


def with_sizes_inside(path):
    """Reshape to a size that is computed from an activation, tied weights, nodes without and with repeated names."""
    node = helper.make_node
    nodes = [
        node("MatMul", ["x", "w"], ["a"], name="same"),
        node("Relu", ["a"], ["b"]),
        node("Shape", ["b"], ["size"]),
        node("Gather", ["size", "first"], ["rows"]),
        node("Concat", ["rows", "minus"], ["wanted"], axis=0),
        node("MatMul", ["b", "w"], ["c"], name="mm"),
        node("Reshape", ["c", "wanted"], ["d"]),
        node("Add", ["d", "b"], ["e"]),
        node("MatMul", ["e", "w"], ["y"], name="mm2"),
    ]
    constants = [
        weight("w", 8, 8), numpy_helper.from_array(np.array([0], np.int64), "first"),
        numpy_helper.from_array(np.array([-1], np.int64), "minus"),
    ]  # fmt: skip
    return save(
        path, nodes, [float_input("x", [4, 8])], [float_input("y", [4, 8]), float_input("b", [4, 8])], constants
    )


def with_control_flow(path):
    """An If on a computed condition whose branches capture activations and weights, and one that is always taken."""
    node = helper.make_node
    then = helper.make_graph([node("MatMul", ["a", "w"], ["t"])], "then", [], [float_input("t", [4, 8])])
    other = helper.make_graph([node("Add", ["a", "x"], ["o"])], "else", [], [float_input("o", [4, 8])])
    always = helper.make_graph([node("Mul", ["c", "c"], ["sq"])], "always", [], [float_input("sq", [4, 8])])
    never = helper.make_graph([node("Neg", ["c"], ["ng"])], "never", [], [float_input("ng", [4, 8])])
    nodes = [
        node("MatMul", ["x", "w"], ["a"]),
        node("ReduceSum", ["a"], ["s"], keepdims=0),
        node("Greater", ["s", "zero"], ["positive"]),
        node("If", ["positive"], ["c"], then_branch=then, else_branch=other),
        node("If", ["yes"], ["d"], then_branch=always, else_branch=never),
        node("Sigmoid", ["d"], ["y"]),
    ]
    constants = [
        weight("w", 8, 8), numpy_helper.from_array(np.array(0, np.float32), "zero"),
        numpy_helper.from_array(np.array(True), "yes"),
    ]  # fmt: skip
    return save(
        path, nodes, [float_input("x", [4, 8])], [float_input("y", [4, 8]), float_input("d", [4, 8])], constants
    )


def with_odd_outputs(path):
    """Outputs that are a model input, a constant, and the same value that others read."""
    node = helper.make_node
    nodes = [
        node("Add", ["x", "w"], ["a"]),
        node("Mul", ["w", "w"], ["k"]),
        node("Exp", ["a"], ["b"]),
        node("Tanh", ["b"], ["y"]),
    ]
    outputs = [float_input(name, [4, 8]) for name in ("y", "a", "k")]
    return save(path, nodes, [float_input("x", [4, 8])], outputs, [weight("w", 4, 8)])
