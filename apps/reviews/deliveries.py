"""Sends a webhook's message, and again later if it does not arrive: each attempt is a job."""

from __future__ import annotations

import datetime
import time

from django.utils import timezone

from apps.jobs import services as jobs
from apps.reviews import posting, signing
from apps.reviews.addresses import check
from apps.reviews.models import Delivery, DeliveryState
from heteroopt.errors import HeteroOptError

DELIVER = "deliver_webhook"
AGAIN_SECONDS = (30.0, 120.0, 600.0, 3600.0, 21600.0)
"""How long it waits after each attempt that failed; after one more it gives up."""
KEPT = 200
"""Deliveries that a webhook keeps; older ones are forgotten."""


def send_later(delivery: Delivery, seconds: float) -> None:
    """Queue an attempt."""
    jobs.submit(DELIVER, team=delivery.webhook.team, object_id=delivery.pk, delay_seconds=seconds)


def attempt(delivery: Delivery) -> Delivery:
    """Try once, now; note what came of it, and queue the next attempt if there is one.

    The URL is resolved and checked again: a name that was public when it was set may lead elsewhere today.
    """
    hook = delivery.webhook
    body = delivery.body.encode()
    timestamp = int(time.time())
    delivery.attempts += 1
    delivery.tried_at, delivery.next_at, delivery.status, delivery.error = timezone.now(), None, None, None
    final = False
    if not hook.active:
        delivery.error, final = _problem("webhook_off", "The webhook is switched off."), True
    else:
        try:
            target = check(hook.url)
            delivery.status = posting.post(
                target, body, signing.headers(hook, str(delivery.pk), delivery.event, timestamp, body)
            )
            if not 200 <= delivery.status < 300:
                delivery.error = _problem("webhook_status", f"The receiver answered {delivery.status}.")
        except HeteroOptError as error:
            delivery.error = {"code": error.code, "message": error.message}
            final = error.code != "webhook_unresolved"
        except posting.PostError as error:
            delivery.error = _problem("webhook_unreached", str(error))
    if delivery.error is None:
        delivery.state = DeliveryState.DONE
    elif final or delivery.attempts > len(AGAIN_SECONDS):
        delivery.state = DeliveryState.FAILED
    else:
        wait = AGAIN_SECONDS[delivery.attempts - 1]
        delivery.next_at = timezone.now() + datetime.timedelta(seconds=wait)
        send_later(delivery, wait)
    delivery.save()
    _forget_old(delivery)
    return delivery


def _problem(code: str, message: str) -> dict[str, str]:
    return {"code": code, "message": message}


def _forget_old(delivery: Delivery) -> None:
    """Keep the newest deliveries of the webhook, and all that still wait."""
    old = Delivery.objects.filter(webhook_id=delivery.webhook_id).values_list("pk", flat=True)[KEPT : KEPT + 100]
    Delivery.objects.filter(pk__in=list(old)).exclude(state=DeliveryState.WAITING).delete()
