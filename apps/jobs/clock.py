"""Times by the database's clock, so that hosts whose clocks differ agree about leases."""

from __future__ import annotations

import datetime

from django.db import models
from django.db.models.functions import Now


def later(seconds: float) -> models.Expression:
    """Return the database's time in ``seconds`` from now (before now if negative)."""
    return models.ExpressionWrapper(Now() + datetime.timedelta(seconds=seconds), output_field=models.DateTimeField())
