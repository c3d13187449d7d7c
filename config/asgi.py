"""The ASGI application: Django, which reads bodies as they arrive, behind a limit on their size."""

from __future__ import annotations

import os

from config import arriving

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
_django = arriving.application()

from django.conf import settings  # noqa: E402

from config.body_limit import BodyLimit  # noqa: E402

application = BodyLimit(_django, settings.MAX_UPLOAD_BYTES + (1 << 20))
