"""Reasons in English with their figures."""

import pytest

from heteroopt.deployment.reason_text import _TEXTS, reason_text
from heteroopt.explanation.explanation import REASONS


@pytest.mark.parametrize(
    ("code", "params", "text"),
    [
        ("pinned", {"device": "gpu0"}, "pinned to gpu0 by a person"),
        (
            "fastest_here",
            {"device": "cpu0", "time_ms": 0.0125, "other_time_ms": 1250.0},
            "fastest here: 12.5 us against 1.25 s on cpu0",
        ),
        (
            "avoids_transfer",
            {"device": "npu0", "transfer_bytes": 12_800_000, "delta_ms": 0.5},
            "on npu0 the plan would move 12.8 MB more and take 500 us longer",
        ),
        ("saves_energy", {"device": "gpu0", "saved_j": 0.0025}, "saves 2.5 mJ against gpu0"),
        (
            "saves_energy",
            {"device": "gpu0", "saved_j": 0.0025, "energy_sources": ["measured", "template"]},
            "saves 2.5 mJ (measured, template) against gpu0",
        ),
        ("others_forbidden", {"devices": ["a", "b"]}, "the other devices that support it are forbidden: a, b"),
        ("something_new", {"size_bytes": 3}, "something new (size_bytes 3 bytes)"),
        ("something_new", None, "something new"),
        ("pinned", {}, "pinned"),
    ],
)
def test_reason_text(code, params, text):
    assert reason_text({"code": code, "params": params}) == text


def test_every_reason_has_a_text_that_uses_only_its_parameters():
    assert set(_TEXTS) == set(REASONS)
    for code, names in REASONS.items():
        _TEXTS[code].format(**dict.fromkeys(names, ""))
