"""Paths of the calibrations."""

from django.urls import path

from apps.calibrations import api, profiles_api

urlpatterns = [
    path("cost-models/", api.CostModelsView.as_view(), name="cost-models"),
    path("calibrations/", api.CalibrationListView.as_view(), name="calibrations"),
    path("calibrations/upload/", api.CalibrationUploadView.as_view(), name="calibration-upload"),
    path("calibrations/calibrator/", api.CalibratorView.as_view(), name="calibrator"),
    path("calibrations/cases/", api.CalibratorCasesView.as_view(), name="calibrator-cases"),
    path("calibrations/<uuid:calibration_id>/", api.CalibrationView.as_view(), name="calibration"),
    path("calibrations/<uuid:calibration_id>/stop/", api.CalibrationStopView.as_view(), name="calibration-stop"),
    path(
        "calibrations/<uuid:calibration_id>/recheck/", api.CalibrationRecheckView.as_view(), name="calibration-recheck"
    ),
    path("calibrations/<uuid:calibration_id>/bundle/", api.CalibrationBundleView.as_view(), name="calibration-bundle"),
    path("models/<uuid:model_id>/profiles/", profiles_api.ModelProfilesView.as_view(), name="model-profiles"),
    path("profiles/", profiles_api.ProfileListView.as_view(), name="profiles"),
    path("profiles/<uuid:profile_id>/", profiles_api.ProfileView.as_view(), name="profile"),
    path("profiles/<uuid:profile_id>/stop/", profiles_api.ProfileStopView.as_view(), name="profile-stop"),
    path("profiles/<uuid:profile_id>/file/", profiles_api.ProfileFileView.as_view(), name="profile-file"),
]
