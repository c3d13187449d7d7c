"""TorchScript modules and exported programs become the graph that their ONNX export is; needs the extra ``torch``."""

from __future__ import annotations

import json

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript")

import heteroopt as hopt  # noqa: E402
from heteroopt.cli.run import run  # noqa: E402
from heteroopt.graph.onnx_reader import read_onnx  # noqa: E402

SIZES = (2, 3, 16, 16)
# Conv: 2 x 8 x 16 x 16 outputs x 27; Linear: 2 x 10 x 512.
PRODUCTS = 2 * (4096 * 27 + 20 * 512)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.head = torch.nn.Linear(8 * 8 * 8, 10)

    def forward(self, x):
        return self.head(torch.nn.functional.max_pool2d(self.block(x), 2).flatten(1))


class Gated(torch.nn.Module):
    """Control flow that depends on the data: only scripting keeps it."""

    def __init__(self):
        super().__init__()
        self.small, self.large = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

    def forward(self, x):
        if bool(x.sum() > 0):
            x = torch.relu(self.large(x))
        return self.small(x)


@pytest.fixture(scope="module")
def net():
    return Net().eval()


@pytest.fixture(scope="module")
def traced(net):
    return torch.jit.trace(net, torch.zeros(SIZES))


@pytest.fixture(scope="module")
def program(net):
    return torch.export.export(net, (torch.zeros(SIZES),))


def products(graph):
    return sum(op.flops for op in graph.operators if op.op_class in ("conv", "matmul"))


def weights(graph):
    return {item.name: item.shape for item in graph.initializers if "weight" in item.name}


def test_a_fresh_trace_needs_nothing_else(traced):
    graph = hopt.Graph.from_torchscript(traced)
    assert isinstance(graph, hopt.Graph)
    assert products(graph) == PRODUCTS
    assert {op.flops_source for op in graph.operators} == {"exact"}
    assert [graph.tensors[t].shape for t in (*graph.inputs, *graph.outputs)] == [SIZES, (2, 10)]
    assert weights(graph)["head.weight"] == (10, 512)
    assert graph.notes == ()
    assert graph.name == "Net"
    assert "block" in {op.scope.split("/")[0] for op in graph.operators}


def test_a_saved_trace_asks_for_its_inputs_and_takes_sizes(traced, tmp_path):
    path = tmp_path / "net.pt"
    traced.save(path)
    with pytest.raises(hopt.ModelError) as caught:
        hopt.Graph.from_torchscript(path)
    assert caught.value.code == "torch_inputs"
    graph = hopt.Graph.from_torchscript(path, [SIZES], name="mine")
    assert (products(graph), graph.name) == (PRODUCTS, "mine")
    assert products(hopt.Graph.from_torchscript(torch.jit.load(path), [torch.zeros(4, 3, 16, 16)])) == 2 * PRODUCTS


def test_scripted_control_flow_is_kept():
    graph = hopt.Graph.from_torchscript(torch.jit.script(Gated().eval()), [(5, 4)])
    assert "If" in graph.op_type_histogram()
    # the branch that computes is the dearer one: 2 x 20 x 4 and the bias, then the activation
    (branch,) = [op for op in graph.operators if op.op_type == "If"]
    assert branch.flops >= 2 * 20 * 4 + 20


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_an_exported_program_needs_the_shapes_of_its_weights_only(device):
    with torch.device(device):
        program = torch.export.export(Net().eval(), (torch.zeros(SIZES),))
    graph = hopt.Graph.from_torch_export(program)
    assert products(graph) == PRODUCTS
    assert {op.flops_source for op in graph.operators} == {"exact"}
    assert weights(graph)["block.conv.weight"] == (8, 3, 3, 3)
    assert weights(graph)["head.weight"] == (10, 512)
    assert graph.notes == ()
    assert {op.scope for op in graph.operators if op.op_type == "Conv"} <= {
        "block/conv",
        "block/norm",
    }  # or both in one


def test_dynamic_dimensions_stay_and_can_be_bound(net):
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(net, (torch.zeros(SIZES),), dynamic_shapes=({0: batch},))
    (name,) = hopt.Graph.from_torch_export(program).dims
    small, large = (hopt.Graph.from_torch_export(program, dims={name: size}) for size in (2, 6))
    assert (products(small), products(large)) == (PRODUCTS, 3 * PRODUCTS)


def test_a_module_is_exported_on_its_inputs(net):
    graph = hopt.Graph.from_torch_export(net, [SIZES])
    assert (products(graph), graph.name) == (PRODUCTS, "Net")
    with pytest.raises(hopt.ModelError) as caught:
        hopt.Graph.from_torch_export(net)
    assert caught.value.code == "torch_inputs"


def test_the_products_are_those_of_pytorchs_own_counter(net):
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        net(torch.zeros(SIZES))
    assert counter.get_total_flops() == PRODUCTS


@pytest.mark.parametrize("kind", ["torchscript", "exported"])
def test_converting_keeps_the_weights_and_what_the_model_computes(kind, net, traced, program, tmp_path, capsys):
    source, target = tmp_path / ("net.pt" if kind == "torchscript" else "net.pt2"), tmp_path / "net.onnx"
    if kind == "torchscript":
        traced.save(source)
    else:
        torch.export.save(program, source)
    assert run(["convert", str(source), "--input", "2x3x16x16", "--out", str(target), "--json"]) == 0
    (written,) = json.loads(capsys.readouterr().out)["files"]
    assert written["size_bytes"] == target.stat().st_size > 4 * 5000
    graph = read_onnx(target)
    assert products(graph) == PRODUCTS
    assert graph.notes == ()
    from onnx.reference import ReferenceEvaluator

    x = torch.randn(SIZES)
    session = ReferenceEvaluator(str(target))
    (found,) = session.run(None, {session.input_names[0]: x.numpy()})
    assert torch.allclose(torch.tensor(found), net(x), atol=1e-4)
    assert run(["inspect", str(source), "--input", "2x3x16x16", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["flops"] == graph.flops


def test_what_is_no_model_is_named(net, traced, program, tmp_path):
    torch.save(net.state_dict(), tmp_path / "weights.pt")
    traced.save(tmp_path / "script.pt")
    torch.export.save(program, tmp_path / "program.pt2")
    cases = [
        (hopt.Graph.from_torchscript, tmp_path / "weights.pt", "torch_pickle"),
        (hopt.Graph.from_torch_export, tmp_path / "weights.pt", "torch_pickle"),
        (hopt.Graph.from_torch_export, tmp_path / "script.pt", "torch_file_kind"),
        (hopt.Graph.from_torchscript, tmp_path / "program.pt2", "torch_file_kind"),
        (hopt.Graph.from_torchscript, net, "torch_not_script"),
        (hopt.Graph.from_torch_export, object(), "torch_not_exported"),
    ]
    for read, source, code in cases:
        with pytest.raises(hopt.ModelError) as caught:
            read(source)
        assert caught.value.code == code
        assert caught.value.hint


def test_a_failing_module_says_why(traced):
    with pytest.raises(hopt.ModelError) as caught:
        hopt.Graph.from_torchscript(traced, [(2, 5, 16, 16)])
    assert caught.value.code == "torch_conversion_failed"
    assert "channels" in caught.value.params["reason"]
