"""Trial run of a plan: its exported segments run for real, beside the whole model and what was predicted."""

from heteroopt.deployment.trial.report import SegmentTrial, TrialReport
from heteroopt.deployment.trial.run import run_trial
from heteroopt.deployment.trial.settings import TrialSettings

__all__ = ["SegmentTrial", "TrialReport", "TrialSettings", "run_trial"]
