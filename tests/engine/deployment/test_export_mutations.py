"""Files that no longer hold the plan are refused by every format: tampered with in each way, with checksums made anew.

So it is the format's own check that is asked, as for files that a fault of ours wrote wrongly.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from functools import cache
from pathlib import Path

import pytest

from heteroopt.deployment.export_manifest import digest_of, read_manifest
from heteroopt.deployment.export_plan import check_export, export_plan
from heteroopt.deployment.export_registry import SHIPPED
from heteroopt.errors import HeteroOptError
from tests.engine.deployment import plans
from tests.engine.deployment.tamperings import MUTATIONS, edit, other
from tests.engine.deployment.test_engine_formats import CPU0, GPU0, LAYERED, NPU0, OPTIONS, placed


def of_ascend(operator):
    return NPU0 if 20 < operator.index <= 40 else CPU0


def of_three(operator):
    return GPU0 if operator.index < 8 or operator.index > 18 else CPU0


PLACES = {"accelerate": LAYERED, "torch-pipelining": LAYERED, "ascend": of_ascend}


@cache
def request_of(key, folder):
    return placed(PLACES.get(key, of_three), plans.model_file(folder), **OPTIONS.get(key, {}))


@cache
def exported(key, folder):
    """An export of each format, written once."""
    export_plan(key, request_of(key, folder), folder / key)
    return folder / key


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return tmp_path_factory.mktemp("written")


@pytest.fixture
def copy(written, tmp_path):
    def make(key):
        return Path(shutil.copytree(exported(key, written), tmp_path / "copy"))

    return make


def stamp(folder, change=lambda document: None):
    """Make the checksums of a manifest anew, after changing it."""
    path = folder / "manifest.json"
    document = json.loads(path.read_text())
    document["files"] = {
        file.relative_to(folder).as_posix(): {
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "size_bytes": file.stat().st_size,
        }
        for file in sorted(folder.rglob("*")) if file.is_file() and file != path
    }  # fmt: skip
    change(document)
    document["sha256"] = digest_of(document)
    path.write_text(json.dumps(document))


def refused(folder):
    with pytest.raises(HeteroOptError) as caught:
        check_export(folder)
    assert caught.value.message.strip() and caught.value.hint.strip()
    return caught.value.code


def test_every_format_has_its_mutations():
    assert set(MUTATIONS) == set(SHIPPED)


@pytest.mark.parametrize("key", SHIPPED)
def test_as_written_it_passes(copy, key):
    folder = copy(key)
    assert check_export(folder).complete
    stamp(folder)
    assert check_export(folder).complete


@pytest.mark.parametrize(("key", "name"), [(key, name) for key, own in MUTATIONS.items() for name in own])
def test_a_tampered_format_is_refused(copy, key, name):
    folder = copy(key)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    MUTATIONS[key][name](folder)
    changed = [path for path in folder.rglob("*") if path.is_file() and before.get(path) != path.read_bytes()]
    assert changed
    assert refused(folder) == "export_file_changed"
    stamp(folder)
    assert refused(folder) not in ("export_file_changed", "export_manifest")


@pytest.mark.parametrize("key", SHIPPED)
def test_a_renamed_or_missing_file_is_refused(copy, key, tmp_path):
    folder = copy(key)
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json"):
        data = path.read_bytes()
        path.rename(path.with_name(f"x_{path.name}"))
        assert refused(folder) == "export_file_missing"
        if path.name not in SILENT:
            stamp(folder)
            assert refused(folder) not in ("export_file_missing", "export_manifest")
        path.with_name(f"x_{path.name}").unlink()
        path.write_bytes(data)
        stamp(folder)
    assert check_export(folder).complete


SILENT = ("empty.txt", "runner.py")
"""Nothing of the plan is in them; only the checksum knows them."""


def drop_row(document):
    document["operators"].pop(3)


def move_row(document):
    row = document["operators"][3]
    segment = next(s for s in document["segments"] if s["device"] != row["device"])
    row.update(device=segment["device"], segment=segment["index"])


def drop_row_everywhere(document):
    """All counts agree with one another afterwards, only no longer with the files."""
    row = document["operators"].pop()
    document["model"]["operators"] -= 1
    document["coverage"]["planned"] -= 1
    document["segments"][row["segment"]]["operators"] -= 1


def move_row_everywhere(document):
    before = document["segments"][document["operators"][3]["segment"]]
    move_row(document)
    before["operators"] -= 1
    document["segments"][document["operators"][3]["segment"]]["operators"] += 1


MANIFESTS = {
    "drop an operator": drop_row,
    "move an operator": move_row,
    "drop an operator and its counts": drop_row_everywhere,
    "move an operator and the counts": move_row_everywhere,
    "repeat an operator": lambda d: d["operators"].append(d["operators"][3]),
    "repeat a segment": lambda d: d["segments"].append(d["segments"][0]),
    "change the order of segments": lambda d: d["segments"].reverse(),
    "move a segment": lambda d: other(d["segments"][0]),
    "wait in a circle": lambda d: d["segments"][0]["predecessors"].append(len(d["segments"]) - 1),
}


@pytest.mark.parametrize("key", SHIPPED)
@pytest.mark.parametrize("name", MANIFESTS)
def test_a_tampered_manifest_is_refused(written, copy, key, name):
    folder = copy(key)
    edit(folder / "manifest.json", MANIFESTS[name])
    assert refused(folder) == "export_manifest"
    edit(folder / "manifest.json", lambda document: document.update(sha256=digest_of(document)))
    if name.endswith("counts"):  # formats that list no operators of their own know it by the plan alone
        with pytest.raises(HeteroOptError):
            check_export(folder, request_of(key, written))
        return
    refused(folder)


@pytest.mark.parametrize("key", SHIPPED)
def test_a_hash_in_the_manifest_is_refused(copy, key):
    folder = copy(key)
    path = folder / "manifest.json"
    whole = path.read_text("utf-8")
    for part in ("model", "graph", "pool", "costs", "settings", "plan"):
        edit(path, lambda document, part=part: document["hashes"].update({part: "0" * 64}))
        assert refused(folder) == "export_manifest"
        path.write_text(whole, "utf-8")
    for file in read_manifest(folder)["files"]:
        change = lambda document, file=file: document["files"][file].update(sha256="0" * 64)  # noqa: E731
        edit(path, change)
        assert refused(folder) == "export_manifest"
        path.write_text(whole, "utf-8")
        edit(path, lambda document, change=change: (change(document), document.update(sha256=digest_of(document))))
        assert refused(folder) == "export_file_changed"
        path.write_text(whole, "utf-8")
    assert check_export(folder).complete


def test_an_export_is_compared_with_its_plan(written, copy):
    for key in SHIPPED:
        folder = exported(key, written)
        assert check_export(folder, request_of(key, written)).complete
        with pytest.raises(HeteroOptError) as caught:
            check_export(folder, placed(lambda operator: CPU0, None))
        assert caught.value.code == "export_other_plan"
    folder = copy("csv")
    stamp(folder, lambda document: document["hashes"].update(costs="0" * 64))
    with pytest.raises(HeteroOptError, match="hashes"):
        check_export(folder, placed(of_three, None))
