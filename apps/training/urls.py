"""Paths of the training plans."""

from django.urls import path

from apps.training import api

urlpatterns = [
    path("training-plans/", api.TrainingPlanListView.as_view(), name="training-plans"),
    path("training-plans/read/", api.TrainingReadView.as_view(), name="training-read"),
    path("training-plans/<uuid:plan_id>/", api.TrainingPlanView.as_view(), name="training-plan"),
    path("training-plans/<uuid:plan_id>/lose/", api.TrainingLossView.as_view(), name="training-lose"),
    path("training-plans/<uuid:plan_id>/export/", api.TrainingExportView.as_view(), name="training-export"),
]
