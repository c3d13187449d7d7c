"""What killed jobs left on disk goes after a day, and nothing that is in use or somebody else's."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from workers.reaper import purge
from workers.strays import AGE_SECONDS

pytestmark = pytest.mark.django_db


def aged(path: Path, seconds: float) -> Path:
    for one in (*path.rglob("*"), path):
        os.utime(one, (time.time() - seconds,) * 2)
    return path


def test_only_old_folders_of_jobs_and_drafts_of_archives_go(settings, tmp_path):
    settings.TEMPORARY_DIR, settings.MEDIA_ROOT = tmp_path / "tmp", tmp_path / "files"
    exports = tmp_path / "files" / "exports"
    exports.mkdir(parents=True)
    names = ("measuring-a", "sandbox-b", "export-c", "measuring-now", "mine")
    for name in names:
        (tmp_path / "tmp" / name / "model").mkdir(parents=True)
        (tmp_path / "tmp" / name / "model" / "w.bin").write_bytes(b"1")
        aged(tmp_path / "tmp" / name, 2 * AGE_SECONDS)
    aged(tmp_path / "tmp" / "measuring-now" / "model" / "w.bin", 10)
    (tmp_path / "tmp" / "sandbox-link").symlink_to(tmp_path / "tmp" / "mine")
    for name, seconds in (("old.part", 2 * AGE_SECONDS), ("new.part", 10), ("archive.zip", 2 * AGE_SECONDS)):
        (exports / name).write_bytes(b"1")
        aged(exports / name, seconds)
    purge()
    assert {path.name for path in (tmp_path / "tmp").iterdir()} == {"measuring-now", "mine", "sandbox-link"}
    assert {path.name for path in exports.iterdir()} == {"new.part", "archive.zip"}
    assert (tmp_path / "tmp" / "mine" / "model" / "w.bin").is_file()
