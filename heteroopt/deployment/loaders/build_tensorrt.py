"""Builds a TensorRT engine from the model beside this file with the planned devices and precisions.

    python build_tensorrt.py [ENGINE.plan]          runs trtexec
    python build_tensorrt.py --print [ENGINE.plan]  prints its arguments, one a line

Needs trtexec of the version that the plan was exported for; another one is refused, because it would drop or reject
what the plan says.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ARGUMENTS = Path(__file__).with_name("trtexec.json")
_VERSION = re.compile(r"TensorRT[ .]*v(\d+)")


def arguments(engine: str) -> list[str]:
    """The whole command."""
    document = json.loads(ARGUMENTS.read_text("utf-8"))
    model = ARGUMENTS.with_name(document["model"])
    return ["trtexec", f"--onnx={model}", f"--saveEngine={engine}", *document["arguments"]]


def version() -> tuple[int, int]:
    """Of trtexec here: it prints ``TensorRT v100700`` (10.7.0), in older releases ``v8601`` (8.6.1)."""
    said = subprocess.run(["trtexec", "--help"], capture_output=True, text=True, check=False).stdout
    found = _VERSION.search(said)
    if found is None:
        raise SystemExit("trtexec does not say which version it is.")
    number = int(found[1])
    return (number // 10_000, number // 100 % 100) if number >= 100_000 else (number // 1_000, number // 100 % 10)


def main() -> int:
    """Check the version and build."""
    parser = argparse.ArgumentParser(description="Build a planned model with trtexec.")
    parser.add_argument("engine", nargs="?", default="model.plan", metavar="ENGINE.plan")
    parser.add_argument("--print", action="store_true", dest="shown", help="print the arguments instead")
    options = parser.parse_args()
    command = arguments(options.engine)
    if options.shown:
        print("\n".join(command))
        return 0
    document = json.loads(ARGUMENTS.read_text("utf-8"))
    have = version()
    newest = tuple(int(part) for part in document["newest"].split(".")) if document["newest"] else None
    if have[0] != int(document["tensorrt"]) or (newest is not None and have > newest):
        wanted = document["newest"] or f"{document['tensorrt']}.x"
        print(f"not built: trtexec is {have[0]}.{have[1]}, the plan was exported for {wanted}", file=sys.stderr)
        return 1
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
