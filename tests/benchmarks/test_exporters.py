"""The sweep over all formats finds nothing on a small encoder, and would find what a format does wrong."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from benchmarks import exporters
from heteroopt.deployment.export_registry import SHIPPED
from heteroopt.graph.samples import bert_encoder_onnx
from heteroopt.partition import Partition

SMALL = {"small": bert_encoder_onnx(layers=1, hidden=64, heads=2, seq=16)}


def test_every_format_writes_or_refuses_random_plans():
    found = exporters.sweep(SMALL, 6)
    assert found.failed == [] and found.cyclic == 0 and found.plans == 6
    assert set(found.formats) == set(SHIPPED)
    for key, tally in found.formats.items():
        assert tally.written + tally.refused.total() == 6, key
        assert tally.written or key in ("accelerate", "torch-pipelining"), key


def test_a_format_that_breaks_is_found(monkeypatch):
    def broken(key, request, folder):
        raise ValueError("no such attribute")

    monkeypatch.setattr(exporters, "export_plan", broken)
    found = exporters.sweep(SMALL, 1, ["csv"])
    assert found.failed == ["csv: small, plan 0: ValueError: no such attribute"]


@pytest.mark.parametrize(("segment_of", "cyclic"), [([0, 0, 0], False), ([0, 1, 0], True)])
def test_a_circle_of_segments_is_seen(segment_of, cyclic):
    chain = SimpleNamespace(
        operators=[SimpleNamespace(index=index) for index in range(3)],
        predecessors=lambda index: [index - 1] if index else [],
    )
    assert exporters.is_cyclic(Partition(chain, (), tuple(segment_of))) is cyclic
