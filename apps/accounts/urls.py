"""Paths of the accounts app."""

from django.urls import path

from apps.accounts.views import sign_in

urlpatterns = [path("signin/<str:token>/", sign_in, name="sign-in")]
