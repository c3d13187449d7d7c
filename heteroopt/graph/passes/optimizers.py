"""What a weight update costs and keeps, per optimizer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Optimizer:
    """One update rule: what it keeps for every weight, in the weight's shape and type, and what it computes."""

    op_type: str
    states: tuple[str, ...]
    flops_per_parameter: int


OPTIMIZERS = {
    # w -= lr * g
    "sgd": Optimizer("SgdUpdate", (), 2),
    # v = mu * v + g; w -= lr * v
    "momentum": Optimizer("MomentumUpdate", ("momentum",), 4),
    # Kingma and Ba, ICLR 2015: m = b1 m + (1 - b1) g (3); v = b2 v + (1 - b2) g^2 (4);
    # w -= lr_t * m / (sqrt(v) + eps) (a root counts 4: 8); the bias corrections are in lr_t.
    "adam": Optimizer("AdamUpdate", ("adam_m", "adam_v"), 15),
}
