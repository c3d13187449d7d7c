"""What people do with reviews, over the REST interface."""

from tests.apps.support import add_model, add_pool, run_jobs, start_search

SMALL = {"population_size": 16, "generations": 3, "seed": 1}


def searched(client, pool=None):
    """A search that has ended; ``client`` belongs to its author."""
    search = start_search(client, add_model(client), pool or add_pool(client), SMALL)
    run_jobs()
    return search


def opened(client, search, plan=1):
    answer = client.post("/api/reviews/", {"search": search["id"], "plan": plan}, "json")
    assert answer.status_code in (200, 201), answer.content
    return answer.json()


def read(client, review):
    return client.get(f"/api/reviews/{review['id']}/").json()


def act(client, review, action, body=None):
    return client.post(f"/api/reviews/{review['id']}/{action}/", body or {}, "json")


def decide(client, review, decision="approved", **changes):
    body = {"decision": decision, "hash": review["plan_hash"], "round": review["round"], **changes}
    return act(client, review, "decide", body)


def requested(client, search, reviewers=()):
    review = opened(client, search)
    answer = act(client, review, "request", {"reviewers": [str(one.pk) for one in reviewers]})
    assert answer.status_code == 200, answer.content
    return answer.json()


def approved(client, reviewer_client, search):
    answer = decide(reviewer_client, requested(client, search))
    assert answer.status_code == 200, answer.content
    return answer.json()


def code(answer):
    return answer.status_code, answer.json()["error"]["code"]


def told(client):
    return [(one["kind"], one["read_at"] is None) for one in client.get("/api/notifications/").json()["results"]]
