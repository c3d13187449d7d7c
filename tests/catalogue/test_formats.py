"""Every format that ships, and every option of one, has a name and an explanation in both languages on the page."""

import re
from pathlib import Path

import pytest

from heteroopt.deployment.export_registry import exporters

TEXTS = (Path(__file__).parents[2] / "frontend/src/i18n/messages/download.ts").read_text("utf-8")
NAMES = frozenset(re.findall(r"^  '([^']+)': \[", TEXTS, re.MULTILINE))
VERSIONS = dict(re.findall(r"^  '(download\.versions\.[^']+)': \['([^']+)'", TEXTS, re.MULTILINE))


@pytest.mark.parametrize("key", sorted(exporters().available))
def test_a_format_has_its_texts(key):
    exporter = exporters().available[key]
    options = {f"download.option.{option.name.split('.')[0]}" for option in exporter.options}
    holds = {f"download.expresses.{what}" for what in exporter.expresses}
    versions = f"download.versions.{key}"
    assert VERSIONS[versions].replace("{number}", re.sub(r"\D+", "", exporter.versions)) == exporter.versions
    assert {f"download.name.{key}", f"download.about.{key}"} | options | holds <= NAMES
