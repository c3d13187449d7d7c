"""Options of ``heteroopt export``."""

from __future__ import annotations

import argparse

from heteroopt.cli.given_options import byte_count, pair


def add_export(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("plan", nargs="?", metavar="PLAN.json", help="as `heteroopt plan --out` writes it")
    parser.add_argument("--format", metavar="F", help="one that --list names")
    parser.add_argument("--out", metavar="DIR", help="a new folder, or an archive that ends in .zip or .tar.gz")
    parser.add_argument("--model", metavar="MODEL.onnx", help="the file that was planned, where the format needs it")
    parser.add_argument("--number", type=int, metavar="N", help="another plan of the front")
    parser.add_argument(
        "--option",
        action="append",
        type=pair,
        default=[],
        metavar="NAME=VALUE",
        help="of the format; --list names them; repeatable",
    )
    parser.add_argument("--force", action="store_true", help="replace the export that --out names")
    parser.add_argument(
        "--max-bytes",
        type=byte_count,
        metavar="N",
        help="refuse an export that would take more (default 4 GiB)",
    )
    parser.add_argument("--list", action="store_true", help="the formats; with PLAN.json, what each would refuse")
    parser.add_argument(
        "--check",
        metavar="DIR",
        help="check an exported folder: its checksums, and parse it again; with PLAN.json, whether it is of that plan",
    )
