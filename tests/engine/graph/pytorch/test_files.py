"""PyTorch files are told from others by their bytes alone, refused where models are only read, and never loaded."""

from __future__ import annotations

import io
import pickle
import zipfile

import pytest

from heteroopt.errors import ModelError
from heteroopt.graph.onnx_reader import inspect_onnx, read_onnx
from heteroopt.graph.pytorch.convert import convert_file
from heteroopt.graph.pytorch.files import TorchFile, is_torch_path, torch_file
from heteroopt.graph.pytorch.refusal import COMMAND, looks_like_pytorch


class Trap:
    """Unpickling this fails the test."""

    def __reduce__(self):
        return pytest.fail, ("the pickle was loaded",)


def archive(*members: str) -> bytes:
    """A zip file as PyTorch writes it, stored, with a pickle that must not be loaded."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for member in members:
            file.writestr(member, pickle.dumps(Trap()))
    return buffer.getvalue()


SCRIPT = archive("net/data.pkl", "net/code/__torch__.py", "net/constants.pkl", "net/version")
WEIGHTS = archive("net/data.pkl", "net/byteorder", "net/data/0")
EXPORTED = archive("net/archive_format", "net/models/model.json", "net/data/weights/model_weights_config.json")


@pytest.mark.parametrize(
    "content",
    [SCRIPT, WEIGHTS, EXPORTED, pickle.dumps(Trap(), 2), pickle.dumps({"a": 1}, 4), b"\x80\x02\x8a\nl\xfc\x9cF\xf9"],
    ids=["torchscript", "weights", "exported", "pickle 2", "pickle 4", "old torch.save"],
)
@pytest.mark.parametrize("work", [read_onnx, inspect_onnx])
def test_an_uploaded_file_of_pytorch_is_refused_with_the_command_to_convert_it(content, work):
    with pytest.raises(ModelError) as caught:
        work(content)
    assert caught.value.code == "model_pytorch"
    assert COMMAND in caught.value.hint
    assert caught.value.params["command"] == COMMAND
    assert COMMAND.startswith("heteroopt convert ")


@pytest.mark.parametrize(
    "content",
    [b"", b"\x80", b"\x08\x0a\x12\x07pytorch", archive("model.onnx", "weights.bin"), b"\x80\x02", b"PK\x03\x04"],
)
def test_other_files_are_none_of_pytorch(content):
    assert not looks_like_pytorch(content, content)


def test_a_member_far_behind_the_head_is_found_in_the_directory():
    content = b"PK\x03\x04" + b"\0" * 200_000 + archive("net/data.pkl")
    assert looks_like_pytorch(content[:65536], content[-65536:])
    assert not looks_like_pytorch(content[:65536])


@pytest.mark.parametrize(
    ("content", "kind"),
    [(SCRIPT, TorchFile.TORCHSCRIPT), (WEIGHTS, TorchFile.PICKLE), (EXPORTED, TorchFile.EXPORTED),
     (pickle.dumps([1], 2), TorchFile.PICKLE)],
)  # fmt: skip
def test_the_kind_of_a_file(tmp_path, content, kind):
    path = tmp_path / "net.pt"
    path.write_bytes(content)
    assert torch_file(path) == kind


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", archive("readme.txt"), b"onnx"])
def test_a_file_of_another_kind_is_named(tmp_path, content):
    path = tmp_path / "net.pt"
    path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        torch_file(path)
    assert (caught.value.code, caught.value.params["path"]) == ("torch_file_unknown", str(path))


def test_a_missing_file(tmp_path):
    with pytest.raises(ModelError) as caught:
        convert_file(tmp_path / "none.pt", tmp_path / "out.onnx")
    assert caught.value.code == "model_not_found"


@pytest.mark.parametrize(("name", "expected"), [("a.pt", True), ("a.PT2", True), ("a.onnx", False), ("pt", False)])
def test_files_of_pytorch_by_name(name, expected):
    assert is_torch_path(name) is expected
