"""Compares a model layer by layer on two devices. A runtime opens it, so only its owner may ask for that."""

from __future__ import annotations

import uuid

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.audit.services import record
from apps.hosts import runs
from apps.hosts.queries import get_run
from apps.hosts.run_serializers import PrecisionRunSerializer, PrecisionStartSerializer
from apps.hosts.runs import Asker
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.queries import get_model
from apps.modelhub.running import refuse_to_run
from apps.modelhub.schema import ErrorSerializer
from config.parsing import JSONParser


class ModelPrecisionView(APIView):
    """Comparisons of one model."""

    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="models_compare",
        tags=["models"],
        request=PrecisionStartSerializer,
        responses={202: PrecisionRunSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, model_id: uuid.UUID) -> Response:
        """Run the model on two devices of one host, and find the first operator whose result drifts."""
        model = get_model(request, model_id)
        form = PrecisionStartSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        refuse_to_run(request, model)
        left, right = form.sides()
        asker = Asker(model.team, asking_user(request))
        run = runs.start_model(model.pk, model.name, left, right, asker, seed=form.validated_data["seed"])
        record(request, "precision.start", run, details={"model": str(model.pk)})
        return Response(PrecisionRunSerializer(get_run(request, run.pk)).data, status=202)
