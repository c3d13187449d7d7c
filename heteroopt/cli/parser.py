"""The commands and their options."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from heteroopt.cli.export_options import add_export
from heteroopt.cli.given_options import given_cost, given_shape, given_share, given_trips, pair, torch_input
from heteroopt.cli.training_options import add_training
from heteroopt.cli.trial_options import add_trial
from heteroopt.version import __version__

COMMANDS: dict[str, str] = {
    "inspect": "inspect_command",
    "convert": "convert_command",
    "devices": "devices_command",
    "calibrate": "calibrate_command",
    "profile": "profile_command",
    "topology": "topology_command",
    "plan": "plan_command",
    "select": "select_command",
    "explain": "explain_command",
    "evaluate": "evaluate_command",
    "prove": "prove_command",
    "export": "export_command",
    "trial": "trial_command",
    "operators": "operators_command",
    "compare": "compare_command",
    "regress": "regress_command",
    "training": "training_command",
}
"""Command and the module that executes it."""

MODEL = "an .onnx file, or with the extra torch a .pt or .pt2 file"
EPILOG = """exit codes: 0 done, 1 error, 2 wrong usage, 3 no plan fits or satisfies the bounds
bounds: of any figure that the plan reports, in its unit: time=12 (ms), energy in J, balance as variance,
  throughput in 1/s, memory in bytes, ...; or as multiples of the default plan: time=1.2x"""


def make_parser() -> argparse.ArgumentParser:
    """Parser of all commands but those of the web application, which take their options as they are."""
    parser = argparse.ArgumentParser(
        prog="heteroopt",
        description="Plan where every operator of a model runs on unlike hardware, and in which order.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"heteroopt {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    inspect = _command(commands, "inspect", "operators, edges, types, parameters and FLOPs of a model")
    inspect.add_argument("model", metavar="MODEL", help=MODEL)
    _dims(inspect)

    convert = _command(commands, "convert", "write a PyTorch file (.pt, .pt2) as .onnx, to plan or to upload it")
    convert.add_argument("model", metavar="MODEL", help="a file of torch.jit.save or torch.export.save")
    _inputs(convert)
    convert.add_argument("--out", metavar="MODEL.onnx", required=True, help="the file to write")

    devices = _command(commands, "devices", "device templates and sample pools")
    devices.add_argument("name", nargs="?", metavar="NAME", help="show one template with the source of each figure")
    devices.add_argument("--pool", metavar="POOL", help="show a pool: a .toml file or the name of a sample pool")
    devices.add_argument("--toml", action="store_true", help="with --pool: print it as TOML, to edit and use")

    topology = _command(
        commands, "topology", "processors, memories, devices and links of this machine, or of pasted text"
    )
    topology.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="output of `lstopo --of xml`, `nvidia-smi topo -m`, `npu-smi info -t topo`, or of --json; - reads it here",
    )
    topology.add_argument("--toml", action="store_true", help="print the pool of its devices, to edit and use")
    topology.add_argument(
        "--machine",
        action="store_true",
        help="with --toml: sets of cores as devices in one memory; figures that no template has are estimated, marked",
    )
    topology.add_argument(
        "--template",
        action="append",
        type=pair,
        default=[],
        metavar="DEVICE=NAME",
        help="with --toml: template of a device (gpu0=NVIDIA_L4), or of all of a kind (package=AMD_EPYC_7763)",
    )

    calibrate = _command(commands, "calibrate", "measure what operators cost on a device of this machine")
    calibrate.add_argument("--runtime", metavar="NAME", help="onnxruntime, openvino, ...: through which it is run")
    calibrate.add_argument("--device", type=_whole(0), default=0, metavar="N", help="of that runtime (default 0)")
    calibrate.add_argument(
        "--model", action="append", default=[], metavar="MODEL", help="measure its operators first; repeatable"
    )
    _inputs(calibrate)
    calibrate.add_argument("--dim", action="append", type=_dim, default=[], metavar="NAME=SIZE", help="repeatable")
    calibrate.add_argument(
        "--cases", type=_whole(1), default=1300, metavar="N", help="distinct operators in all (default 1300)"
    )
    calibrate.add_argument(
        "--beside", type=_whole(0), metavar="DEVICE", help="measure too how much it and this one, which shares its "
        "memory, slow each other",
    )  # fmt: skip
    calibrate.add_argument("--budget-s", type=float, default=120.0, metavar="S", help="stop then (default 120)")
    calibrate.add_argument("--threads", type=_whole(1), metavar="N", help="of the runtime (default: its own choice)")
    calibrate.add_argument("--resume", metavar="FILE", help="keep a checkpoint there, and go on from it")
    calibrate.add_argument("--runtimes", type=Path, metavar="FOLDER", help="this host's configurations of runtimes")
    calibrate.add_argument("--out", metavar="BUNDLE.json", help="write what was measured, for plans and for upload")
    calibrate.add_argument("--check", metavar="BUNDLE.json", help="measure 20 of its operators again: does it hold?")
    calibrate.add_argument("--show", metavar="BUNDLE.json", help="show what a calibration is worth")
    calibrate.add_argument("--cases-out", metavar="CASES.json", help="write the operators, to measure them elsewhere")
    calibrate.add_argument(
        "--calibrator-out", metavar="CALIBRATOR.py", help="write the one file that measures them there"
    )
    calibrate.add_argument("--quiet", action="store_true", help="no progress bar")
    calibrate.add_argument(
        "--cost-model", default="residual_trees", metavar="NAME", help="what learns from it (default residual_trees)"
    )
    calibrate.add_argument("--cost-models", action="store_true", help="list what may learn from measurements here")

    profile = _command(commands, "profile", "run a model on a device here: what each operator takes inside it")
    profile.add_argument("model", metavar="MODEL", help=f"{MODEL}; it is run, so trust where it is from")
    profile.add_argument("--runtime", metavar="NAME", required=True, help="onnxruntime, openvino, ...")
    profile.add_argument("--device", type=_whole(0), default=0, metavar="N", help="device of the runtime (default 0)")
    _inputs(profile)
    profile.add_argument("--dim", action="append", type=_dim, default=[], metavar="NAME=SIZE", help="repeatable")
    profile.add_argument("--runs", type=_whole(1), default=10, metavar="N", help="with the profiler (default 10)")
    profile.add_argument("--threads", type=_whole(1), metavar="N", help="of the runtime (default: its own choice)")
    profile.add_argument("--runtimes", type=Path, metavar="FOLDER", help="this host's configurations of runtimes")
    profile.add_argument("--out", metavar="PROFILE.json", help="write it, for plans of this model")

    plan = _command(commands, "plan", "search for plans and choose one")
    plan.add_argument("model", nargs="?", metavar="MODEL", help=MODEL)
    plan.add_argument("--pool", metavar="POOL", help="a .toml file, or a sample pool: see `heteroopt devices`")
    plan.add_argument("--tables", metavar="FILE", help="a plain-tables file instead of MODEL and --pool")
    _dims(plan)
    plan.add_argument("--seed", type=_whole(0), default=0, metavar="S", help="same seed, same front (default 0)")
    plan.add_argument("--population", type=_whole(4), metavar="P", help="plans per generation (default 128)")
    plan.add_argument("--generations", type=_whole(0), metavar="G", help="generations (default 200)")
    plan.add_argument(
        "--islands", type=_whole(1), default=1, metavar="N", help="populations that exchange plans, in N processes"
    )
    plan.add_argument("--mutation-prob", type=float, default=0.15, metavar="X", help="per child (default 0.15)")
    plan.add_argument("--max-memory-gb", type=float, metavar="GB", help="limit for every device")
    plan.add_argument(
        "--objective",
        action="append",
        metavar="KEY",
        help="optimise it: time, energy, balance, throughput, step_time, memory, transferred, cost, ...; "
        "up to three times (default time, energy and balance)",
    )
    plan.add_argument(
        "--constraint",
        action="append",
        type=_constraint,
        default=[],
        metavar="'KEY<=VALUE'",
        help="keep to it while searching, in the objective's unit (or >=); repeatable",
    )
    plan.add_argument("--items-in-flight", type=_whole(1), metavar="M", help="simulate the pipeline of M items")
    plan.add_argument("--micro-batches", type=_whole(1), metavar="M", help="of a step, for step_time")
    plan.add_argument("--arrival-rate", type=float, metavar="R", help="items per second, for p99")
    plan.add_argument("--pin", action="append", type=pair, default=[], metavar="OPERATOR=DEVICE", help="repeatable")
    plan.add_argument("--forbid", action="append", default=[], metavar="DEVICE", help="do not use it; repeatable")
    plan.add_argument(
        "--warm-start", metavar="PLAN.json", help="start from the front in a plan file of the same model; any pool"
    )
    _calibrated(plan)
    _training(plan)
    plan.add_argument("--no-fuse", action="store_true", help="place every operator by itself")
    _choice(plan)
    plan.add_argument("--out", metavar="PLAN.json", help="write the plan with its front")
    plan.add_argument("--html", metavar="REPORT.html", help="write a report that needs no network")
    plan.add_argument("--csv", metavar="OPERATORS.csv", help="write the operator table")
    plan.add_argument("--quiet", action="store_true", help="no progress bar")

    select = _command(commands, "select", "choose another plan from a plan file")
    select.add_argument("plan", metavar="PLAN.json")
    _choice(select)
    select.add_argument("--out", metavar="PLAN.json", help="write the chosen plan")

    explain = _command(commands, "explain", "why operators are where they are")
    explain.add_argument("plan", metavar="PLAN.json")
    explain.add_argument("--operator", metavar="NAME", help="one operator, with what moving it would change")
    explain.add_argument("--number", type=_whole(1), metavar="N", help="another plan of the front")

    evaluate = _command(commands, "evaluate", "decode and check a placement made by hand")
    evaluate.add_argument("model", nargs="?", metavar="MODEL", help=MODEL)
    evaluate.add_argument("--pool", metavar="POOL", help="a .toml file, or a sample pool")
    evaluate.add_argument("--tables", metavar="FILE", help="a plain-tables file instead of MODEL and --pool")
    evaluate.add_argument(
        "--placement",
        metavar="FILE",
        required=True,
        help="CSV (operator, device, order) or JSON; the operator table that `plan --csv` writes is one",
    )
    _dims(evaluate)
    evaluate.add_argument("--max-memory-gb", type=float, metavar="GB", help="limit for every device")
    _calibrated(evaluate)
    _training(evaluate)
    evaluate.add_argument("--no-fuse", action="store_true", help="place every operator by itself")
    evaluate.add_argument("--out", metavar="PLAN.json", help="write it as a plan")
    evaluate.add_argument("--csv", metavar="OPERATORS.csv", help="write the operator table")

    prove = _command(commands, "prove", "how far a plan can be from the fastest possible (at most 250 operators)")
    prove.add_argument("plan", metavar="PLAN.json")
    prove.add_argument("--seconds", type=_whole(1), default=90, metavar="S", help="at most (default 90)")
    prove.add_argument("--workers", type=_whole(1), default=1, metavar="W", help="threads (default 1)")
    prove.add_argument("--number", type=_whole(1), metavar="N", help="this plan of the front (default the fastest)")
    prove.add_argument("--out", metavar="PLAN.json", help="write the fastest plan that is known then")

    add_export(_command(commands, "export", "write a plan in a format that an execution engine loads"))
    add_trial(
        _command(commands, "trial", "run a plan's segments on this machine, against the whole model and the plan")
    )

    operators = _command(commands, "operators", "what a runtime of this machine does with every ONNX operator")
    operators.add_argument("--runtime", metavar="NAME", required=True, help="onnxruntime, openvino, ...")
    operators.add_argument("--device", type=_whole(0), default=0, metavar="N", help="device of the runtime (default 0)")
    operators.add_argument("--only", metavar="TYPE,TYPE", help="some operator types")
    operators.add_argument("--out", metavar="MAP.json", help="write the map, for DevicePool.with_operator_map")
    operators.add_argument("--all", action="store_true", help="list native operators too")

    compare = _command(commands, "compare", "run a model on two runtimes and find where their results part")
    compare.add_argument("model", metavar="MODEL", help="an .onnx file; it is run, so trust where it is from")
    _two_runtimes(compare)

    regress = _command(commands, "regress", "run single operators on two runtimes and judge how far they are apart")
    _two_runtimes(regress)
    regress.add_argument("--cases", type=_whole(1), default=300, metavar="N", help="comparisons (default 300)")
    regress.add_argument("--loss", action="store_true", help="compare the loss of two small trainings instead")
    regress.add_argument("--before", metavar="RUN.json", help="say what got worse since that run")

    text = "plan parallel training on unlike GPUs; what faults and wrong profiles do to a plan"
    add_training(commands.add_parser("training", help=text, description=f"{text[0].upper()}{text[1:]}."))

    for name, text in (
        ("serve", "start the web application"),
        ("signin-url", "print a new one-time sign-in link of the web application"),
    ):
        of_the_web = commands.add_parser(name, help=text, add_help=False)
        of_the_web.add_argument("rest", nargs=argparse.REMAINDER)
    return parser


def _command(commands: Any, name: str, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}.",
        epilog=EPILOG if name in ("plan", "select", "evaluate") else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _calibrated(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--calibration",
        action="append",
        type=pair,
        default=[],
        metavar="DEVICE=BUNDLE.json",
        help="cost a device's operators by what was measured; repeatable",
    )
    parser.add_argument(
        "--profile",
        action="append",
        type=pair,
        default=[],
        metavar="DEVICE=PROFILE.json",
        help="cost a device's operators by a run of this very model on it; repeatable",
    )


def _two_runtimes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--runtimes",
        required=True,
        metavar="A,B",
        help="each NAME, NAME:DEVICE or NAME:DEVICE:PRECISION, such as onnxruntime,openvino:0:default",
    )
    parser.add_argument("--seed", type=_whole(0), default=0, metavar="S", help="of the inputs (default 0)")
    parser.add_argument("--out", metavar="RUN.json", help="write the result")


def _inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--input",
        action="append",
        type=torch_input,
        default=[],
        metavar="[TYPE:]SIZExSIZE",
        help="an input of a TorchScript file, in order: 1x3x224x224 or int64:1x128; repeatable",
    )


def _dims(parser: argparse.ArgumentParser) -> None:
    _inputs(parser)
    parser.add_argument(
        "--dim",
        action="append",
        type=_dim,
        default=[],
        metavar="NAME=SIZE",
        help="bind a dynamic dimension; repeatable",
    )
    for name, kind, metavar, text in (
        ("--shape", given_shape, "TENSOR=SIZExSIZE", "shape of a tensor that the model leaves open; repeatable"),
        ("--trips", given_trips, "LOOP=NUMBER", "how often the body of a Loop or Scan runs; repeatable"),
        ("--then-share", given_share, "IF=SHARE", "share of runs that take the then branch, 0 to 1; repeatable"),
        ("--cost", given_cost, "TYPE=FLOP[,READ,WRITTEN]", "cost of a custom operator, bytes optional; repeatable"),
    ):
        parser.add_argument(name, action="append", type=kind, default=[], metavar=metavar, help=text)


def _training(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--training",
        choices=("sgd", "momentum", "adam"),
        help="place one training step (gradients and weight updates too) with this optimizer",
    )


def _choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--weights", type=_weights, default=None, metavar="W,W,W", help="of the objectives (default 50,30,20, or equal)"
    )
    parser.add_argument(
        "--style",
        choices=("weighted", "knee", "fastest", "least_energy", "most_balanced"),
        default="weighted",
        help="how to choose (default weighted)",
    )
    for name, word in (("--max", "most"), ("--min", "least")):
        parser.add_argument(
            name, action="append", type=_bound, default=[], metavar="OBJECTIVE=VALUE", help=f"at {word}; repeatable"
        )


def _whole(lowest: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(text)
        if value < lowest:
            raise argparse.ArgumentTypeError(f"must be {lowest} or more")
        return value

    parse.__name__ = "whole number"
    return parse


def _dim(text: str) -> tuple[str, int]:
    name, value = pair(text)
    if not value.isascii() or not value.isdigit() or int(value) < 1:
        raise argparse.ArgumentTypeError(f"the size in {text!r} is not a whole number above 0")
    return name, int(value)


def _constraint(text: str) -> tuple[str, str, float]:
    """``memory<=2e9`` as objective, end and value."""
    for sign, end in (("<=", "max"), (">=", "min")):
        name, separator, value = text.partition(sign)
        if separator and name.strip():
            try:
                return name.strip(), end, float(value)
            except ValueError:
                raise argparse.ArgumentTypeError(f"the value in {text!r} is not a number") from None
    raise argparse.ArgumentTypeError(f"{text!r} is not KEY<=VALUE or KEY>=VALUE")


def _weights(text: str) -> tuple[float, ...]:
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = ()
    if not 1 <= len(values) <= 3:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number for each objective, as 50,30,20")
    return values


def _bound(text: str) -> tuple[str, float]:
    """``time=12`` (ms, J or variance) or ``time=1.2x`` (a multiple of the default plan)."""
    name, value = pair(text)
    try:
        number = float(value.removesuffix("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"the value in {text!r} is not a number") from None
    return (f"{name}_x" if value.endswith("x") else name), number
