"""What other apps can act on when a kept plan is to go."""

from __future__ import annotations

from django.dispatch import Signal

# Sent with ``plan`` (a KeptPlan) inside the transaction that deletes it. A receiver lets go of what it holds of the
# plan, or raises a refusal, which keeps it.
kept_plan_leaves = Signal()
