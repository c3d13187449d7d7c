"""Files that carry a plan away: versioned JSON, tables as CSV, and a self-contained HTML report."""

from heteroopt.deployment.front_csv import front_csv
from heteroopt.deployment.operator_csv import operator_csv
from heteroopt.deployment.plan import Plan
from heteroopt.deployment.plan_json import plan_document, plan_json
from heteroopt.deployment.plan_reader import read_plan

__all__ = ["Plan", "front_csv", "operator_csv", "plan_document", "plan_json", "read_plan"]
