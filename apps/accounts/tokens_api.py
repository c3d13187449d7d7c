"""Personal API tokens: everybody has their own, and owners see nobody else's."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts import tokens
from apps.accounts.models import ApiToken
from apps.accounts.permissions import current_team, signed_in_user
from apps.accounts.roles import VIEW
from apps.accounts.serializers import ERRORS, ErrorSerializer
from apps.accounts.team_serializers import NewTokenSerializer, TokenAskedSerializer, TokenSerializer
from apps.audit.services import get_visible_or_404, record
from config.parsing import JSONParser


class TokenListView(APIView):
    """The caller's tokens for the current team."""

    parser_classes = (JSONParser,)
    write_permission: ClassVar = VIEW
    people_only = True

    @extend_schema(operation_id="tokens_list", tags=["team"], responses=TokenSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List one's own tokens, expired ones too."""
        mine = tokens.current_tokens(signed_in_user(request), current_team(request))
        return Response(TokenSerializer(mine, many=True).data)

    @extend_schema(
        operation_id="tokens_create",
        tags=["team"],
        request=TokenAskedSerializer,
        responses={201: NewTokenSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Make a token. Its secret is in this answer only."""
        form = TokenAskedSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        token, secret = tokens.make_token(signed_in_user(request), current_team(request), **form.validated_data)
        record(request, "token.create", token, details={"name": token.name, "scope": token.scope})
        return Response({**TokenSerializer(token).data, "secret": secret}, status=201)


class TokenView(APIView):
    """One token."""

    write_permission: ClassVar = VIEW
    people_only = True

    @extend_schema(operation_id="tokens_delete", tags=["team"], responses={204: None, **ERRORS})
    def delete(self, request: Request, token_id: uuid.UUID) -> Response:
        """Revoke one of one's own tokens."""
        token = get_visible_or_404(request, ApiToken.objects.all(), token_id)
        if token.user_id != signed_in_user(request).pk:
            raise Http404
        tokens.revoke(ApiToken.objects.filter(pk=token.pk))
        record(request, "token.revoke", token, details={"name": token.name})
        return Response(status=204)
