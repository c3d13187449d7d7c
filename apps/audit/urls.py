"""Paths of the audit log."""

from django.urls import path

from apps.audit.api import AuditListView

urlpatterns = [path("api/audit/", AuditListView.as_view(), name="audit")]
