"""Django application of the training plans."""

from __future__ import annotations

from django.apps import AppConfig


class TrainingConfig(AppConfig):
    """Training plans."""

    name = "apps.training"
