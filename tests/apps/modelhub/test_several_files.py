"""Models of several files: data files of the same upload, archives, and everything that an archive must not hold."""

import hashlib
import io
import stat
import tarfile
import zipfile

import numpy as np
import pytest
from onnx import TensorProto, helper

from apps.modelhub import contents, storage
from apps.modelhub.models import Model, ModelFile
from tests.apps.modelhub.tus_client import add, finish, upload
from tests.apps.support import onnx_bytes, run_jobs, value
from workers import unpacking

WEIGHTS = np.ones(12, np.float32).tobytes()


def model(location: str = "w.bin") -> bytes:
    """Add of x[3, 4] and a weight of 48 bytes in a data file."""
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3, 4], data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value=location)
    nodes = [helper.make_node("Add", ["x", "w"], ["y"], name="add")]
    return onnx_bytes(nodes, [value("x", [3, 4])], [value("y", [3, 4])], [weight])


def zipped(files: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", how) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def tarred(files: dict[str, bytes], how: str = "gz", **special: tuple[bytes, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=f"w:{how}") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for name, (kind, target) in special.items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            archive.addfile(info)
    return packed.getvalue()


def zip_link(target: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("m.onnx", model())
        info = zipfile.ZipInfo("w.bin")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, target)
    return packed.getvalue()


def encrypted() -> bytes:
    """A zip whose entries carry the flag of encryption."""
    data = bytearray(zipped({"m.onnx": model()}, zipfile.ZIP_STORED))
    for magic, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + flags] |= 1
    return bytes(data)


def flipped(packed: bytes, stored: bytes) -> bytes:
    """An archive with one wrong bit in a file that it stores as it is."""
    data = bytearray(packed)
    data[data.index(stored)] ^= 1
    return bytes(data)


def test_a_model_with_its_data_file_is_read(alice_client):
    made = add(alice_client, {"m.onnx": model(), "w.bin": WEIGHTS})
    assert made["state"] == "ready", made["error"]
    assert made["summary"]["weight_bytes"] == 48
    assert made["size_bytes"] == len(model()) + 48
    assert [(file["name"], file["size_bytes"], file["is_main"]) for file in made["files"]] == [("w.bin", 48, False)]
    assert storage.path_of(hashlib.sha256(WEIGHTS).hexdigest()).read_bytes() == WEIGHTS
    bound = alice_client.post(f"/api/models/{made['id']}/bind/", {"dims": {}}, "json")
    assert bound.status_code == 202


@pytest.mark.parametrize("location", ["w.bin", "/etc/passwd", "../../etc/passwd"])
def test_without_its_data_file_a_model_is_refused_and_the_file_named(alice_client, location):
    made = add(alice_client, {"m.onnx": model(location)})
    assert made["state"] == "refused"
    if location == "w.bin":
        assert made["error"]["code"] == "external_data_missing"
        assert made["error"]["params"] == {"files": ["w.bin"], "count": 1}
    else:
        assert made["error"]["code"] == "external_data_refused"


def test_a_data_file_of_another_model_does_not_count(alice_client):
    add(alice_client, {"a.onnx": model(), "w.bin": WEIGHTS})
    assert add(alice_client, {"m.onnx": model()})["error"]["code"] == "external_data_missing"


def test_a_data_file_that_is_too_short_is_named(alice_client):
    made = add(alice_client, {"m.onnx": model(), "w.bin": WEIGHTS[:-1]})
    assert made["error"]["code"] == "external_data_short"


def test_other_weights_make_another_model(alice_client):
    first = add(alice_client, {"m.onnx": model(), "w.bin": WEIGHTS})
    second = add(alice_client, {"m.onnx": model(), "w.bin": bytes(48)})
    again = add(alice_client, {"m.onnx": model(), "w.bin": WEIGHTS})
    assert first["id"] == again["id"] != second["id"]
    assert first["content_hash"] != second["content_hash"]
    assert first["summary"]["graph_hash"] == second["summary"]["graph_hash"]


@pytest.mark.parametrize("files", [["w.bin", "w.bin"], ["m.onnx"]])
def test_files_that_cannot_belong_together_are_refused(alice_client, files):
    main = upload(alice_client, model(), "m.onnx")
    others = [main] if files == ["m.onnx"] else [upload(alice_client, WEIGHTS, name) for name in files]
    answer = finish(alice_client, main, others)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "upload_files")
    assert not Model.objects.exists()


def test_tables_have_no_data_files(alice_client):
    main = upload(alice_client, b"{}", "t.json", kind="tables")
    answer = finish(alice_client, main, [upload(alice_client, WEIGHTS, "w.bin")])
    assert answer.json()["error"]["code"] == "upload_files"


@pytest.mark.parametrize(
    "packed",
    [
        zipped({"m.onnx": model(), "w.bin": WEIGHTS}),
        zipped({"net/": b"", "net/m.onnx": model("data/w.bin"), "net/data/w.bin": WEIGHTS, "README": b"hello"}),
        zipped({"__MACOSX/m.onnx": b"", "m.onnx": model("./w.bin"), "w.bin": WEIGHTS}, zipfile.ZIP_STORED),
        tarred({"./m.onnx": model(), "./w.bin": WEIGHTS}),
        tarred({"w.bin": WEIGHTS, "m.onnx": model()}, ""),
        tarred({"m.onnx": model(), "w.bin": WEIGHTS}, "xz"),
        tarred({"m.onnx": model(), "w.bin": WEIGHTS}, "bz2"),
    ],
)
def test_an_archive_is_unpacked(alice_client, packed):
    made = add(alice_client, {"m.zip": packed}, sandbox=True)
    assert made["state"] == "ready", made["error"]
    assert made["summary"]["weight_bytes"] == 48
    assert made["size_bytes"] == sum(file["size_bytes"] for file in made["files"])
    assert storage.path_of(hashlib.sha256(WEIGHTS).hexdigest()).exists()
    assert not storage.path_of(made["sha256"]).exists()


def test_loose_files_and_their_archive_are_the_same_model(alice_client):
    packed = zipped({"m.onnx": model(), "w.bin": WEIGHTS})
    loose = add(alice_client, {"m.onnx": model(), "w.bin": WEIGHTS})
    archived = add(alice_client, {"m.zip": packed}, sandbox=True)
    assert archived["content_hash"] == loose["content_hash"]
    assert add(alice_client, {"again.zip": packed})["id"] == archived["id"]


def test_dimensions_of_an_unpacked_model_are_bound_without_the_archive(alice_client):
    node = helper.make_node("Relu", ["x"], ["y"])
    data = onnx_bytes([node], [value("x", ["N", 4])], [value("y", ["N", 4])])
    made = add(alice_client, {"m.zip": zipped({"m.onnx": data})}, sandbox=True)
    alice_client.post(f"/api/models/{made['id']}/bind/", {"dims": {"N": 8}}, "json")
    run_jobs(sandbox=True)
    assert alice_client.get(f"/api/models/{made['id']}/").json()["dims"] == {"N": 8}


@pytest.mark.parametrize(
    ("packed", "code"),
    [
        (zipped({"../../evil.onnx": model()}), "archive_path"),
        (zipped({"/etc/evil.onnx": model()}), "archive_path"),
        (zipped({"a\\..\\evil.onnx": model()}), "archive_path"),
        (zipped({"C:evil.onnx": model()}), "archive_path"),
        (tarred({"m.onnx": model(), "../w.bin": WEIGHTS}), "archive_path"),
        (tarred({"m.onnx": model()}, **{"w.bin": (tarfile.SYMTYPE, "/etc/passwd")}), "archive_link"),
        (tarred({"m.onnx": model()}, **{"w.bin": (tarfile.LNKTYPE, "/etc/passwd")}), "archive_link"),
        (tarred({"m.onnx": model()}, **{"w.bin": (tarfile.FIFOTYPE, "")}), "archive_link"),
        (tarred({"m.onnx": model()}, **{"w.bin": (tarfile.CHRTYPE, "")}), "archive_link"),
        (zip_link("/etc/passwd"), "archive_link"),
        (encrypted(), "archive_encrypted"),
        (zipped({"m.onnx": model(), "inner.zip": zipped({"w.bin": WEIGHTS})}), "archive_nested"),
        (zipped({"m.onnx": model(), "W.bin": WEIGHTS, "w.bin": WEIGHTS}), "archive_duplicate"),
        (zipped({"a.onnx": model(), "b.onnx": model()}), "archive_models"),
        (zipped({"readme.txt": b"nothing"}), "archive_no_model"),
        (zipped({"net/data.pkl": b"\x80\x02", "net/data/0": b"1234"}), "model_pytorch"),
        (zipped({}), "archive_no_model"),
        (zipped({f"f{i}": b"" for i in range(2_101)}), "archive_entries"),
        (zipped({"m.onnx": model(), **{f"f{i}": b"" for i in range(2_001)}}), "archive_entries"),
        (zipped({"m.onnx": model(), "w.bin": WEIGHTS})[:-30], "archive_damaged"),
        (tarred({"m.onnx": model(), "w.bin": WEIGHTS * 1000})[:-200], "archive_damaged"),
        (b"PK\x03\x04" + bytes(500), "archive_damaged"),
        (b"\x1f\x8b" + bytes(500), "archive_damaged"),
        (flipped(zipped({"m.onnx": model(), "w.bin": WEIGHTS}, zipfile.ZIP_STORED), WEIGHTS), "archive_damaged"),
    ],
)
def test_an_archive_that_could_do_harm_is_refused(alice_client, packed, code):
    made = add(alice_client, {"m.zip": packed}, sandbox=True)
    assert made["state"] == "refused"
    assert made["error"]["code"] == code
    assert not ModelFile.objects.exists()


def test_a_bomb_is_refused_before_it_fills_the_disk(alice_client, monkeypatch):
    monkeypatch.setattr(unpacking, "FLOOR_BYTES", 1 << 20)
    made = add(alice_client, {"m.zip": zipped({"m.onnx": bytes(50 << 20)})}, sandbox=True)
    assert made["error"]["code"] == "archive_too_large"
    # Overlapping or lying sizes do not help: what is written counts.
    assert made["error"]["params"] == {"limit_bytes": 1 << 20}


def test_files_go_with_the_last_model_that_needs_them(alice_client):
    first = add(alice_client, {"m.onnx": model(), "w.bin": WEIGHTS})
    second = add(alice_client, {"n.onnx": model("w.bin") + b"\x3a\x00", "w.bin": WEIGHTS})
    assert first["id"] != second["id"]
    weights = storage.path_of(hashlib.sha256(WEIGHTS).hexdigest())
    alice_client.delete(f"/api/models/{first['id']}/")
    assert weights.exists()
    assert not storage.path_of(first["sha256"]).exists()
    alice_client.delete(f"/api/models/{second['id']}/")
    assert not weights.exists()
    assert not ModelFile.objects.exists()


def test_the_hash_of_several_files_counts_names_and_bytes():
    assert contents.content_hash("a", {}) == "a"
    hashes = [contents.content_hash("a", data) for data in ({"w": "b"}, {"v": "b"}, {"w": "c"}, {"w": "b", "v": "c"})]
    assert len(set(hashes)) == 4
    assert contents.content_hash("a", {"w": "b", "v": "c"}) == contents.content_hash("a", {"v": "c", "w": "b"})


def test_an_archive_may_hold_a_file_for_each_weight(alice_client):
    """Exporters write one for each: a large network has many hundreds."""
    files = {"m.onnx": model(), "w.bin": WEIGHTS, **{f"f{i}": b"" for i in range(700)}}
    assert add(alice_client, {"m.zip": zipped(files)})["state"] == "ready"
