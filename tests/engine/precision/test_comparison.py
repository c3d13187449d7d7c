"""Comparing two devices: who is found out, what the ladder says, where a model drifts, what got worse."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from heteroopt.errors import ModelError
from heteroopt.precision.comparison import run_operator_regression
from heteroopt.precision.distance import Distance
from heteroopt.precision.fusion import FusedGroup, compare_fusion, fused_groups
from heteroopt.precision.ladder import climb, verdict
from heteroopt.precision.model_drift import compare_model
from heteroopt.precision.model_program import prepare_model, reduction_length
from heteroopt.precision.operator_cases import MAKERS, operator_cases
from heteroopt.precision.regressions import regressions
from heteroopt.precision.training_graph import training_step
from heteroopt.precision.training_loss import LossCurve, compare_loss, train
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.plugins.simulated.faults import KINDS
from tests.engine.precision.devices import simulated

FEW = {name: MAKERS[name] for name in ("Conv", "MatMul", "Relu", "Softmax")}


def test_cases_are_the_same_for_a_seed_and_a_longer_run_begins_with_a_shorter_one():
    short, long, other = operator_cases(5, 1), operator_cases(80, 1), operator_cases(5, 2)
    assert [case.key for case in short] == [case.key for case in long[:5]]
    for a, b, c in zip(short, long, other, strict=False):
        assert all(np.array_equal(a.inputs[name], b.inputs[name]) for name in a.inputs)
        assert not all(np.array_equal(a.inputs[name], c.inputs[name]) for name in a.inputs)
    assert all(np.isfinite(array).all() for case in long for array in case.reference.values())
    assert len({case.op_type for case in long}) == len(MAKERS) - 1  # depthwise is a Conv


def test_equal_devices_agree_and_a_faulty_one_is_the_suspect():
    with simulated() as left, simulated(faults=[{"kind": "slightly_off", "op_type": "Add"}]) as right:
        run = run_operator_regression(left, right, cases=4)  # Abs, Acos, Acosh, Add
    assert [case.status for case in run.cases] == ["within"] * 3 + ["out"]
    bad = run.cases[3]
    assert (bad.suspect, bad.left_error < 1e-6, bad.right_error > 1e-4) == ("right", True, True)
    assert [rung.name for rung in bad.ladder] == ["as_asked", "unfused", "fp32"]
    document = json.loads(json.dumps(run.to_json(), allow_nan=False))
    assert document["cases"][3]["verdict"] == "unexplained"
    assert (document["summary"]["within"], document["summary"]["out"], document["summary"]["worst"]) == (3, 1, "Add/0")
    assert document["left"]["runtime"] == "simulated"


def test_what_does_not_run_says_why_and_on_which_side():
    with simulated() as left, simulated(refuse=["Abs"], crash_on="Acos") as right:
        run = run_operator_regression(left, right, cases=3)
    reasons = [None if case.reason is None else (case.reason["code"], case.reason["side"]) for case in run.cases]
    assert reasons == [("program_refused", "right"), ("runtime_died", "right"), None]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "shifted"])
def test_every_kind_of_fault_changes_a_result(kind):
    array = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)
    changed = KINDS[kind](array)
    assert changed.shape == array.shape
    assert changed.dtype == array.dtype
    assert not np.array_equal(changed, array, equal_nan=True)


def test_the_ladder_stops_at_what_mends_it():
    def step(options):
        if options.get("precision") == "fp32":
            return Distance(scaled=1e-7)
        return Distance(scaled=1e-3)

    rungs = climb(Distance(scaled=1e-3), 1e-5, 1e-6, step)
    assert [(rung.name, rung.within) for rung in rungs] == [("as_asked", False), ("unfused", False), ("fp32", True)]
    assert verdict(rungs) == "fp32"
    assert verdict(climb(Distance(), 1e-5, 1e-6, step)) == "as_asked"

    def refuses(options):
        raise RuntimeFault("program_refused", "no")

    assert verdict(climb(Distance(nan_mismatch=1), 1e-5, 1e-6, refuses)) == "unexplained"


def model() -> bytes:
    """x [2, 8] -> MatMul w -> Relu -> MatMul v -> Softmax."""
    rng = np.random.default_rng(0)
    weights = [numpy_helper.from_array(rng.normal(size=shape).astype(np.float32), name)
               for name, shape in (("w", (8, 16)), ("v", (16, 4)))]  # fmt: skip
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], "first"),
        helper.make_node("Relu", ["a"], ["b"], "second"),
        helper.make_node("MatMul", ["b", "v"], ["c"], "third"),
        helper.make_node("Softmax", ["c"], ["y"], "fourth"),
    ]
    graph = helper.make_graph(
        nodes,
        "m",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 4])],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def test_the_first_operator_that_drifts_is_named():
    with simulated() as left, simulated(faults=[{"kind": "bfloat16", "at": "c"}]) as right:
        found = compare_model(model(), left, right)
    assert found.first is not None
    assert (found.first.operator, found.first.op_type) == ("third", "MatMul")
    assert [row.status for row in found.operators] == ["within", "within", "out", "out"]
    assert found.first.before == 0.0
    summary = json.loads(json.dumps(found.to_json(), allow_nan=False))["summary"]
    assert (summary["first"], summary["out"], summary["verdict"]) == ("third", 2, "unexplained")
    with simulated() as left, simulated() as right:
        same = compare_model(model(), left, right)
    assert same.first is None
    assert same.summary()["status"] == "within"


def test_reduction_lengths_and_refusals_of_models():
    program = prepare_model(model())
    lengths = [reduction_length(program.graph, operator) for operator in program.graph.operators]
    assert lengths == [8, 1, 16, 4]
    assert list(program.shown) == ["a", "b", "c", "y"]
    with pytest.raises(ModelError):
        prepare_model(b"no model")


def test_fused_operators_are_told_from_either_form_of_graph():
    parsed = onnx.load_from_string(model())
    optimised = onnx.ModelProto()
    optimised.graph.node.append(helper.make_node("FusedMatMul", ["x", "w"], ["t"], "b_nchwc"))
    optimised.graph.node.append(helper.make_node("MatMul", ["t", "v"], ["c"]))
    optimised.graph.node.append(helper.make_node("Softmax", ["c"], ["y"], "fourth"))
    left = fused_groups(parsed, {"optimised": optimised.SerializeToString()})
    assert left == [FusedGroup(("first", "second"), "FusedMatMul")]
    right = fused_groups(
        parsed, {"layers": [{"operators": ["third", "fourth"], "op_type": "FC"}, {"operators": ["a"]}]}
    )
    assert right == [FusedGroup(("third", "fourth"), "FC")]
    apart = compare_fusion(left, right)
    assert apart is not None
    assert (len(apart["same"]), len(apart["left"]), len(apart["right"])) == (0, 1, 1)
    assert compare_fusion(left, None) is None


@pytest.mark.parametrize("network", ["conv", "mlp"])
def test_the_gradients_are_those_of_finite_differences(network):
    step = training_step(network, steps=1, batch=3, side=4, classes=2, width=2, rate=1.0)
    evaluator = ReferenceEvaluator(step.model)
    x, onehot = (array.astype(np.float64) for array in step.batches[0])
    weights = {name: array.astype(np.float64) for name, array in step.weights.items()}
    weights["b1"] = weights["b1"] + 0.1
    parsed = onnx.load_from_string(step.model)
    for tensor in parsed.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype == np.float32:
            tensor.CopyFrom(numpy_helper.from_array(array.astype(np.float64), tensor.name))
    evaluator = ReferenceEvaluator(parsed)
    names = evaluator.output_names

    def run(changed):
        return dict(zip(names, evaluator.run(None, {"x": x, "onehot": onehot, **changed}), strict=True))

    base = run(weights)
    for name, array in weights.items():
        place = np.unravel_index(array.size // 2, array.shape)
        nudged = {key: value.copy() for key, value in weights.items()}
        nudged[name][place] += 1e-5
        slope = (float(run(nudged)["loss"]) - float(base["loss"])) / 1e-5
        gradient = float((weights[name] - base[f"new_{name}"])[place])  # the rate is 1
        assert gradient == pytest.approx(slope, rel=2e-3, abs=1e-7)


def test_training_learns_and_a_fault_in_it_shows_in_the_loss():
    step = training_step("mlp", steps=12, batch=8, side=5, width=2)
    with simulated() as device:
        losses = train(device, step)
    assert losses[-1] < losses[0]
    with simulated() as left, simulated(faults=[{"kind": "bfloat16", "at": "z1"}]) as right:
        run = compare_loss(left, right, steps=5, networks=["mlp"])
        same = compare_loss(left, left, steps=2, networks=["mlp"])
    assert run.summary()["status"] == "out"
    assert len(json.loads(json.dumps(run.to_json(), allow_nan=False))["cases"]) == 5
    assert same.summary()["status"] == "within"
    assert LossCurve("n", (1.0, float("nan")), (1.0, 1.0)).summary(1e-4)["first_step_out"] == 1


def test_what_got_worse_is_named_by_kind():
    def case(key, status, error, ms, **more):
        op_type = key.split("/")[0]
        return {"key": key, "op_type": op_type, "status": status, "scaled_error": error, "tolerance": 1e-6,
                "left_ms": 0.1, "right_ms": ms, "suspect": "", **more}  # fmt: skip

    def run(print_, cases):
        side = {"fingerprint": print_}
        return {"kind": "operators", "left": {"fingerprint": "l"}, "right": side, "cases": cases, "summary": {}}

    before = run("a", [case("A/0", "within", 1e-7, 0.1), case("B/0", "within", 1e-7, 1.0), case("C/0", "out", 1, 1.0),
                       case("D/0", "within", 0.0, 1.0)])  # fmt: skip
    gone = case("D/0", "not_run", 0.0, None, reason={"side": "left"})
    after = run("b", [case("A/0", "out", 1e-3, 0.1, suspect="right"), case("B/0", "within", 1e-7, 2.0),
                      case("C/0", "within", 1e-7, 1.0), gone])  # fmt: skip
    found = regressions(before, after)
    assert found["fingerprints"] == [{"side": "right", "before": "a", "after": "b"}]
    assert [(one["kind"], one["key"], one["side"]) for one in found["findings"]] == [
        ("out_of_tolerance", "A/0", "right"),
        ("not_run", "D/0", "left"),
        ("slower", "B", "right"),
    ]
    assert [one["key"] for one in found["mended"]] == ["C/0"]
    with pytest.raises(ValueError, match="kind"):
        regressions(before, {**after, "kind": "loss"})


def test_maps_are_compared_by_status():
    def found(print_, **status):
        rows = [{"domain": "", "op_type": name, "status": value} for name, value in status.items()]
        return {"kind": "operator_map", "fingerprint": print_, "operators": rows}

    changed = regressions(found("a", A="native", B="unsupported"), found("b", A="wrong", B="composed"))
    assert [(one["kind"], one["key"]) for one in changed["findings"]] == [("wrong", "A")]
    assert [one["key"] for one in changed["mended"]] == ["B"]
    assert changed["fingerprints"][0]["after"] == "b"
