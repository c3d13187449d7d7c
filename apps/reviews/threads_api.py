"""Threads of a review and their comments."""

from __future__ import annotations

import uuid
from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import signed_in_user
from apps.accounts.roles import COMMENT
from apps.accounts.serializers import ERRORS, ErrorSerializer
from apps.audit.services import record
from apps.reviews import threads
from apps.reviews.api import answer
from apps.reviews.models import Comment
from apps.reviews.queries import get_comment, get_review, get_thread
from apps.reviews.serializers import CommentBodySerializer, OpenThreadSerializer, ReviewDetailSerializer
from config.parsing import JSONParser


class ThreadListView(APIView):
    """Opens threads."""

    parser_classes = (JSONParser,)
    write_permission: ClassVar = COMMENT

    @extend_schema(
        operation_id="threads_open",
        tags=["reviews"],
        request=OpenThreadSerializer,
        responses={201: ReviewDetailSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, review_id: uuid.UUID) -> Response:
        """Open a thread on the plan, an operator, a device's lane or a range of time."""
        review = get_review(request, review_id)
        form = OpenThreadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        thread = threads.open_thread(review, signed_in_user(request), asked["anchor"], asked["body"])
        record(request, "thread.open", thread)
        return answer(request, review, 201)


class CommentListView(APIView):
    """Answers in a thread."""

    parser_classes = (JSONParser,)
    write_permission: ClassVar = COMMENT

    @extend_schema(
        operation_id="comments_create",
        tags=["reviews"],
        request=CommentBodySerializer,
        responses={201: ReviewDetailSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, thread_id: uuid.UUID) -> Response:
        """Answer in a thread; one that was resolved is open again."""
        thread = get_thread(request, thread_id)
        form = CommentBodySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        comment = threads.reply(thread, signed_in_user(request), form.validated_data["body"])
        record(request, "comment.create", comment)
        return answer(request, thread.review, 201)


class ThreadResolveView(APIView):
    """Closes a thread."""

    write_permission: ClassVar = COMMENT

    @extend_schema(
        operation_id="threads_resolve",
        tags=["reviews"],
        request=None,
        responses={200: ReviewDetailSerializer, **ERRORS},
    )
    def post(self, request: Request, thread_id: uuid.UUID) -> Response:
        """Resolve a thread."""
        thread = get_thread(request, thread_id)
        threads.resolve(thread, signed_in_user(request))
        record(request, "thread.resolve", thread)
        return answer(request, thread.review)


class ThreadReopenView(APIView):
    """Opens a thread again."""

    write_permission: ClassVar = COMMENT

    @extend_schema(
        operation_id="threads_reopen", tags=["reviews"], request=None, responses={200: ReviewDetailSerializer, **ERRORS}
    )
    def post(self, request: Request, thread_id: uuid.UUID) -> Response:
        """Reopen a thread."""
        thread = get_thread(request, thread_id)
        threads.reopen(thread, signed_in_user(request))
        record(request, "thread.reopen", thread)
        return answer(request, thread.review)


class CommentView(APIView):
    """One's own comment."""

    parser_classes = (JSONParser,)
    write_permission: ClassVar = COMMENT

    def _mine(self, request: Request, comment_id: uuid.UUID) -> Comment:
        comment = get_comment(request, comment_id)
        if comment.author_id != signed_in_user(request).pk:
            raise exceptions.PermissionDenied("Only who wrote a comment changes it.", code="comment_not_yours")
        return comment

    @extend_schema(
        operation_id="comments_update",
        tags=["reviews"],
        request=CommentBodySerializer,
        responses={200: ReviewDetailSerializer, **ERRORS},
    )
    def patch(self, request: Request, comment_id: uuid.UUID) -> Response:
        """Edit one's own comment."""
        comment = self._mine(request, comment_id)
        form = CommentBodySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        threads.edit(comment, signed_in_user(request), form.validated_data["body"])
        record(request, "comment.edit", comment)
        return answer(request, comment.thread.review)

    @extend_schema(operation_id="comments_delete", tags=["reviews"], responses={200: ReviewDetailSerializer, **ERRORS})
    def delete(self, request: Request, comment_id: uuid.UUID) -> Response:
        """Delete one's own comment: its text is gone, its place stays."""
        comment = self._mine(request, comment_id)
        threads.delete(comment)
        record(request, "comment.delete", comment)
        return answer(request, comment.thread.review)
