"""Weights in other files: only those that came with the model count, and tiny constants are read from them."""

import numpy as np
import pytest
from onnx import TensorProto, helper

from heteroopt.errors import ModelError
from heteroopt.graph.data_files import DataFiles, DataRange, plain_location
from heteroopt.graph.limits import ReaderLimits
from heteroopt.graph.onnx_reader import read_onnx
from tests.engine.graph.conftest import build_model


def external(name, dims, location, offset=0, element=TensorProto.FLOAT, length=None):
    made = TensorProto(name=name, data_type=element, dims=dims, data_location=TensorProto.EXTERNAL)
    values = {"location": location, "offset": str(offset)}
    if length is not None:
        values["length"] = str(length)
    for key, value in values.items():
        made.external_data.add(key=key, value=value)
    return made


def reshaped(location="weights.bin"):
    """x[2, 6] -> Reshape to the shape in the data file at byte 8 -> Add w[3, 4] at byte 24 (48 bytes long)."""
    nodes = [helper.make_node("Reshape", ["x", "shape"], ["r"]), helper.make_node("Add", ["r", "w"], ["y"])]
    model = build_model(nodes, {"x": [2, 6]}, ["y"])
    shape = external("shape", [2], location, 8, TensorProto.INT64, 16)
    model.graph.initializer.extend([shape, external("w", [3, 4], location, 24, length=48)])
    return model.SerializeToString()


CONTENT = b"\0" * 8 + np.array([3, 4], np.int64).tobytes() + np.ones(12, np.float32).tobytes()


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "stored"
    path.write_bytes(CONTENT)
    return path


def refused(data, files, limits=None):
    with pytest.raises(ModelError) as caught:
        read_onnx(data, limits=limits or ReaderLimits(), data_files=DataFiles(files))
    return caught.value


def test_a_shape_in_a_data_file_is_known(weights):
    graph = read_onnx(reshaped(), data_files=DataFiles({"weights.bin": weights}))
    assert [tensor.shape for tensor in graph.tensors if tensor.name in ("r", "y")] == [(3, 4), (3, 4)]
    assert graph.weight_bytes == 48
    assert not any(tensor.size_source == "estimated" for tensor in graph.tensors)


def test_without_files_only_the_sizes_are_used():
    graph = read_onnx(reshaped())
    assert graph.weight_bytes == 48
    assert "weights_external" in [note["code"] for note in graph.notes]


def test_a_file_that_did_not_come_along_is_named(weights):
    error = refused(reshaped(), {"other.bin": weights})
    assert (error.code, error.params) == ("external_data_missing", {"files": ["weights.bin"], "count": 1})


def test_a_file_that_is_too_short_is_named(weights):
    weights.write_bytes(CONTENT[:-1])
    error = refused(reshaped(), {"weights.bin": weights})
    assert error.code == "external_data_short"
    assert error.params == {"file": "weights.bin", "size_bytes": 71, "needed_bytes": 72, "tensor": "w"}


def test_a_location_is_a_key_and_never_a_path(weights, monkeypatch):
    """A file of that name next to the reader is not opened."""
    monkeypatch.chdir(weights.parent)
    assert refused(reshaped("stored"), {}).code == "external_data_missing"


def test_the_number_of_files_is_limited(weights):
    model = build_model([helper.make_node("Add", ["x", "w0"], ["y"])], {"x": [1]}, ["y"])
    model.graph.initializer.extend(external(f"w{i}", [1], f"file{i}") for i in range(4))
    limits = ReaderLimits(max_data_files=3)
    assert refused(model.SerializeToString(), {}, limits).code == "model_limit"


@pytest.mark.parametrize(
    ("location", "plain"),
    [
        ("w.bin", "w.bin"),
        ("./w.bin", "w.bin"),
        ("a/b/w.bin", "a/b/w.bin"),
        ("a//w.bin", "a/w.bin"),
        ("a..b", "a..b"),
        ("..", ""),
        ("a/../w.bin", ""),
        ("/w.bin", ""),
        ("a/", ""),
        (".", ""),
        ("C:w", ""),
        ("a\\w", ""),
        ("a\nb", ""),
        ("a\0b", ""),
        ("\u202ew", ""),
        ("w" * 256, ""),
        ("", ""),
    ],
)
def test_locations(location, plain):
    assert plain_location(location) == plain


def test_reading_beyond_the_end_gives_nothing(weights):
    files = DataFiles({"w": weights})
    assert files.read("w", 70, 2) == CONTENT[70:72]
    assert files.read("w", 71, 2) is None
    assert files.read("v", 0, 1) is None
    files.check({"w": DataRange(72, "t")})
