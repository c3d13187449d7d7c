"""The search resource: start, watch, stop, delete."""

from __future__ import annotations

import uuid

from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import current_team
from apps.audit.services import record
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.bindings_api import get_binding
from apps.modelhub.queries import get_model
from apps.modelhub.schema import ErrorSerializer
from apps.pools.queries import get_pool
from apps.searches import services
from apps.searches.queries import get_search, visible_searches
from apps.searches.serializers import SearchCreateSerializer, SearchSerializer
from config.parsing import JSONParser


class SearchListView(generics.GenericAPIView):  # type: ignore[type-arg]
    """The team's searches."""

    serializer_class = SearchSerializer
    parser_classes = (JSONParser,)

    @extend_schema(operation_id="searches_list", tags=["searches"], responses=SearchSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the searches, newest first."""
        page = self.paginate_queryset(visible_searches(request))
        return self.get_paginated_response(SearchSerializer(page, many=True).data)

    @extend_schema(
        operation_id="searches_create",
        tags=["searches"],
        request=SearchCreateSerializer,
        responses={201: SearchSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Start a search. Its first front is there within a second."""
        form = SearchCreateSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        model = get_model(request, asked["model"])
        pool = get_pool(request, asked["pool"]) if asked.get("pool") else None
        earlier = get_search(request, asked["warm_start"]) if asked.get("warm_start") else None
        binding = get_binding(model, asked["binding"]) if asked.get("binding") else None
        search = services.start_search(
            current_team(request),
            asking_user(request),
            model,
            pool,
            asked.get("settings", {}),
            warm_start=earlier,
            graph=None if binding is None else binding.graph,
        )
        record(request, "search.create", search)
        return Response(SearchSerializer(get_search(request, search.id)).data, status=201)


class SampleSearchView(APIView):
    """A search of the sample workspace."""

    @extend_schema(
        operation_id="searches_sample",
        tags=["searches"],
        request=None,
        responses={201: SearchSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Start a search of the sample model on the sample pool."""
        search = services.sample_search(current_team(request), asking_user(request))
        record(request, "search.create", search)
        return Response(SearchSerializer(get_search(request, search.id)).data, status=201)


class SearchView(APIView):
    """One search."""

    @extend_schema(operation_id="searches_retrieve", tags=["searches"], responses={200: SearchSerializer, **ERRORS})
    def get(self, request: Request, search_id: uuid.UUID) -> Response:
        """Read a search."""
        return Response(SearchSerializer(get_search(request, search_id)).data)

    @extend_schema(operation_id="searches_delete", tags=["searches"], responses={204: None, **ERRORS})
    def delete(self, request: Request, search_id: uuid.UUID) -> Response:
        """Stop and delete a search with its front."""
        search = get_search(request, search_id)
        record(request, "search.delete", search, details={"number": search.number})
        services.delete_search(search)
        return Response(status=204)


class SearchStopView(APIView):
    """Stops a search."""

    @extend_schema(
        operation_id="searches_stop", tags=["searches"], request=None, responses={202: SearchSerializer, **ERRORS}
    )
    def post(self, request: Request, search_id: uuid.UUID) -> Response:
        """Ask a search to stop; the front that it has found is kept."""
        search = get_search(request, search_id)
        if not search.is_final:
            services.stop_search(search)
            record(request, "search.stop", search)
        return Response(SearchSerializer(get_search(request, search_id)).data, status=202)
