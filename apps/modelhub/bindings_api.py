"""The bindings of a model: readings kept under names."""

from __future__ import annotations

import uuid

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.audit.services import record
from apps.modelhub import bindings
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.models import Binding, Model
from apps.modelhub.queries import get_model
from apps.modelhub.serializers import BindingNameSerializer, ModelSerializer
from config.refusals import WebError


def get_binding(model: Model, binding_id: uuid.UUID) -> Binding:
    """A binding of a model that the caller may see; 404 ``binding_unknown`` for any other."""
    found = bindings.find(model, binding_id)
    if found is None:
        raise WebError(
            "binding_unknown", "The model has no such binding.", http_status=404, hint="It may have been deleted."
        )
    return found


class ModelBindingsView(APIView):
    """Bindings of a model."""

    @extend_schema(
        operation_id="models_keep_binding",
        tags=["models"],
        request=BindingNameSerializer,
        responses={201: ModelSerializer, **ERRORS},
    )
    def post(self, request: Request, model_id: uuid.UUID) -> Response:
        """Keep the reading that is in use under a name; one of that name is replaced."""
        model = get_model(request, model_id)
        form = BindingNameSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        binding = bindings.keep(model, asking_user(request), form.validated_data["name"])
        record(request, "model.keep_binding", model, details={"binding": binding.name})
        return Response(ModelSerializer(get_model(request, model_id)).data, status=201)


class ModelBindingView(APIView):
    """One binding."""

    @extend_schema(
        operation_id="models_use_binding", tags=["models"], request=None, responses={200: ModelSerializer, **ERRORS}
    )
    def post(self, request: Request, model_id: uuid.UUID, binding_id: uuid.UUID) -> Response:
        """Show this binding and plan it by default."""
        model = get_model(request, model_id)
        bindings.use(model, get_binding(model, binding_id))
        return Response(ModelSerializer(get_model(request, model_id)).data)

    @extend_schema(operation_id="models_delete_binding", tags=["models"], responses={204: None, **ERRORS})
    def delete(self, request: Request, model_id: uuid.UUID, binding_id: uuid.UUID) -> Response:
        """Delete a binding; searches that used it keep what they found."""
        model = get_model(request, model_id)
        binding = get_binding(model, binding_id)
        record(request, "model.delete_binding", model, details={"binding": binding.name})
        bindings.remove(binding)
        return Response(status=204)
