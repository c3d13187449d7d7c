"""Every limit of the reader has its words in both languages on the page."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_every_limit_can_be_said():
    source = "".join(
        (ROOT / "heteroopt/graph" / name).read_text() for name in ("wire.py", "onnx_model.py", "onnx_reader.py")
    )
    limits = {*re.findall(r'too_large\(\s*"([^"]+)"', source), *re.findall(r'what="([^"]+)"', source)}
    assert len(limits) > 10
    texts = (ROOT / "frontend/src/i18n/messages/errors/models.ts").read_text()
    assert [what for what in sorted(limits) if f"'limit.{what.replace(' ', '_')}': [" not in texts] == []
