"""Starts, stops and deletes searches."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Max

from apps.accounts.models import Team, User
from apps.jobs import services as jobs
from apps.modelhub.models import Model, ModelKind, ModelState, ParsedGraph
from apps.pools.models import Pool, PoolVersion
from apps.searches.models import Search
from apps.searches.planning import PlanningInputs, planned
from apps.searches.proof_jobs import proofs_of
from apps.searches.warm_starts import inherited_front, inherited_hash
from config.refusals import ConflictError
from heteroopt.errors import ModelError, SettingsError
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.naming import device_indices, pin_indices
from heteroopt.version import __version__

SEARCH = "search"
ENGINE_SETTINGS = (
    "population_size", "generations", "seed", "mutation_prob", "makespan_cap", "objectives", "constraints",
    "items_in_flight", "micro_batches", "arrival_rate_per_s", "islands",
)  # fmt: skip
SAMPLE_MODEL = "inception_v1"
SAMPLE_POOL = "data_center"


def start_search(
    team: Team,
    user: User | None,
    model: Model,
    pool: Pool | None,
    settings: Mapping[str, Any],
    *,
    warm_start: Search | None = None,
    graph: ParsedGraph | None = None,
) -> Search:
    """Start a search, from the newest front of ``warm_start`` if one is given.

    ``graph`` is that of a kept binding of the model; by default the one that ``warm_start`` searched, if that was of
    the same model, since its front fits no other; else the one that the model shows.

    Raises ``ModelError`` (not ready), ``SettingsError`` (range, unknown operator or device, ``warm_start_graph``) and
    409 ``no_front_yet``.
    """
    if graph is None and warm_start is not None and warm_start.model_id == model.pk:
        graph = warm_start.graph
    graph = graph or (model.graph if model.state == ModelState.READY else None)
    if graph is None:
        raise ModelError(
            "model_not_ready",
            f"The model {model.name} cannot be searched: it is {model.state}.",
            hint="Wait until it is read, or bind its dimensions.",
            state=model.state,
        )
    tables = model.kind == ModelKind.TABLES
    if (pool is None) != tables:
        raise SettingsError(
            "pool_needed" if pool is None else "pool_not_used",
            "Choose a pool." if pool is None else "A model of plain tables brings its own devices.",
            hint="" if pool is None else "Leave the pool out.",
        )
    version = None if pool is None else pool.version
    complete = complete_settings(model, graph, version, settings)
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        last = Search.objects.filter(team=team).aggregate(last=Max("number"))["last"] or 0
        search = Search(
            id=uuid.uuid4(),
            team=team,
            number=last + 1,
            created_by=user,
            model=model,
            graph=graph,
            pool_version=version,
            settings=complete,
            generations=complete["generations"],
            warm_start=warm_start,
        )
        inherited = None if warm_start is None else inherited_front(warm_start, search)
        search.job = jobs.submit(SEARCH, team=team, created_by=user, object_id=search.id)
        search.save(force_insert=True)
        if inherited is not None:
            inherited.save(force_insert=True)
    return search


def complete_settings(
    model: Model, graph: ParsedGraph, version: PoolVersion | None, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Settings with every default filled in; names of pins and forbidden devices are checked."""
    own = ("fuse", "pins", "forbidden_devices")
    fuse = bool(given.get("fuse", True)) and model.kind != ModelKind.TABLES
    size = graph.summary["n_schedulable" if fuse else "n_operators"]
    numbers = {key: value for key, value in given.items() if key not in own}
    settled = SearchSettings.from_dict(numbers).resolved(size)
    engine = settled.to_dict()
    complete: dict[str, Any] = {
        **{name: engine[name] for name in ENGINE_SETTINGS},
        "fuse": fuse,
        "pins": dict(given.get("pins", {})),
        "forbidden_devices": list(dict.fromkeys(given.get("forbidden_devices", []))),
    }
    if complete["pins"] or complete["forbidden_devices"]:
        scheduled, devices = planned(graph.id, version, fuse=fuse)
        forbidden = device_indices(devices, complete["forbidden_devices"])
        pin_indices(scheduled, devices, complete["pins"])
        if len(forbidden) == len(devices.devices):
            raise SettingsError(
                "forbidden_leaves_none", "Every device is forbidden.", hint="Leave at least one device free."
            )
    return complete


def engine_settings(search: Search) -> SearchSettings:
    """The engine's part of a search's settings."""
    return SearchSettings.from_dict({key: search.settings[key] for key in ENGINE_SETTINGS if key in search.settings})


def result_hashes(search: Search, inputs: PlanningInputs) -> dict[str, Any]:
    """What a result depends on: hashes of model, pool, costs, settings and inherited front, the seed, the version."""
    canonical = json.dumps(search.settings, sort_keys=True, separators=(",", ":"))
    return {
        "model": search.graph.graph_hash,
        "pool": inputs.pool.content_hash,
        "costs": inputs.costs.content_hash,
        "settings": hashlib.sha256(canonical.encode()).hexdigest(),
        "warm_start": inherited_hash(search),
        "seed": search.settings["seed"],
        "engine_version": __version__,
    }


def sample_search(team: Team, user: User | None) -> Search:
    """Start a search of the sample model on the sample pool. Raises 409 ``samples_missing``."""
    models = Model.objects.select_related("graph").filter(
        team=team, is_sample=True, removed_at=None, state=ModelState.READY, kind=ModelKind.ONNX
    )
    pools = Pool.objects.select_related("version").filter(team=team, removed_at=None).exclude(sample="")
    model = models.filter(file_name=f"{SAMPLE_MODEL}.onnx").first() or models.first()
    pool = pools.filter(sample=SAMPLE_POOL).first() or pools.first()
    if model is None or pool is None:
        raise ConflictError(
            "samples_missing",
            "The sample model or the sample pool was deleted.",
            hint="Upload a model, or bring the samples back with `./run load_samples`.",
        )
    return start_search(team, user, model, pool, {})


def stop_search(search: Search) -> None:
    """Ask the search to stop and keep its front; nothing happens to one that has ended."""
    if search.job_id is not None:
        jobs.cancel(search.job_id)


@transaction.atomic
def delete_search(search: Search) -> None:
    """Stop and delete a search with its front, and stop its proofs."""
    if search.job_id is not None:
        jobs.cancel(search.job_id)
    for proof in proofs_of(search.pk):
        jobs.cancel(proof.pk)
    search.delete()
