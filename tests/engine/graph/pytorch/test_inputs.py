"""Inputs on the command line: element type and sizes."""

from __future__ import annotations

import pytest

from heteroopt.cli.parser import make_parser
from heteroopt.graph.pytorch.inputs import InputSpec


@pytest.mark.parametrize(
    ("text", "shape", "dtype"),
    [("1x3x224x224", (1, 3, 224, 224), "float32"), ("int64:1x128", (1, 128), "int64"), ("bool:", (), "bool")],
)
def test_sizes_and_types(text, shape, dtype):
    assert InputSpec.parse(text) == InputSpec(shape, dtype)


@pytest.mark.parametrize("text", ["1x", "1x0", "1x-2", "float33:1", "int64", "1:2:3"])
def test_what_is_no_input(text):
    with pytest.raises(ValueError):
        InputSpec.parse(text)


def test_the_command_line_takes_several_inputs_and_names_what_is_wrong(capsys):
    options = make_parser().parse_args(["convert", "m.pt", "--out", "m.onnx", "--input", "int64:1x8", "--input", "2x3"])
    assert options.input == [InputSpec((1, 8), "int64"), InputSpec((2, 3))]
    with pytest.raises(SystemExit):
        make_parser().parse_args(["inspect", "m.pt", "--input", "floaty:1"])
    assert "floaty:1" in capsys.readouterr().err
