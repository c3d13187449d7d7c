"""Options of ``heteroopt trial``."""

from __future__ import annotations

import argparse

from heteroopt.cli.given_options import pair


def add_trial(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("plan", metavar="PLAN.json", help="as `heteroopt plan --out` writes it")
    parser.add_argument("--model", required=True, metavar="MODEL.onnx", help="the file that was planned")
    parser.add_argument("--number", type=int, metavar="N", help="another plan of the front")
    parser.add_argument(
        "--option", action="append", type=pair, default=[], metavar="NAME=VALUE",
        help="of the format ort-segments: device.NAME=RUNTIME[:PROVIDER]; repeatable",
    )  # fmt: skip
    parser.add_argument("--items", type=int, default=16, metavar="N", help="runs that are timed (default 16)")
    parser.add_argument("--in-flight", type=int, default=4, metavar="N", help="items at once (default 4)")
    parser.add_argument("--seconds", type=float, default=600.0, metavar="S", help="at most (default 600)")
    parser.add_argument(
        "--take-back", metavar="DIR",
        help="write what the segments took to DIR/DEVICE.json, for `heteroopt plan --profile DEVICE=FILE`",
    )  # fmt: skip
