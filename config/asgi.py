"""The ASGI application: Django behind a limit on the request body."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
_django = get_asgi_application()

from django.conf import settings  # noqa: E402

from config.body_limit import BodyLimit  # noqa: E402

application = BodyLimit(_django, settings.MAX_UPLOAD_BYTES + (1 << 20))
