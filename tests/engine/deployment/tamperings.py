"""Ways in which a file of each format can stop holding its plan, by format and name; each changes a folder in place."""

from __future__ import annotations

import csv
import io
import json

import onnx
import yaml

from heteroopt.deployment.exporters.triton_config import parsed_config
from heteroopt.deployment.report_html import embedded_data


def edit(path, change):
    """Change the JSON of a file."""
    document = json.loads(path.read_text("utf-8"))
    change(document)
    path.write_text(json.dumps(document), "utf-8")


def edit_model(path, change):
    model = onnx.load(str(path), load_external_data=False)
    change(model.graph)
    onnx.save(model, str(path))


def edit_yaml(path, change):
    documents = list(yaml.safe_load_all(path.read_text("utf-8")))
    change(documents)
    path.write_text(yaml.safe_dump_all(documents), "utf-8")


def edit_csv(path, change):
    rows = list(csv.reader(io.StringIO(path.read_text("utf-8"), newline="")))
    change(rows[0], rows[1:], kept := rows[1:])
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\r\n").writerows([rows[0], *kept])


def edit_report(path, change):
    text = path.read_text("utf-8")
    data = embedded_data(text)
    head, _, rest = text.partition('<script type="application/json" id="data">')
    change(data)
    tail = rest.partition("</script>")[2]
    path.write_text(f'{head}<script type="application/json" id="data">{json.dumps(data)}</script>{tail}', "utf-8")


def swap(rows, key, first=0, second=1):
    rows[first][key], rows[second][key] = rows[second][key], rows[first][key]


def other(row, key="device"):
    """Another device of the plan."""
    row[key] = {"gpu0": "cpu0", "cpu0": "gpu0", "npu0": "cpu0"}[row[key]]


def triton_models(folder):
    return sorted((folder / "models").glob("*_segment_*"), key=lambda path: int(path.name.rpartition("_")[2]))


def triton_steps(folder, change):
    path = next(path for path in folder.rglob("config.pbtxt") if "_segment_" not in path.parent.name)
    config = parsed_config(path.read_text())
    change(config.ensemble_scheduling.step)
    path.write_text(str(config))


def reorder_steps(steps):
    kept = [parsed_config_step(step) for step in steps]
    del steps[:]
    steps.extend(reversed(kept))


def parsed_config_step(step):
    made = type(step)()
    made.CopyFrom(step)
    return made


def replace_in(path, before, after, count=1):
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after, count), "utf-8")


def retype(graph):
    """The operator is gone; another makes what it made, so that the model is valid all the same."""
    node = next(node for node in graph.node if node.op_type == "Add")
    node.op_type = "Sub"


def rename_node(prefix):
    def change(graph):
        node = next(node for node in graph.node if node.name.startswith(prefix))
        node.name = "gone"

    return change


def pods(documents):
    return [document["spec"]["template"]["spec"]["containers"][0]["env"] for document in documents[::2]]


def set_variable(environment, name, change):
    entry = next(entry for entry in environment if entry["name"] == name)
    entry["value"] = change(entry["value"])


SEGMENTS = "HETEROOPT_SEGMENTS"
MUTATIONS = {
    "plan-json": {
        "drop an operator": lambda f: edit(f / "plan.json", lambda d: d["operators"].pop(3)),
        "drop a member": lambda f: edit(f / "plan.json", lambda d: d["operators"][3]["members"].pop()),
        "drop a placement": lambda f: edit(f / "plan.json", lambda d: d["placement"].pop(3)),
        "move an operator": lambda f: edit(f / "plan.json", lambda d: other(d["operators"][3])),
        "move a placement": lambda f: edit(f / "plan.json", lambda d: other(d["placement"][3])),
        "repeat an operator": lambda f: edit(f / "plan.json", lambda d: d["operators"].append(d["operators"][3])),
        "change the order": lambda f: edit(f / "plan.json", lambda d: swap(d["operators"], "order")),
        "change a segment": lambda f: edit(f / "plan.json", lambda d: d["operators"][3].update(segment=2)),
        "change a hash": lambda f: edit(f / "plan.json", lambda d: d["hashes"].update(costs="0" * 64)),
    },
    "csv": {
        "drop an operator": lambda f: edit_csv(f / "operators.csv", lambda h, r, kept: kept.pop(3)),
        "move an operator": lambda f: edit_csv(f / "operators.csv", lambda h, r, kept: other(kept[3], 4)),
        "repeat an operator": lambda f: edit_csv(f / "operators.csv", lambda h, r, kept: kept.append(kept[3])),
        "change the order": lambda f: edit_csv(f / "operators.csv", lambda h, r, kept: swap(kept, 0)),
        "change a segment": lambda f: edit_csv(f / "operators.csv", lambda h, r, kept: swap(kept, 15, 0, -1)),
    },
    "trace": {
        "drop an operator": lambda f: edit(f / "trace.json", lambda d: d["traceEvents"].pop(slice_of(d, 3))),
        "move an operator": lambda f: edit(
            f / "trace.json", lambda d: d["traceEvents"][slice_of(d, 3)].update(tid=4, ts=0, dur=0)
        ),
        "repeat an operator": lambda f: edit(
            f / "trace.json", lambda d: d["traceEvents"].append(dict(d["traceEvents"][slice_of(d, 3)], ts=1e9))
        ),
        "change the order": lambda f: edit(
            f / "trace.json",
            lambda d: swap([d["traceEvents"][slice_of(d, n)]["args"] for n in (0, 1)], "order"),
        ),
        "change a hash": lambda f: edit(f / "trace.json", lambda d: d["otherData"]["hashes"].update(plan="0" * 64)),
    },
    "report-html": {
        "drop an operator": lambda f: edit_report(
            f / "report.html", lambda d: (d["operators"].pop(3), d["members"].pop(3))
        ),
        "move an operator": lambda f: edit_report(f / "report.html", lambda d: other(d["operators"][3], 2)),
        "repeat an operator": lambda f: edit_report(
            f / "report.html",
            lambda d: (d["operators"].append(d["operators"][3]), d["members"].append(d["members"][3])),
        ),
        "change the order": lambda f: edit_report(f / "report.html", lambda d: swap(d["operators"], 4)),
        "change a hash": lambda f: edit_report(f / "report.html", lambda d: d["hashes"][0].__setitem__(1, "0" * 64)),
    },
    "ort-segments": {
        "drop an operator": lambda f: edit_model(f / "segments" / "segment_1.onnx", retype),
        "move a segment": lambda f: edit(f / "plan.json", lambda d: other(d["segments"][1])),
        "repeat a segment": lambda f: edit(f / "plan.json", lambda d: d["segments"].append(d["segments"][1])),
        "drop a segment": lambda f: edit(f / "plan.json", lambda d: d["segments"].pop()),
        "change the order": lambda f: edit(f / "plan.json", lambda d: d["segments"].reverse()),
        "change the device": lambda f: edit(
            f / "plan.json", lambda d: d["devices"][0].update(provider="CPUExecutionProvider", options={})
        ),
        "change a hash": lambda f: edit(f / "plan.json", lambda d: d.update(plan="0" * 64)),
        "swap two files": lambda f: edit(f / "plan.json", lambda d: swap(d["segments"], "file", 0, 2)),
    },
    "openvino-hetero": {
        "drop an operator": lambda f: edit(f / "affinities.json", lambda d: d["operators"].pop(3)),
        "move an operator": lambda f: edit(f / "affinities.json", lambda d: other(d["operators"][3])),
        "repeat an operator": lambda f: edit(
            f / "affinities.json", lambda d: d["operators"].append(dict(d["operators"][3], device="cpu0"))
        ),
        "name other outputs": lambda f: edit(f / "affinities.json", lambda d: swap(d["operators"], "outputs")),
        "change the device": lambda f: edit(f / "affinities.json", lambda d: d["targets"].update(gpu0="CPU")),
        "change a hash": lambda f: edit(f / "affinities.json", lambda d: d.update(model="0" * 64)),
    },
    "ort-annotations": {
        "drop an operator": lambda f: edit_model(f / "model.onnx", rename_node("h")),
        "move an operator": lambda f: edit_model(
            f / "model.onnx",
            lambda graph: setattr(
                next(n for n in graph.node if n.name.startswith("h0000003h")).metadata_props[0], "value", "device2"
            ),
        ),
        "name other outputs": lambda f: edit_model(
            f / "model.onnx",
            lambda graph: setattr(
                next(n for n in graph.node if n.name.startswith("h0000003h")), "name", "h0000004h_other"
            ),
        ),
        "drop a setting's operator": lambda f: edit(f / "session.json", lambda d: d["operators"].pop(3)),
        "move a setting's operator": lambda f: edit(f / "session.json", lambda d: other(d["operators"][3])),
        "change the device": lambda f: replace_in(f / "session.json", "cuda(=device0)", "cpu(=device0)"),
        "change a provider": lambda f: edit(
            f / "session.json", lambda d: d["operators"][3].update(provider="CPUExecutionProvider")
        ),
        "change a hash": lambda f: edit(f / "session.json", lambda d: d.update(model_hash="0" * 64)),
    },
    "tensorrt": {
        "drop an operator": lambda f: edit_model(f / "model.onnx", rename_node("op")),
        "name other outputs": lambda f: edit_model(
            f / "model.onnx",
            lambda graph: setattr(next(n for n in graph.node if n.name == "op0000003"), "name", "op0000004_1"),
        ),
        "move an operator": lambda f: replace_in(f / "trtexec.json", "op0000003:GPU,op0000003_*:GPU,", ""),
        "drop a row": lambda f: edit(f / "trtexec.json", lambda d: d["operators"].pop(3)),
        "move a row": lambda f: edit(
            f / "trtexec.json", lambda d: d["operators"][3].update(device="cpu0", device_type="DLA")
        ),
        "repeat a row": lambda f: edit(f / "trtexec.json", lambda d: d["operators"].append(d["operators"][3])),
        "change the device": lambda f: replace_in(f / "trtexec.json", "--useDLACore=0", "--useDLA=0"),
        "change a hash": lambda f: edit(f / "trtexec.json", lambda d: d.update(model_hash="0" * 64)),
    },
    "ascend": {
        "drop an operator": lambda f: edit_model(f / "segments" / "segment_1.onnx", retype),
        "move a segment": lambda f: edit(f / "runtime.json", lambda d: other(d["segments"][1])),
        "repeat a segment": lambda f: edit(f / "runtime.json", lambda d: d["segments"].append(d["segments"][0])),
        "drop a segment": lambda f: edit(f / "runtime.json", lambda d: d["segments"].pop()),
        "change the order": lambda f: edit(f / "runtime.json", lambda d: d["segments"].reverse()),
        "change the device": lambda f: replace_in(f / "convert.sh", "Ascend910B3", "Ascend310P3", 9),
        "repeat a command": lambda f: (f / "convert.sh").write_text((f / "convert.sh").read_text() * 2),
        "change a provider": lambda f: replace_in(f / "runtime.json", "CPUExecution", "CUDAExecution"),
        "change a hash": lambda f: edit(f / "runtime.json", lambda d: d.update(model_hash="0" * 64)),
    },
    "triton": {
        "drop an operator": lambda f: edit_model(triton_models(f)[1] / "1" / "model.onnx", retype),
        "move a segment": lambda f: replace_in(triton_models(f)[0] / "config.pbtxt", "gpus: 0", "gpus: 1"),
        "move a segment to the CPU": lambda f: (triton_models(f)[0] / "config.pbtxt").write_text(
            (triton_models(f)[0] / "config.pbtxt").read_text().replace("KIND_GPU", "KIND_CPU").replace("gpus: 0", "")
        ),
        "repeat a segment": lambda f: triton_steps(f, lambda steps: steps.append(parsed_config_step(steps[0]))),
        "drop a step": lambda f: triton_steps(f, lambda steps: steps.pop()),
        "change the order": lambda f: triton_steps(f, reorder_steps),
        "swap two models": lambda f: swap_files(
            triton_models(f)[0] / "1" / "model.onnx", triton_models(f)[1] / "1" / "model.onnx"
        ),
    },
    "accelerate": {
        "drop a module": lambda f: edit(f / "device_map.json", lambda d: d.pop("encoder")),
        "move a module": lambda f: edit(f / "device_map.json", lambda d: d.update(encoder=0)),
        "swap two devices": lambda f: edit(
            f / "device_map.json", lambda d: d.update({m: "cpu" if v == 0 else 0 for m, v in d.items()})
        ),
        "repeat a module": lambda f: edit(f / "device_map.json", lambda d: d.update({"encoder.layer": "cpu"})),
        "add a module": lambda f: edit(f / "device_map.json", lambda d: d.update(decoder="cpu")),
        "use another device": lambda f: replace_in(f / "device_map.json", '"cpu"', '"disk"', 99),
    },
    "torch-pipelining": {
        "drop a module": lambda f: edit(f / "stages.json", lambda d: d["stages"][0]["modules"].pop()),
        "move a module": lambda f: edit(
            f / "stages.json", lambda d: d["stages"][0]["modules"].append(d["stages"][1]["modules"].pop())
        ),
        "move a stage": lambda f: edit(f / "stages.json", lambda d: other(d["stages"][1])),
        "repeat a stage": lambda f: edit(f / "stages.json", lambda d: d["stages"].append(d["stages"][1])),
        "drop a stage": lambda f: edit(f / "stages.json", lambda d: d["stages"].pop()),
        "change the order": lambda f: edit(f / "stages.json", lambda d: d["stages"].reverse()),
        "begin elsewhere": lambda f: edit(f / "stages.json", lambda d: d["stages"][1].update(begins="embeddings")),
        "change the device": lambda f: edit(f / "stages.json", lambda d: d["stages"][0].update(torch="1")),
        "change a hash": lambda f: edit(f / "stages.json", lambda d: d.update(model_hash="0" * 64)),
    },
    "kubernetes": {
        "drop a segment": lambda f: edit_yaml(
            f / "plan.yaml", lambda d: set_variable(pods(d)[0], SEGMENTS, lambda v: v.split(",")[0])
        ),
        "repeat a segment": lambda f: edit_yaml(
            f / "plan.yaml", lambda d: set_variable(pods(d)[0], SEGMENTS, lambda v: v.split(",")[0] + "," + v)
        ),
        "repeat a deployment": lambda f: edit_yaml(f / "plan.yaml", lambda d: d.extend(d[:2])),
        "move a segment": lambda f: edit_yaml(
            f / "plan.yaml", lambda d: set_variable(pods(d)[1], SEGMENTS, lambda v: f"{v},2")
        ),
        "swap two devices": lambda f: edit_yaml(
            f / "plan.yaml",
            lambda d: [set_variable(p, "HETEROOPT_DEVICE", {"cpu0": "gpu0", "gpu0": "cpu0"}.get) for p in pods(d)],
        ),
        "change the order": lambda f: edit_yaml(
            f / "plan.yaml", lambda d: set_variable(pods(d)[0], SEGMENTS, lambda v: ",".join(v.split(",")[::-1]))
        ),
        "drop a deployment": lambda f: edit_yaml(f / "plan.yaml", lambda d: d.pop(0)),
        "drop a service": lambda f: edit_yaml(f / "plan.yaml", lambda d: d.pop(1)),
        "change the device": lambda f: replace_in(f / "plan.yaml", "nvidia.com/gpu", "amd.com/gpu"),
        "change a runtime": lambda f: replace_in(f / "plan.yaml", "value: cuda", "value: openvino"),
        "change the image": lambda f: replace_in(f / "plan.yaml", "runner:1", "runner:2"),
        "change a hash": lambda f: edit_yaml(
            f / "plan.yaml", lambda d: [set_variable(p, "HETEROOPT_PLAN_HASH", lambda v: "0" * 64) for p in pods(d)]
        ),
    },
    "compose": {
        "drop a segment": lambda f: compose(f, lambda s: s["gpu0"]["environment"].update({SEGMENTS: "0"})),
        "repeat a segment": lambda f: compose(f, lambda s: s["gpu0"]["environment"].update({SEGMENTS: "0,0,2"})),
        "repeat a service": lambda f: compose(f, lambda s: s.update(again=s["gpu0"])),
        "move a segment": lambda f: compose(f, lambda s: s["cpu0"]["environment"].update({SEGMENTS: "1,2"})),
        "swap two devices": lambda f: compose(
            f,
            lambda s: [
                s[a]["environment"].update(HETEROOPT_DEVICE=b) for a, b in (("cpu0", "gpu0"), ("gpu0", "cpu0"))
            ],
        ),
        "change the order": lambda f: compose(f, lambda s: s["gpu0"]["environment"].update({SEGMENTS: "2,0"})),
        "drop a service": lambda f: compose(f, lambda s: s.pop("cpu0")),
        "change the device": lambda f: compose(f, lambda s: s["gpu0"].pop("deploy")),
        "change the image": lambda f: replace_in(f / "compose.yaml", "runner:1", "runner:2"),
        "put in a variable": lambda f: compose(f, lambda s: s["gpu0"]["environment"].update(HETEROOPT_DEVICE="${X}")),
        "change a hash": lambda f: compose(
            f, lambda s: [one["environment"].update(HETEROOPT_PLAN_HASH="0" * 64) for one in s.values()]
        ),
    },
}  # fmt: skip


def compose(folder, change):
    edit_yaml(folder / "compose.yaml", lambda documents: change(documents[0]["services"]))


def slice_of(document, order):
    """Where the slice of the operator at a place in the order stands."""
    events = document["traceEvents"]
    return next(
        at for at, event in enumerate(events) if event["ph"] == "X" and event.get("args", {}).get("order") == order
    )


def swap_files(first, second):
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)
