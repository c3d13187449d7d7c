"""What the tus protocol (version 1.0.0, https://tus.io/protocols/resumable-upload) says in headers."""

from __future__ import annotations

import base64
import binascii
from typing import Any, Final

from django.conf import settings
from django.utils.http import http_date
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.modelhub import uploads
from apps.modelhub.checksums import ALGORITHMS
from apps.modelhub.models import Upload
from config.refusals import WebError
from heteroopt.errors import HeteroOptError, ModelError

VERSION: Final = "1.0.0"
EXTENSIONS: Final = "creation,checksum,expiration,termination"
MEDIA_TYPE: Final = "application/offset+octet-stream"
MAX_METADATA: Final = 16 << 10


class TusView(APIView):
    """Names the protocol's version in every answer."""

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Add the header that every answer carries."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        answer["Tus-Resumable"] = VERSION
        if answer.status_code == 412:
            answer["Tus-Version"] = VERSION
        return answer

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        """Say what the server can do."""
        return Response(
            status=204,
            headers={
                "Tus-Version": VERSION,
                "Tus-Extension": EXTENSIONS,
                "Tus-Max-Size": str(settings.MAX_UPLOAD_BYTES),
                "Tus-Checksum-Algorithm": ",".join(ALGORITHMS),
            },
        )


def check_version(request: Request) -> None:
    """412 ``tus_version`` for a request of another version, or of none."""
    if request.headers.get("Tus-Resumable") != VERSION:
        raise WebError(
            "tus_version",
            f"The request does not say Tus-Resumable: {VERSION}.",
            http_status=412,
            hint=f"Use a client of tus {VERSION}.",
            version=VERSION,
        )


def whole_number(request: Request, header: str) -> int:
    """A header that counts bytes. Raises ``tus_header``."""
    text = request.headers.get(header, "")
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise bad_header(header, "is not a number of bytes")
    return int(text)


def metadata(request: Request) -> dict[str, str]:
    """The pairs of ``Upload-Metadata``: keys with values in base64, separated by commas. Raises ``tus_header``."""
    text = request.headers.get("Upload-Metadata", "")
    if len(text) > MAX_METADATA:
        raise bad_header("Upload-Metadata", f"has more than {MAX_METADATA} characters")
    pairs: dict[str, str] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        key, _, encoded = entry.partition(" ")
        try:
            value = base64.b64decode(encoded.strip(), validate=True).decode()
        except (binascii.Error, ValueError):
            raise bad_header("Upload-Metadata", f"holds {key[:40]!r}, which is not text in base64") from None
        if key in pairs:
            raise bad_header("Upload-Metadata", f"holds {key[:40]!r} twice")
        pairs[key] = value
    return pairs


def state_headers(upload: Upload) -> dict[str, str]:
    """How much has arrived, of how much, and until when it is kept."""
    return {
        "Upload-Offset": str(uploads.offset_of(upload)),
        "Upload-Length": str(upload.size_bytes),
        "Upload-Expires": http_date(upload.expires_at.timestamp()),
        "Cache-Control": "no-store",
    }


def bad_header(header: str, what: str) -> HeteroOptError:
    """400 for a header that cannot be right."""
    return ModelError(
        "tus_header", f"The header {header} {what}.", hint=f"See the tus protocol, version {VERSION}.", header=header
    )
