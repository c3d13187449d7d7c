"""Splits a PyTorch module into the planned stages with torch.distributed.pipelining.

    from split_torch import split
    pipe, devices = split(module, example_arguments)      # in every process
    stage = pipe.build_stage(rank, device=devices[rank])  # rank r runs stage r

Needs PyTorch from 2.4 on.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STAGES = Path(__file__).with_name("stages.json")


def split(module: Any, arguments: tuple[Any, ...], stages: Path = STAGES) -> tuple[Any, list[Any]]:
    """The pipe and the device of each stage. Raises ``ValueError`` for a module that lacks a planned one."""
    import torch
    from torch.distributed.pipelining import SplitPoint, pipeline

    document = json.loads(stages.read_text("utf-8"))
    begins = [stage["begins"] for stage in document["stages"] if stage["begins"] is not None]
    known = dict(module.named_modules())
    missing = [name for name in begins if name not in known]
    if missing:
        raise ValueError(f"the module has no {', '.join(missing)}: it is not the model that was planned")
    pipe = pipeline(module, mb_args=arguments, split_spec={name: SplitPoint.BEGINNING for name in begins})
    if pipe.num_stages != len(document["stages"]):
        raise ValueError(f"PyTorch made {pipe.num_stages} stages of {len(document['stages'])}")
    names = [stage["torch"] for stage in document["stages"]]
    return pipe, [torch.device(f"cuda:{name}" if name.isdigit() else name) for name in names]
