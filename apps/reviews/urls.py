"""Paths of the reviews."""

from django.urls import path

from apps.reviews import api, notifications_api, threads_api, webhooks_api

urlpatterns = [
    path("reviews/", api.ReviewListView.as_view(), name="reviews"),
    path("reviews/<uuid:review_id>/", api.ReviewView.as_view(), name="review"),
    path("reviews/<uuid:review_id>/request/", api.ReviewRequestView.as_view(), name="review-request"),
    path("reviews/<uuid:review_id>/withdraw/", api.ReviewWithdrawView.as_view(), name="review-withdraw"),
    path("reviews/<uuid:review_id>/decide/", api.ReviewDecideView.as_view(), name="review-decide"),
    path("reviews/<uuid:review_id>/changes/", api.ReviewChangesView.as_view(), name="review-changes"),
    path("reviews/<uuid:review_id>/threads/", threads_api.ThreadListView.as_view(), name="threads"),
    path("threads/<uuid:thread_id>/comments/", threads_api.CommentListView.as_view(), name="comments"),
    path("threads/<uuid:thread_id>/resolve/", threads_api.ThreadResolveView.as_view(), name="thread-resolve"),
    path("threads/<uuid:thread_id>/reopen/", threads_api.ThreadReopenView.as_view(), name="thread-reopen"),
    path("comments/<uuid:comment_id>/", threads_api.CommentView.as_view(), name="comment"),
    path("notifications/", notifications_api.NotificationListView.as_view(), name="notifications"),
    path("notifications/unread/", notifications_api.UnreadView.as_view(), name="notifications-unread"),
    path("notifications/read/", notifications_api.MarkReadView.as_view(), name="notifications-read"),
    path("webhooks/", webhooks_api.WebhookListView.as_view(), name="webhooks"),
    path("webhooks/<uuid:webhook_id>/", webhooks_api.WebhookView.as_view(), name="webhook"),
    path("webhooks/<uuid:webhook_id>/secret/", webhooks_api.WebhookSecretView.as_view(), name="webhook-secret"),
    path("webhooks/<uuid:webhook_id>/ping/", webhooks_api.WebhookPingView.as_view(), name="webhook-ping"),
    path("webhooks/<uuid:webhook_id>/deliveries/", webhooks_api.DeliveryListView.as_view(), name="deliveries"),
]
