"""Opens the annotated model beside this file in ONNX Runtime, and says where every operator went.

    python load_onnxruntime.py            open a session, compare the real placement with the plan
    python load_onnxruntime.py --json     the same as JSON
    python load_onnxruntime.py --as-planned  without joining operators first, so that each can be read back

or from Python: ``session = load()``. Needs ONNX Runtime from 1.25 on with the execution providers of the plan: older
ones ignore the annotations silently, and so does every version whose provider is missing, so both are refused here.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

import onnxruntime as ort

OLDEST = (1, 25)
SETTINGS = Path(__file__).with_name("session.json")
_NUMBER = re.compile(r"h(\d{7})h")


class Refused(Exception):
    """The plan cannot be loaded as it is, and why."""


def load(settings: Path = SETTINGS, options: Any = None) -> Any:
    """A session on the planned devices. Raises ``Refused``."""
    document = json.loads(settings.read_text("utf-8"))
    version = tuple(int(part) for part in re.findall(r"\d+", ort.__version__)[:2])
    if version < OLDEST:
        raise Refused(f"ONNX Runtime {ort.__version__} ignores layer annotations; {OLDEST[0]}.{OLDEST[1]} is needed.")
    lacking = [name for name in document["providers"] if name not in ort.get_available_providers()]
    if lacking:
        raise Refused(f"this ONNX Runtime lacks {', '.join(lacking)}; it would put the operators elsewhere silently.")
    chosen = ort.SessionOptions() if options is None else options
    for key, value in document["session_config"].items():
        chosen.add_session_config_entry(key, value)
    return ort.InferenceSession(str(settings.with_name(document["model"])), chosen, providers=document["providers"])


def placement(settings: Path = SETTINGS, *, join: bool = True) -> dict[str, Any]:
    """Open a session and read back: ``planned``, ``placed`` (as planned), ``merged`` and ``elsewhere`` (names).

    ``merged``: what ONNX Runtime computed beforehand or joined into another operator before it placed anything.
    """
    document = json.loads(settings.read_text("utf-8"))
    options = ort.SessionOptions()
    if not join:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = load(settings, options)
    providers: dict[int, str] = {}
    for part in session.get_provider_graph_assignment_info():
        for node in part.get_nodes():
            providers.update((int(number), part.ep_name) for number in _NUMBER.findall(node.name))
    operators = document["operators"]
    merged = [row["name"] for row in operators if row["index"] not in providers]
    elsewhere = [row["name"] for row in operators if providers.get(row["index"], row["provider"]) != row["provider"]]
    return {
        "planned": len(operators),
        "placed": len(operators) - len(merged) - len(elsewhere),
        "merged": merged,
        "elsewhere": elsewhere,
        "providers": session.get_providers(),
        "onnxruntime": ort.__version__,
    }


def main() -> int:
    """Load, report, and fail where an operator is elsewhere."""
    parser = argparse.ArgumentParser(description="Open a planned model in ONNX Runtime and read its placement back.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--as-planned", action="store_true", help="do not join operators before placing them")
    options = parser.parse_args()
    try:
        found = placement(join=not options.as_planned)
    except (Refused, OSError, RuntimeError) as error:
        print(f"not loaded: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        print(f"{found['placed']} of {found['planned']} operators are where the plan has them, "
              f"{len(found['merged'])} were joined with others before")  # fmt: skip
        for name in found["elsewhere"]:
            print(f"  elsewhere: {name}")
    return 1 if found["elsewhere"] else 0


if __name__ == "__main__":
    sys.exit(main())
