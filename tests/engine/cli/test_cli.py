"""The command line: what it prints, what it writes, how it exits."""

import json
import os
import pty
import re
import subprocess
import sys

import jsonschema
import pytest

import heteroopt
from heteroopt.cli import main
from heteroopt.cli.output import ProgressBar, printable, table
from heteroopt.deployment.plan_reader import plan_schema
from heteroopt.devices import DevicePool, list_templates
from heteroopt.graph.samples import bert_encoder_onnx
from heteroopt.progress import Progress
from tests.engine.api.documents import diamond

QUICK = ["--generations", "5", "--population", "16"]


@pytest.fixture
def tables(tmp_path):
    path = tmp_path / "tables.json"
    path.write_text(json.dumps(diamond()))
    return str(path)


@pytest.fixture
def plan_file(tables, tmp_path, capsys):
    path = tmp_path / "PLAN.json"
    assert main(["plan", "--tables", tables, *QUICK, "--out", str(path)]) == 0
    capsys.readouterr()
    return str(path)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "encoder.onnx"
    path.write_bytes(bert_encoder_onnx(layers=1, hidden=64, heads=2, seq=16))
    return str(path)


def as_json(capsys, arguments, code=0):
    assert main(arguments) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


def test_inspect(model, capsys):
    account = as_json(capsys, ["inspect", model, "--json"])
    assert account["n_operators"] == sum(account["op_types"].values())
    assert account["n_schedulable"] < account["n_operators"]
    assert account["flops"] > 0
    assert account["inputs"][0]["shape"]
    assert main(["inspect", model]) == 0
    text = capsys.readouterr().out
    assert f"{account['n_operators']} operators, {account['n_edges']} edges" in text
    assert "MatMul" in text


def test_devices(capsys):
    listed = as_json(capsys, ["devices", "--json"])
    assert [device["template"] for device in listed["templates"]] == list(list_templates())
    assert "data_center" in listed["sample_pools"]
    assert main(["devices"]) == 0
    assert "NVIDIA_A100_40G" in capsys.readouterr().out
    assert main(["devices", "Ascend_910"]) == 0
    text = capsys.readouterr().out
    assert "memory_bandwidth_gb_per_s: 1200.0" in text
    assert "Hot Chips" in text
    assert as_json(capsys, ["devices", "Ascend_910", "--json"])["device_type"] == "NPU"


def test_a_sample_pool_as_toml_is_a_pool_file(capsys, tmp_path):
    assert main(["devices", "--pool", "edge", "--toml"]) == 0
    text = capsys.readouterr().out
    path = tmp_path / "my.toml"
    path.write_text(text)
    pool = as_json(capsys, ["devices", "--pool", str(path), "--json"])
    assert pool["pool_hash"] == DevicePool.from_toml(text).content_hash
    assert pool["tags"] == ["G0", "N0", "N1", "C0"]
    assert main(["devices", "--pool", str(path)]) == 0
    assert "Usable memory: lpddr5" in capsys.readouterr().out


def test_plan_on_a_model_and_a_sample_pool(model, tmp_path, capsys):
    files = {name: tmp_path / name for name in ("plan.json", "report.html", "operators.csv")}
    arguments = ["plan", model, "--pool", "workstation", *QUICK, "--seed", "4", "--json"]
    arguments += ["--out", str(files["plan.json"]), "--html", str(files["report.html"])]
    answer = as_json(capsys, [*arguments, "--csv", str(files["operators.csv"])])
    assert answer["plan"]["exec_time_ms"] > 0
    assert answer["plan"]["number"] in [plan["number"] for plan in answer["front"]]
    assert (answer["seed"], answer["satisfied"]) == (4, True)
    document = json.loads(files["plan.json"].read_text())
    jsonschema.validate(document, plan_schema())
    assert document["plan"]["exec_time_ms"] == answer["plan"]["exec_time_ms"]
    assert "<!doctype html>" in files["report.html"].read_text()
    assert files["operators.csv"].read_bytes().startswith(b"order,index,name")


def test_plan_in_words(tables, tmp_path, capsys):
    assert main(["plan", "--tables", tables, *QUICK, "--weights", "1,0,0"]) == 0
    captured = capsys.readouterr()
    assert "execution time" in captured.out
    assert "everything on gpu0" in captured.out
    assert captured.err == ""


def test_plan_with_pins_forbidden_devices_and_a_memory_limit(tables, capsys):
    arguments = ["plan", "--tables", tables, *QUICK, "--pin", "left=cpu0", "--forbid", "npu0", "--max-memory-gb", "0.5"]
    answer = as_json(capsys, [*arguments, "--json"])
    operators = {device["name"]: device["operators"] for device in answer["plan"]["devices"]}
    assert operators["npu0"] == 0
    assert operators["cpu0"] >= 1


def test_exit_code_3_when_nothing_is_within_the_bounds(tables, tmp_path, capsys):
    path = tmp_path / "plan.json"
    arguments = ["plan", "--tables", tables, *QUICK, "--max", "time=0.0001", "--out", str(path)]
    assert main(arguments) == 3
    captured = capsys.readouterr()
    assert "No plan is within the bounds" in captured.err
    assert "nearest is plan 1" in captured.err
    assert json.loads(path.read_text())["plan"]["number"] == 1
    answer = as_json(capsys, [*arguments, "--json"], code=3)
    assert answer["trouble"]["code"] == "none_satisfies"


def test_exit_code_3_when_no_plan_fits(tmp_path, capsys):
    document = diamond()
    for device in document["devices"]:
        device["memory_size_bytes"] = 1000
    path = tmp_path / "tables.json"
    path.write_text(json.dumps(document))
    out, again = tmp_path / "plan.json", tmp_path / "again.json"
    arguments = ["plan", "--tables", str(path), *QUICK, "--out", str(out)]
    assert main(arguments) == 3
    said = capsys.readouterr().err
    trouble = as_json(capsys, [*arguments, "--json"], code=3)["trouble"]
    (exceeded, *_) = trouble["params"]["memory_exceeded"]
    device = exceeded["devices"][0]
    assert f"exceeds the memory of {device} by" in said
    assert f"give {device} " in said
    assert exceeded["overflow_bytes"] == exceeded["peak_bytes"] - exceeded["limit_bytes"] > 0
    assert exceeded["needed_memory_bytes"] > exceeded["size_bytes"] == 1000

    for command in (["select", str(out), "--style", "fastest", "--out", str(again)], ["explain", str(out)]):
        assert main(command) == 3
        assert f"exceeds the memory of {device} by" in capsys.readouterr().err
        answer = as_json(capsys, [*command, "--json"], code=3)
        assert not answer["satisfied"]
        assert answer["trouble"] == trouble
    assert json.loads(again.read_text())["plan"]["overflow_bytes"] == trouble["params"]["overflow_bytes"]
    assert main(["explain", str(out), "--operator", "a"]) == 3
    assert device in capsys.readouterr().err
    assert not as_json(capsys, ["explain", str(out), "--operator", "a", "--json"], code=3)["satisfied"]


def test_the_memory_limit_that_would_do_is_named_and_does(tables, capsys):
    arguments = ["plan", "--tables", tables, *QUICK, "--json", "--max-memory-gb"]
    trouble = as_json(capsys, [*arguments, "0.0001"], code=3)["trouble"]
    assert "raise the memory limit of" in trouble["hint"]
    needed = max(entry["needed_limit_bytes"] for entry in trouble["params"]["memory_exceeded"])
    assert as_json(capsys, [*arguments, str((needed + 1) / 1e9)])["satisfied"]


def test_the_memory_limit_that_would_do_holds_what_is_kept_free_too(tmp_path, capsys):
    document = diamond()
    for device in document["devices"]:
        device["workspace_bytes"] = 50_000_000
    path = tmp_path / "tables.json"
    path.write_text(json.dumps(document))
    arguments = ["plan", "--tables", str(path), *QUICK, "--json", "--max-memory-gb"]
    trouble = as_json(capsys, [*arguments, "0.04"], code=3)["trouble"]
    (exceeded, *_) = trouble["params"]["memory_exceeded"]
    assert exceeded["needed_limit_bytes"] == exceeded["peak_bytes"] + 50_000_000
    assert as_json(capsys, [*arguments, str((exceeded["needed_limit_bytes"] + 1) / 1e9)])["satisfied"]


def test_exit_code_3_for_an_operator_that_no_device_supports(model, tmp_path, capsys):
    pool = tmp_path / "pool.toml"
    pool.write_text('[[devices]]\nname = "f"\ntemplate = "Xilinx_Alveo_U250"\n')
    answer = as_json(capsys, ["plan", model, "--pool", str(pool), "--json"], code=3)
    assert answer["error"]["code"] == "operator_unsupported"


def test_select(plan_file, tmp_path, capsys):
    fastest = as_json(capsys, ["select", plan_file, "--style", "fastest", "--json"])
    assert fastest["plan"]["number"] == 1
    energy = as_json(capsys, ["select", plan_file, "--weights", "0,100,0", "--max", "time=1.0x", "--json"])
    assert energy["plan"]["exec_time_x"] <= 1.0
    assert energy["removed_by"]["exec_time_ms.max"] + len(energy["passing"]) == len(front_of(plan_file))
    chosen = tmp_path / "chosen.json"
    assert main(["select", plan_file, "--style", "least_energy", "--out", str(chosen)]) == 0
    assert "Wrote" in capsys.readouterr().out
    document = json.loads(chosen.read_text())
    jsonschema.validate(document, plan_schema())
    least = min(front_of(plan_file), key=lambda plan: plan["energy_j"])
    assert document["plan"]["energy_j"] == least["energy_j"]
    assert document["hashes"]["plan"] == least["hash"]
    assert as_json(capsys, ["select", plan_file, "--style", "knee", "--json"])["satisfied"]


def front_of(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["search"]["front"]


def test_select_says_when_nothing_satisfies(plan_file, capsys):
    assert main(["select", plan_file, "--max", "time=0.0001"]) == 3
    captured = capsys.readouterr()
    assert "No plan is within the bounds" in captured.err
    assert re.search(r"misses the upper bound of execution time by [\d.e+]+ ms", captured.err)
    answer = as_json(capsys, ["select", plan_file, "--max", "time=0.0001", "--json"], code=3)
    assert not answer["satisfied"]
    assert answer["plan"]["number"] == 1


def test_explain(plan_file, capsys):
    answer = as_json(capsys, ["explain", plan_file, "--json"])
    assert {row["operator"] for row in answer["operators"]} == {"a", "left", "right", "join"}
    assert all(row["reason"]["code"] for row in answer["operators"])
    one = as_json(capsys, ["explain", plan_file, "--operator", "join", "--number", "1", "--json"])
    assert {row["device"] for row in one["alternatives"]} == {"gpu0", "npu0", "cpu0"} - {one["device"]}
    assert {row["device"]: row["code"] for row in one["alternatives"]}["npu0"] == "not_supported"
    assert main(["explain", plan_file, "--operator", "left"]) == 0
    assert "Moved to" in capsys.readouterr().out
    assert main(["explain", plan_file]) == 0
    assert "Reason" in capsys.readouterr().out
    assert main(["explain", plan_file, "--operator", "nowhere"]) == 1
    assert "no operator 'nowhere'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["fly"],
        ["plan"],
        ["plan", "model.onnx"],
        ["plan", "--tables", "t.json", "--pool", "edge"],
        ["plan", "model.onnx", "--pool", "edge", "--seed", "-1"],
        ["plan", "model.onnx", "--pool", "edge", "--dim", "N=0"],
        ["plan", "model.onnx", "--pool", "edge", "--dim", "N"],
        ["plan", "model.onnx", "--pool", "edge", "--weights", "50,50"],
        ["plan", "model.onnx", "--pool", "edge", "--max", "time=fast"],
        ["select"],
    ],
)
def test_wrong_usage_is_exit_code_2(arguments, capsys):
    assert main(arguments) == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["inspect", "missing.onnx"], "model_not_found"),
        (["plan", "missing.onnx", "--pool", "edge"], "model_not_found"),
        (["plan", "missing.onnx", "--pool", "nowhere"], "unknown_sample_pool"),
        (["plan", "missing.onnx", "--pool", "nowhere.toml"], "pool_file"),
        (["devices", "Abacus"], "unknown_template"),
        (["select", "missing.json"], "plan_file"),
    ],
)
def test_errors_are_exit_code_1_with_a_message_and_a_code(arguments, code, capsys):
    assert main(arguments) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("heteroopt: ")
    assert captured.out == ""
    assert as_json(capsys, [*arguments, "--json"], code=1)["error"]["code"] == code


@pytest.mark.parametrize(
    ("device", "link", "named"),
    [
        ("memory_bandwidth_gb_per_s = 0.01555", "", ("gpu0", "memory_bandwidth_gb_per_s", "0.1555", "1.555e+07")),
        ("", "latency_us = 1e6", ("gpu0 - cpu0", "latency_us", "0.001", "1e+05")),
    ],
)
def test_a_figure_off_by_ten_to_the_five_is_refused_with_its_range(device, link, named, model, tmp_path, capsys):
    pool = tmp_path / "pool.toml"
    pool.write_text(
        f'[[devices]]\nname = "gpu0"\ntemplate = "NVIDIA_A100_40G"\n{device}\n'
        '[[devices]]\nname = "cpu0"\ntemplate = "Intel_Xeon_8480"\n'
        f'[[links]]\nsource = "gpu0"\ntarget = "cpu0"\nlink_class = "PCIe"\n{link}\n'
    )
    assert main(["plan", model, "--pool", str(pool)]) == 1
    said = capsys.readouterr().err
    assert all(part in said for part in (*named, "Check the unit"))


def test_a_missing_model_and_an_unknown_objective_are_named(plan_file, capsys):
    assert main(["inspect", "nope.onnx"]) == 1
    assert "nope.onnx" in capsys.readouterr().err
    assert main(["select", plan_file, "--max", "speed=1"]) == 1
    assert "time, energy and balance" in capsys.readouterr().err


def test_the_p99_latency_is_searched_for_and_bounded_at_an_arrival_rate(tables, tmp_path, capsys):
    aims = ["--objective", "p99", "--objective", "energy", "--constraint", "p99<=1000"]
    refused = as_json(capsys, ["plan", "--tables", tables, *QUICK, *aims, "--json"], code=1)["error"]
    assert (refused["code"], refused["params"]) == ("objective_needs_arrivals", {"objective": "latency_p99_ms"})
    path = tmp_path / "plan.json"
    arguments = ["plan", "--tables", tables, *QUICK, *aims, "--arrival-rate", "10", "--out", str(path)]
    assert main(arguments) == 0
    assert "p99 latency at the arrival rate: " in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--out", "--html", "--csv"])
def test_a_file_that_cannot_be_written_is_said_before_the_search(tables, tmp_path, monkeypatch, capsys, option):
    monkeypatch.setattr("heteroopt.api.scheduler.Scheduler.run", lambda *_, **__: pytest.fail("the search started"))
    for target in (tmp_path / "nowhere" / "file", tmp_path):
        assert main(["plan", "--tables", tables, option, str(target)]) == 1
        assert str(target) in capsys.readouterr().err


def test_unknown_dims_are_named(model, capsys):
    assert main(["inspect", model, "--dim", "bogus_axis=3"]) == 1
    assert "bogus_axis" in capsys.readouterr().err


def test_version_and_help(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"heteroopt {heteroopt.__version__}"
    assert main(["plan", "--help"]) == 0
    assert "exit codes" in capsys.readouterr().out


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m heteroopt.cli devices --json | head -c 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_progress_bar_on_a_terminal_only(monkeypatch, capsys):
    bar = ProgressBar(quiet=False)
    bar(Progress(1, 10, "search"))
    assert capsys.readouterr().err == ""
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        shown = ProgressBar(quiet=False)
        shown(Progress(5, 10, "search"))
        shown.close()
        quiet = ProgressBar(quiet=True)
        quiet(Progress(10, 10, "search"))
    drawn = os.read(master, 1000).decode()
    os.close(master)
    assert "generation 5 of 10" in drawn
    assert "###############..............." in drawn
    assert "10 of 10" not in drawn


def test_names_cannot_steer_the_terminal():
    assert printable("a\x1b[31mb\n") == "a\N{REPLACEMENT CHARACTER}[31mb\N{REPLACEMENT CHARACTER}"
    assert table(("Name", "N"), [("x", 10), ("long", 2)], right=(1,)) == "Name   N\nx     10\nlong   2"


def test_serve_hands_its_options_to_the_web_application(monkeypatch):
    calls = []
    monkeypatch.setattr("django.core.management.execute_from_command_line", calls.append)
    assert main(["serve", "--port", "8123"]) == 0
    assert calls == [["heteroopt", "serve", "--port", "8123"]]


def test_a_sign_in_link_is_the_web_applications(monkeypatch):
    calls = []
    monkeypatch.setattr("django.core.management.execute_from_command_line", calls.append)
    assert main(["signin-url", "--user", "lee"]) == 0
    assert calls == [["heteroopt", "signin_url", "--user", "lee"]]


def test_serve_without_the_web_application_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "config.settings", None)
    assert main(["serve"]) == 1
    assert "web application is not installed" in capsys.readouterr().err


def test_prove_says_how_far_a_plan_can_be_from_the_fastest(plan_file, tmp_path, capsys):
    out = tmp_path / "fastest.json"
    answer = as_json(capsys, ["prove", plan_file, "--number", "1", "--seconds", "20", "--out", str(out), "--json"])
    assert answer["status"] == "optimal"
    assert answer["lower_bound_ms"] <= answer["exec_time_ms"]
    assert answer["gap"] < 1e-3
    jsonschema.validate(json.loads(out.read_text()), plan_schema())
    assert answer["written"]["exec_time_ms"] <= answer["exec_time_ms"]
    assert main(["prove", plan_file]) == 0
    said = capsys.readouterr().out
    assert "(plan 1 of the front)" in said
    assert "no plan is faster" in said
    assert main(["prove", str(out)]) == 0


def test_an_interrupted_proof_says_its_bound_and_writes_the_plan(plan_file, tmp_path, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("heteroopt.search.proof.Proof.run", interrupted)
    out = tmp_path / "fastest.json"
    assert main(["prove", plan_file, "--out", str(out), "--json"]) == 130
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "stopped"
    assert 0 < answer["lower_bound_ms"] <= answer["exec_time_ms"] == answer["written"]["exec_time_ms"]
    jsonschema.validate(json.loads(out.read_text()), plan_schema())
