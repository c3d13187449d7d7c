"""The cache of compiled kernels belongs to exactly the sources that it was compiled from."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

import numba
import pytest

from heteroopt import kernels
from heteroopt.simulation import compiled, kernel_cache
from heteroopt.simulation.decoder import simulate_batch
from heteroopt.simulation.warm_up import warm_up


def test_every_kernel_is_cached_below_the_fingerprint():
    folder = compiled.CACHE_FOLDER
    assert folder.name.startswith("kernels-")
    assert Path(numba.config.CACHE_DIR) == folder
    assert folder in Path(simulate_batch._cache.cache_path).parents


@pytest.mark.parametrize(
    ("source", "counts"),
    [
        ("simulation/peak.py", True),
        ("simulation/scratch.py", True),  # no kernel, but its constants are compiled into some
        ("units.py", True),
        ("search/search.py", False),  # calls kernels; none depends on it
    ],
)
def test_a_change_in_what_is_compiled_gives_another_folder(tmp_path, monkeypatch, source, counts):
    package = tmp_path / "heteroopt"
    shutil.copytree(kernel_cache._PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(kernel_cache, "_PACKAGE", package)
    before = kernel_cache.cache_folder("")
    with (package / source).open("a") as file:
        file.write("# changed\n")
    after = kernel_cache.cache_folder("")
    assert before.parent == after.parent == package / "__pycache__"
    assert (before != after) is counts
    assert kernel_cache.cache_folder(str(tmp_path / "given")).parent == tmp_path / "given"


def test_old_caches_are_forgotten(tmp_path):
    for age, name in enumerate(["kernels-a", "kernels-b", "kernels-c", "kernels-d", "other"]):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.nbc").touch()

        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    kernel_cache.forget_old_caches(tmp_path / "kernels-d")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "kernels-a",
        "kernels-b",
        "kernels-c",
        "kernels-d",
        "other",
    ]
    kernel_cache.forget_old_caches(tmp_path / "kernels-a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kernels-a", "kernels-b", "kernels-c", "other"]


def test_warm_up_runs_every_kernel():
    warm_up()
    assert simulate_batch.signatures


def test_what_was_compiled_ahead_is_marked_for_these_sources_and_this_processor(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compiled_kernels = []
    monkeypatch.setattr("heteroopt.search.warm_up", lambda: compiled_kernels.append(1))
    assert not kernels.are_compiled()
    kernels.compile_ahead()
    assert compiled_kernels == [1]
    assert kernels.are_compiled()
    monkeypatch.setattr(kernels, "_processor", lambda: "another")
    assert not kernels.are_compiled()


def test_processes_that_start_together_compile_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    taken = []

    def is_free() -> bool:
        with (kernels._mark().parent / "compiling.lock").open("ab") as other:
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    monkeypatch.setattr("heteroopt.search.warm_up", lambda: taken.append(not is_free()))
    kernels.compile_ahead()
    assert taken == [True]
    assert is_free()


def test_nobody_waits_where_the_cache_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    with kernels.one_at_a_time():
        pass
