"""Paths of hosts and devices."""

from django.urls import path

from apps.hosts import api

urlpatterns = [
    path("hosts/", api.HostListView.as_view(), name="hosts"),
    path("hosts/<uuid:host_id>/", api.HostView.as_view(), name="host"),
    path("devices/<uuid:device_id>/cordon/", api.DeviceCordonView.as_view(), name="device-cordon"),
    path("fingerprints/<str:digest>/", api.FingerprintView.as_view(), name="fingerprint"),
]
