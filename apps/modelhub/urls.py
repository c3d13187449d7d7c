"""Paths of the models."""

from django.urls import path

from apps.modelhub import api, bindings_api, columns_api, precision_api, uploads_api, versions

urlpatterns = [
    path("models/", api.ModelListView.as_view(), name="models"),
    path("models/<uuid:model_id>/", api.ModelView.as_view(), name="model"),
    path("models/<uuid:model_id>/bind/", api.ModelBindView.as_view(), name="model-bind"),
    path("models/<uuid:model_id>/bindings/", bindings_api.ModelBindingsView.as_view(), name="model-bindings"),
    path(
        "models/<uuid:model_id>/bindings/<uuid:binding_id>/",
        bindings_api.ModelBindingView.as_view(),
        name="model-binding",
    ),
    path("models/<uuid:model_id>/graph/", columns_api.ModelGraphView.as_view(), name="model-graph"),
    path("models/<uuid:model_id>/operators/", api.ModelOperatorsView.as_view(), name="model-operators"),
    path("models/<uuid:model_id>/edges/", api.ModelEdgesView.as_view(), name="model-edges"),
    path(
        "models/<uuid:model_id>/precision-runs/",
        precision_api.ModelPrecisionView.as_view(),
        name="model-precision-runs",
    ),
    path("models/<uuid:model_id>/versions/", versions.ModelVersionsView.as_view(), name="model-versions"),
    path("tables/", api.TablesView.as_view(), name="tables"),
    path("uploads/", uploads_api.UploadListView.as_view(), name="uploads"),
    path("uploads/<uuid:upload_id>/", uploads_api.UploadView.as_view(), name="upload"),
    path("uploads/<uuid:upload_id>/finish/", uploads_api.UploadFinishView.as_view(), name="upload-finish"),
]
