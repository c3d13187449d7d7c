"""Sends a large model by tus, kills the web process at 40 %, goes on, and reports its memory and speed.

python -m benchmarks.upload --bytes 2147483648 --json

The model is a small .onnx file whose weights fill a data file of that size. The web process is a real one on a data
folder of its own. What it takes is its resident memory without file pages, read from /proc (Linux), against what it
has before the first piece: after signing in, once it has loaded in the background what explains plans. The process
that goes on is measured against its own state in the same way.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PIECE_BYTES = 8 << 20
BLOCK_BYTES = 1 << 16
SHARE_BEFORE_THE_CUT = 0.4
LOOK_SECONDS = 0.05
STEADY_SECONDS = 5.0
VERSION = {"Tus-Resumable": "1.0.0"}


class Web:
    """A web process on a socket that outlives it, as under the supervisor.

    ``public_url`` is what it believes its address to be; requests go to ``door``, where a proxy may stand.
    """

    def __init__(self, environment: dict[str, str], public_url: str = "") -> None:
        self.environment = environment
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.door = self.listener.getsockname()[1]
        self.environment["HETEROOPT_PUBLIC_URL"] = public_url or f"http://127.0.0.1:{self.port}"
        self.cookies: dict[str, str] = {}
        self.csrf = ""
        self.waited_s = 0.0
        self.before_bytes: list[int] = []
        self.peak_bytes: list[int] = []
        self.start()
        threading.Thread(target=self._look, daemon=True).start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        fd = self.listener.fileno()
        command = [sys.executable, "-m", "config", "web", "--fd", str(fd)]
        self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, pass_fds=[fd])
        self.request("GET", "/signin/-/")

    def kill(self) -> None:
        """End it without warning."""
        self.process.kill()
        self.process.wait()

    def request(self, method: str, path: str, body: Any = b"", **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the answer; waits for a process that is still starting."""
        connection = http.client.HTTPConnection("127.0.0.1", self.door, timeout=600)
        sent = {**headers, "Cookie": "; ".join(f"{key}={value}" for key, value in self.cookies.items())}
        if self.csrf:
            sent["X-CSRFToken"] = self.csrf
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            key, _, value = cookie.partition("=")
            self.cookies[key] = value.split(";")[0]
        return answer.status, {key.lower(): value for key, value in answer.headers.items()}, content

    def sign_in(self, path: str) -> None:
        """Follow a one-time link and remember the session."""
        self.request("GET", path)
        self.settle()

    def settle(self) -> None:
        """Ask for what a page asks for first; take the memory that the process then comes to as its own."""
        self.csrf = json.loads(self.request("GET", "/api/session/")[2])["csrf_token"]
        steady, since = self.memory_bytes(), time.monotonic()
        while time.monotonic() - since < STEADY_SECONDS:
            time.sleep(LOOK_SECONDS)
            if (now := self.memory_bytes()) > steady + (1 << 18):
                steady, since = now, time.monotonic()
        self.before_bytes.append(self.memory_bytes())
        self.peak_bytes.append(0)

    def _look(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            if self.peak_bytes:
                self.peak_bytes[-1] = max(self.peak_bytes[-1], self.memory_bytes())

    def memory_bytes(self) -> int:
        """Resident memory that is not a page of a file."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return 0
        found = re.search(r"RssAnon:\s+(\d+) kB", status)
        return int(found[1]) * 1024 if found else 0


def content(size: int) -> Iterator[bytes]:
    """Bytes that do not repeat within a piece's reach, the same each time."""
    block = hashlib.shake_256(b"weights").digest(1 << 20)
    for number in range(-(-size // len(block))):
        head = number.to_bytes(8, "big")
        yield (head + block[8:])[: size - number * len(block)]


def model(size: int) -> bytes:
    """A model with one weight of ``size`` bytes in ``weights.bin``; ``size`` is a multiple of 1,024."""
    from onnx import TensorProto, helper

    rows = size // 1024
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[256, rows], data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="weights.bin")
    ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, c]) for n, c in (("x", 256), ("y", rows))]
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [ports[0]], [ports[1]], [weight])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return bytes(made.SerializeToString())


def begin(web: Web, name: str, size: int) -> str:
    """Announce a file; return its path."""
    metadata = f"filename {base64.b64encode(name.encode()).decode()}"
    headers = {**VERSION, "Upload-Length": str(size), "Upload-Metadata": metadata}
    status, answer, body = web.request("POST", "/api/uploads/", **headers)
    assert status == 201, body
    return answer["location"]


class Killed(Exception):
    """The web process was killed while a piece was on its way."""


def send(web: Web, path: str, offset: int, blocks: Iterable[bytes], n_bytes: int) -> int:
    """Send a piece of ``n_bytes``; return the new offset."""
    kind = "application/offset+octet-stream"
    headers = {**VERSION, "Upload-Offset": str(offset), "Content-Type": kind, "Content-Length": str(n_bytes)}
    status, answer, body = web.request("PATCH", path, blocks, **headers)
    assert status == 204, (status, body)
    return int(answer["upload-offset"])


def piece(file: Path, offset: int, n_bytes: int, kill: tuple[Web, int] | None) -> Iterator[bytes]:
    """A piece of ``file`` as it is sent; at the byte that ``kill`` names, kill the process that receives it."""
    with file.open("rb") as data:
        data.seek(offset)
        for at in range(offset, offset + n_bytes, BLOCK_BYTES):
            if kill is not None and at >= kill[1]:
                kill[0].kill()
                raise Killed
            yield data.read(min(BLOCK_BYTES, offset + n_bytes - at))


def send_all(web: Web, path: str, file: Path, piece_bytes: int, cut_at: int | None) -> int | None:
    """Send ``file`` over a process that dies at ``cut_at``; return the byte where the next one went on."""
    size, offset, resumed_at = file.stat().st_size, 0, None
    while offset < size:
        n_bytes = min(piece_bytes, size - offset)
        kill = (web, cut_at) if cut_at is not None and resumed_at is None else None
        try:
            offset = send(web, path, offset, piece(file, offset, n_bytes, kill), n_bytes)
        except Killed:
            killed = time.perf_counter()
            web.start()
            web.settle()
            web.waited_s += time.perf_counter() - killed
            offset = resumed_at = int(web.request("HEAD", path, **VERSION)[1]["upload-offset"])
    return resumed_at


def measure(
    size: int,
    folder: Path,
    *,
    cut: bool = True,
    piece_bytes: int = PIECE_BYTES,
    public_url: str = "",
    proxy: Callable[[int], int] | None = None,
) -> dict[str, Any]:
    """Send ``size`` bytes of weights and their model; return what it took and whether the bytes are the same.

    ``proxy`` takes the server's port and gives the one to send to; browsers would find it at ``public_url``.
    """
    file, hasher = folder / "weights.bin", hashlib.sha256()
    with file.open("wb") as written:
        for block in content(size):
            hasher.update(block)
            written.write(block)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("HETEROOPT_")}
    environment |= {"HETEROOPT_DATA_DIR": str(folder / "data"), "DJANGO_SETTINGS_MODULE": "config.settings"}
    run = [sys.executable, "-m", "config"]
    subprocess.run([*run, "setup_workspace"], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    link = subprocess.run([*run, "signin_url"], cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    web = Web(environment, public_url)
    try:
        web.door = web.port if proxy is None else proxy(web.port)
        web.sign_in(re.search(r"/signin/\S+", link.stdout)[0])  # type: ignore[index]
        main = begin(web, "model.onnx", len(model(size)))
        send(web, main, 0, [model(size)], len(model(size)))
        path, began = begin(web, "weights.bin", size), time.perf_counter()
        resumed_at = send_all(web, path, file, piece_bytes, int(size * SHARE_BEFORE_THE_CUT) if cut else None)
        sent = time.perf_counter()
        body = json.dumps({"data_files": [path.rstrip("/").rsplit("/", 1)[-1]]})
        status, _, answer = web.request("POST", f"{main}finish/", body, **{"Content-Type": "application/json"})
        assert status == 201, answer
        finished = time.perf_counter()
        time.sleep(2 * LOOK_SECONDS)
        [part] = json.loads(answer)["files"]
        stored = hashlib.file_digest((folder / "data/files" / part["sha256"][:2] / part["sha256"]).open("rb"), "sha256")
        return {
            "bytes": size,
            "resumed_at_bytes": resumed_at,
            "sha256_equal": part["sha256"] == hasher.hexdigest() == stored.hexdigest(),
            "web_memory_before_bytes": web.before_bytes,
            "web_memory_growth_bytes": [
                peak - before for before, peak in zip(web.before_bytes, web.peak_bytes, strict=True)
            ],
            "sending_s": round(sent - began - web.waited_s, 2),
            "finishing_s": round(finished - sent, 2),
        }
    finally:
        web.kill()
        web.listener.close()


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, default=2 << 30, help="size of the data file, a multiple of 1,024")
    parser.add_argument("--folder", type=Path, help="where to work; twice the size must be free")
    parser.add_argument("--piece-bytes", type=int, default=PIECE_BYTES, help="bytes of a request; the page sends 8 MiB")
    parser.add_argument("--without-cut", action="store_true", help="keep the web process alive")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        found = measure(asked.bytes, Path(folder), cut=not asked.without_cut, piece_bytes=asked.piece_bytes)
    print(json.dumps(found, indent=None if asked.json else 2))
    return 0 if found["sha256_equal"] else 1


if __name__ == "__main__":
    sys.exit(main())
