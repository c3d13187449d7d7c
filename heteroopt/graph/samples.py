"""Small models to try things with: a BERT encoder built here, and the light models of the onnx package."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from heteroopt.errors import ModelError

LIGHT_MODELS = (
    "bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet", "vgg19",
    "zfnet512",
)  # fmt: skip


def light_models_folder() -> Path:
    """The folder of the onnx package that holds its light models (full graphs, constant weights)."""
    return Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


def onnx_light_model(name: str) -> Path:
    """Path of one of :data:`LIGHT_MODELS`; raises :class:`ModelError` for another name or a missing file."""
    if name not in LIGHT_MODELS:
        raise ModelError(
            "sample_unknown",
            f"There is no sample model called {name!r}.",
            hint=f"Choose one of: {', '.join(LIGHT_MODELS)}.",
            known=list(LIGHT_MODELS),
        )
    path = light_models_folder() / f"light_{name}.onnx"
    if not path.is_file():
        raise ModelError(
            "sample_missing", f"The onnx package here does not carry {path.name}.", hint="Reinstall the onnx package."
        )
    return path


class _Encoder:
    """Writes a BERT encoder as exporters do; weights are ConstantOfShape nodes, so the file stays small."""

    def __init__(self, hidden: int, heads: int, seq: int, batch: int) -> None:
        self.hidden, self.heads, self.seq, self.batch = hidden, heads, seq, batch
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []
        self.scalars: dict[float, str] = {}

    def node(self, op_type: str, inputs: list[str], name: str, **attributes: Any) -> str:
        output = f"{name}_output_0"
        self.nodes.append(helper.make_node(op_type, inputs, [output], name=name, **attributes))
        return output

    def ints(self, name: str, values: list[int]) -> str:
        self.initializers.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def scalar(self, value: float) -> str:
        if value not in self.scalars:
            name = f"scalar_{len(self.scalars)}"
            self.nodes.append(
                helper.make_node(
                    "Constant", [], [name], name=f"Constant_{name}",
                    value=numpy_helper.from_array(np.array(value, np.float32)),
                )
            )  # fmt: skip
            self.scalars[value] = name
        return self.scalars[value]

    def weight(self, name: str, shape: list[int], fill: float = 0.02) -> str:
        sizes = self.ints(f"{name}.shape", shape)
        value = numpy_helper.from_array(np.array([fill], np.float32))
        self.nodes.append(helper.make_node("ConstantOfShape", [sizes], [name], name=f"{name}.fill", value=value))
        return name

    def linear(self, x: str, scope: str, rows: int, columns: int) -> str:
        product = self.node("MatMul", [x, self.weight(f"{scope}.weight", [rows, columns])], f"{scope}/MatMul")
        return self.node("Add", [product, self.weight(f"{scope}.bias", [columns])], f"{scope}/Add")

    def layer_norm(self, x: str, scope: str) -> str:
        """LayerNormalization in the nine operators that exporters wrote before opset 17."""
        axes: dict[str, Any] = {"axes": [-1]}
        mean = self.node("ReduceMean", [x], f"{scope}/ReduceMean", **axes)
        centred = self.node("Sub", [x, mean], f"{scope}/Sub")
        square = self.node("Pow", [centred, self.scalar(2.0)], f"{scope}/Pow")
        variance = self.node("ReduceMean", [square], f"{scope}/ReduceMean_1", **axes)
        stable = self.node("Add", [variance, self.scalar(1e-12)], f"{scope}/Add")
        deviation = self.node("Sqrt", [stable], f"{scope}/Sqrt")
        normal = self.node("Div", [centred, deviation], f"{scope}/Div")
        scaled = self.node("Mul", [normal, self.weight(f"{scope}.weight", [self.hidden], 1.0)], f"{scope}/Mul")
        return self.node("Add", [scaled, self.weight(f"{scope}.bias", [self.hidden], 0.0)], f"{scope}/Add_1")

    def gelu(self, x: str, scope: str) -> str:
        """GELU by the error function: x / 2 * (1 + erf(x / sqrt 2))."""
        scaled = self.node("Div", [x, self.scalar(math.sqrt(2.0))], f"{scope}/Div")
        error = self.node("Erf", [scaled], f"{scope}/Erf")
        shifted = self.node("Add", [error, self.scalar(1.0)], f"{scope}/Add")
        product = self.node("Mul", [x, shifted], f"{scope}/Mul")
        return self.node("Mul", [product, self.scalar(0.5)], f"{scope}/Mul_1")

    def split_heads(self, x: str, scope: str, perm: list[int]) -> str:
        reshaped = self.node("Reshape", [x, "heads_shape"], f"{scope}/Reshape")
        return self.node("Transpose", [reshaped], f"{scope}/Transpose", perm=perm)

    def attention(self, x: str, mask: str, scope: str) -> str:
        hidden = self.hidden
        query = self.linear(x, f"{scope}/self/query", hidden, hidden)
        key = self.linear(x, f"{scope}/self/key", hidden, hidden)
        value = self.linear(x, f"{scope}/self/value", hidden, hidden)
        query = self.split_heads(query, f"{scope}/self/query", [0, 2, 1, 3])
        key = self.split_heads(key, f"{scope}/self/key", [0, 2, 3, 1])
        value = self.split_heads(value, f"{scope}/self/value", [0, 2, 1, 3])
        scores = self.node("MatMul", [query, key], f"{scope}/self/MatMul")
        scaled = self.node("Div", [scores, self.scalar(math.sqrt(hidden / self.heads))], f"{scope}/self/Div")
        masked = self.node("Add", [scaled, mask], f"{scope}/self/Add")
        weights = self.node("Softmax", [masked], f"{scope}/self/Softmax", axis=-1)
        context = self.node("MatMul", [weights, value], f"{scope}/self/MatMul_1")
        merged = self.node("Transpose", [context], f"{scope}/self/Transpose", perm=[0, 2, 1, 3])
        flat = self.node("Reshape", [merged, "hidden_shape"], f"{scope}/self/Reshape")
        projected = self.linear(flat, f"{scope}/output/dense", hidden, hidden)
        residual = self.node("Add", [projected, x], f"{scope}/output/Add")
        return self.layer_norm(residual, f"{scope}/output/LayerNorm")

    def layer(self, x: str, mask: str, scope: str) -> str:
        attended = self.attention(x, mask, f"{scope}/attention")
        wide = self.linear(attended, f"{scope}/intermediate/dense", self.hidden, 4 * self.hidden)
        active = self.gelu(wide, f"{scope}/intermediate/act")
        narrow = self.linear(active, f"{scope}/output/dense", 4 * self.hidden, self.hidden)
        residual = self.node("Add", [narrow, attended], f"{scope}/output/Add")
        return self.layer_norm(residual, f"{scope}/output/LayerNorm")

    def embeddings(self, vocabulary: int) -> str:
        scope = "embeddings"
        words = self.weight(f"{scope}.word_embeddings.weight", [vocabulary, self.hidden])
        x = self.node("Gather", [words, "input_ids"], f"{scope}/word_embeddings/Gather", axis=0)
        types = self.weight(f"{scope}.token_type_embeddings.weight", [2, self.hidden])
        kinds = self.node("Gather", [types, "token_type_ids"], f"{scope}/token_type_embeddings/Gather", axis=0)
        x = self.node("Add", [x, kinds], f"{scope}/Add")
        positions = self.weight(f"{scope}.position_embeddings.weight", [1, self.seq, self.hidden])
        x = self.node("Add", [x, positions], f"{scope}/Add_1")
        return self.layer_norm(x, f"{scope}/LayerNorm")

    def mask(self) -> str:
        wide = self.node("Unsqueeze", ["attention_mask", self.ints("mask_axes", [1, 2])], "mask/Unsqueeze")
        number = self.node("Cast", [wide], "mask/Cast", to=TensorProto.FLOAT)
        inverted = self.node("Sub", [self.scalar(1.0), number], "mask/Sub")
        return self.node("Mul", [inverted, self.scalar(-10000.0)], "mask/Mul")


def bert_encoder_onnx(
    layers: int = 12, hidden: int = 768, heads: int = 12, seq: int = 128, batch: int = 1, vocabulary: int = 30522
) -> bytes:
    """A BERT encoder (base by default) as an ONNX file of a few hundred kilobytes.

    Written as PyTorch's exporter does it for opset 13: separate bias Add, Reshape and Transpose per head split,
    LayerNorm and GELU in parts. At sequence 128 its matrix products take 22.35 GFLOP (2 per multiply-accumulate).
    """
    if min(layers, hidden, heads, seq, batch, vocabulary) < 1 or hidden % heads:
        raise ModelError(
            "sample_invalid", "Sizes must be positive, and hidden a multiple of heads.", hint="Change the sizes."
        )
    writer = _Encoder(hidden, heads, seq, batch)
    writer.ints("heads_shape", [batch, seq, heads, hidden // heads])
    writer.ints("hidden_shape", [batch, seq, hidden])
    mask = writer.mask()
    x = writer.embeddings(vocabulary)
    for i in range(layers):
        x = writer.layer(x, mask, f"encoder/layer.{i}")
    first = writer.node("Gather", [x, writer.ints("first_token", [0])], "pooler/Gather", axis=1)
    flat = writer.node("Reshape", [first, writer.ints("pooled_shape", [batch, hidden])], "pooler/Reshape")
    dense = writer.node(
        "Gemm",
        [flat, writer.weight("pooler/dense.weight", [hidden, hidden]), writer.weight("pooler/dense.bias", [hidden])],
        "pooler/dense/Gemm",
        transB=1,
    )
    pooled = writer.node("Tanh", [dense], "pooler/Tanh")
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [batch, seq]) for name in names]
    outputs = [
        helper.make_tensor_value_info(x, TensorProto.FLOAT, [batch, seq, hidden]),
        helper.make_tensor_value_info(pooled, TensorProto.FLOAT, [batch, hidden]),
    ]
    graph = helper.make_graph(writer.nodes, "bert_encoder", inputs, outputs, writer.initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return bytes(model.SerializeToString())
