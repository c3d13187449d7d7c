"""Secrets of webhooks and the signature of what is sent to them.

A secret is not stored: it is HMAC-SHA-256 of the webhook's random nonce under the server's secret key. So a copy of
the database signs nothing, every process that has the key can sign, and a new key makes new secrets.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from django.utils.crypto import salted_hmac

from apps.reviews.models import Webhook

SIGNATURE = "X-HeteroOpt-Signature"
TIMESTAMP = "X-HeteroOpt-Timestamp"
EVENT = "X-HeteroOpt-Event"
DELIVERY = "X-HeteroOpt-Delivery"
PREFIX = "whsec_"


def new_nonce() -> str:
    """A nonce for a new webhook, or for a new secret of an old one."""
    return secrets.token_hex(32)


def secret_of(hook: Webhook) -> str:
    """The secret that the receiver was given."""
    return PREFIX + salted_hmac("apps.reviews.webhook", hook.nonce, algorithm="sha256").hexdigest()


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """``v1=`` and the hexadecimal HMAC-SHA-256 of ``TIMESTAMP.BODY`` under the secret."""
    signed = str(timestamp).encode() + b"." + body
    return "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def headers(hook: Webhook, delivery_id: str, event: str, timestamp: int, body: bytes) -> dict[str, str]:
    """What goes with a delivery beside its body."""
    return {
        "Content-Type": "application/json",
        EVENT: event,
        DELIVERY: delivery_id,
        TIMESTAMP: str(timestamp),
        SIGNATURE: signature(secret_of(hook), timestamp, body),
    }
