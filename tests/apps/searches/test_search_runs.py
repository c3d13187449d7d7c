"""Searches end to end in one process: POST, the real runner, front, progress."""

import pytest

from apps.jobs.models import Job
from apps.searches.models import Search, SearchFront
from heteroopt.front.front import Front
from heteroopt.search.search import Search as Engine
from tests.apps.support import add_model, add_pool, long_model, run_jobs, start_search
from workers.handle import LeaseLost
from workers.runners import search as runner

SMALL = {"population_size": 16, "generations": 8, "seed": 3}


@pytest.fixture
def model(alice_client):
    return add_model(alice_client)


@pytest.fixture
def pool(alice_client):
    return add_pool(alice_client)


def test_a_search_ends_with_a_front_sorted_by_time(alice_client, pool):
    model = add_model(alice_client, long_model())
    search = start_search(alice_client, model, pool, SMALL)
    assert (search["state"], search["outcome"], search["front_revision"]) == ("queued", "queued", 0)
    assert search["settings"] == {
        "population_size": 16,
        "generations": 8,
        "seed": 3,
        "mutation_prob": 0.15,
        "makespan_cap": 2.0,
        "islands": 1,
        "fuse": True,
        "pins": {},
        "forbidden_devices": [],
        "objectives": ["exec_time_ms", "energy_j", "load_balance"],
        "constraints": [],
        "items_in_flight": None,
        "micro_batches": None,
        "arrival_rate_per_s": None,
    }
    path = f"/api/searches/{search['id']}/"
    assert alice_client.get(f"{path}front/").json()["error"]["code"] == "no_front_yet"

    run_jobs()
    done = alice_client.get(path).json()
    assert done["state"] == "done"
    assert (done["generation"], done["generations"], done["attempt"], done["error"]) == (8, 8, 1, None)
    assert done["revision"] > search["revision"]
    assert done["eta_s"] == 0
    front = alice_client.get(f"{path}front/").json()
    assert front["revision"] == done["front_revision"] >= 2
    assert len(front["plans"]) == done["n_plans"] >= 1
    assert [p["number"] for p in front["plans"]] == list(range(1, len(front["plans"]) + 1))
    times = [p["exec_time_ms"] for p in front["plans"]]
    assert times == sorted(times)
    assert all(p["feasible"] and p["overflow_bytes"] == 0 for p in front["plans"])
    assert front["default_plan"]["kind"] == "default"
    assert front["default_plan"]["device"] == "gpu0"
    assert times[0] <= front["default_plan"]["exec_time_ms"] * (1 + 1e-12)
    assert front["lower_bound"]["exec_time_ms"] <= times[0] * (1 + 1e-12)
    assert done["best"]["exec_time_x"] == min(p["exec_time_x"] for p in front["plans"])
    assert [h[0] for h in front["history"]] == list(range(9))
    assert front["energy_sources"] == ["template"]  # nothing was calibrated
    for plan in front["plans"]:
        assert sum(d["operators"] for d in plan["devices"]) == model["summary"]["n_schedulable"]


def test_the_same_seed_gives_the_same_front_and_the_result_says_what_it_depends_on(alice_client, model, pool):
    ids = [start_search(alice_client, model, pool, SMALL)["id"] for _ in range(2)]
    run_jobs()
    first, second = (SearchFront.objects.get(search_id=i) for i in ids)
    assert bytes(first.data) == bytes(second.data)
    hashes = Search.objects.get(pk=ids[0]).hashes
    assert hashes["model"] == model["summary"]["graph_hash"]
    assert hashes["pool"] == pool["pool_hash"]
    assert hashes["seed"] == 3
    assert len(hashes["costs"]) == len(hashes["settings"]) == 64
    assert hashes["engine_version"] == "0.1.0"


def test_numbers_count_up_within_the_team(alice_client, outsider_client, model, pool):
    assert [start_search(alice_client, model, pool, SMALL)["number"] for _ in range(2)] == [1, 2]
    theirs = start_search(outsider_client, add_model(outsider_client), add_pool(outsider_client), SMALL)
    assert theirs["number"] == 1


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"population_size": 1}, "invalid"),
        ({"generations": -1}, "invalid"),
        ({"mutation_prob": 2}, "invalid"),
        ({"makespan_cap": 0.5}, "invalid"),
        ({"seed": -1}, "invalid"),
        ({"pins": {"nobody": "gpu0"}}, "unknown_operator"),
        ({"pins": {"left/matmul": "gpu7"}}, "unknown_device"),
        ({"pins": {"left/matmul": "gpu0", "left/relu": "cpu0"}}, "pin_conflict"),
        ({"forbidden_devices": ["gpu7"]}, "unknown_device"),
        ({"forbidden_devices": ["gpu0", "cpu0"]}, "forbidden_leaves_none"),
    ],
)
def test_settings_out_of_range_and_unknown_names_are_refused(alice_client, model, pool, settings, code):
    body = {"model": model["id"], "pool": pool["id"], "settings": settings}
    answer = alice_client.post("/api/searches/", body, "json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert not Search.objects.exists()
    assert not Job.objects.filter(kind="search").exists()


def test_a_model_that_is_not_ready_and_a_missing_pool_are_refused(alice_client, model, pool):
    refused = add_model(alice_client, b"nothing", state="refused")
    answer = alice_client.post("/api/searches/", {"model": refused["id"], "pool": pool["id"]}, "json")
    assert answer.json()["error"]["code"] == "model_not_ready"
    assert alice_client.post("/api/searches/", {"model": model["id"]}, "json").json()["error"]["code"] == "pool_needed"


def test_pins_and_forbidden_devices_hold_in_every_plan(alice_client, model, pool):
    pinned = start_search(alice_client, model, pool, {**SMALL, "pins": {"right/sigmoid": "cpu0"}})
    forbidden = start_search(alice_client, model, pool, {**SMALL, "forbidden_devices": ["gpu0"]})
    run_jobs()
    for plan in alice_client.get(f"/api/searches/{pinned['id']}/front/").json()["plans"]:
        assert plan["devices"][1]["operators"] >= 1
    front = alice_client.get(f"/api/searches/{forbidden['id']}/front/").json()
    assert all(plan["devices"][0]["operators"] == 0 for plan in front["plans"])


def test_a_model_too_large_for_the_pool_ends_as_no_feasible_with_the_least_violating_plans(alice_client, model):
    small = {"name": "gpu0", "template": "NVIDIA_A100_40G", "memory_size_bytes": 5_000_000}
    spec = {"name": "small", "devices": [small, {**small, "name": "gpu1"}], "memory_fraction": 0.068}
    search = start_search(alice_client, model, add_pool(alice_client, spec), SMALL)
    run_jobs()
    ended = alice_client.get(f"/api/searches/{search['id']}/").json()
    assert (ended["state"], ended["outcome"], ended["error"]) == ("no_feasible", "no_feasible", None)
    front = alice_client.get(f"/api/searches/{search['id']}/front/").json()
    assert front["plans"]
    assert all(not plan["feasible"] and plan["overflow_bytes"] > 0 for plan in front["plans"])
    overflows = [plan["overflow_bytes"] for plan in front["plans"]]
    assert overflows == sorted(overflows)
    said = {message["code"]: message["params"] for message in front["messages"]}
    assert said["no_feasible"]["overflow_bytes"] == overflows[0]
    exceeded = said["memory_exceeded"]
    assert exceeded["overflow_bytes"] == exceeded["peak_bytes"] - exceeded["limit_bytes"] > 0
    assert exceeded["needed_memory_bytes"] > exceeded["size_bytes"] == 5_000_000
    assert front["default_plan"]["kind"] == "least_overflow"


def test_an_operator_that_no_device_supports_is_named(alice_client, model):
    spec = {"name": "p", "devices": [{"name": "gpu0", "template": "NVIDIA_A100_40G", "unsupported_ops": ["Add"]}]}
    search = start_search(alice_client, model, add_pool(alice_client, spec), {**SMALL, "fuse": False})
    run_jobs()
    failed = alice_client.get(f"/api/searches/{search['id']}/").json()
    assert failed["state"] == "failed"
    assert failed["error"]["code"] == "operator_unsupported"
    assert failed["error"]["params"]["operator"] == "merge/join"


def test_a_queued_search_stops_at_once_and_a_deleted_one_is_gone(alice_client, model, pool):
    search = start_search(alice_client, model, pool, SMALL)
    path = f"/api/searches/{search['id']}/"
    stopped = alice_client.post(f"{path}stop/")
    assert (stopped.status_code, stopped.json()["state"]) == (202, "stopped")
    assert run_jobs() == 0
    assert alice_client.delete(path).status_code == 204
    assert alice_client.get(path).status_code == 404


def test_deleting_a_model_or_pool_leaves_its_searches_whole(alice_client, model, pool):
    search = start_search(alice_client, model, pool, SMALL)
    run_jobs()
    assert alice_client.delete(f"/api/models/{model['id']}/").status_code == 204
    assert alice_client.delete(f"/api/pools/{pool['id']}/").status_code == 204
    assert alice_client.get("/api/models/").json()["count"] == alice_client.get("/api/pools/").json()["count"] == 0
    shown = alice_client.get(f"/api/searches/{search['id']}/").json()
    assert (shown["model"]["name"], shown["pool"]["name"]) == (model["name"], pool["name"])
    assert alice_client.get(f"/api/searches/{search['id']}/plans/1/").status_code == 200


def test_the_stored_front_holds_every_genome(alice_client, model, pool):
    search = start_search(alice_client, model, pool, SMALL)
    run_jobs()
    stored = SearchFront.objects.get(search_id=search["id"])
    front = Front.from_bytes(bytes(stored.data))
    assert [plan["hash"] for plan in stored.body["plans"]] == list(front.hashes)


def test_a_search_goes_on_from_its_checkpoint_bit_for_bit(alice_client, pool, monkeypatch):
    model = add_model(alice_client, long_model())
    whole, cut = (start_search(alice_client, model, pool, {**SMALL, "generations": 12}) for _ in range(2))
    Job.objects.filter(pk=cut["job"]).update(state="stopped")
    run_jobs()
    Job.objects.filter(pk=cut["job"]).update(state="queued")

    step = Engine.step

    def dies(search):
        if search.generation == 7:
            raise LeaseLost
        return step(search)

    # Every generation is written and kept, so that the test does not depend on the speed of the machine.
    monkeypatch.setattr(runner, "SHARE", 1e9)
    monkeypatch.setattr(runner, "WRITE_SECONDS", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(Engine, "step", dies)
        run_jobs()
    path = f"/api/searches/{cut['id']}/"
    halfway = alice_client.get(path).json()
    assert (halfway["state"], halfway["attempt"]) == ("running", 1)
    assert halfway["generation"] == 7

    Job.objects.filter(pk=cut["job"]).update(state="queued")
    seen = []
    write = runner.ProgressWriter.write

    def watched(writer, snapshot):
        seen.append(snapshot.generation)
        write(writer, snapshot)

    monkeypatch.setattr(runner.ProgressWriter, "write", watched)
    run_jobs()
    done = alice_client.get(path).json()
    assert (done["state"], done["attempt"], done["generation"]) == ("done", 2, 12)
    # Nobody sees the search go back.
    assert seen[0] == 8
    assert seen == sorted(seen)
    fronts = [SearchFront.objects.get(search_id=found["id"]) for found in (whole, cut)]
    assert bytes(fronts[0].data) == bytes(fronts[1].data)
    assert fronts[0].body == fronts[1].body


def test_a_running_search_stops_and_keeps_its_front(alice_client, pool, monkeypatch):
    model = add_model(alice_client, long_model())
    search = start_search(alice_client, model, pool, {**SMALL, "generations": 1000})
    path = f"/api/searches/{search['id']}/"
    step = Engine.step

    def stopped_by_a_person(engine):
        if engine.generation == 3:
            assert alice_client.post(f"{path}stop/").status_code == 202
        return step(engine)

    monkeypatch.setattr(Engine, "step", stopped_by_a_person)
    run_jobs()
    stopped = alice_client.get(path).json()
    assert (stopped["state"], stopped["outcome"]) == ("stopped", "stopped")
    assert 3 <= stopped["generation"] < 1000
    front = alice_client.get(f"{path}front/").json()
    assert len(front["plans"]) == stopped["n_plans"] > 0
    assert alice_client.get(f"{path}plans/1/").status_code == 200
