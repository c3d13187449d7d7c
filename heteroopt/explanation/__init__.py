"""Why a plan is as it is: reasons that its own numbers prove, and what moving each operator would change."""

from heteroopt.explanation.explain import explain_operator, explain_operators, explain_plan
from heteroopt.explanation.explanation import ALTERNATIVE_CODES, REASONS, OperatorExplanation
from heteroopt.simulation.warm_up import warm_up

__all__ = [
    "ALTERNATIVE_CODES",
    "REASONS",
    "OperatorExplanation",
    "explain_operator",
    "explain_operators",
    "explain_plan",
    "warm_up",
]
