"""docs/operators.md says what the registry does."""

from __future__ import annotations

from pathlib import Path

from benchmarks.operator_table import page


def test_the_page_is_that_of_the_registry():
    written = (Path(__file__).parents[2] / "docs/operators.md").read_text()
    assert written == page(), "write it again: python -m benchmarks.operator_table > docs/operators.md"
    assert "| Conv, ConvInteger, QLinearConv | 2 x out x C/group x kernel |" in written
