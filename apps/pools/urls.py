"""Paths of the pools."""

from django.urls import path

from apps.pools import api, machine_api, transfers_api, version_api

urlpatterns = [
    path("pools/", api.PoolListView.as_view(), name="pools"),
    path("pools/import/", api.PoolImportView.as_view(), name="pool-import"),
    path("pools/validate/", api.PoolCheckView.as_view(), name="pool-validate"),
    path("pools/machines/", machine_api.MachineListView.as_view(), name="pool-machines"),
    path("pools/topology/", version_api.PoolTopologyView.as_view(), name="pool-topology"),
    path("pools/<uuid:pool_id>/", api.PoolView.as_view(), name="pool"),
    path("pools/<uuid:pool_id>/toml/", api.PoolTomlView.as_view(), name="pool-toml"),
    path("pools/<uuid:pool_id>/calibrate/", machine_api.PoolCalibrateView.as_view(), name="pool-calibrate"),
    path("pools/<uuid:pool_id>/changes/", version_api.PoolChangesView.as_view(), name="pool-changes"),
    path("pools/<uuid:pool_id>/transfers/", transfers_api.PoolTransfersView.as_view(), name="pool-transfers"),
    path("pools/<uuid:pool_id>/versions/", version_api.PoolVersionListView.as_view(), name="pool-versions"),
    path("pools/<uuid:pool_id>/versions/<int:number>/", version_api.PoolVersionView.as_view(), name="pool-version"),
]
