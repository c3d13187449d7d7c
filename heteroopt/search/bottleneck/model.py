"""What a placement costs each device per item: its operators and the transfers in and out of it.

Source: J. Tarnawski, A. Phanishayee, N. Devanur, D. Mahajan, F. Nina Paravecino, "Efficient Algorithms for Device
Placement of DNN Graph Operators", NeurIPS 2020, "max-load". Item v on device d, tensor t made by item p(t):

    load(d) = sum of time[v, d] over v on d
            + sum of out_time[t, d] over t made on d and read on another device (or wanted by the host)
            + sum of in_time[t, d]  over t read on d and made on another device (or by the host)

so a tensor is written once by its maker's device and read once by each other device that needs it. One item per
largest load is the throughput of a pipeline that never waits. The sizes of the items on the devices of one memory
must not exceed its capacity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heteroopt.simulation.problem import csr

Bool = NDArray[np.bool_]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


class LoadModel(NamedTuple):
    """n items (operators, or blocks of them that share a device), D devices, T tensors, M memories; times in ps.

    CSR lists as in ``Problem``. A tensor's readers are distinct and never its producer.
    """

    time: Int64
    """[n, D] 0 where not legal."""
    legal: Bool
    size: Int64
    """[n] bytes that the item keeps on its device."""
    memory: Int32
    """[D] memory of each device."""
    capacity: Int64
    """[M] bytes."""
    producer: Int32
    """[T] item, -1 for what starts on the host."""
    leaves: Bool
    """[T] wanted on the host in any case."""
    read_ptr: Int32
    read_idx: Int32
    """Tensor to its readers."""
    make_ptr: Int32
    make_idx: Int32
    """Item to the tensors that it makes."""
    use_ptr: Int32
    use_idx: Int32
    """Item to the tensors that it reads from others."""
    out_time: Int64
    """[T, D]"""
    in_time: Int64
    """[T, D]"""
    host: int
    """The device that is the host, so that nothing has to leave it for the host; -1 for none."""


def make_model(
    *,
    time: Int64,
    legal: Bool,
    size: Int64,
    memory: Int32,
    capacity: Int64,
    producer: Int32,
    leaves: Bool,
    readers: list[list[int]],
    out_time: Int64,
    in_time: Int64,
    host: int = -1,
) -> LoadModel:
    """Build a model from the readers of each tensor; tensors that can never cost anything are left out."""
    kept = [t for t in range(len(producer)) if readers[t] or leaves[t]]
    n = len(time)
    rows = [sorted(set(readers[t]) - {int(producer[t])}) for t in kept]
    makes: list[list[int]] = [[] for _ in range(n)]
    uses: list[list[int]] = [[] for _ in range(n)]
    final: list[tuple[int, list[int]]] = []
    for t, row in zip(kept, rows, strict=True):
        if not row and not leaves[t]:
            continue
        for reader in row:
            uses[reader].append(len(final))
        if producer[t] >= 0:
            makes[int(producer[t])].append(len(final))
        final.append((t, row))
    index = np.array([t for t, _ in final], np.int64)
    read_ptr, read_idx = csr([row for _, row in final])
    make_ptr, make_idx = csr(makes)
    use_ptr, use_idx = csr(uses)
    return LoadModel(
        time=np.ascontiguousarray(np.where(legal, time, 0), np.int64),
        legal=np.ascontiguousarray(legal),
        size=np.ascontiguousarray(size, np.int64),
        memory=np.ascontiguousarray(memory, np.int32),
        capacity=np.ascontiguousarray(capacity, np.int64),
        producer=np.ascontiguousarray(producer[index], np.int32),
        leaves=np.ascontiguousarray(leaves[index]),
        read_ptr=read_ptr,
        read_idx=read_idx,
        make_ptr=make_ptr,
        make_idx=make_idx,
        use_ptr=use_ptr,
        use_idx=use_idx,
        out_time=np.ascontiguousarray(out_time[index], np.int64),
        in_time=np.ascontiguousarray(in_time[index], np.int64),
        host=host,
    )


def contracted(model: LoadModel, block: Int32, n_blocks: int) -> LoadModel:
    """The model whose items are blocks; ``block`` [n] names each item's block (0 to n_blocks - 1)."""
    n_devices = model.time.shape[1]
    time = np.zeros((n_blocks, n_devices), np.int64)
    np.add.at(time, block, model.time)
    legal = np.ones((n_blocks, n_devices), np.bool_)
    np.logical_and.at(legal, block, model.legal)
    size = np.zeros(n_blocks, np.int64)
    np.add.at(size, block, model.size)
    producer = np.where(model.producer >= 0, block[model.producer], -1).astype(np.int32)
    of_reader = block[model.read_idx]
    readers = [of_reader[a:b].tolist() for a, b in zip(model.read_ptr, model.read_ptr[1:], strict=False)]
    return make_model(
        time=time, legal=legal, size=size, memory=model.memory, capacity=model.capacity, producer=producer,
        leaves=model.leaves, readers=readers, out_time=model.out_time, in_time=model.in_time, host=model.host,
    )  # fmt: skip


def device_loads(model: LoadModel, device: Int32) -> Int64:
    """int64 [D] load of every device in ps, by the definition; ``device`` [n] must be legal."""
    loads = np.zeros(model.time.shape[1], np.int64)
    np.add.at(loads, device, model.time[np.arange(len(device)), device])
    for t, producer in enumerate(model.producer.tolist()):
        home = int(device[producer]) if producer >= 0 else -1
        elsewhere = set(device[model.read_idx[model.read_ptr[t] : model.read_ptr[t + 1]]].tolist()) - {home}
        if home >= 0 and (elsewhere or (model.leaves[t] and home != model.host)):
            loads[home] += model.out_time[t, home]
        for d in elsewhere:
            loads[d] += model.in_time[t, d]
    return loads


def overflow_bytes(model: LoadModel, device: Int32) -> int:
    """Bytes by which the sizes exceed the capacities, summed over the memories."""
    used = np.zeros(len(model.capacity), np.int64)
    np.add.at(used, model.memory[device], model.size)
    return int(np.maximum(used - model.capacity, 0).sum())
