"""The review resource: open, send for review, decide, take back, see what changed."""

from __future__ import annotations

import uuid
from typing import ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.models import Membership, User
from apps.accounts.permissions import current_membership, current_team, signed_in_user
from apps.accounts.roles import APPROVE, COMMENT
from apps.accounts.serializers import ERRORS, ErrorSerializer
from apps.audit.services import record
from apps.reviews import services, threads
from apps.reviews.changes import changes_of
from apps.reviews.models import AnchorKind, Review, ReviewState
from apps.reviews.queries import all_reviews, get_review, visible_reviews
from apps.reviews.representation import detailed, listed
from apps.reviews.serializers import (
    ChangesSerializer,
    DecideSerializer,
    OpenReviewSerializer,
    RequestReviewSerializer,
    ReviewDetailSerializer,
    ReviewSerializer,
)
from apps.searches.fronts import load_plan
from apps.searches.queries import get_search
from config.parsing import JSONParser
from config.refusals import WebError


def member_of(request: Request) -> Membership:
    """The caller's membership; the permission class lets nobody else through."""
    membership = current_membership(request)
    assert membership is not None
    return membership


def answer(request: Request, review: Review, status: int = 200) -> Response:
    """The review as it is now."""
    fresh = all_reviews().get(pk=review.pk)
    return Response(ReviewDetailSerializer(detailed(fresh, member_of(request))).data, status=status)


class ReviewListView(generics.GenericAPIView):  # type: ignore[type-arg]
    """The team's reviews."""

    serializer_class = ReviewSerializer
    parser_classes = (JSONParser,)
    write_permission: ClassVar = COMMENT

    @extend_schema(
        operation_id="reviews_list",
        tags=["reviews"],
        parameters=[
            OpenApiParameter("search", OpenApiTypes.UUID, description="of this search only"),
            OpenApiParameter("state", OpenApiTypes.STR, enum=ReviewState.values),
        ],
        responses=ReviewSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the reviews, the one that changed last first, with whose turn it is."""
        reviews = visible_reviews(request)
        state, search = request.query_params.get("state"), request.query_params.get("search")
        if state:
            reviews = reviews.filter(state=state)
        if search:
            try:
                reviews = reviews.filter(search_id=uuid.UUID(search))
            except ValueError:
                reviews = reviews.none()
        page = self.paginate_queryset(reviews)
        return self.get_paginated_response(ReviewSerializer(listed(page or []), many=True).data)

    @extend_schema(
        operation_id="reviews_open",
        tags=["reviews"],
        request=OpenReviewSerializer,
        responses={200: ReviewDetailSerializer, 201: ReviewDetailSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Open the review of a plan as a draft; 200 with the one that is there already."""
        form = OpenReviewSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        search = get_search(request, asked["search"])
        plan = load_plan(search, asked["plan"], asked["hash"] or None)
        review, made = services.open_review(search, plan, signed_in_user(request))
        if made:
            record(request, "review.open", review, details={"plan": review.plan_hash, "search": search.number})
        return answer(request, review, 201 if made else 200)


class ReviewView(APIView):
    """One review."""

    @extend_schema(operation_id="reviews_retrieve", tags=["reviews"], responses={200: ReviewDetailSerializer, **ERRORS})
    def get(self, request: Request, review_id: uuid.UUID) -> Response:
        """Read a review with its threads, its history, and what the caller may do now."""
        return answer(request, get_review(request, review_id))


class ReviewRequestView(APIView):
    """Sends a plan for review."""

    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="reviews_request",
        tags=["reviews"],
        request=RequestReviewSerializer,
        responses={200: ReviewDetailSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, review_id: uuid.UUID) -> Response:
        """Send a plan for review, or again after a change beneath it: decisions of earlier rounds no longer count."""
        review = get_review(request, review_id)
        form = RequestReviewSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        ids = list(dict.fromkeys(form.validated_data.get("reviewers", [])))
        people = {user.pk: user for user in User.objects.filter(pk__in=ids, memberships__team=current_team(request))}
        if len(people) < len(ids):
            raise WebError(
                "reviewer_unknown",
                "Somebody who was asked is not a member of the team.",
                http_status=400,
                hint="Choose members of the team.",
            )
        services.request_review(review, member_of(request), [people[one] for one in ids])
        record(request, "review.request", review, details={"plan": review.plan_hash})
        return answer(request, review)


class ReviewWithdrawView(APIView):
    """Takes a plan back."""

    @extend_schema(
        operation_id="reviews_withdraw",
        tags=["reviews"],
        request=None,
        responses={200: ReviewDetailSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, review_id: uuid.UUID) -> Response:
        """Make a draft of it again; an approval is gone then."""
        review = get_review(request, review_id)
        services.withdraw(review, member_of(request))
        record(request, "review.withdraw", review, details={"plan": review.plan_hash, "state": review.state})
        return answer(request, review)


class ReviewDecideView(APIView):
    """Decides on a plan."""

    parser_classes = (JSONParser,)
    write_permission: ClassVar = APPROVE

    @extend_schema(
        operation_id="reviews_decide",
        tags=["reviews"],
        request=DecideSerializer,
        responses={200: ReviewDetailSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, review_id: uuid.UUID) -> Response:
        """Approve the plan with this hash in this round, or ask for changes; nobody approves their own plan unless the
        team allows it.
        """
        review = get_review(request, review_id)
        form = DecideSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        member = member_of(request)
        services.decide(review, member, asked["decision"], plan_hash=asked["hash"], round=asked["round"])
        if asked.get("comment"):
            threads.open_thread(review, member.user, {"kind": AnchorKind.PLAN}, asked["comment"])
        details = {"plan": review.plan_hash, "decision": asked["decision"], "round": asked["round"]}
        record(request, "review.decide", review, details=details)
        return answer(request, review)


class ReviewChangesView(APIView):
    """What changed since the last review."""

    @extend_schema(
        operation_id="reviews_changes", tags=["reviews"], responses={200: ChangesSerializer(many=True), **ERRORS}
    )
    def get(self, request: Request, review_id: uuid.UUID) -> Response:
        """Compare the plan on the pool's new costs, and with the plan that was decided on before."""
        review = get_review(request, review_id)
        return Response(ChangesSerializer(changes_of(review), many=True).data)
