"""Paths of hosts and devices."""

from django.urls import path

from apps.hosts import api, runs_api

urlpatterns = [
    path("hosts/", api.HostListView.as_view(), name="hosts"),
    path("hosts/<uuid:host_id>/", api.HostView.as_view(), name="host"),
    path("devices/<uuid:device_id>/cordon/", api.DeviceCordonView.as_view(), name="device-cordon"),
    path("fingerprints/<str:digest>/", api.FingerprintView.as_view(), name="fingerprint"),
    path("operator-maps/", runs_api.OperatorMapListView.as_view(), name="operator-maps"),
    path("operator-maps/<uuid:map_id>/", runs_api.OperatorMapView.as_view(), name="operator-map"),
    path("operator-maps/<uuid:map_id>/stop/", runs_api.OperatorMapStopView.as_view(), name="operator-map-stop"),
    path("precision-runs/", runs_api.PrecisionRunListView.as_view(), name="precision-runs"),
    path("precision-runs/<uuid:run_id>/", runs_api.PrecisionRunView.as_view(), name="precision-run"),
    path("precision-runs/<uuid:run_id>/stop/", runs_api.PrecisionRunStopView.as_view(), name="precision-run-stop"),
]
