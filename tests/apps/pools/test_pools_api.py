"""Pools through the API: saving, versions, TOML both ways, every wrong field named."""

import copy

import pytest

from apps.pools.models import Pool, PoolVersion
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.templates import load_sample_pool
from tests.apps.support import POOL, add_pool, stream


def test_a_pool_is_saved_with_every_figure_and_its_marks(alice_client):
    pool = add_pool(alice_client)
    assert [(d["name"], d["tag"], d["slot"], d["device_type"]) for d in pool["devices"]] == [
        ("gpu0", "G0", 1, "GPU"),
        ("cpu0", "C0", 2, "CPU"),
    ]
    assert pool["version"] == 1
    assert pool["spec"]["devices"][0]["peak_gflop_per_s"]["fp32"] == 19500
    assert pool["pool_hash"] == DevicePool.from_dict(POOL).content_hash
    assert {note["code"] for note in pool["notes"]} == {"default_link"}
    assert alice_client.get("/api/pools/").json()["results"] == [pool]


def test_each_save_is_a_new_version_and_the_same_state_is_none(alice_client):
    pool = add_pool(alice_client)
    path = f"/api/pools/{pool['id']}/"
    same = alice_client.put(path, {"spec": pool["spec"]}, "json").json()
    assert same["version"] == 1
    spec = copy.deepcopy(pool["spec"])
    spec["memory_fraction"] = 0.5
    changed = alice_client.put(path, {"spec": spec, "name": "half"}, "json").json()
    assert (changed["version"], changed["name"]) == (2, "half")
    assert changed["pool_hash"] != pool["pool_hash"]
    assert list(PoolVersion.objects.order_by("number").values_list("spec__memory_fraction", flat=True)) == [0.85, 0.5]


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        (lambda s: s["devices"][0].update(idle_power_w=-1), "devices.0.idle_power_w", "out_of_range"),
        (
            lambda s: s["devices"][1].update(peak_gflop_per_s={"fp32": 1e12}),
            "devices.1.peak_gflop_per_s.fp32",
            "out_of_range",
        ),
        (lambda s: s["devices"][0].update(template="nothing"), "devices.0.template", "unknown_template"),
        (lambda s: s["devices"][1].update(name="gpu0"), "devices.1.name", "duplicate_device"),
        (lambda s: s["devices"][1].update(name=" "), "devices.1.name", "bad_name"),
        (
            lambda s: s.update(links=[{"source": "gpu0", "target": "cpu0", "bandwidth_gb_per_s": 0}]),
            "links.0.bandwidth_gb_per_s",
            "out_of_range",
        ),
        (lambda s: s.update(links=[{"source": "gpu0", "target": "npu9"}]), "links", "unknown_link_end"),
        (lambda s: s.update(default_device="x"), "default_device", "unknown_device"),
        (lambda s: s.update(memory_fraction=2), "memory_fraction", "out_of_range"),
        (lambda s: s.update(devices=[]), "devices", "no_devices"),
        (lambda s: s.update(idle_energy="x"), "idle_energy", "idle_energy"),
    ],
)
def test_a_wrong_field_is_named(alice_client, change, field, code):
    spec = copy.deepcopy(POOL)
    change(spec)
    check = alice_client.post("/api/pools/validate/", {"spec": spec}, "json").json()
    assert check["valid"] is False
    assert [(e["field"], e["code"]) for e in check["errors"]] == [(field, code)]
    refused = alice_client.post("/api/pools/", {"spec": spec}, "json")
    assert refused.status_code == 400
    error = refused.json()["error"]
    assert error["code"] == "pool_invalid"
    assert list(error["params"]["fields"]) == [field]
    assert not Pool.objects.exists()


def test_every_wrong_device_is_named_at_once(alice_client):
    spec = copy.deepcopy(POOL)
    spec["devices"][0]["idle_power_w"] = -1
    spec["devices"][1]["memory_size_bytes"] = 1.5
    errors = alice_client.post("/api/pools/validate/", {"spec": spec}, "json").json()["errors"]
    assert [e["field"] for e in errors] == ["devices.0.idle_power_w", "devices.1.memory_size_bytes"]


def test_a_good_pool_is_checked_without_being_saved(alice_client):
    check = alice_client.post("/api/pools/validate/", {"spec": POOL}, "json").json()
    assert (check["valid"], check["errors"]) == (True, [])
    assert check["spec"]["devices"][1]["device_type"] == "CPU"
    assert not Pool.objects.exists()


@pytest.mark.parametrize("spec", [None, [], "x", 7, {"devices": "x"}, {"devices": [3]}, {"devices": [{}], "x": 1}])
def test_a_specification_of_the_wrong_shape_is_refused(alice_client, spec):
    assert alice_client.post("/api/pools/", {"spec": spec}, "json").status_code == 400


def test_nan_never_gets_in(alice_client):
    body = '{"spec": {"name": "p", "devices": [{"name": "d", "template": "NVIDIA_A100_40G", "idle_power_w": NaN}]}}'
    assert alice_client.post("/api/pools/", body, content_type="application/json").status_code == 400


def test_toml_goes_out_and_comes_back_equal(alice_client):
    pool = add_pool(alice_client, load_sample_pool("data_center").to_dict())
    out = alice_client.get(f"/api/pools/{pool['id']}/toml/")
    assert out["Content-Disposition"].startswith('attachment; filename="')
    assert out["Content-Type"].startswith("application/toml")
    text = out.content.decode()
    for body, kind in (({"toml": text}, "json"), ({"file": stream(text.encode(), "p.toml")}, "multipart")):
        again = alice_client.post("/api/pools/import/", body, kind)
        assert again.status_code == 201, again.content
        assert again.json()["pool_hash"] == pool["pool_hash"]
        assert again.json()["spec"] == pool["spec"]


@pytest.mark.parametrize("text", ["/etc/passwd", "/etc/hostname", "x", "a = [", "[[devices]]\nname = 1", "\x00"])
def test_text_that_is_no_pool_is_refused_and_is_never_a_path(alice_client, text):
    answer = alice_client.post("/api/pools/import/", {"toml": text}, "json")
    assert answer.status_code == 400
    assert "root:" not in answer.content.decode()


def test_an_empty_file_is_a_pool_without_devices(alice_client):
    for body, kind in (({"toml": ""}, "json"), ({"file": stream(b"", "p.toml")}, "multipart")):
        answer = alice_client.post("/api/pools/import/", body, kind)
        errors = answer.json()["error"]["params"]["errors"]
        assert (answer.status_code, [(e["field"], e["code"]) for e in errors]) == (400, [("devices", "no_devices")])


def test_text_that_would_keep_the_parser_busy_is_refused(alice_client):
    text = ".".join(["a"] * 200_000) + " = 1"
    for body, kind in (({"toml": text}, "json"), ({"file": stream(text.encode(), "p.toml")}, "multipart")):
        answer = alice_client.post("/api/pools/import/", body, kind)
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == "toml_shape"


def test_an_import_needs_exactly_one_source(alice_client):
    assert alice_client.post("/api/pools/import/", {}, "json").json()["error"]["code"] == "pool_import"
    binary = alice_client.post("/api/pools/import/", {"file": stream(b"\xff\xfe", "p.toml")}, "multipart")
    assert binary.json()["error"]["code"] == "not_toml"


def test_a_deleted_pool_is_gone(alice_client):
    pool = add_pool(alice_client)
    assert alice_client.delete(f"/api/pools/{pool['id']}/").status_code == 204
    assert alice_client.get(f"/api/pools/{pool['id']}/").status_code == 404
    assert not Pool.objects.exists()


def test_a_hostile_name_stays_out_of_the_header(alice_client):
    spec = {**POOL, "name": 'a"; filename="evil.exe'}
    pool = add_pool(alice_client, spec)
    assert pool["name"] == 'a"; filename="evil.exe'
    header = alice_client.get(f"/api/pools/{pool['id']}/toml/")["Content-Disposition"]
    assert header == 'attachment; filename="a-filename-evil.exe.toml"'


@pytest.mark.parametrize("body", ["[" * 200_000, '{"spec":' * 50_000, "{", "", "\x00"])
def test_a_body_that_is_no_json_is_refused(alice_client, body):
    answer = alice_client.post("/api/pools/", body, content_type="application/json")
    assert answer.status_code == 400


def test_lists_come_in_pages_with_links_that_hold_behind_any_proxy(alice_client):
    for _ in range(3):
        add_pool(alice_client)
    first = alice_client.get("/api/pools/", {"limit": 2}, headers={"host": "localhost"}).json()
    assert (first["count"], len(first["results"]), first["previous"]) == (3, 2, None)
    assert first["next"] == "/api/pools/?limit=2&offset=2"
    second = alice_client.get(first["next"]).json()
    assert (len(second["results"]), second["next"], second["previous"]) == (1, None, "/api/pools/?limit=2")


def test_an_imported_file_is_read_in_the_sandbox_and_nowhere_else(alice_client, monkeypatch):
    """Dates and infinities, which JSON does not know, are refused by name."""
    monkeypatch.setattr("apps.pools.reading.parse_pool_toml", lambda _: pytest.fail("parsed in the web process"))
    good = 'name = "one"\n[[devices]]\nname = "gpu0"\ntemplate = "NVIDIA_L4"\n'
    assert alice_client.post("/api/pools/import/", {"toml": good}, "json").status_code == 201
    for figure in ("inf", "nan", "2026-01-01"):
        answer = alice_client.post("/api/pools/import/", {"toml": f"{good}idle_power_w = {figure}\n"}, "json")
        assert answer.status_code == 400
        assert "idle_power_w" in answer.content.decode()
