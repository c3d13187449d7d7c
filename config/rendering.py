"""JSON answers without NaN or infinity, and lists as ``{"count", "next", "previous", "results"}``."""

from __future__ import annotations

from rest_framework.pagination import LimitOffsetPagination
from rest_framework.renderers import JSONRenderer


class StrictJSONRenderer(JSONRenderer):
    """Refuses NaN and infinity (a browser could not parse them); writes UTF-8 unescaped."""

    strict = True
    charset = None


class LimitOffset(LimitOffsetPagination):
    """``?limit=&offset=``: 50 a page, at most 1,000."""

    default_limit = 50
    max_limit = 1000
