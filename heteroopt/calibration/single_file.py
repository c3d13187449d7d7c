"""Joins the portable modules into the one file that is copied to machines away from here."""

from __future__ import annotations

import re
from pathlib import Path

PARTS = ("timing", "counters", "case_model", "session", "standalone")
"""In the order of use: each part imports only from those before it."""

HEAD = '''"""Times operators on a device, in one file: needs Python 3.8 or newer, numpy and the runtime, nothing else.

    python calibrator.py --runtime onnxruntime --cases cases.json --out bundle.json

``heteroopt calibrate --cases-out cases.json`` writes the cases, ``--calibrator-out`` this file.
Made by HeteroOpt {version}.
"""

from __future__ import annotations

'''
_DOCSTRING = re.compile(r'\A""".*?"""\n', re.DOTALL)
_OWN = re.compile(r"^from heteroopt\.[^\n]*\n", re.MULTILINE)
_IMPORT = re.compile(r"^(?:import|from) [^\n]*\n", re.MULTILINE)


def single_file(version: str) -> str:
    """The calibrator's source: the very code that the package measures with."""
    imports: set[str] = set()
    bodies = []
    for part in PARTS:
        text = _DOCSTRING.sub("", (Path(__file__).parent / "portable" / f"{part}.py").read_text("utf-8"), count=1)
        text = _OWN.sub("", text.replace("from __future__ import annotations\n", ""))
        imports.update(_IMPORT.findall(text))
        bodies.append(_IMPORT.sub("", text).strip())
    head = HEAD.format(version=version) + "".join(sorted(imports))
    return head + "\n\n" + "\n\n\n".join(bodies) + '\n\n\nif __name__ == "__main__":\n    sys.exit(main())\n'
