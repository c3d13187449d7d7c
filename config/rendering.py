"""JSON answers without NaN or infinity, and lists as ``{"count", "next", "previous", "results"}``."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from rest_framework.pagination import LimitOffsetPagination
from rest_framework.renderers import JSONRenderer


class StrictJSONRenderer(JSONRenderer):
    """Refuses NaN and infinity (a browser could not parse them); writes UTF-8 unescaped."""

    strict = True
    charset = None


class LimitOffset(LimitOffsetPagination):
    """``?limit=&offset=``: 50 a page, at most 1,000. Links are relative, so that no proxy can make them wrong."""

    default_limit = 50
    max_limit = 1000

    def get_next_link(self) -> str | None:
        """Path and query of the next page."""
        return _relative(super().get_next_link())

    def get_previous_link(self) -> str | None:
        """Path and query of the previous page."""
        return _relative(super().get_previous_link())


def _relative(link: str | None) -> str | None:
    return None if link is None else urlunsplit(("", "", *urlsplit(link)[2:]))
