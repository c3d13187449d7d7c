"""Versions of a model: told apart by content, gathered by name, numbered by when each content first came."""

from tests.apps.modelhub.tus_client import add
from tests.apps.support import add_model, two_branches


def versions(client, model):
    answer = client.get(f"/api/models/{model['id']}/versions/")
    assert answer.status_code == 200
    return [(one["id"], one["version"]) for one in answer.json()]


def test_uploads_of_one_name_are_versions_and_equal_content_shares_a_number(alice_client):
    first = add(alice_client, {"net.onnx": two_branches()})
    second = add(alice_client, {"net.onnx": two_branches(2)})
    copy = add_model(alice_client, two_branches(), "renamed.onnx")
    other = add(alice_client, {"other.onnx": two_branches(3)})
    assert versions(alice_client, first) == [(copy["id"], 1), (second["id"], 2), (first["id"], 1)]
    assert versions(alice_client, second) == [(second["id"], 2), (first["id"], 1)]
    assert versions(alice_client, other) == [(other["id"], 1)]
    shown = alice_client.get(f"/api/models/{first['id']}/versions/").json()[-1]
    assert (shown["n_operators"], shown["content_hash"]) == (7, first["content_hash"])


def test_other_teams_and_deleted_models_are_no_versions(alice_client, outsider_client):
    mine = add(alice_client, {"net.onnx": two_branches()})
    theirs = add(outsider_client, {"net.onnx": two_branches()})
    gone = add(alice_client, {"net.onnx": two_branches(2)})
    alice_client.delete(f"/api/models/{gone['id']}/")
    assert versions(alice_client, mine) == [(mine["id"], 1)]
    assert outsider_client.get(f"/api/models/{mine['id']}/versions/").status_code == 404
    assert versions(outsider_client, theirs) == [(theirs["id"], 1)]
