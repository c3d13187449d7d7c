"""What depends on a model is counted before it is deleted, and stays afterwards."""

from tests.apps.support import add_model, add_pool, run_jobs, start_search


def uses(client, model):
    return client.get(f"/api/models/{model['id']}/uses/")


def test_searches_and_placements_of_a_model_are_counted(alice_client, outsider_client):
    model, pool = add_model(alice_client), add_pool(alice_client)
    assert uses(alice_client, model).json() == {"n_searches": 0, "n_running": 0, "n_plans": 0, "searches": []}
    search = start_search(alice_client, model, pool, {"population_size": 8, "generations": 2})
    found = uses(alice_client, model).json()
    assert (found["n_searches"], found["n_running"]) == (1, 1)
    run_jobs()
    found = uses(alice_client, model).json()
    plans = alice_client.get(f"/api/searches/{search['id']}/").json()["n_plans"]
    assert (found["n_searches"], found["n_running"], found["n_plans"]) == (1, 0, plans)
    assert plans > 0
    assert [(one["id"], one["pool"], one["n_plans"]) for one in found["searches"]] == [(search["id"], "two", plans)]
    assert [one["pool_is_sample"] for one in found["searches"]] == [False]
    assert uses(outsider_client, model).status_code == 404
    assert alice_client.delete(f"/api/models/{model['id']}/").status_code == 204
    assert alice_client.get(f"/api/searches/{search['id']}/front/").status_code == 200
