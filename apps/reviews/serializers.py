"""What the reviews take and give."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.accounts.serializers import ParamsField, PersonSerializer
from apps.pools.serializers import PoolDeviceSerializer
from apps.reviews.models import STANDINGS, AnchorKind, Decision, ReviewState

MOST_BODY = 10_000


class BodyField(serializers.CharField):
    """Text of a comment: lines stay, blanks around it go."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MOST_BODY, min_length=1, **options)


class OpenReviewSerializer(serializers.Serializer[Any]):
    """The plan to review: ``hash`` if it is given, else the number in the front."""

    search = serializers.UUIDField()
    plan = serializers.IntegerField(min_value=1, required=False, default=1)
    hash = serializers.CharField(max_length=64, required=False, default="", allow_blank=True)


class RequestReviewSerializer(serializers.Serializer[Any]):
    """Who is asked; nobody: everybody who may approve the plan."""

    reviewers = serializers.ListField(child=serializers.UUIDField(), required=False, max_length=50)


class DecideSerializer(serializers.Serializer[Any]):
    """A decision on the plan and the round that its giver has looked at."""

    decision = serializers.ChoiceField(choices=Decision.choices)
    hash = serializers.CharField(max_length=64)
    round = serializers.IntegerField(min_value=1)
    comment = BodyField(required=False, help_text="opens a thread on the plan")


class StaleReasonSerializer(serializers.Serializer[Any]):
    """Something that changed beneath the plan: ``recalibrated``, ``pinned``, ``edited``, ..."""

    code = serializers.CharField()
    params = ParamsField()
    at = serializers.DateTimeField()
    by = serializers.CharField(allow_null=True)


class ReviewSearchSerializer(serializers.Serializer[Any]):
    """The search that the plan is of."""

    id = serializers.UUIDField()
    number = serializers.IntegerField()
    model = serializers.CharField(source="model.name")
    pool = serializers.SerializerMethodField()
    pool_is_sample = serializers.SerializerMethodField()

    def get_pool(self, search: Any) -> str:
        """Name of the pool."""
        return str(search.model.name if search.pool_version is None else search.pool_version.pool.name)

    def get_pool_is_sample(self, search: Any) -> bool:
        """Whether it is one of the sample pools."""
        return bool(search.pool_version is not None and search.pool_version.pool.is_sample)


class ReviewerSerializer(serializers.Serializer[Any]):
    """Somebody who was asked, or who has decided; ``decision`` is empty before, and in a round after the last."""

    user = PersonSerializer()
    asked = serializers.BooleanField()
    decision = serializers.ChoiceField(choices=Decision.choices, allow_blank=True)
    decided_at = serializers.DateTimeField(allow_null=True)


class ReviewSerializer(serializers.Serializer[Any]):
    """A review in a list."""

    id = serializers.UUIDField()
    search = ReviewSearchSerializer()
    plan_hash = serializers.CharField()
    plan_number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=ReviewState.choices)
    standing = serializers.ChoiceField(
        choices=[(one, one) for one in STANDINGS], help_text="the state, or stale: an approval of what has changed"
    )
    stale_since = serializers.DateTimeField(allow_null=True, help_text="of a stale approval")
    round = serializers.IntegerField()
    authors = PersonSerializer(many=True, help_text="whose plan it is")
    waits_for = PersonSerializer(many=True, help_text="whose turn it is")
    reviewers = ReviewerSerializer(many=True)
    n_open_threads = serializers.IntegerField()
    n_threads = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    requested_at = serializers.DateTimeField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)


class FigureSerializer(serializers.Serializer[Any]):
    """A figure of the plan, and as a multiple of the default plan's."""

    key = serializers.CharField()
    value = serializers.FloatField()
    multiple = serializers.FloatField(allow_null=True)
    sources = serializers.ListField(
        child=serializers.CharField(), help_text="of joules, where they are from; empty where it is not known"
    )


class AnchorSerializer(serializers.Serializer[Any]):
    """What a thread is about; times in milliseconds of the plan."""

    kind = serializers.ChoiceField(choices=AnchorKind.choices)
    operator = serializers.IntegerField(required=False, allow_null=True, help_text="index")
    device = serializers.CharField(required=False, allow_null=True, allow_blank=True, max_length=100)
    start_ms = serializers.FloatField(required=False, allow_null=True)
    end_ms = serializers.FloatField(required=False, allow_null=True)


class ShownAnchorSerializer(serializers.Serializer[Any]):
    """The same with the operator's name and the device that it is on."""

    kind = serializers.ChoiceField(choices=AnchorKind.choices)
    operator = serializers.IntegerField(allow_null=True)
    operator_name = serializers.CharField(allow_blank=True)
    device = serializers.CharField(allow_blank=True)
    start_ms = serializers.FloatField(allow_null=True)
    end_ms = serializers.FloatField(allow_null=True)


class OpenThreadSerializer(serializers.Serializer[Any]):
    """A thread to open, with its first comment."""

    anchor = AnchorSerializer()
    body = BodyField()


class CommentBodySerializer(serializers.Serializer[Any]):
    """A comment's text. ``@`` and a member's address or name tells them."""

    body = BodyField()


class MentionSerializer(serializers.Serializer[Any]):
    """Somebody who is named, and the words that name them, without the ``@``."""

    user = PersonSerializer()
    text = serializers.CharField()


class CommentSerializer(serializers.Serializer[Any]):
    """A comment; of one that was deleted the body is empty."""

    id = serializers.UUIDField()
    author = PersonSerializer(allow_null=True)
    body = serializers.CharField(allow_blank=True)
    mentions = MentionSerializer(many=True)
    created_at = serializers.DateTimeField()
    edited_at = serializers.DateTimeField(allow_null=True)
    deleted_at = serializers.DateTimeField(allow_null=True)


class ThreadSerializer(serializers.Serializer[Any]):
    """A thread with its comments, oldest first."""

    id = serializers.UUIDField()
    anchor = serializers.SerializerMethodField()
    created_by = PersonSerializer(allow_null=True)
    created_at = serializers.DateTimeField()
    resolved_by = PersonSerializer(allow_null=True)
    resolved_at = serializers.DateTimeField(allow_null=True)
    comments = CommentSerializer(many=True)

    def get_anchor(self, thread: Any) -> ShownAnchorSerializer:
        """What it is about."""
        fields = ("operator", "operator_name", "device", "start_ms", "end_ms")
        shown = {"kind": thread.anchor, **{name: getattr(thread, name) for name in fields}}
        return ShownAnchorSerializer(shown).data  # type: ignore[return-value]


class EventSerializer(serializers.Serializer[Any]):
    """One line of the history."""

    at = serializers.DateTimeField()
    user = PersonSerializer(allow_null=True)
    kind = serializers.CharField()
    details = ParamsField()


class MaySerializer(serializers.Serializer[Any]):
    """By action the code of what keeps the caller from it; null: they may."""

    request = serializers.CharField(allow_null=True)
    withdraw = serializers.CharField(allow_null=True)
    approve = serializers.CharField(allow_null=True)
    request_changes = serializers.CharField(allow_null=True)
    comment = serializers.CharField(allow_null=True)


class ReviewDetailSerializer(ReviewSerializer):
    """A review with everything that its page shows."""

    figures = FigureSerializer(many=True)
    devices = PoolDeviceSerializer(many=True)
    reasons = StaleReasonSerializer(many=True, help_text="what changed beneath the plan since the last round began")
    approvals_needed = serializers.IntegerField()
    self_approval = serializers.BooleanField()
    may_be_asked = PersonSerializer(many=True, help_text="members who may approve this plan")
    may = MaySerializer()
    threads = ThreadSerializer(many=True)
    history = EventSerializer(many=True)


class ChangedCostsSerializer(serializers.Serializer[Any]):
    """Of how many operators the time or the energy on a device differs."""

    device = serializers.CharField()
    operators = serializers.IntegerField()


class ChangedFigureSerializer(serializers.Serializer[Any]):
    """A figure before and after."""

    key = serializers.CharField()
    unit = serializers.CharField(allow_blank=True)
    before = serializers.FloatField()
    after = serializers.FloatField()


class MovedSerializer(serializers.Serializer[Any]):
    """An operator that is on another device."""

    operator = serializers.IntegerField()
    name = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()


class ChangesSerializer(serializers.Serializer[Any]):
    """``costs``: the plan on the pool as it is now. ``plan``: this plan beside the one that was decided on before."""

    kind = serializers.ChoiceField(choices=[("costs", "costs"), ("plan", "plan")])
    review = serializers.UUIDField(allow_null=True, help_text="of the plan before")
    search_number = serializers.IntegerField(allow_null=True)
    plan_number = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(choices=ReviewState.choices, allow_null=True)
    at = serializers.DateTimeField(allow_null=True)
    pool_version = serializers.IntegerField(allow_null=True)
    same_plan = serializers.BooleanField()
    impossible = serializers.CharField(allow_null=True, help_text="why the plan cannot run on the pool as it is now")
    costs = ChangedCostsSerializer(many=True)
    figures = ChangedFigureSerializer(many=True)
    n_moved = serializers.IntegerField(allow_null=True, help_text="null: the plans are of unlike problems")
    n_reordered = serializers.IntegerField(allow_null=True)
    moved = MovedSerializer(many=True, help_text="at most 100")


class NotificationReviewSerializer(serializers.Serializer[Any]):
    """The review that a notification is about."""

    id = serializers.UUIDField()
    plan_number = serializers.IntegerField()
    model = serializers.CharField(source="search.model.name")


class NotificationSerializer(serializers.Serializer[Any]):
    """What somebody is told."""

    id = serializers.UUIDField()
    kind = serializers.CharField(help_text="requested, approved, changes_requested, withdrawn, stale, comment, ...")
    actor = PersonSerializer(allow_null=True)
    review = NotificationReviewSerializer()
    thread = serializers.UUIDField(source="thread_id", allow_null=True)
    details = ParamsField()
    created_at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True)


class MarkReadSerializer(serializers.Serializer[Any]):
    """Which notifications were read; left out: all."""

    ids = serializers.ListField(child=serializers.UUIDField(), required=False, max_length=1000)


class UnreadSerializer(serializers.Serializer[Any]):
    """How many notifications were not read."""

    unread = serializers.IntegerField()
