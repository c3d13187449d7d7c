"""Who may have a model run. A runtime opens it then, so that is for its owner alone."""

from __future__ import annotations

from rest_framework import exceptions
from rest_framework.request import Request

from apps.accounts.permissions import current_membership
from apps.accounts.roles import MANAGE
from apps.modelhub.api import asking_user
from apps.modelhub.models import Model, ModelKind, ModelState
from config.refusals import ConflictError


def refuse_to_run(request: Request, model: Model) -> None:
    """Raise 403 ``not_your_model`` for anybody but its owner, 409 ``model_not_runnable`` where it cannot be run."""
    membership = current_membership(request)
    owner = membership is not None and MANAGE in membership.permissions
    if not (owner or model.created_by_id == asking_user(request).pk):
        raise exceptions.PermissionDenied("Only who uploaded it may have it run.", code="not_your_model")
    if model.kind != ModelKind.ONNX or model.state != ModelState.READY:
        raise ConflictError(
            "model_not_runnable",
            "Only an ONNX model that has been read can be run.",
            hint="Upload it as ONNX, and answer what its page asks for.",
        )
