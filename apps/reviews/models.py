"""Rows of reviews: what is reviewed, who decided what, the threads and their comments."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models


class ReviewState(models.TextChoices):
    """How far a review is. That an approval is stale is no state: it follows from what lies beneath the plan."""

    DRAFT = "draft", "Draft"
    IN_REVIEW = "in_review", "In review"
    APPROVED = "approved", "Approved"
    CHANGES_REQUESTED = "changes_requested", "Changes requested"


STANDINGS = (*ReviewState.values, "stale")
"""What a review amounts to now: its state, or ``stale`` for an approval of what has changed since."""


class Decision(models.TextChoices):
    """What a reviewer says of a plan."""

    APPROVED = "approved", "Approved"
    CHANGES_REQUESTED = "changes_requested", "Changes requested"


class Review(models.Model):
    """The review of one plan, which its content hash names: another placement or order is another plan."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    search = models.ForeignKey("searches.Search", on_delete=models.CASCADE, related_name="reviews")
    plan_hash = models.CharField(max_length=64)
    plan_number = models.PositiveIntegerField(help_text="in the front when the review was opened")
    summary = models.JSONField(help_text="the plan's figures when the review was opened")
    plan = models.BinaryField(help_text="order and device, int32 little-endian, one after the other")
    fuse = models.BooleanField(help_text="whether its operators are joined ones")
    planned_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="who started the search, or made this plan by hand",
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    state = models.CharField(max_length=17, choices=ReviewState.choices, default=ReviewState.DRAFT)
    round = models.PositiveIntegerField(default=0, help_text="how often it was sent for review")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    requested_at = models.DateTimeField(null=True)
    decided_at = models.DateTimeField(null=True)
    basis = models.JSONField(default=dict, help_text="what lay beneath the plan when it was sent for review")

    class Meta:
        ordering = ("-updated_at", "id")
        constraints = (models.UniqueConstraint(fields=("search", "plan_hash"), name="reviews_one_per_plan"),)
        indexes = (models.Index(fields=("team", "state"), name="reviews_team_state"),)

    def __str__(self) -> str:
        return f"review of plan {self.plan_number} of {self.search_id}"


class Reviewer(models.Model):
    """Somebody who was asked for a decision, or gave one unasked."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="reviewers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    asked = models.BooleanField(default=False)
    decision = models.CharField(max_length=17, choices=Decision.choices, blank=True)
    round = models.PositiveIntegerField(default=0, help_text="in which the decision was given")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("user__name", "id")
        constraints = (models.UniqueConstraint(fields=("review", "user"), name="reviews_one_reviewer"),)

    def __str__(self) -> str:
        return f"{self.user_id} on {self.review_id}"


class ReviewEvent(models.Model):
    """One line of a review's history. Rows are only ever added."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(auto_now_add=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    kind = models.CharField(max_length=20)
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ("at", "id")

    def __str__(self) -> str:
        return f"{self.kind} on {self.review_id}"


class AnchorKind(models.TextChoices):
    """What a thread is about."""

    PLAN = "plan", "The plan"
    OPERATOR = "operator", "An operator"
    LANE = "lane", "A device's lane"
    RANGE = "range", "A range of time"


class Thread(models.Model):
    """What people say about one thing. Its place is checked against the plan once, when it is opened."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="threads")
    anchor = models.CharField(max_length=8, choices=AnchorKind.choices)
    operator = models.PositiveIntegerField(null=True, help_text="index in the scheduled graph")
    operator_name = models.TextField(blank=True)
    device = models.CharField(max_length=100, blank=True, help_text="its name in the pool")
    start_ms = models.FloatField(null=True)
    end_ms = models.FloatField(null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    resolved_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    resolved_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("created_at", "id")

    def __str__(self) -> str:
        return f"thread of {self.review_id} on {self.anchor}"


class Comment(models.Model):
    """One statement in a thread. What was deleted leaves its place, without its text."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    body = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    edited_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("created_at", "id")

    def __str__(self) -> str:
        return f"comment of {self.author_id}"


class Mention(models.Model):
    """That a comment names a member; ``text`` is how, without the @."""

    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="mentions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    text = models.CharField(max_length=254)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("comment", "user"), name="reviews_mentioned_once"),)

    def __str__(self) -> str:
        return f"{self.user_id} in {self.comment_id}"


class Notification(models.Model):
    """Tells one person that something happened which concerns them."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="+")
    thread = models.ForeignKey(Thread, null=True, on_delete=models.CASCADE, related_name="+")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    kind = models.CharField(max_length=20)
    details = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at", "id")
        indexes = (models.Index(fields=("user", "team", "-created_at"), name="reviews_notified"),)

    def __str__(self) -> str:
        return f"{self.kind} for {self.user_id}"


class DeliveryState(models.TextChoices):
    """How far a delivery is."""

    WAITING = "waiting", "Waiting"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class Webhook(models.Model):
    """An address of the team that is told what happens. Its secret is derived: see :mod:`apps.reviews.signing`."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    url = models.CharField(max_length=1000)
    events = models.JSONField(help_text="names of events")
    active = models.BooleanField(default=True)
    nonce = models.CharField(max_length=64, help_text="what makes its secret another one than any other's")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("created_at", "id")

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """One message to a webhook: what was sent, how often, and what came back last."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=40)
    body = models.TextField(help_text="the JSON as it is sent and signed")
    state = models.CharField(max_length=7, choices=DeliveryState.choices, default=DeliveryState.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    status = models.PositiveSmallIntegerField(null=True, help_text="of the last answer")
    error = models.JSONField(null=True, help_text="code and params of the last failure")
    created_at = models.DateTimeField(auto_now_add=True)
    tried_at = models.DateTimeField(null=True)
    next_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at", "id")
        indexes = (models.Index(fields=("webhook", "-created_at"), name="reviews_deliveries"),)

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook_id}"
