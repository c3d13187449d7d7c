"""Which app answers which path."""

from __future__ import annotations

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

import apps.accounts.schema  # noqa: F401  (known to the schema generator once imported; workers need not load it)

handler400 = "config.errors.bad_request"
handler403 = "config.errors.permission_denied"
handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"

urlpatterns = [
    path("", include("apps.accounts.urls")),
    path("", include("apps.audit.urls")),
    path("", include("apps.jobs.urls")),
    path("api/", include("apps.hosts.urls")),
    path("api/", include("apps.modelhub.urls")),
    path("api/", include("apps.calibrations.urls")),
    path("api/", include("apps.pools.urls")),
    path("api/", include("apps.searches.urls")),
    path("api/", include("apps.training.urls")),
    path("api/", include("apps.reviews.urls")),
    path("api/", include("apps.deployments.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="docs"),
    # Last: it answers every path that is left with the single-page application.
    path("", include("apps.web.urls")),
]
