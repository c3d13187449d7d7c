"""How fast a stage runs and how much memory it takes: a model fitted to a published profile, named in its data file.

Seconds that follow from it are simulated, and whoever shows them says so.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

import numpy as np

from heteroopt.training.cluster import GpuType
from heteroopt.training.transformer import Transformer

TFLOP = 1e12


@dataclass(frozen=True)
class StepModel:
    """Rates and memory of stages.

    A group of ``t`` GPUs reaches the share ``1 / (1 / e + k r (t - 1))`` of its peak, where ``r`` grows with the ratio
    of peak to fast link and falls with the hidden size: what tensor parallelism sends per FLOP. ``e`` and ``k`` are
    fitted to the rows of the profile by least squares. ``rate_scale`` is one factor on all rates. ``errors``: factors
    on the rate of a GPU type and degree, to see what a wrong profile does.
    """

    data: Mapping[str, Any]
    rate_scale: float
    synchronisation_s: float
    errors: Mapping[tuple[str, int], float] = field(default_factory=dict)

    @cached_property
    def reference(self) -> Transformer:
        """The model whose profile this is."""
        one = self.data["reference"]
        return Transformer("reference", one["layers"], one["hidden"], one["feed_forward"], 64, 64, one["vocabulary"])

    @cached_property
    def fitted(self) -> tuple[float, float]:
        """The share of its peak that one GPU reaches, and the growth of 1 / share with each GPU more."""
        reference, peak = self.data["reference"], self.data["reference"]["bf16_tflop_per_s"] * TFLOP
        tokens = reference["sequence"]
        rows, inverse = [], []
        for row in self.data["rows"]:
            degree, stages = row["tensor_parallel"], row["pipeline"]
            if degree > 8:
                continue  # it spans two nodes, whose network the model of fast links does not know
            a, b, c = row["milliseconds"]
            seconds = (a * tokens**2 + b * tokens + c) / 1e3
            flop = self.reference.layer_flop(tokens, tokens) * reference["layers"] / stages
            flop += self.reference.head_flop(tokens) / (1 if stages == 1 else 2)
            rows.append([1.0, degree - 1.0])
            inverse.append(seconds * degree * peak / flop)
        (first, growth), *_ = np.linalg.lstsq(np.array(rows), np.array(inverse), rcond=None)
        return float(1 / first), float(growth)

    def row_errors(self) -> list[float]:
        """Return the relative error of the fit for each row of the profile within a node."""
        alone, growth = self.fitted
        tokens = self.data["reference"]["sequence"]
        found = []
        for row in self.data["rows"]:
            degree, stages = row["tensor_parallel"], row["pipeline"]
            if degree > 8:
                continue
            a, b, c = row["milliseconds"]
            flop = self.reference.layer_flop(tokens, tokens) * self.reference.layers / stages
            flop += self.reference.head_flop(tokens) / (1 if stages == 1 else 2)
            peak = self.data["reference"]["bf16_tflop_per_s"] * TFLOP
            predicted = flop * (1 / alone + growth * (degree - 1)) / (degree * peak)
            found.append(predicted / ((a * tokens**2 + b * tokens + c) / 1e3) - 1)
        return found

    def rows(self) -> dict[tuple[int, int], tuple[float, float, float]]:
        """Return the profile's rows: tensor-parallel degree and stages -> a, b, c in milliseconds."""
        return {(row["tensor_parallel"], row["pipeline"]): tuple(row["milliseconds"]) for row in self.data["rows"]}

    def flop_per_s(self, gpu: GpuType, degree: int, hidden: int) -> float:
        """Return what ``degree`` GPUs of this type do together."""
        alone, growth = self.fitted
        reference = self.data["reference"]
        weight = (
            gpu.bf16_tflop_per_s
            / reference["bf16_tflop_per_s"]
            * reference["fast_link_gb_per_s"]
            / gpu.fast_link_gb_per_s
            * reference["hidden"]
            / hidden
        )
        share = 1 / (1 / alone + growth * weight * (degree - 1))
        peak = degree * gpu.bf16_tflop_per_s * TFLOP
        return float(self.rate_scale * share * peak * self.errors.get((gpu.name, degree), 1.0))

    def layer_s(self, gpu: GpuType, degree: int, model: Transformer, tokens: int, sequence: int) -> float:
        """Return the seconds of one layer, forward and backward, for a micro-batch of ``tokens``."""
        return model.layer_flop(tokens, sequence) / self.flop_per_s(gpu, degree, model.hidden)

    def head_s(self, gpu: GpuType, degree: int, model: Transformer, tokens: int) -> float:
        """Return the seconds of the output head, forward and backward."""
        return model.head_flop(tokens) / self.flop_per_s(gpu, degree, model.hidden)

    def state_bytes(self, parameters: float, replicas: int, zero1: bool) -> float:
        """Return the bytes of weights, gradients and optimizer state of ``parameters`` weights."""
        memory = self.data["memory"]
        h = self.reference.hidden
        each = memory["state_bytes_per_squared_hidden"] * h * h / self.reference.layer_parameters()
        share = memory["zero1_share"]
        return float(each * parameters * ((share / replicas if zero1 else share) + 1 - share))

    def activation_bytes(self, degree: int, model: Transformer, tokens: int) -> float:
        """Return the bytes that one layer keeps of one micro-batch, on each GPU of a group."""
        table = self.data["memory"]["activation_bytes"]
        return float(table[str(degree)]) * tokens * model.hidden / degree

    def layer_limit(
        self,
        gpu: GpuType,
        degree: int,
        model: Transformer,
        *,
        tokens: int,
        in_flight: int,
        ends: int,
        replicas: int,
        zero1: bool,
    ) -> int:
        """Return how many layers fit on a group that holds ``ends`` (0 to 2) of embedding and head too."""
        free: float = gpu.memory_bytes - self.data["memory"]["reserved_bytes"]
        free -= ends * self.state_bytes(model.vocabulary * model.hidden, replicas, zero1) / degree
        each = self.state_bytes(model.layer_parameters(), replicas, zero1) / degree
        each += in_flight * self.activation_bytes(degree, model, tokens)
        return max(0, math.floor(free / each))

    def with_errors(self, errors: Mapping[tuple[str, int], float]) -> StepModel:
        """Return the model whose rates are off by these factors."""
        return replace(self, errors=errors)


@lru_cache(maxsize=4)
def published_profile() -> StepModel:
    """The profile that ships with the package."""
    text = resources.files("heteroopt.training").joinpath("profiles/llama-32b-h20.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    return StepModel(data, data["step"]["rate_scale"], data["step"]["synchronisation_s"])
