"""``heteroopt training``: plans, plan files, losses and wrong profiles on a small cluster, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heteroopt.cli.run import run

CLUSTER = """
name = "small"
[gpu.fast]
bf16_tflop_per_s = 990
memory_gib = 80
fast_link_gb_per_s = 400
[gpu.slow]
bf16_tflop_per_s = 148
memory_gib = 96
fast_link_gb_per_s = 900
[[node]]
name = "one"
gpu = "fast"
gpus = 2
[[node]]
name = "two"
gpu = "slow"
gpus = 2
[network]
network_card_gb_per_s = 50
[model]
name = "tiny"
layers = 6
hidden = 2048
feed_forward = 5632
heads = 16
[workload]
sequence = 2048
sequences = 8
degrees = [1, 2]
"""


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    path = tmp_path / "cluster.toml"
    path.write_text(CLUSTER)
    return str(path)


def answer(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert run(["training", *arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_a_plan_holds_every_layer_and_is_labelled_simulated(cluster, tmp_path, capsys):
    out = tmp_path / "plan.json"
    found = answer(capsys, "plan", "--cluster", cluster, "--out", str(out))
    assert found == json.loads(out.read_text())
    assert found["step_is"] == "simulated"
    for pipeline in found["pipelines"]:
        assert sum(stage["layers"] for stage in pipeline["stages"]) == 6
    assert sum(pipeline["micro_batches"] for pipeline in found["pipelines"]) == 8
    assert found["tensors"]["layer5.mlp.up"]["shape"] == [5632, 2048]
    assert found["gain"] == pytest.approx(found["best_homogeneous"]["step_s"] / found["step_s"])
    assert found["request"]["model"]["name"] == "tiny"
    assert run(["training", "plan", "--cluster", cluster]) == 0
    text = capsys.readouterr().out
    assert "ms a micro-batch (simulated)" in text
    assert "Best homogeneous plan" in text
    assert "tiny, 8 sequences of 2048 tokens a step, 1f1b, ZeRO-1" in text


def test_options_count_more_than_the_file(cluster, capsys):
    found = answer(
        capsys, "plan", "--cluster", cluster, "--layers", "5", "--sequences", "4", "--no-zero1",
        "--schedule", "gpipe", "--pipelines", "2", "--degrees", "1",
    )  # fmt: skip
    assert found["request"]["model"]["layers"] == 5
    assert found["request"]["model"]["hidden"] == 2048
    assert found["request"]["workload"]["zero1"] is False
    assert found["request"]["workload"]["schedule"] == "gpipe"
    assert len(found["pipelines"]) == 2
    assert {len(stage["gpus"]) for one in found["pipelines"] for stage in one["stages"]} == {1}
    preset = answer(capsys, "plan", "--cluster", cluster, "--model", "llama-7b", "--layers", "2")
    assert (preset["request"]["model"]["hidden"], preset["request"]["model"]["layers"]) == (4096, 2)


def test_a_loss_moves_bytes_or_is_refused_by_name(cluster, tmp_path, capsys):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    answer(capsys, "plan", "--cluster", cluster, "--no-zero1", "--least-pipelines", "2", "--out", str(first))
    after = answer(capsys, "what-if", "--plan", str(first), "--lose", "3", "--out", str(second))
    used = {gpu for one in after["plan"]["pipelines"] for stage in one["stages"] for gpu in stage["gpus"]}
    assert used <= {0, 1, 2}
    assert after["lost"] == [3]
    assert after["bound_s"] <= after["send_s"]
    # The second loss starts from what the first one left.
    assert json.loads(second.read_text())["lost"] == [3]
    error = answer(capsys, "what-if", "--plan", str(second), "--lose", "0", "--lose", "1", "--lose", "2", code=1)[
        "error"
    ]
    assert error["code"] == "shards_lost"
    refused = answer(capsys, "what-if", "--cluster", cluster, "--pipelines", "1", "--lose", "one", code=1)
    assert refused["error"]["code"] == "shards_lost"
    assert "layer" in refused["error"]["params"]["tensors"]


def test_sensitivity_has_a_row_for_each_error(cluster, capsys):
    found = answer(
        capsys, "sensitivity", "--cluster", cluster, "--error", "0", "--error", "0.1", "--trials", "2", "--degrees", "1"
    )
    assert [one["error"] for one in found] == [0, 0.1]
    assert found[0]["mean_regret"] == 0
    assert found[0]["layout_changes"] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["plan"], "training_usage", "--cluster"),
        (["plan", "--cluster", "{}", "--model", "gpt-9"], "training_request", "llama-7b"),
        (["plan", "--cluster", "{}", "--hidden", "2050"], "training_request", "model.heads"),
        (["plan", "--cluster", "{}", "--degrees", "3"], "training_request", "workload.degrees"),
        (["plan", "--cluster", "{}", "--heads", "1", "--degrees", "2"], "training_request", "can be cut by 1 only"),
        (["plan", "--cluster", "{}", "--heads", "8192"], "training_request", "does not divide hidden, 2048"),
        (["sensitivity", "--cluster", "{}", "--background", "0.5"], "no_uplinks", "level"),
        (["sensitivity", "--cluster", "{}", "--background", "nan"], "training_usage", "--background"),
        (["plan", "--cluster", "{}", "--pipelines", "9"], "training_request", "workload.pipelines"),
        (["plan", "--cluster", "{}", "--sequence", "0"], "training_request", "workload.sequence"),
        (["plan", "--cluster", "{}", "--model", "llama-70b"], "training_infeasible", "llama-70b"),
        (["what-if", "--cluster", "{}", "--lose", "three"], "node_unknown", "three"),
        (["what-if", "--cluster", "{}", "--lose", "44"], "gpu_unknown", "44"),
        (["sensitivity", "--cluster", "{}", "--error", "2"], "training_usage", "--error"),
    ],
)
def test_what_cannot_be_is_refused(cluster, capsys, arguments, code, says):
    error = answer(capsys, *[one.format(cluster) for one in arguments], code=1)["error"]
    assert error["code"] == code
    assert says in error["message"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda plan: plan.update(format="other"), "format"),
        (lambda plan: plan.pop("request"), "request"),
        (lambda plan: plan["pipelines"][0].update(micro_batches=99), "micro-batches are not 8"),
        (lambda plan: plan["pipelines"][0]["stages"][0].update(layers=99), "layers are not 6"),
        (lambda plan: plan["pipelines"][0]["stages"][0].update(gpus=[77]), "no GPU 77"),
        (lambda plan: plan["pipelines"][0]["stages"][0].update(gpus=[0, 2]), "several nodes"),
        (lambda plan: plan.update(pipelines=[]), "pipelines"),
        (lambda plan: plan["tensors"].pop("head"), "tensors"),
        (lambda plan: plan["tensors"]["head"].update(shape=[1]), "head has not the shape"),
        (lambda plan: plan["tensors"]["head"]["groups"][0].update(devices=[3]), "the annotation of head"),
    ],
)
def test_a_plan_file_that_was_changed_is_refused(cluster, tmp_path, capsys, change, says):
    path = tmp_path / "plan.json"
    plan = answer(capsys, "plan", "--cluster", cluster, "--degrees", "1", "--pipelines", "1")
    change(plan)
    path.write_text(json.dumps(plan))
    error = answer(capsys, "what-if", "--plan", str(path), "--lose", "0", code=1)["error"]
    assert error["code"] == "training_plan_format"
    assert says in error["message"]


def test_what_is_no_toml_is_refused(tmp_path, capsys):
    path = tmp_path / "cluster.toml"
    path.write_text("name = ")
    assert answer(capsys, "plan", "--cluster", str(path), code=1)["error"]["code"] == "cluster_format"
    assert answer(capsys, "plan", "--cluster", str(tmp_path / "none"), code=1)["error"]["code"] == "file"


def test_a_file_that_is_not_there_has_a_hint(tmp_path, capsys):
    assert run(["training", "plan", "--cluster", str(tmp_path / "none.toml")]) == 1
    message, hint = capsys.readouterr().err.strip().splitlines()
    assert "none.toml: No such file" in message
    assert hint.strip()


def test_nesting_and_numbers_of_pipelines_are_refused_in_terms_of_the_cluster(cluster, tmp_path, capsys):
    deep = tmp_path / "deep.toml"
    deep.write_text("a = " + "[" * 100)
    assert run(["training", "plan", "--cluster", str(deep)]) == 1
    said = capsys.readouterr().err
    assert "not a cluster: line 1 goes beyond 16 nested brackets" in said
    assert "pool" not in said
    assert run(["training", "plan", "--cluster", cluster, "--pipelines", "5"]) == 1
    assert "above the number of GPUs, 4" in capsys.readouterr().err


def test_a_number_that_is_a_gpu_and_a_node_is_ambiguous(tmp_path, capsys):
    path = tmp_path / "cluster.toml"
    path.write_text(CLUSTER.replace('name = "one"', 'name = "3"'))
    assert run(["training", "what-if", "--cluster", str(path), "--lose", "3"]) == 1
    assert "--lose 3 is a GPU and a node's name" in capsys.readouterr().err


@pytest.mark.parametrize("entry", ['preset = ["llama-7b"]', 'name = "llama-7b"\nlayers = 6'])
def test_a_preset_is_one_name_with_its_own_measures(entry, tmp_path, capsys):
    path = tmp_path / "cluster.toml"
    path.write_text(CLUSTER.split("[model]")[0] + "[model]\nhidden = 2048\nfeed_forward = 5632\nheads = 16\n" + entry)
    error = answer(capsys, "plan", "--cluster", str(path), "--layers", "6" if "preset" in entry else "7", code=1)[
        "error"
    ]
    assert error["code"] == "training_request"
    assert "llama-7b" in error["message"]
