"""Options of ``heteroopt training``."""

from __future__ import annotations

import argparse
from typing import Any

EPILOG = """All seconds are simulated. A cluster file may have the tables [model] (preset, or layers, hidden, ...) and
[workload] (sequence, sequences, zero1, schedule, pipelines, degrees); options count more than the file."""

MODEL_OPTIONS = ("layers", "hidden", "feed_forward", "heads", "key_value_heads", "vocabulary")


def add_training(parser: argparse.ArgumentParser) -> None:
    """Add the commands below ``training``."""
    commands = parser.add_subparsers(dest="training_command", required=True, metavar="COMMAND")

    plan = _command(commands, "plan", "plan training of a transformer on unlike GPUs")
    _request(plan)
    plan.add_argument("--out", metavar="PLAN.json", help="write the plan with the annotation of every weight")

    what_if = _command(commands, "what-if", "plan again after GPUs or a node are lost, and what has to move")
    _request(what_if)
    what_if.add_argument("--plan", metavar="PLAN.json", help="of `training plan --out`, instead of planning it anew")
    what_if.add_argument(
        "--lose",
        action="append",
        required=True,
        metavar="GPU|NODE",
        help="number of a GPU or name of a node; repeatable",
    )
    what_if.add_argument("--no-relay", action="store_true", help="send between nodes directly only")
    what_if.add_argument("--out", metavar="PLAN.json", help="write the new plan")

    sensitivity = _command(
        commands, "sensitivity", "what a wrong profile costs: regret, and how often the layout changes"
    )
    _request(sensitivity)
    sensitivity.add_argument(
        "--error",
        action="append",
        type=float,
        metavar="SHARE",
        help="of each rate; repeatable (default 0.05, 0.1, 0.2)",
    )
    sensitivity.add_argument(
        "--background",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="traffic unknown to the planner takes up to this share of every uplink (default 0)",
    )
    sensitivity.add_argument("--trials", type=int, default=20, metavar="N", help="wrong profiles each (default 20)")
    sensitivity.add_argument("--seed", type=int, default=0, metavar="S", help="same seed, same profiles (default 0)")
    sensitivity.add_argument("--quiet", action="store_true", help="no progress bar")


def _command(commands: Any, name: str, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _request(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cluster", metavar="FILE.toml", help="GPUs, nodes and network: docs/parallel-training.md")
    parser.add_argument("--model", metavar="NAME", help="llama-7b, llama-13b, llama-32b (default) or llama-70b")
    for name in MODEL_OPTIONS:
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=int, metavar="N", help="of a model of your own, or other than --model's"
        )
    parser.add_argument("--sequence", type=int, metavar="TOKENS", help="of each sequence (default 4096)")
    parser.add_argument("--sequences", type=int, metavar="N", help="of a step, one a micro-batch (default 64)")
    parser.add_argument(
        "--no-zero1", action="store_true", help="keep replicas of the optimizer state, so that faults lose nothing"
    )
    parser.add_argument("--schedule", choices=("1f1b", "gpipe"), help="of each pipeline (default 1f1b)")
    parser.add_argument("--pipelines", type=int, metavar="N", help="exactly so many (default: the planner chooses)")
    parser.add_argument("--least-pipelines", type=int, metavar="N", help="at least so many (default 1)")
    parser.add_argument("--degrees", type=_degrees, metavar="1,2,4,8", help="tensor-parallel degrees to choose from")


def _degrees(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 2,4,8") from None
