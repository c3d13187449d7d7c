"""A small program that every device has to get right before it is called healthy: enumerating proves nothing."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx
from onnx import TensorProto, helper

from heteroopt.runtimes.description import Reason
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.handle import DeviceHandle

SIZE = 16
RELATIVE_TOLERANCE = 0.05
"""Wide enough for 8 bits of mantissa over 16 products; a canary finds what computes nonsense, not what rounds."""


@cache
def canary_model() -> bytes:
    """Return y = Relu(a @ b), float32 [16, 16], as an ONNX model of opset 13 and IR 8, which every runtime reads."""
    shape = [SIZE, SIZE]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["a", "b"], ["c"], "m"), helper.make_node("Relu", ["c"], ["y"], "r")],
        "canary",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "ab"],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
    )
    model: onnx.ModelProto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return bytes(model.SerializeToString())


def canary(device: DeviceHandle, timeout_s: float = 10.0) -> Reason | None:
    """Run the canary; return why the device cannot be used, or ``None`` if it can.

    Raises ``RuntimeFault`` where the process died, or hung and was ended.
    """
    generator = np.random.default_rng(7)
    a, b = (generator.standard_normal((SIZE, SIZE), dtype=np.float32) for _ in range(2))
    try:
        program = device.load(canary_model(), {"precision": "model"}, timeout_s)
        found = device.run_once(program, {"a": a, "b": b}, {"y": ("float32", (SIZE, SIZE))}, timeout_s)["y"]
        device.unload(program)
    except RuntimeFault as error:
        if error.code == "runtime_timeout":
            device.process.kill(error)
        if not device.process.alive:
            raise
        failed = RuntimeFault(
            "canary_failed",
            f"It is listed, but it could not run a 16 x 16 matrix product: {error.message}",
            hint="The runtime's message says what is missing; nothing is planned onto it until it can.",
            cause=error.code,
            says=error.message,
        )
        return Reason.of(failed)
    expected = np.maximum(a @ b, 0)
    error_size = float(np.max(np.abs(found - expected))) if np.isfinite(found).all() else float("inf")
    if error_size > RELATIVE_TOLERANCE * float(np.abs(expected).max()):
        wrong = RuntimeFault(
            "canary_wrong",
            f"It gave wrong results for a 16 x 16 matrix product (off by {error_size:g}).",
            hint="Check the driver and the runtime's version.",
            largest_error=f"{error_size:g}",
        )
        return Reason.of(wrong)
    return None
