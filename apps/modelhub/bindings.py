"""Keeps several readings of one model (batch 1 and 32) under names, and says which of them is in use."""

from __future__ import annotations

import uuid

from django.db import transaction

from apps.accounts.models import User
from apps.modelhub.models import Binding, Model, ModelState, ParsedGraph
from apps.modelhub.services import check_room, delete_unused_graphs
from apps.modelhub.text import display_name
from heteroopt.errors import ModelError

MAX_NAME = 100


def suggested_name(graph: ParsedGraph) -> str:
    """A name that tells bindings apart: the sizes of the dimensions."""
    return ", ".join(f"{name}={size}" for name, size in graph.dims.items())[:MAX_NAME] or "as in the file"


@transaction.atomic
def keep(model: Model, user: User | None, name: str) -> Binding:
    """Keep the reading that is in use under ``name``, in place of one of that name.

    Raises ``ModelError``: ``model_not_ready`` or ``binding_limit``.
    """
    if model.state != ModelState.READY or model.graph is None:
        raise ModelError("model_not_ready", "The model has not been read yet, or was refused.", hint="See its state.")
    name = display_name(name, suggested_name(model.graph))[:MAX_NAME]
    check_room(model, name)
    binding, _ = Binding.objects.update_or_create(
        model=model, name=name, defaults={"graph": model.graph, "created_by": user}
    )
    delete_unused_graphs()
    return binding


@transaction.atomic
def use(model: Model, binding: Binding) -> None:
    """Make a kept binding the one that the model page shows and that searches take by default."""
    if model.state == ModelState.PARSING:
        raise ModelError(
            "model_busy", "The model is being read.", hint="Wait until that is done, then choose the binding."
        )
    Model.objects.filter(pk=model.pk).update(
        graph=binding.graph_id,
        dims=binding.graph.dims,
        given=binding.graph.given,
        state=ModelState.READY,
        error=None,
    )
    delete_unused_graphs()


@transaction.atomic
def remove(binding: Binding) -> None:
    """Delete a binding; searches that used it keep their graph."""
    binding.delete()
    delete_unused_graphs()


def find(model: Model, binding_id: uuid.UUID) -> Binding | None:
    """The binding of ``model`` with this id."""
    return Binding.objects.select_related("graph").defer("graph__data").filter(model=model, pk=binding_id).first()
