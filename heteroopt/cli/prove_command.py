"""``heteroopt prove``: how far a plan can be from the fastest possible."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from heteroopt.api.reasons import reasons_of
from heteroopt.api.stored import fastest_number, stored_plan
from heteroopt.cli.output import figure, print_json
from heteroopt.cli.run import INTERRUPTED
from heteroopt.cli.targets import check_targets
from heteroopt.deployment.plan import Plan
from heteroopt.deployment.plan_json import plan_json
from heteroopt.deployment.plan_reader import read_plan
from heteroopt.search.proof import Proof, ProofState
from heteroopt.simulation.schedule import Schedule
from heteroopt.units import ps_to_ms

_MEANING = {
    "optimal": "no plan is faster",
    "feasible": "the relaxed model is solved; more time changes nothing",
    "limit": "the time is over; more --seconds may close the gap",
    "stopped": "stopped; the bound so far holds",
}


def execute(options: argparse.Namespace) -> int:
    """Prove, print bound and gap, and write the plan that the solver found if asked to."""
    check_targets(options.out)
    document = read_plan(options.plan)
    plan = stored_plan(document, fastest_number(document) if options.number is None else options.number)
    proof = Proof(plan.problem, plan.schedule.order, plan.schedule.device)
    code = 0
    try:
        state = proof.run(options.seconds, options.workers, _progress(quiet=options.json))
    except KeyboardInterrupt:
        state, code = replace(proof.state, status="stopped"), INTERRUPTED
    finally:
        if not options.json and sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
    answer: dict[str, Any] = {
        "number": plan.number,
        "status": state.status,
        "exec_time_ms": ps_to_ms(state.time_ps),
        "lower_bound_ms": ps_to_ms(state.bound_ps),
        "gap": state.gap,
        "seconds": round(state.seconds, 3),
    }
    if options.out is not None:
        schedule = proof.plan()
        _write(options.out, plan, schedule)
        answer["written"] = {"out": options.out, "exec_time_ms": ps_to_ms(schedule.makespan_ps)}
    if options.json:
        print_json(answer)
        return code
    said = "" if plan.number is None else f" (plan {plan.number} of the front)"
    print(f"Execution time  {figure(answer['exec_time_ms'])} ms{said}")
    print(f"Lower bound     {figure(answer['lower_bound_ms'])} ms, by {figure(state.seconds)} s")
    print(f"Gap             at most {state.gap:.3%}: {_MEANING[state.status]}")
    if options.out is not None:
        print(f"Wrote {options.out}: {figure(answer['written']['exec_time_ms'])} ms")
    return code


def _progress(*, quiet: bool) -> Any:
    if quiet or not sys.stderr.isatty():
        return None

    def show(state: ProofState) -> None:
        print(f"\r\033[Kbound {figure(ps_to_ms(state.bound_ps))} ms, gap {state.gap:.3%}, {state.seconds:.0f} s",
              end="", file=sys.stderr, flush=True)  # fmt: skip

    return show


def _write(path: str, plan: Plan, schedule: Schedule) -> None:
    """The decoded plan, outside a front."""
    reasons = reasons_of(plan.problem, plan.graph, plan.pool, plan.costs, schedule)
    written = replace(plan, schedule=schedule, number=None, figures=None, reasons=reasons)
    Path(path).write_text(plan_json(written, with_inputs=True), "utf-8")
