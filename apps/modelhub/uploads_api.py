"""The upload resource: large files in pieces by the tus protocol, resumable after a cut connection."""

from __future__ import annotations

import uuid
from typing import IO, Any, cast

from django.db.models import QuerySet
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import current_team
from apps.audit.services import get_visible_or_404, record
from apps.modelhub import completion, tus, uploads
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.checksums import Checksum
from apps.modelhub.limits import MAX_DATA_FILES
from apps.modelhub.models import Model, ModelKind, Upload
from apps.modelhub.queries import get_model
from apps.modelhub.schema import ErrorSerializer
from apps.modelhub.serializers import ModelSerializer
from config.parsing import JSONParser

_VERSION = OpenApiParameter("Tus-Resumable", OpenApiTypes.STR, OpenApiParameter.HEADER, description="1.0.0")


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


class UploadFinishSerializer(serializers.Serializer[Any]):
    """The other files of a model that keeps its weights outside of the ``.onnx`` file."""

    data_files = serializers.ListField(
        child=serializers.UUIDField(), max_length=MAX_DATA_FILES, required=False, help_text="uploads, all complete"
    )
    name = serializers.CharField(max_length=200, required=False, allow_blank=True)


class AddedModelSerializer(ModelSerializer):
    """The model that an upload became."""

    already_there = serializers.SerializerMethodField(
        help_text="whether the team had a model with this content, shown instead"
    )

    def get_already_there(self, model: Model) -> bool:
        """Whether nothing was added; the view knows it."""
        return bool(self.context["already_there"])


def _uploads() -> QuerySet[Upload]:
    return Upload.objects.select_related("team")


class UploadListView(tus.TusView):
    """Starts uploads."""

    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="uploads_create",
        tags=["models"],
        request=UploadBeginSerializer,
        parameters=[
            OpenApiParameter(
                "Upload-Length", OpenApiTypes.INT64, OpenApiParameter.HEADER, description="instead of a body"
            ),
            OpenApiParameter(
                "Upload-Metadata",
                OpenApiTypes.STR,
                OpenApiParameter.HEADER,
                description="filename, and if wanted name, kind and sha256, as tus encodes them",
            ),
        ],
        responses={201: UploadSerializer, 409: ErrorSerializer, 413: ErrorSerializer, 507: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Announce a file, by tus headers or as JSON; its pieces follow by PATCH to the answer's ``Location``."""
        form = UploadBeginSerializer(data=_announced(request))
        form.is_valid(raise_exception=True)
        asked = dict(form.validated_data)
        upload = uploads.begin(current_team(request), asking_user(request), file=asked.pop("file_name"), **asked)
        headers = {"Location": reverse("upload", args=[upload.id]), **tus.state_headers(upload)}
        return Response(UploadSerializer(upload).data, status=201, headers=headers)


def _announced(request: Request) -> dict[str, Any]:
    """What is going to be sent, from headers where it is a tus client that asks."""
    if "Upload-Length" not in request.headers and "Upload-Defer-Length" not in request.headers:
        return cast("dict[str, Any]", request.data)
    tus.check_version(request)
    given = tus.metadata(request)
    asked = {"file_name": given.get("filename", ""), "size_bytes": tus.whole_number(request, "Upload-Length")}
    return {**asked, **{key: given[key] for key in ("name", "kind", "sha256") if given.get(key)}}


class UploadView(tus.TusView):
    """One upload."""

    # The view reads the body itself, as it arrives.
    parser_classes = ()

    @extend_schema(operation_id="uploads_retrieve", tags=["models"], responses={200: UploadSerializer, **ERRORS})
    def get(self, request: Request, upload_id: uuid.UUID) -> Response:
        """Say how much has arrived; HEAD says it in tus headers."""
        upload = get_visible_or_404(request, _uploads(), upload_id)
        return Response(UploadSerializer(upload).data, headers=tus.state_headers(upload))

    @extend_schema(
        operation_id="uploads_append",
        tags=["models"],
        parameters=[
            _VERSION,
            OpenApiParameter(
                "Upload-Offset",
                OpenApiTypes.INT64,
                OpenApiParameter.HEADER,
                required=True,
                description="first byte of this piece",
            ),
            OpenApiParameter(
                "Upload-Checksum",
                OpenApiTypes.STR,
                OpenApiParameter.HEADER,
                description="sha1 or sha256 of this piece, and its hash in base64",
            ),
        ],
        request={tus.MEDIA_TYPE: OpenApiTypes.BINARY},
        responses={
            204: None,
            409: ErrorSerializer,
            412: ErrorSerializer,
            415: ErrorSerializer,
            423: ErrorSerializer,
            460: ErrorSerializer,
            507: ErrorSerializer,
            **ERRORS,
        },
    )
    def patch(self, request: Request, upload_id: uuid.UUID) -> Response:
        """Send the next piece. 409 ``upload_offset`` names the byte to continue from."""
        upload = get_visible_or_404(request, _uploads(), upload_id)
        tus.check_version(request)
        if (request.content_type or "").partition(";")[0].strip() != tus.MEDIA_TYPE:
            raise UnsupportedMediaType(request.content_type or "")
        offset = tus.whole_number(request, "Upload-Offset")
        given = request.headers.get("Upload-Checksum")
        checksum = None if given is None else Checksum(given)
        uploads.append(upload, offset, uploads.pieces(cast("IO[bytes]", request._request)), checksum)
        return Response(status=204, headers=tus.state_headers(upload))

    @extend_schema(operation_id="uploads_delete", tags=["models"], responses={204: None, **ERRORS})
    def delete(self, request: Request, upload_id: uuid.UUID) -> Response:
        """Give an upload up."""
        uploads.discard(get_visible_or_404(request, _uploads(), upload_id))
        return Response(status=204)


class UploadFinishView(APIView):
    """Completes uploads."""

    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="uploads_finish",
        tags=["models"],
        request=UploadFinishSerializer,
        responses={
            200: AddedModelSerializer,
            201: AddedModelSerializer,
            409: ErrorSerializer,
            423: ErrorSerializer,
            **ERRORS,
        },
    )
    def post(self, request: Request, upload_id: uuid.UUID) -> Response:
        """Make a model of complete uploads. 200 with the team's model that has the same content, if there is one."""
        upload = get_visible_or_404(request, _uploads(), upload_id)
        form = UploadFinishSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        others = [get_visible_or_404(request, _uploads(), key) for key in form.validated_data.get("data_files", [])]
        model, is_new = completion.finish(
            upload, asking_user(request), others, name=form.validated_data.get("name", "")
        )
        if is_new:
            record(request, "model.create", model)
        row = get_model(request, model.id)
        shown = AddedModelSerializer(row, context={"already_there": not is_new})
        return Response(shown.data, status=201 if is_new else 200)
