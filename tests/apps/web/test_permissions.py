"""Every route of the OpenAPI schema: outsiders get 404 and change nothing, viewers only read, nobody gets 401."""

import json
import re
import uuid

import pytest
from django.core.management import call_command
from drf_spectacular.generators import SchemaGenerator

from apps.accounts.models import ApiToken, Invite, Membership, Team
from apps.audit.models import AuditEvent
from apps.calibrations.models import Calibration, ModelProfile
from apps.calibrations.services import pack
from apps.deployments.models import PlanExport, PlanTrial
from apps.hosts.models import Host, HostDevice, OperatorMap, PrecisionRun
from apps.jobs.models import Job
from apps.modelhub.models import Binding, Model, ParsedGraph, Upload
from apps.pools.models import Pool, PoolVersion
from apps.reviews import addresses
from apps.reviews.models import Comment, Delivery, Notification, Review, Reviewer, Thread, Webhook
from apps.searches.models import KeptPlan, Search, SearchFront
from apps.training.models import TrainingPlanRow
from tests.apps.hosts.factories import device, device_row, healthy, reported_host
from tests.apps.support import add_model, add_pool, run_jobs, start_search
from tests.apps.training.test_training_api import REQUEST as TRAINING

SCHEMA = SchemaGenerator().get_schema(request=None, public=True)
METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
ROWS = (
    Model,
    Binding,
    ParsedGraph,
    Upload,
    Pool,
    PoolVersion,
    Search,
    SearchFront,
    KeptPlan,
    PlanExport,
    PlanTrial,
    Job,
    Host,
    HostDevice,
    OperatorMap,
    PrecisionRun,
    TrainingPlanRow,
    Calibration,
    ModelProfile,
    Team,
    Membership,
    Invite,
    ApiToken,
    Review,
    Reviewer,
    Thread,
    Comment,
    Notification,
    Webhook,
    Delivery,
)
# Hosts and their devices belong to the installation; tests/apps/hosts says who may do what with them.
EVERYONES = re.compile(r"/api/(hosts|devices|fingerprints|operator-maps)/")
OBJECT_ROUTES = sorted(path for path in SCHEMA["paths"] if re.search(r"\{\w+_id\}", path) and not EVERYONES.match(path))
OPERATIONS = sorted((path, method) for path, item in SCHEMA["paths"].items() for method in item)
PUBLIC = {("/api/session/", "get"), ("/api/session/sign-out/", "post")}
# Whoever has the secret of an invitation.
INVITED = {("/api/invitations/show/", "post"), ("/api/invitations/accept/", "post")}
# Whoever has a link that lends a file.
LENT = {("/api/lent-exports/{token}/", "get")}
# What a member without the right to plan may still send: what is their own.
ANYONES = (
    PUBLIC
    | INVITED
    | {
        ("/api/searches/{search_id}/evaluate/", "post"),
        ("/api/searches/{search_id}/what-if/", "post"),
        ("/api/searches/{search_id}/what-if/operators/{index}/", "post"),
        ("/api/team/leave/", "post"),
        ("/api/tokens/", "post"),
        ("/api/tokens/{token_id}/", "delete"),
        ("/api/session/profile/", "patch"),
        ("/api/session/team/", "post"),
        ("/api/session/sign-in-link/", "post"),
        ("/api/notifications/read/", "post"),
    }
)
# What reviewers may besides; tests/apps/reviews says what comes of it.
REVIEWERS = {
    ("/api/reviews/", "post"),
    ("/api/reviews/{review_id}/decide/", "post"),
    ("/api/reviews/{review_id}/threads/", "post"),
    ("/api/threads/{thread_id}/comments/", "post"),
    ("/api/threads/{thread_id}/resolve/", "post"),
    ("/api/threads/{thread_id}/reopen/", "post"),
    ("/api/comments/{comment_id}/", "patch"),
    ("/api/comments/{comment_id}/", "delete"),
}
# What owners alone may read.
OWNERS = {"/api/audit/", "/api/team/invites/", "/api/webhooks/", "/api/webhooks/{webhook_id}/deliveries/"}


@pytest.fixture
def owned(alice_client, monkeypatch):
    """One object of each kind, by the name of its id in the routes."""
    model, pool = add_model(alice_client), add_pool(alice_client)
    search = start_search(alice_client, model, pool, {"population_size": 8, "generations": 2})
    trained = alice_client.post("/api/training-plans/", {"request": TRAINING}, "json").json()
    run_jobs()
    asked = {"format": "plan-json"}
    export = alice_client.post(f"/api/searches/{search['id']}/plans/1/exports/", asked, "json").json()
    run_jobs()
    base = alice_client.get(f"/api/searches/{search['id']}/plans/1/").json()
    to_and_fro = [{"operator": op["index"], "device": op["order"] % 2} for op in base["operators"]]
    asked = {"base": base["hash"], "moves": to_and_fro}
    kept = alice_client.post(f"/api/searches/{search['id']}/kept/", asked, "json").json()
    lent = alice_client.post(f"/api/exports/{export['id']}/link/").json()["url"]
    bound = alice_client.post(f"/api/models/{model['id']}/bindings/", {}, "json").json()
    upload = alice_client.post("/api/uploads/", {"file_name": "a.onnx", "size_bytes": 10}, "json").json()
    cpu = device(0, name="CPU", device_type="CPU")
    host = reported_host(healthy(), healthy(cpu, name="onnxruntime"))
    row = device_row(host)
    map_row = OperatorMap.objects.create(runtime=row.runtime, device=row)
    sides = {"left": str(row.pk), "right": str(device_row(host, 1).pk)}
    compared = alice_client.post(f"/api/models/{model['id']}/precision-runs/", sides, "json").json()
    calibration = alice_client.post("/api/calibrations/", {"device": str(row.pk)}, "json").json()
    Calibration.objects.update(bundle=pack({}))
    profile = alice_client.post(f"/api/models/{model['id']}/profiles/", {"device": str(row.pk)}, "json").json()
    ModelProfile.objects.update(body=pack({}))
    trial = alice_client.post(f"/api/searches/{search['id']}/plans/1/trials/", {}, "json").json()
    monkeypatch.setattr(addresses.socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("1.1.1.1", 443))])
    review = alice_client.post("/api/reviews/", {"search": search["id"], "plan": 1}, "json").json()
    said = {"anchor": {"kind": "plan"}, "body": "@bob"}
    thread = alice_client.post(f"/api/reviews/{review['id']}/threads/", said, "json").json()["threads"][0]
    hook = alice_client.post("/api/webhooks/", {"url": "https://h.example/", "events": ["review.stale"]}, "json").json()
    invite = alice_client.post("/api/team/invites/", {"role": "viewer"}, "json").json()
    token = alice_client.post("/api/tokens/", {"name": "t", "scope": "read"}, "json").json()
    # 1,300 operators take seconds to write down.
    monkeypatch.setattr("apps.calibrations.api.cases_text", lambda models, count: "{}")
    return {
        "calibration_id": calibration["id"],
        "profile_id": profile["id"],
        "host_id": str(host.pk),
        "device_id": str(row.pk),
        "digest": row.runtime.fingerprint_id,
        "map_id": str(map_row.pk),
        "run_id": compared["id"],
        "model_id": model["id"],
        "binding_id": bound["bindings"][0]["id"],
        "pool_id": pool["id"],
        "search_id": search["id"],
        "plan_id": trained["id"],
        "export_id": export["id"],
        "trial_id": trial["id"],
        "token": lent.rstrip("/").rsplit("/", 1)[1],
        "job_id": search["job"],
        "upload_id": upload["id"],
        "review_id": review["id"],
        "thread_id": thread["id"],
        "comment_id": thread["comments"][0]["id"],
        "webhook_id": hook["id"],
        "invite_id": invite["id"],
        "token_id": token["id"],
        "member_id": alice_client.get("/api/team/members/").json()[0]["id"],
        "plan_hash": kept["hash"],
        "number": 1,
        "index": 0,
    }


def filled(path: str, ids: dict) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: str(ids[match[1]]), path)


def state() -> str:
    """Every row that a request might change."""
    return json.dumps([list(row.objects.order_by("pk").values()) for row in ROWS], default=str)


def test_every_route_with_an_id_is_known_to_this_test(owned):
    assert len(OBJECT_ROUTES) >= 17
    for path in OBJECT_ROUTES:
        assert str(uuid.UUID(re.search(r"[0-9a-f-]{36}", filled(path, owned))[0]))


def test_an_outsider_gets_404_everywhere_and_each_try_is_noted(owned, outsider_client):
    before = state()
    for path in OBJECT_ROUTES:
        for method in METHODS:
            AuditEvent.objects.all().delete()
            answer = getattr(outsider_client, method)(filled(path, owned))
            declared = method in SCHEMA["paths"][path]
            reads = method == "head" and "get" in SCHEMA["paths"][path]
            known = (404,) if declared or reads else (404, 405)
            if method == "options":
                known = (200, 204, 404)
            assert answer.status_code in known, (method, path, answer.status_code)
            if declared:
                event = AuditEvent.objects.get()
                assert event.denied and str(event.object_id) in owned.values()
            if method != "options":
                assert not any(str(value) in answer.content.decode() for value in owned.values() if value not in (0, 1))
    assert state() == before


def test_an_outsider_cannot_search_anothers_model_or_pool(owned, outsider_client):
    own_model, own_pool = add_model(outsider_client), add_pool(outsider_client)
    before = Search.objects.count()
    for body in (
        {"model": owned["model_id"], "pool": own_pool["id"]},
        {"model": own_model["id"], "pool": owned["pool_id"]},
    ):
        assert outsider_client.post("/api/searches/", body, "json").status_code == 404
    assert Search.objects.count() == before
    for path in ("models", "pools", "searches"):
        listed = outsider_client.get(f"/api/{path}/").json()["results"]
        assert not {entry["id"] for entry in listed} & set(owned.values())


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_nobody_gets_in_without_signing_in(anonymous_client, path, method):
    ids = {name: uuid.uuid4() for name in re.findall(r"\{(\w+_id)\}", path)}
    answer = getattr(anonymous_client, method)(
        filled(path, {**ids, "number": 1, "index": 0, "digest": "0", "token": "forged", "plan_hash": "0"})
    )
    if (path, method) in PUBLIC:
        assert answer.status_code in (200, 204)
    elif (path, method) in INVITED:
        assert answer.status_code == 400
    elif (path, method) in LENT:
        assert answer.status_code == 404
    else:
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "not_authenticated")


@pytest.mark.parametrize("role", ["viewer", "reviewer"])
def test_who_only_looks_reads_everything_and_changes_nothing(owned, role, request):
    client = request.getfixturevalue(f"{role}_client")
    before = state()
    for path, method in OPERATIONS:
        if (path, method) in ANYONES or (role == "reviewer" and (path, method) in REVIEWERS):
            continue
        answer = getattr(client, method)(filled(path, owned))
        if method == "get" and path not in OWNERS:
            assert answer.status_code in (200, 204, 503), (path, answer.status_code)
        else:
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "permission_denied"), (path, method)
    assert state() == before


@pytest.mark.parametrize("role", ["viewer", "reviewer"])
def test_who_only_looks_may_evaluate_a_placement_of_their_own(owned, role, request):
    client = request.getfixturevalue(f"{role}_client")
    path = f"/api/searches/{owned['search_id']}/"
    table = client.get(f"{path}plans/1/operators.csv").content
    before = state()
    assert client.post(f"{path}evaluate/", table, content_type="text/csv").status_code == 200
    assert state() == before


def test_a_planner_may_plan(bob_client):
    model, pool = add_model(bob_client), add_pool(bob_client)
    assert start_search(bob_client, model, pool)["state"] == "queued"


def test_the_schema_is_without_warnings_and_equal_to_the_snapshot(tmp_path):
    fresh = tmp_path / "openapi.json"
    call_command("spectacular", "--format", "openapi-json", "--file", str(fresh), "--fail-on-warn", "--validate")
    with open("frontend/openapi.json", encoding="utf-8") as file:
        snapshot = json.load(file)
    assert json.loads(fresh.read_text()) == snapshot, (
        "Refresh it: ./run spectacular --format openapi-json --file frontend/openapi.json"
    )
