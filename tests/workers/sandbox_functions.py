"""What the sandbox tests run inside the sandbox."""

import ctypes
import os
import platform
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from heteroopt.errors import ModelError


def echo(payload, files):
    return {"payload": payload, "files": {name: path.read_text() for name, path in files.items()}}


def about(payload, files):
    return {
        "folder": os.listdir(),
        "environment": sorted(os.environ),
        "interfaces": [name for _, name in socket.if_nameindex()] if payload.get("network") else None,
        "modules": "django" in sys.modules,
    }


def refuse(payload, files):
    raise ModelError("model_empty", "The file has no operator.", hint="Export it again.", bytes=0)


def wrong(payload, files):
    raise ValueError("unexpected byte 0x07")


def memory_bomb(payload, files):
    blocks = []
    while True:
        blocks.append(bytearray(64 << 20))


def native_memory_bomb(payload, files):
    import numpy

    return int(numpy.ones(1 << 40, dtype=numpy.uint8).sum())


def endless_loop(payload, files):
    while True:
        pass


def sleep(payload, files):
    time.sleep(60)


def crash(payload, files):
    ctypes.string_at(0)


def leave(payload, files):
    os._exit(3)


def large_result(payload, files):
    return "x" * (2 << 20)


def not_a_number(payload, files):
    return {"value": float("nan")}


def deep(payload, files):
    def down(level):
        return down(level + 1)

    return down(0)


def connect(payload, files):
    with socket.create_connection(("127.0.0.1", payload["port"]), timeout=2) as connection:
        return connection.recv(1).decode()


def native_connect(payload, files):
    """Connects without Python's socket module, past the audit hook."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.socket(socket.AF_INET, socket.SOCK_STREAM, 0)
    address = (2).to_bytes(2, sys.byteorder) + payload["port"].to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)
    return libc.connect(descriptor, address, len(address))


def write(payload, files):
    Path(payload["path"]).write_bytes(b"x" * payload.get("bytes", 1))
    return os.path.getsize(payload["path"])


def delete(payload, files):
    os.remove(payload["path"])


def start_process(payload, files):
    return subprocess.run(["true"], check=True).returncode


def write_upload(payload, files):
    with open(files["model"], "r+b") as file:
        file.write(b"changed")


def read(payload, files):
    return len(Path(payload["path"]).read_bytes())


def native_read(payload, files):
    """Opens a file without Python, past the audit hook; the error number, or 0."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.open(payload["path"].encode(), os.O_RDONLY)
    return 0 if descriptor >= 0 else ctypes.get_errno()


def native_fork(payload, files):
    libc = ctypes.CDLL(None, use_errno=True)
    child = libc.fork()
    if child == 0:
        os._exit(0)
    return 0 if child > 0 else ctypes.get_errno()


def native_touches(payload, files):
    """What native code may do to another process, past the audit hook: the error number of each try, or 0."""
    libc, other = ctypes.CDLL(None, use_errno=True), payload["process"]
    libc.syscall.restype = ctypes.c_long
    limit = (ctypes.c_uint64 * 2)(1, 1)
    x86 = platform.machine() == "x86_64"
    calls = {
        "tgkill": (234 if x86 else 131, other, other, 0),
        "tkill": (200 if x86 else 130, other, 0),
        "kill": (62 if x86 else 129, other, 0),
        "rt_sigqueueinfo": (129 if x86 else 138, other, 0, (ctypes.c_char * 128)()),
        "prlimit": (302 if x86 else 261, other, resource.RLIMIT_CORE, limit, None),
        "setpriority": (141 if x86 else 140, 0, other, 19),
        "sched_setaffinity": (203 if x86 else 122, other, 8, (ctypes.c_uint64 * 1)(1)),
    }
    found = {name: ctypes.get_errno() if libc.syscall(*arguments) < 0 else 0 for name, arguments in calls.items()}
    own = resource.getrlimit(resource.RLIMIT_CORE)[0]
    return {**found, "own": own, "raised": signal.raise_signal(0)}


def thread(payload, files):
    seen = []
    worker = threading.Thread(target=seen.append, args=("ran",))
    worker.start()
    worker.join()
    return seen


def every_file(payload, files):
    return {name: path.read_bytes()[:1].decode() for name, path in files.items()}


def produce(payload, files):
    Path("0").write_text("made")
    return ["0"]
