"""Threads and their comments: opened, answered, edited, deleted, resolved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from apps.accounts.members import members
from apps.accounts.models import User
from apps.reviews import notices
from apps.reviews.anchors import anchor_fields
from apps.reviews.mentions import mentioned
from apps.reviews.models import Comment, Mention, Review, Thread
from apps.reviews.notices import MOST_TEXT
from apps.reviews.staleness import reasons_of
from apps.reviews.standing import authors, standing_of
from config.refusals import ConflictError

MOST_THREADS, MOST_COMMENTS = 500, 500


@transaction.atomic
def open_thread(review: Review, user: User, anchor: Mapping[str, Any], body: str) -> Thread:
    """Open a thread with its first comment. Raises ``anchor_...`` and 409 ``threads_too_many``."""
    if review.threads.count() >= MOST_THREADS:
        raise ConflictError(
            "threads_too_many",
            f"The review has {MOST_THREADS} threads.",
            hint="Answer in one that is there.",
            limit=MOST_THREADS,
        )
    fields = anchor_fields(review, anchor)
    thread = Thread.objects.create(team_id=review.team_id, review=review, created_by=user, **fields)
    _say(thread, user, body)
    return thread


@transaction.atomic
def reply(thread: Thread, user: User, body: str) -> Comment:
    """Answer in a thread; one that was resolved is open again. Raises 409 ``comments_too_many``."""
    if thread.comments.count() >= MOST_COMMENTS:
        raise ConflictError(
            "comments_too_many",
            f"The thread has {MOST_COMMENTS} comments.",
            hint="Open another thread.",
            limit=MOST_COMMENTS,
        )
    if thread.resolved_at is not None:
        _set_resolved(thread, None)
    return _say(thread, user, body)


@transaction.atomic
def edit(comment: Comment, user: User, body: str) -> Comment:
    """Change one's own comment; who is named in it now and was not before is told."""
    if body == comment.body:
        return comment
    comment.body, comment.edited_at = body, timezone.now()
    comment.save(update_fields=["body", "edited_at"])
    before = set(comment.mentions.values_list("user_id", flat=True))
    comment.mentions.all().delete()
    named = _mention(comment)
    _tell(comment, user, "mention", set(named) - before)
    return comment


@transaction.atomic
def delete(comment: Comment) -> None:
    """Delete one's own comment: its text is gone, its place stays."""
    comment.body, comment.deleted_at = "", timezone.now()
    comment.save(update_fields=["body", "deleted_at"])
    comment.mentions.all().delete()


@transaction.atomic
def resolve(thread: Thread, user: User) -> None:
    """Close a thread; nothing happens to one that is closed."""
    if thread.resolved_at is not None:
        return
    _set_resolved(thread, user)
    review = thread.review
    notices.note(review, "resolved", user, thread=str(thread.pk))
    told = {thread.created_by_id, *thread.comments.values_list("author_id", flat=True)}
    notices.tell(review, "resolved", user, told, thread=thread, details=_about(thread))
    standing = standing_of(review, reasons_of(review))
    notices.publish(review, "thread.resolved", user, standing, {"thread": str(thread.pk), **_about(thread)})


@transaction.atomic
def reopen(thread: Thread, user: User) -> None:
    """Open a thread again; nothing happens to one that is open."""
    if thread.resolved_at is None:
        return
    _set_resolved(thread, None)
    notices.note(thread.review, "reopened", user, thread=str(thread.pk))


def _set_resolved(thread: Thread, user: User | None) -> None:
    thread.resolved_by, thread.resolved_at = user, None if user is None else timezone.now()
    thread.save(update_fields=["resolved_by", "resolved_at"])


def _say(thread: Thread, user: User, body: str) -> Comment:
    comment = Comment.objects.create(team_id=thread.team_id, thread=thread, author=user, body=body)
    named = set(_mention(comment))
    review = thread.review
    around = {thread.created_by_id, *thread.comments.values_list("author_id", flat=True), *authors(review)}
    _tell(comment, user, "mention", named)
    _tell(comment, user, "comment", around - named)
    details = {"thread": str(thread.pk), **_about(thread), "text": body[:MOST_TEXT]}
    notices.publish(review, "comment.created", user, standing_of(review, reasons_of(review)), details)
    return comment


def _mention(comment: Comment) -> list[Any]:
    """Note whom the comment names; their ids."""
    people = [one.user for one in members(comment.thread.review.team)]
    found = mentioned(comment.body, people)
    Mention.objects.bulk_create(Mention(comment=comment, user=user, text=text) for user, text in found.items())
    return [user.pk for user in found]


def _tell(comment: Comment, user: User, kind: str, to: set[Any]) -> None:
    thread = comment.thread
    here = set(members(thread.review.team).filter(user_id__in=to).values_list("user_id", flat=True))
    details = {**_about(thread), "text": comment.body[:MOST_TEXT]}
    notices.tell(thread.review, kind, user, here, thread=thread, details=details)


def _about(thread: Thread) -> dict[str, Any]:
    return {
        "anchor": thread.anchor,
        "operator": thread.operator_name or None,
        "device": thread.device or None,
        "start_ms": thread.start_ms,
        "end_ms": thread.end_ms,
    }
