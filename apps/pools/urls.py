"""Paths of the pools."""

from django.urls import path

from apps.pools import api

urlpatterns = [
    path("pools/", api.PoolListView.as_view(), name="pools"),
    path("pools/import/", api.PoolImportView.as_view(), name="pool-import"),
    path("pools/validate/", api.PoolCheckView.as_view(), name="pool-validate"),
    path("pools/<uuid:pool_id>/", api.PoolView.as_view(), name="pool"),
    path("pools/<uuid:pool_id>/toml/", api.PoolTomlView.as_view(), name="pool-toml"),
]
