"""Paths of the page; included last, as it answers every path that no other app has."""

from django.urls import path, re_path

from apps.web import api, views

urlpatterns = [
    path("api/session/", api.SessionView.as_view(), name="session"),
    path("api/session/sign-out/", api.SignOutView.as_view(), name="sign-out"),
    path("api/templates/", api.TemplateListView.as_view(), name="templates"),
    path("favicon.ico", views.favicon, name="favicon"),
    re_path(r"^(?!api/|static/|healthz)(?P<page>.*)$", views.index, name="index"),
]
