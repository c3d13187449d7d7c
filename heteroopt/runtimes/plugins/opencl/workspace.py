"""Memory for values between launches: a block is used again when the last launch that reads it is queued."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heteroopt.runtimes.plugins.opencl.kernels import Step
from heteroopt.runtimes.plugins.opencl.values import Storage


def plan_workspace(steps: Sequence[Step], kept: Iterable[Storage]) -> tuple[dict[int, int], list[int]]:
    """Return the block of every storage that the steps write, by ``id``, and the blocks' sizes in bytes.

    ``kept``: storages that live elsewhere. Launches run in their order, so a block may be written right after its last
    reader. Best fit; where none fits, the largest free block grows.
    """
    elsewhere = {id(storage) for storage in kept}
    last = {id(value.storage): at for at, step in enumerate(steps) for value in (*step.reads, *step.writes)}
    blocks: dict[int, int] = {}
    sizes: list[int] = []
    free: list[int] = []
    for at, step in enumerate(steps):
        for value in step.writes:
            key, need = id(value.storage), value.storage.size_bytes
            if key in elsewhere or key in blocks:
                continue
            fitting = [block for block in free if sizes[block] >= need]
            if fitting:
                block = min(fitting, key=lambda block: sizes[block])
            elif free:
                block = max(free, key=lambda block: sizes[block])
                sizes[block] = need
            else:
                block = len(sizes)
                sizes.append(need)
            if block in free:
                free.remove(block)
            blocks[key] = block
        ended = {id(value.storage) for value in (*step.reads, *step.writes) if last[id(value.storage)] == at}
        free += [blocks[key] for key in ended if key in blocks]
    return blocks, sizes
