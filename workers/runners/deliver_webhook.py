"""Sends one message to a webhook; what does not arrive is queued again by the delivery itself."""

from __future__ import annotations

from apps.reviews import deliveries
from apps.reviews.models import Delivery, DeliveryState
from workers.handle import JobHandle
from workers.registry import register


@register(deliveries.DELIVER)
class DeliverWebhookRunner:
    """Job ``deliver_webhook``; ``object_id`` is the delivery. One that was deleted meanwhile is let be."""

    def run(self, job: JobHandle) -> None:
        """Try once. A worker that is killed after the receiver has answered tries again: receivers go by the id."""
        if job.object_id is None:
            return
        delivery = Delivery.objects.select_related("webhook__team").filter(pk=job.object_id).first()
        if delivery is not None and delivery.state == DeliveryState.WAITING:
            deliveries.attempt(delivery)
