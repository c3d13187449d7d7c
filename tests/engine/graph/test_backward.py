"""Training steps: hand-worked nets operator by operator, and which gradients flow where."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from heteroopt.costs.roofline import roofline_cost_table
from heteroopt.devices import DevicePool, DeviceSpec
from heteroopt.errors import ModelError, SettingsError
from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph, Operator
from heteroopt.graph.passes import expand_backward
from heteroopt.graph.samples import bert_encoder_onnx, onnx_light_model
from heteroopt.simulation.compile import compile_problem
from heteroopt.simulation.reference import decode_reference


def w(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def by_name(graph: Graph) -> dict[str, Operator]:
    return {op.name: op for op in graph.operators}


def names(graph: Graph, indices: tuple[int, ...]) -> list[str]:
    return [graph.tensors[t].name for t in indices]


@pytest.fixture
def two_layers(read):
    """x [2, 3] -> Gemm w1 [3, 4], b1 -> Relu -> Gemm w2 [4, 5], b2 -> y [2, 5]."""
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["h"], name="fc1"),
        helper.make_node("Relu", ["h"], ["r"], name="relu"),
        helper.make_node("Gemm", ["r", "w2", "b2"], ["y"], name="fc2"),
    ]
    return read(nodes, {"x": [2, 3]}, ["y"], {"w1": w(3, 4), "b1": w(4), "w2": w(4, 5), "b2": w(5)})


def test_two_layers_operator_by_operator(two_layers):
    step = expand_backward(two_layers)
    table = [(op.name, op.op_type, op.flops, names(step, op.inputs), names(step, op.outputs)) for op in step.operators]
    assert table == [
        ("fc1", "Gemm", 48, ["x"], ["h"]),
        ("relu", "Relu", 8, ["h"], ["r"]),
        ("fc2", "Gemm", 80, ["r"], ["y"]),
        ("loss/y", "LossGradient", 10, ["y"], ["loss/y", "gradient/y"]),
        ("backward/fc2/input", "GemmInputGrad", 80, ["gradient/y"], ["gradient/r", "backward/fc2/input/done"]),
        ("backward/fc2/weight", "GemmWeightGrad", 90, ["gradient/y", "r"], ["gradient/w2", "gradient/b2"]),
        ("update/w2", "SgdUpdate", 40, ["gradient/w2", "backward/fc2/input/done"], []),
        ("update/b2", "SgdUpdate", 10, ["gradient/b2"], []),
        ("backward/relu/grad", "ReluGrad", 8, ["gradient/r", "r"], ["gradient/h"]),
        # x needs no gradient: only the weight's product remains, with the sum of the bias.
        ("backward/fc1/weight", "GemmWeightGrad", 56, ["gradient/h", "x"], ["gradient/w1", "gradient/b1"]),
        ("update/w1", "SgdUpdate", 24, ["gradient/w1"], []),
        ("update/b1", "SgdUpdate", 8, ["gradient/b1"], []),
    ]
    assert {op.flops_source for op in step.operators} == {"exact"}
    assert names(step, step.outputs) == ["loss/y"]
    ops = by_name(step)
    assert (ops["backward/fc2/weight"].bytes_read, ops["backward/fc2/weight"].bytes_written) == (4 * 18, 4 * 25)
    assert (ops["backward/fc2/input"].bytes_read, ops["backward/fc2/input"].bytes_written) == (4 * 30, 4 * 8)
    assert (ops["update/w2"].bytes_read, ops["update/w2"].bytes_written) == (4 * 40, 4 * 20)
    assert [step.initializers[i].name for i in ops["backward/fc2/input"].initializers] == ["w2"]
    assert ops["backward/fc1/weight"].initializers == ()
    assert ops["backward/fc1/weight"].scope == "backward"
    assert step.operators[:3] == tuple(
        type(op)(**{**{f: getattr(op, f) for f in Operator.__slots__}, "colocation": step.operators[i].colocation})
        for i, op in enumerate(two_layers.operators)
    )


def test_a_weight_its_gradient_and_its_update_share_a_device(two_layers):
    ops = by_name(expand_backward(two_layers))
    first = {"fc1", "relu", "backward/relu/grad", "backward/fc1/weight", "update/w1", "update/b1"}
    second = {"fc2", "backward/fc2/input", "backward/fc2/weight", "update/w2", "update/b2"}
    # fc1 and relu are one cluster for fusion, so they are one group here.
    assert {ops[name].colocation for name in first} == {"weights:w1"}
    assert {ops[name].colocation for name in second} == {"weights:w2"}
    assert ops["loss/y"].colocation == ""


@pytest.mark.parametrize(
    ("optimizer", "kind", "states", "per_parameter"),
    [("sgd", "SgdUpdate", 0, 2), ("momentum", "MomentumUpdate", 1, 4), ("adam", "AdamUpdate", 2, 15)],
)
def test_optimizers_keep_their_states_beside_the_weights(two_layers, optimizer, kind, states, per_parameter):
    step = expand_backward(two_layers, optimizer=optimizer)
    assert step.weight_bytes == (1 + states) * two_layers.weight_bytes
    update = by_name(step)["update/w1"]
    assert (update.op_type, update.flops) == (kind, per_parameter * 12)
    assert (update.bytes_read, update.bytes_written) == (48 * (2 + states), 48 * (1 + states))
    assert len(update.initializers) == 1 + states
    (note,) = [note["params"] for note in step.notes if note["code"] == "training_step"]
    assert note == {"optimizer": optimizer, "weights": 4, "forward_operators": 3, "state_bytes": states * 164}


@pytest.mark.parametrize(("optimizer", "weights"), [("sgd", 164), ("adam", 3 * 164)])
def test_kept_activations_fill_memory_until_they_are_read_again(two_layers, optimizer, weights):
    step = expand_backward(two_layers, optimizer=optimizer)
    gpu = DeviceSpec(template="NVIDIA_A100_40G", name="gpu0")
    pool = DevicePool([gpu], model_io_on_host=False)
    problem = compile_problem(step, pool, roofline_cost_table(step, pool))
    schedule = decode_reference(problem, range(len(step.operators)), [0] * len(step.operators))
    # The most is held by backward/fc2/weight: x and r kept, the gradients of y, r, w2 and b2, and the loss.
    assert int(schedule.peak_bytes[0]) == weights + 24 + 32 + 40 + 32 + 80 + 20 + 4


def test_tied_weights_have_one_gradient_sum_one_update_and_one_group(read):
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], name="first"),
        helper.make_node("Softmax", ["a"], ["s"], name="softmax"),
        helper.make_node("MatMul", ["s", "w"], ["y"], name="second"),
    ]
    step = expand_backward(read(nodes, {"x": [4, 4]}, ["y"], {"w": w(4, 4)}))
    ops = by_name(step)
    assert [op.name for op in step.operators if op.op_type == "SgdUpdate"] == ["update/w"]
    add = ops["backward/w/accumulate"]
    assert (add.op_type, add.flops) == ("Add", 16)
    assert names(step, add.inputs) == ["gradient/w", "gradient/w_2"]
    assert names(step, ops["update/w"].inputs) == ["gradient/w_3", "backward/second/input/done"]
    tied = ["first", "second", "backward/second/input", "backward/second/weight", "backward/first/weight", add.name]
    assert {ops[name].colocation for name in [*tied, "update/w"]} == {"weights:w"}
    assert ops["softmax"].colocation == ops["backward/softmax/grad"].colocation == ""


def test_a_tensor_with_two_readers_gets_the_sum_of_two_gradients(read):
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], name="matmul"),
        helper.make_node("Exp", ["a"], ["b"], name="exp"),
        helper.make_node("Tanh", ["a"], ["c"], name="tanh"),
        helper.make_node("Mul", ["b", "c"], ["y"], name="mul"),
    ]
    step = expand_backward(read(nodes, {"x": [2, 3]}, ["y"], {"w": w(3, 5)}))
    ops = by_name(step)
    assert names(step, ops["backward/mul/grad"].inputs) == ["gradient/y", "c", "b"]
    assert names(step, ops["backward/mul/grad"].outputs) == ["gradient/b", "gradient/c"]
    assert ops["backward/mul/grad"].flops == 20
    assert names(step, ops["backward/exp/grad"].inputs) == ["gradient/b", "b"]
    assert names(step, ops["backward/tanh/grad"].inputs) == ["gradient/c", "c"]
    add = ops["backward/a/accumulate"]
    assert (add.flops, names(step, add.inputs)) == (10, ["gradient/a", "gradient/a_2"])
    assert names(step, ops["backward/matmul/weight"].inputs) == [*names(step, add.outputs), "x"]


def test_additions_pass_gradients_on_and_sum_over_what_was_broadcast(read):
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], name="matmul"),
        helper.make_node("Add", ["a", "bias"], ["b"], name="bias"),
        helper.make_node("Add", ["b", "a"], ["y"], name="residual"),
    ]
    step = expand_backward(read(nodes, {"x": [2, 3]}, ["y"], {"w": w(3, 10), "bias": w(10)}))
    ops = by_name(step)
    # The residual Add needs no gradient operator: b gets y's gradient itself, and a the sum of its two uses.
    assert "backward/residual/grad" not in ops
    bias = ops["backward/bias/grad"]
    assert (bias.op_type, bias.op_class, bias.flops) == ("AddGrad", "reduction", 20)
    assert (names(step, bias.inputs), names(step, bias.outputs)) == (["gradient/y"], ["gradient/bias"])
    assert ops["backward/a/accumulate"].flops == 20


def test_convolution_with_normalisation_views_and_pooling(read):
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], name="block/conv", pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["c", "s", "b", "m", "v"], ["n"], name="block/bn"),
        helper.make_node("Relu", ["n"], ["r"], name="block/relu"),
        helper.make_node("MaxPool", ["r"], ["p"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["p"], ["y"], name="flat"),
    ]
    graph = read(nodes, {"x": [2, 3, 4, 4]}, ["y"], {"w": w(4, 3, 3, 3), **{name: w(4) for name in "sbmv"}})
    step = expand_backward(graph)
    ops = by_name(step)
    assert (ops["backward/flat/grad"].is_view, ops["backward/flat/grad"].bytes_read) == (True, 0)
    assert names(step, ops["backward/pool/grad"].inputs) == ["gradient/p", "r", "p"]
    norm = ops["backward/block/bn/grad"]
    assert names(step, norm.inputs) == ["gradient/n", "c"]
    assert names(step, norm.outputs) == ["gradient/c", "gradient/s", "gradient/b"]
    assert norm.flops == 9 * 128
    assert norm.scope == "backward/block"
    weight = ops["backward/block/conv/weight"]
    assert (weight.op_class, weight.flops, weight.attributes["pads"]) == (
        "conv", ops["block/conv"].flops, [1, 1, 1, 1],
    )  # fmt: skip
    # Running statistics are no weights: three updates.
    assert sorted(op.name for op in step.operators if op.op_type == "SgdUpdate") == [
        "update/b", "update/s", "update/w",
    ]  # fmt: skip
    fused = fuse(step)
    assert [[step.operators[m].name for m in op.members] for op in fused.operators] == [
        ["block/conv", "block/bn", "block/relu"],
        ["pool", "flat"],
        ["loss/y"],
        ["backward/flat/grad"],
        ["backward/pool/grad"],
        ["backward/block/relu/grad", "backward/block/bn/grad", "update/s", "update/b"],
        ["backward/block/conv/weight", "update/w"],
    ]
    # The convolution's output leaves its cluster because the backward pass reads it; the normalised one does not.
    assert names(fused, fused.operators[0].outputs) == ["c", "r"]
    assert names(fused, fused.operators[5].inputs) == ["gradient/r", "r", "c"]
    assert fused.operators[5].outputs == (fused.operators[6].inputs[0],)


def test_attention_product_has_a_gradient_per_operand(read):
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["q"], name="project"),
        helper.make_node("Transpose", ["q"], ["k"], name="transpose", perm=[0, 2, 1]),
        helper.make_node("MatMul", ["q", "k"], ["y"], name="scores"),
    ]
    step = expand_backward(read(nodes, {"x": [2, 6, 3]}, ["y"], {"w": w(3, 4)}))
    ops = by_name(step)
    left, right = ops["backward/scores/input0"], ops["backward/scores/input1"]
    assert left.flops == right.flops == ops["scores"].flops == 2 * 2 * 6 * 6 * 4
    assert (names(step, left.inputs), names(step, right.inputs)) == (["gradient/y", "k"], ["gradient/y", "q"])
    assert ops["backward/transpose/grad"].flops == 0
    assert ops["backward/q/accumulate"].flops == 48


def test_integers_inputs_and_frozen_weights_get_no_gradient(read):
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["e"], name="embed"),
        helper.make_node("MatMul", ["e", "w"], ["h"], name="matmul"),
        helper.make_node("Floor", ["h"], ["f"], name="floor"),
        helper.make_node("Mul", ["h", "x"], ["y"], name="mul"),
    ]
    graph = read(
        nodes, {"ids": [5], "x": [5, 4]}, ["f", "y"], {"table": w(100, 3), "w": w(3, 4)},
        elements={"ids": TensorProto.INT64},
    )  # fmt: skip
    step = expand_backward(graph)
    ops = by_name(step)
    assert names(step, step.outputs) == ["loss/y", "f"]
    assert names(step, ops["backward/mul/grad"].outputs) == ["gradient/h"]
    embed = ops["backward/embed/grad"]
    assert (embed.op_class, embed.flops, names(step, embed.inputs)) == ("embedding", 15, ["gradient/e", "ids"])
    assert embed.bytes_written == 1200
    assert "backward/floor/grad" not in ops
    frozen = by_name(expand_backward(graph, frozen=["table"]))
    assert [name for name in frozen if name.startswith(("update/", "backward/"))] == [
        "backward/mul/grad", "backward/matmul/weight", "update/w",
    ]  # fmt: skip


def test_what_has_no_rule_of_its_own_costs_twice_the_forward_work_and_is_noted(read):
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], name="matmul"),
        helper.make_node("Mish", ["a"], ["y"], name="mish"),
    ]
    step = expand_backward(read(nodes, {"x": [2, 3]}, ["y"], {"w": w(3, 4)}, opset=18))
    op = by_name(step)["backward/mish/grad"]
    assert (op.op_type, op.flops, op.flops_source) == ("MishGrad", 2 * 11 * 8, "estimated")
    assert names(step, op.inputs) == ["gradient/y", "a", "y"]
    assert {"code": "gradient_estimated", "params": {"operator": "mish", "op_type": "Mish"}} in step.notes


def test_refusals(two_layers, read):
    with pytest.raises(SettingsError, match="no optimizer 'sdg'") as error:
        expand_backward(two_layers, optimizer="sdg")
    assert error.value.code == "unknown_optimizer"
    for options, code in (
        ({"loss_outputs": ["nothing"]}, "unknown_output"),
        ({"frozen": ["nothing"]}, "unknown_initializer"),
        ({"frozen": ["w1", "b1", "w2", "b2"]}, "nothing_to_train"),
        ({"loss_outputs": []}, "nothing_to_train"),
    ):
        with pytest.raises(ModelError) as error:
            expand_backward(two_layers, **options)
        assert error.value.code == code
    with pytest.raises(ModelError) as error:
        expand_backward(expand_backward(two_layers))
    assert error.value.code == "already_training"


@pytest.mark.parametrize(
    ("name", "low", "high", "placed"),
    [("resnet50", 2.95, 3.0, 238), ("densenet121", 2.95, 3.0, 726), ("bert", 2.98, 3.03, 742)],
)
def test_a_step_takes_about_three_times_the_forward_work(name, low, high, placed):
    graph = Graph.from_onnx(bert_encoder_onnx() if name == "bert" else onnx_light_model(name))
    step = expand_backward(graph)
    assert low < step.flops / graph.flops < high
    assert not [note for note in step.notes if note["code"] == "gradient_estimated"]
    fused = fuse(step)
    assert len(fused.operators) == placed
    assert expand_backward(fuse(graph)) == step
