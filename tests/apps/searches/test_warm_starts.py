"""A search that starts from the front of another one: of the same model and team, on any pool."""

import pytest

from apps.searches.models import InheritedFront, Search, SearchFront
from tests.apps.support import POOL, add_model, add_pool, long_model, run_jobs, start_search, two_branches

SETTINGS = {"population_size": 16, "generations": 6, "seed": 3}
NOTHING_MORE = {"population_size": 16, "generations": 0}


@pytest.fixture
def model(alice_client):
    return add_model(alice_client, long_model())


@pytest.fixture
def pool(alice_client):
    return add_pool(alice_client)


@pytest.fixture
def earlier(alice_client, model, pool):
    search = start_search(alice_client, model, pool, SETTINGS)
    run_jobs()
    return search


def warm(client, model, pool, earlier, settings=None):
    body = {"model": model["id"], "pool": pool["id"], "settings": settings or NOTHING_MORE, "warm_start": earlier["id"]}
    return client.post("/api/searches/", body, "json")


def read(client, search):
    return client.get(f"/api/searches/{search['id']}/").json()


def test_it_begins_where_the_earlier_one_ended(alice_client, model, pool, earlier):
    cold = start_search(alice_client, model, pool, NOTHING_MORE)
    answer = warm(alice_client, model, pool, earlier)
    assert answer.status_code == 201
    assert answer.json()["warm_start"] == {"id": earlier["id"], "number": earlier["number"]}
    run_jobs()
    before, after = read(alice_client, earlier)["hypervolume"], read(alice_client, answer.json())["hypervolume"]
    assert after >= 0.999 * before > read(alice_client, cold)["hypervolume"]
    assert read(alice_client, cold)["warm_start"] is None


def test_the_pool_may_differ_and_what_is_gone_or_forbidden_is_not_used(alice_client, model, pool, earlier):
    other = add_pool(
        alice_client, {"name": "other", "devices": [POOL["devices"][1], {**POOL["devices"][0], "name": "b"}]}
    )
    search = warm(alice_client, model, other, earlier, {**NOTHING_MORE, "forbidden_devices": ["b"]}).json()
    run_jobs()
    front = alice_client.get(f"/api/searches/{search['id']}/front/").json()
    assert [device["name"] for device in front["devices"]] == ["cpu0", "b"]
    assert {plan["devices"][1]["operators"] for plan in front["plans"]} == {0}


def test_fusion_may_differ(alice_client, pool):
    model = add_model(alice_client)
    earlier = start_search(alice_client, model, pool, SETTINGS)
    run_jobs()
    search = warm(alice_client, model, pool, earlier, {**NOTHING_MORE, "fuse": False}).json()
    run_jobs()
    assert read(alice_client, search)["state"] == "done"


def test_the_start_is_what_the_front_was_when_it_was_asked_for(alice_client, model, pool, earlier):
    first, second = (warm(alice_client, model, pool, earlier, SETTINGS).json() for _ in range(2))
    alice_client.delete(f"/api/searches/{earlier['id']}/")
    run_jobs()
    fronts = [bytes(SearchFront.objects.get(search_id=s["id"]).data) for s in (first, second)]
    assert fronts[0] == fronts[1]
    row = Search.objects.get(pk=first["id"])
    assert row.warm_start is None
    assert len(row.hashes["warm_start"]) == 64
    assert read(alice_client, first)["state"] == "done"
    assert InheritedFront.objects.count() == 2


def test_a_search_of_another_model_or_without_a_front_is_refused(alice_client, model, pool, earlier):
    other = add_model(alice_client)
    answer = warm(alice_client, other, pool, earlier)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "warm_start_graph"
    queued = start_search(alice_client, model, pool, SETTINGS)
    answer = warm(alice_client, model, pool, queued)
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "no_front_yet"
    assert Search.objects.count() == 2


def test_it_takes_the_reading_of_the_earlier_search_whatever_the_model_shows_now(alice_client, pool):
    """That of a kept binding, of a deleted one, and of one that was never kept."""
    model = add_model(alice_client, two_branches("N"))
    path = f"/api/models/{model['id']}/"
    kept = alice_client.post(path + "bindings/", {"name": "batch 1"}, "json").json()["bindings"][0]
    earlier = start_search(alice_client, model, pool, SETTINGS)
    assert earlier["binding"] == {"id": kept["id"], "name": "batch 1"}
    alice_client.post(path + "bind/", {"dims": {"N": 32}}, "json")
    run_jobs()
    shown = start_search(alice_client, model, pool, NOTHING_MORE)
    assert shown["binding"] is None

    again = warm(alice_client, model, pool, earlier).json()
    assert again["binding"] == earlier["binding"]
    assert alice_client.delete(f"{path}bindings/{kept['id']}/").status_code == 204
    deleted = warm(alice_client, model, pool, earlier).json()
    assert (deleted["binding"], read(alice_client, earlier)["binding"]) == (None, None)
    run_jobs()
    unkept = warm(alice_client, model, pool, shown).json()
    run_jobs()
    graphs = {
        name: Search.objects.get(pk=one["id"]).graph_id
        for name, one in {
            "earlier": earlier,
            "again": again,
            "deleted": deleted,
            "shown": shown,
            "unkept": unkept,
        }.items()
    }
    assert graphs["earlier"] == graphs["again"] == graphs["deleted"] != graphs["shown"] == graphs["unkept"]
    assert {read(alice_client, one)["state"] for one in (again, deleted, unkept)} == {"done"}


def test_a_binding_that_is_asked_for_counts_more_than_the_earlier_reading(alice_client, pool):
    model = add_model(alice_client, two_branches("N"))
    path = f"/api/models/{model['id']}/"
    earlier = start_search(alice_client, model, pool, SETTINGS)
    alice_client.post(path + "bind/", {"dims": {"N": 32}, "keep_as": "batch 32"}, "json")
    run_jobs()
    binding = alice_client.get(path).json()["bindings"][0]["id"]
    body = {"model": model["id"], "pool": pool["id"], "binding": binding, "warm_start": earlier["id"]}
    answer = alice_client.post("/api/searches/", body, "json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "warm_start_graph")


def test_another_teams_search_is_not_there(alice_client, outsider_client, earlier):
    model, pool = add_model(outsider_client, long_model()), add_pool(outsider_client)
    assert warm(outsider_client, model, pool, earlier).status_code == 404
    assert Search.objects.count() == 1
