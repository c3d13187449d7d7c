"""Sends files by the tus protocol with the test client."""

from __future__ import annotations

import base64
import hashlib

from tests.apps.support import run_jobs

PIECE = "application/offset+octet-stream"
VERSION = {"Tus-Resumable": "1.0.0"}


def metadata(**pairs: str) -> str:
    return ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in pairs.items())


def begin(client, data: bytes, name: str = "big.onnx", **pairs: str) -> str:
    """Announce a file; return its path."""
    headers = {**VERSION, "Upload-Length": str(len(data)), "Upload-Metadata": metadata(filename=name, **pairs)}
    answer = client.post("/api/uploads/", headers=headers)
    assert answer.status_code == 201, answer.content
    assert answer["Tus-Resumable"] == "1.0.0"
    return answer["Location"]


def send(client, path: str, offset: int, data: bytes, **headers: str):
    return client.patch(path, data, content_type=PIECE, headers={**VERSION, "Upload-Offset": str(offset), **headers})


def offset(client, path: str) -> int:
    answer = client.head(path, headers=VERSION)
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    return int(answer["Upload-Offset"])


def upload(client, data: bytes, name: str = "big.onnx", **pairs: str) -> str:
    """Send a whole file in two pieces; return its path."""
    path = begin(client, data, name, **pairs)
    middle = len(data) // 2
    for start, piece in ((0, data[:middle]), (middle, data[middle:])):
        assert send(client, path, start, piece).status_code == 204
    return path


def finish(client, path: str, others=(), **fields):
    body = {"data_files": [other.rstrip("/").rsplit("/", 1)[-1] for other in others], **fields}
    return client.post(f"{path}finish/", body, "json")


def add(client, files: dict[str, bytes], *, sandbox: bool = False) -> dict:
    """Upload a model (the first file) with its data files, have it read, and return it."""
    first, *others = [upload(client, data, name) for name, data in files.items()]
    answer = finish(client, first, others)
    assert answer.status_code in (200, 201), answer.content
    run_jobs(sandbox=sandbox)
    return client.get(f"/api/models/{answer.json()['id']}/").json()


def checksum(data: bytes, algorithm: str = "sha256") -> str:
    return f"{algorithm} {base64.b64encode(hashlib.new(algorithm, data).digest()).decode()}"
