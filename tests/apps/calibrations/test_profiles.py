"""Profiles of models: asked for by the owner, on the host's queue, seen by the team, used by pools and searches."""

import numpy as np
import pytest
from django.utils import timezone

from apps.calibrations import profiles
from apps.calibrations.models import ModelProfile
from apps.hosts import reporting
from apps.modelhub.graphs import load_graph
from apps.modelhub.models import Model, ParsedGraph
from apps.modelhub.services import delete_unused_graphs
from apps.searches.models import CalibratedCosts, Search
from heteroopt.costs.database import MeasuredDevice
from heteroopt.costs.profile import Profile
from tests.apps.hosts.factories import OWNER, device_row, fingerprint, reported_host
from tests.apps.support import POOL, add_model, add_pool, run_jobs, start_search, two_branches

SMALL = {"population_size": 8, "generations": 1, "fuse": False}


@pytest.fixture
def device(db):
    return device_row(reported_host())


def ask(client, model: dict, device, status=202) -> dict:
    answer = client.post(f"/api/models/{model['id']}/profiles/", {"device": str(device.pk)}, "json")
    assert answer.status_code == status, answer.content
    return answer.json()


def made(client, model: dict, device) -> dict:
    """One that the host has finished: every operator takes a millisecond more than the one before it."""
    row = ModelProfile.objects.get(pk=ask(client, model, device)["id"])
    graph = load_graph(row.graph_id)
    seconds = np.arange(1, len(graph.operators) + 1) * 1e-3
    profile = Profile(
        MeasuredDevice("simulated", 0, "d0", "machine", "p", 1, fingerprint("1.0").hash), graph.content_hash, "m",
        tuple(graph.tensors[op.outputs[0]].name for op in graph.operators), seconds, float(seconds.sum()),
        float(seconds.sum()), 0.0, 1.0, 1.0, len(seconds), int(timezone.now().timestamp()),
    )  # fmt: skip
    ModelProfile.objects.filter(pk=row.pk).update(**profiles.measured(profile.to_dict()))
    return client.get(f"/api/profiles/{row.pk}/").json()


def use(client, pool: dict, chosen: dict, status=200) -> dict:
    answer = client.put(f"/api/pools/{pool['id']}/", {"spec": pool["spec"], "profiles": chosen}, "json")
    assert answer.status_code == status, answer.content
    return answer.json()


def test_only_the_owner_may_have_a_model_run_and_only_the_team_sees_the_profile(
    device, alice_client, bob_client, viewer_client, outsider_client
):
    model = add_model(alice_client)
    assert ask(outsider_client, model, device, 404)["error"]["code"] == "not_found"
    assert ask(bob_client, model, device, 403)["error"]["code"] == "not_your_model"
    assert not ModelProfile.objects.exists()
    first = ask(alice_client, model, device)
    assert (first["state"], first["current"], first["figures"]) == ("queued", True, None)
    row = ModelProfile.objects.get()
    assert (row.job.kind, row.job.queue, row.job.object_id) == ("profile_model", "host.machine", row.pk)
    assert ask(alice_client, model, device)["id"] == first["id"]
    path = f"/api/profiles/{row.pk}/"
    assert bob_client.get(path).status_code == viewer_client.get(path).status_code == 200
    assert [one["id"] for one in bob_client.get(f"/api/models/{model['id']}/profiles/").json()["results"]] == [
        str(row.pk)
    ]
    assert outsider_client.get("/api/profiles/").json()["results"] == []
    for act in ("", "stop/", "file/"):
        call = outsider_client.post if act == "stop/" else outsider_client.get
        assert call(path + act).status_code == 404
    assert outsider_client.delete(path).status_code == 404
    assert alice_client.get(f"{path}file/").json()["error"]["code"] == "profile_unfinished"
    assert viewer_client.delete(path).status_code == 403
    assert alice_client.post(f"{path}stop/").json()["state"] == "stopped"


def test_who_uploaded_a_model_may_have_it_run_too(device, bob_client):
    assert ask(bob_client, add_model(bob_client), device)["state"] == "queued"


def test_a_silent_host_runs_nothing(device, alice_client):
    model = add_model(alice_client)
    reporting.release(OWNER)
    assert ask(alice_client, model, device, 409)["error"]["code"] == "host_silent"


def test_a_pool_names_it_and_searches_of_that_model_cost_operators_with_it(device, alice_client, outsider_client):
    model, other = add_model(alice_client), add_model(alice_client, two_branches(2), "other.onnx")
    found = made(alice_client, model, device)
    assert found["figures"]["n_operators"] == found["figures"]["operators_profiled"] and not found["stale"]
    assert found["figures"]["longest"][0]["time_ms"] == pytest.approx(found["figures"]["n_operators"])
    kept = Profile.load(alice_client.get(f"/api/profiles/{found['id']}/file/").content)
    assert kept.content_hash == found["profile_hash"]
    pool = use(alice_client, add_pool(alice_client, POOL), {"gpu0": [found["id"]]})
    assert (pool["version"], pool["profiles"]) == (2, {"gpu0": [found["id"]]})
    sources = {}
    for one in (model, other):
        search = start_search(alice_client, one, pool, SMALL)
        run_jobs()
        path = f"/api/searches/{search['id']}/"
        for plan in alice_client.get(f"{path}front/").json()["plans"]:
            for op in alice_client.get(f"{path}plans/{plan['number']}/").json()["operators"]:
                sources.setdefault((one["id"], op["device"]), set()).add(op["cost_source"])
    assert sources[model["id"], 0] == {"profiled"}
    assert sources.get((model["id"], 1), {"roofline"}) == sources[other["id"], 0] == {"roofline"}
    assert CalibratedCosts.objects.count() == 1
    assert Search.objects.count() == 2
    # it stays for the version that names it, and is gone from the lists
    assert alice_client.delete(f"/api/profiles/{found['id']}/").status_code == 204
    assert alice_client.get(f"/api/profiles/{found['id']}/").status_code == 404
    assert ModelProfile.objects.get(pk=found["id"]).removed_at is not None


def test_pools_refuse_what_they_cannot_use(device, alice_client, outsider_client):
    model = add_model(alice_client)
    pool = add_pool(alice_client, POOL)
    waiting = ask(alice_client, model, device)
    assert use(alice_client, pool, {"gpu0": [waiting["id"]]}, 400)["error"]["code"] == "profile_unmade"
    first = made(alice_client, model, device)
    ModelProfile.objects.filter(pk=first["id"]).update(job=None)
    second = made(alice_client, model, device)
    assert use(alice_client, pool, {"gpu0": [first["id"], second["id"]]}, 400)["error"]["code"] == "profile_twice"
    assert use(alice_client, pool, {"nothing": [first["id"]]}, 400)["error"]["code"] == "unknown_device"
    theirs = add_pool(outsider_client, POOL)
    assert use(outsider_client, theirs, {"gpu0": [first["id"]]}, 400)["error"]["code"] == "profile_unknown"
    kept = use(alice_client, pool, {"gpu0": [first["id"]]})
    again = alice_client.put(f"/api/pools/{pool['id']}/", {"spec": pool["spec"]}, "json").json()
    assert (again["version"], again["profiles"]) == (kept["version"], kept["profiles"])
    assert use(alice_client, pool, {})["profiles"] == {}


def test_a_reading_that_was_profiled_is_kept_when_the_model_is_read_anew(device, alice_client):
    model = add_model(alice_client)
    found = made(alice_client, model, device)
    Model.objects.filter(pk=model["id"]).update(graph=None)
    delete_unused_graphs()
    assert ParsedGraph.objects.filter(profiles=found["id"]).exists()
    assert alice_client.get(f"/api/profiles/{found['id']}/").json()["current"] is False


def test_the_cost_models_of_the_installation_are_listed(viewer_client):
    rows = {row["name"]: row["code"] for row in viewer_client.get("/api/cost-models/").json()}
    assert rows == {"residual_trees": "", "fitted_roofline": ""}
