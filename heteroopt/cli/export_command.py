"""``heteroopt export``: a plan in a format that an execution engine loads."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from heteroopt.api.exporting import stored_request, write_export
from heteroopt.api.reasons import reasons_of
from heteroopt.cli.output import print_json, printable, table
from heteroopt.cli.targets import check_targets
from heteroopt.cli.termination import termination_raised
from heteroopt.deployment.export_plan import check_export, describe_all
from heteroopt.deployment.export_registry import exporters
from heteroopt.deployment.export_target import check_archive, check_folder
from heteroopt.deployment.exporting import ExportRequest
from heteroopt.deployment.plan_reader import read_plan

ARCHIVES = (".zip", ".tar.gz")


def execute(options: argparse.Namespace) -> int:
    """List, check or write."""
    if options.check is not None:
        return _check(options)
    if options.list:
        return _list(options)
    if options.plan is None or options.format is None or options.out is None:
        print(
            "usage: heteroopt export PLAN.json --format F --out DIR, heteroopt export --list [PLAN.json] or "
            "heteroopt export --check DIR",
            file=sys.stderr,
        )
        return 2
    target = Path(options.out)
    if options.out.endswith(ARCHIVES):
        check_archive(target, replace=options.force)
        check_targets(options.out)
    else:
        check_folder(target, replace=options.force)
    request = _request(options, explain=True)
    with termination_raised():
        manifest = write_export(options.format, request, target, replace_existing=options.force)
    coverage = manifest["coverage"]
    if options.json:
        print_json({"out": options.out, **{key: manifest[key] for key in ("exporter", "hashes", "files", "coverage",
                                                                         "notes", "approval")}})  # fmt: skip
        return 0
    print(
        f"Wrote {options.out}: {len(manifest['files'])} files for {manifest['engine']}, "
        f"{coverage['expressed']} of {coverage['planned']} operators"
    )
    for name in coverage["unmatched"][:20]:
        print(f"  not expressed: {printable(name)}")
    for note in manifest["notes"]:
        print(f"  note: {note['code'].replace('_', ' ')} {_params(note['params'])}".rstrip())
    return 0


def _check(options: argparse.Namespace) -> int:
    request = None if options.plan is None else _request(options, explain=False)
    coverage = check_export(Path(options.check), request)
    if options.json:
        print_json(coverage.to_dict())
    else:
        print(f"{options.check} holds {coverage.expressed} of {coverage.planned} operators, as exported")
    return 0


def _list(options: argparse.Namespace) -> int:
    request = None if options.plan is None else _request(options, explain=False)
    formats, unavailable = describe_all(request), exporters().unavailable
    if options.json:
        print_json({"formats": formats, "unavailable": [plugin.to_dict() for plugin in unavailable]})
        return 0
    rows = [
        (entry["key"], entry["engine"], entry["versions"], "yes" if entry["needs_model"] else "")
        for entry in formats
    ]  # fmt: skip
    print(table(("format", "for", "versions", "needs --model"), rows))
    for entry in formats:
        for option in entry["options"]:
            default = f" (default {option['default']})" if option["default"] else ""
            print(f"  {entry['key']} --option {option['name']}=...: {option['meaning']}{default}")
    for entry in formats:
        for refusal in entry["refusals"] or ():
            print(f"{entry['key']} would refuse: {printable(refusal['message'])} {printable(refusal['hint'])}".rstrip())
    for plugin in unavailable:
        print(f"{plugin.name} is unavailable: {printable(plugin.message)}")
    return 0


def _request(options: argparse.Namespace, *, explain: bool) -> ExportRequest:
    request = stored_request(
        read_plan(options.plan),
        number=options.number,
        model=None if options.model is None else Path(options.model),
        options=dict(options.option),
    )
    if options.max_bytes is not None:
        request = replace(request, limit_bytes=options.max_bytes)
    if not explain:
        return request
    plan = request.plan
    reasons = reasons_of(plan.problem, plan.graph, plan.pool, plan.costs, plan.schedule)
    return replace(request, plan=replace(plan, reasons=reasons))


def _params(params: dict[str, Any]) -> str:
    return ", ".join(f"{key} {printable(str(value))}" for key, value in params.items())
