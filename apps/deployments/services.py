"""Writes plans and fronts as files, in the engine's formats.

Those are imported on first use: they load numba, for which the first page need not wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from apps.reviews.queries import approval_of, approvals_of
from apps.reviews.standing import Approval
from apps.searches.fronts import StoredPlan, front_body, numbers_of, stored_front
from apps.searches.models import Search
from apps.searches.own_plans import stored_of
from apps.searches.plan_detail import decode_plan, reasons_of
from apps.searches.services import engine_settings

if TYPE_CHECKING:
    from heteroopt.deployment import Plan
    from heteroopt.deployment.front_points import FrontPoints


def engine_plan(search: Search, plan: StoredPlan) -> Plan:
    """The stored plan with everything that it depends on, as the engine's formats take it."""
    from heteroopt.deployment import Plan
    from heteroopt.deployment.plan_figures import figures_of

    decoded = decode_plan(search, plan)
    planning, front = decoded.planning, plan.front
    return Plan(
        graph=planning.graph,
        pool=planning.pool,
        costs=planning.costs,
        problem=planning.problem,
        reference=front.reference,
        settings=engine_settings(search),
        schedule=decoded.schedule,
        number=plan.summary["number"],
        reasons=reasons_of(decoded),
        figures=figures_of(front, plan.row),
        pins=search.settings["pins"],
        forbidden=search.settings["forbidden_devices"],
        approval=approval_entry(approval_of(search, plan.summary["hash"])),
    )


def approval_entry(approval: Approval | None) -> dict[str, Any] | None:
    """What a file says of a plan's review; ``None`` unless somebody approved it."""
    return None if approval is None else approval.to_dict()


def plan_json(search: Search, plan: StoredPlan) -> str:
    """The plan as versioned JSON (``heteroopt/deployment/schema/plan-v2.schema.json``)."""
    from heteroopt import deployment

    return deployment.plan_json(engine_plan(search, plan))


def trace_json(search: Search, plan: StoredPlan) -> str:
    """The schedule as Chrome trace JSON, which Perfetto opens."""
    from heteroopt.deployment.export_manifest import plan_hashes
    from heteroopt.deployment.trace_events import trace_json

    chosen = engine_plan(search, plan)
    return trace_json(chosen, plan_hashes(chosen))


def report_html(search: Search, plan: StoredPlan) -> str:
    """Front, timeline, operators and hashes as one HTML file."""
    from heteroopt.deployment.report_html import report_html

    return report_html(engine_plan(search, plan), front_points(search, plan))


def front_points(search: Search, plan: StoredPlan) -> FrontPoints:
    """The front that the plan stands in, or beside: a plan that was kept by hand comes behind those of the search."""
    from heteroopt.deployment.front_points import FrontPoints

    if "kept" not in plan.summary:
        return FrontPoints.of_front(plan.front, numbers_of(stored_front(search)))
    beside = stored_of(search)
    if beside.front is None:
        return FrontPoints.of_front(plan.front, [plan.summary["number"]])
    return FrontPoints.of_front(beside.front, beside.numbers).with_plan(plan.front, plan.summary["number"])


def operators_csv(search: Search, plan: StoredPlan) -> str:
    """The operator table as CSV; cells that a spreadsheet would run are neutralised."""
    from heteroopt import deployment

    return deployment.operator_csv(engine_plan(search, plan))


def front_csv(search: Search) -> str:
    """The table of all plans as CSV, numbered as on the page."""
    from heteroopt import deployment
    from heteroopt.deployment.approval import approval_text

    approvals = approvals_of(search)
    body = front_body(search)
    source = ", ".join(body["energy_sources"])
    return deployment.front_csv(
        {**plan, "energy_source": source, "approval": approval_text(approval_entry(approvals.get(plan["hash"])))}
        for plan in body["plans"]
    )
