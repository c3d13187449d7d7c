"""ONNX Runtime's plugin: options that it has no answer to are refused, not ignored."""

from __future__ import annotations

import pytest

from heteroopt.runtimes.errors import RuntimeFault
from tests.engine.runtimes.models import perceptron

PLUGIN = "onnxruntime"


@pytest.mark.parametrize(
    ("options", "says"),
    [({"precision": "bf16"}, "own types, not in bf16"), ({"precison": "fp32"}, "precison"), ({"optimise": 3}, "3")],
)
def test_what_it_cannot_do_is_refused(device, options, says):
    with pytest.raises(RuntimeFault, match=says) as caught:
        device.load(perceptron(4), options)
    assert caught.value.code == "program_refused"


def test_a_model_that_it_does_not_read_is_refused_in_its_own_words(device):
    with pytest.raises(RuntimeFault, match="protobuf") as caught:
        device.load(b"no model")
    assert caught.value.code == "program_refused"
