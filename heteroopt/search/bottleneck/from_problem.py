"""A planning problem as a load model: what each tensor costs a device to send and to receive."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.bottleneck.model import LoadModel, make_model
from heteroopt.simulation.problem import Problem

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


def load_model(problem: Problem) -> LoadModel:
    """Return the model whose items are the operators.

    Sending costs a device the first hop of its routes, receiving the last hop, each the mean over the other devices
    (with routes through the host all are equal, so the figures are exact; then with blocking transfers the largest
    load is the problem's bottleneck of a plan). A device that is the host does not pay for model inputs and outputs.
    Views take no time. Sizes are initializers, counted for every operator that reads them; activations are left to
    the decoder.
    """
    n, n_devices = problem.n_operators, problem.n_devices
    time = np.where(problem.is_view[:, None], 0, problem.op_time_ps)
    size = np.zeros(n, np.int64)
    np.add.at(size, np.repeat(np.arange(n), np.diff(problem.init_ptr)), problem.init_size_bytes[problem.init_idx])
    readers: list[list[int]] = [
        problem.read_op[a:b].tolist() for a, b in zip(problem.read_ptr, problem.read_ptr[1:], strict=False)
    ]
    producer = problem.tensor_producer
    starts_on_host = producer < 0
    leaves = problem.tensor_is_output & problem.outputs_on_host & ~starts_on_host
    if not problem.inputs_on_host:
        readers = [[] if away else row for away, row in zip(starts_on_host, readers, strict=True)]
    out_time = np.zeros((problem.n_tensors, n_devices), np.int64)
    in_time = np.zeros_like(out_time)
    for d in range(n_devices):
        sent, received = _ends(problem, d)
        out_time[:, d] = _time(problem.tensor_size_bytes, sent)
        in_time[:, d] = _time(problem.tensor_size_bytes, received)
    if problem.host < n_devices:
        in_time[starts_on_host, problem.host] = 0
    return make_model(
        time=time, legal=problem.legal, size=size, memory=problem.store_memory[:n_devices],
        capacity=problem.memory_capacity_bytes, producer=producer, leaves=leaves, readers=readers,
        out_time=out_time, in_time=in_time, host=problem.host if problem.host < n_devices else -1,
    )  # fmt: skip


def _ends(problem: Problem, device: int) -> tuple[Float64, Float64]:
    """(latency ps, ps per byte) of a device's sending and receiving: means over the other devices, or the host."""
    stores = problem.n_stores
    others = [other for other in range(problem.n_devices) if other != device] or [problem.host]
    sent, received = [], []
    for other in others:
        if other == device:
            return np.zeros(2), np.zeros(2)
        first = int(problem.hop_ptr[device * stores + other])
        last = int(problem.hop_ptr[other * stores + device + 1]) - 1
        sent.append((problem.hop_latency_ps[first], problem.hop_ps_per_byte[first]))
        received.append((problem.hop_latency_ps[last], problem.hop_ps_per_byte[last]))
    return np.mean(sent, axis=0), np.mean(received, axis=0)


def _time(size_bytes: Int64, rate: Float64) -> Int64:
    time: Int64 = np.floor(rate[0] + size_bytes * rate[1] + 0.5).astype(np.int64)
    return time
