"""The upload resource: large files in pieces, resumable after a cut connection."""

from __future__ import annotations

import uuid
from typing import IO, Any, cast

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import current_team
from apps.audit.services import get_visible_or_404, record
from apps.modelhub import uploads
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.models import ModelKind, Upload
from apps.modelhub.queries import get_model
from apps.modelhub.schema import ErrorSerializer
from apps.modelhub.serializers import ModelSerializer
from config.parsing import JSONParser


class UploadBeginSerializer(serializers.Serializer[Any]):
    """A file that is going to be sent in pieces."""

    file_name = serializers.CharField(max_length=255)
    size_bytes = serializers.IntegerField(min_value=1)
    sha256 = serializers.RegexField(r"^[0-9a-f]{64}$", required=False)
    name = serializers.CharField(max_length=200, required=False, allow_blank=True)
    kind = serializers.ChoiceField(choices=ModelKind.choices, required=False)


class UploadSerializer(serializers.Serializer[Upload]):
    """How much of a file has arrived."""

    id = serializers.UUIDField()
    file_name = serializers.CharField()
    size_bytes = serializers.IntegerField()
    offset = serializers.SerializerMethodField(help_text="bytes that have arrived: the next piece starts here")
    expires_at = serializers.DateTimeField(help_text="deleted then, unless more arrives")

    def get_offset(self, upload: Upload) -> int:
        """Bytes that have arrived."""
        return uploads.offset_of(upload)


class RawParser(BaseParser):
    """Leaves the body unread, for the view to stream it to disk."""

    media_type = "application/octet-stream"

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        """Return the stream itself."""
        return stream


def _uploads() -> QuerySet[Upload]:
    return Upload.objects.select_related("team")


class UploadListView(APIView):
    """Starts uploads."""

    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="uploads_create",
        tags=["models"],
        request=UploadBeginSerializer,
        responses={201: UploadSerializer, 413: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Announce a file; its pieces follow by PUT, in order."""
        form = UploadBeginSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = dict(form.validated_data)
        upload = uploads.begin(current_team(request), asking_user(request), file=asked.pop("file_name"), **asked)
        return Response(UploadSerializer(upload).data, status=201)


class UploadView(APIView):
    """One upload."""

    parser_classes = (RawParser,)

    @extend_schema(operation_id="uploads_retrieve", tags=["models"], responses={200: UploadSerializer, **ERRORS})
    def get(self, request: Request, upload_id: uuid.UUID) -> Response:
        """Say how much has arrived."""
        return Response(UploadSerializer(get_visible_or_404(request, _uploads(), upload_id)).data)

    @extend_schema(
        operation_id="uploads_append",
        tags=["models"],
        parameters=[
            OpenApiParameter("offset", OpenApiTypes.INT64, required=True, description="first byte of this piece")
        ],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={200: UploadSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def put(self, request: Request, upload_id: uuid.UUID) -> Response:
        """Send the next piece. 409 ``upload_offset`` names the byte to continue from."""
        upload = get_visible_or_404(request, _uploads(), upload_id)
        offset = serializers.IntegerField(min_value=0).run_validation(request.query_params.get("offset", ""))
        uploads.append(upload, offset, uploads.pieces(cast("IO[bytes]", request.data)))
        upload.refresh_from_db()
        return Response(UploadSerializer(upload).data)

    @extend_schema(operation_id="uploads_delete", tags=["models"], responses={204: None, **ERRORS})
    def delete(self, request: Request, upload_id: uuid.UUID) -> Response:
        """Give an upload up."""
        uploads.discard(get_visible_or_404(request, _uploads(), upload_id))
        return Response(status=204)


class UploadFinishView(APIView):
    """Completes uploads."""

    @extend_schema(
        operation_id="uploads_finish",
        tags=["models"],
        request=None,
        responses={201: ModelSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, upload_id: uuid.UUID) -> Response:
        """Make a model of a complete upload."""
        upload = get_visible_or_404(request, _uploads(), upload_id)
        model = uploads.finish(upload, asking_user(request))
        record(request, "model.create", model)
        return Response(ModelSerializer(get_model(request, model.id)).data, status=201)
