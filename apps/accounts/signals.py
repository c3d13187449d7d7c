"""What other apps can act on when a team starts to exist."""

from __future__ import annotations

from django.dispatch import Signal

# Sent with ``team`` and ``user`` for a new team, and for the first team at every start of the server.
# Receivers load sample data; they must do nothing when it is there already, and be quick about finding out.
workspace_ready = Signal()
