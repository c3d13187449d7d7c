"""Options of all formats under hostile texts: refused with a reason, or in the files exactly as they were given."""

from __future__ import annotations

import json
import shlex

import pytest
import yaml

from heteroopt.deployment.export_plan import check_export, export_plan, refusals_of
from heteroopt.deployment.export_registry import SHIPPED, find_exporter
from heteroopt.deployment.exporters.containers import escaped, unescaped
from heteroopt.deployment.exporters.triton import instance_target
from heteroopt.deployment.exporters.triton_config import parsed_config
from heteroopt.deployment.option_values import MAX_VALUE
from heteroopt.errors import HeteroOptError
from tests.engine.deployment import plans
from tests.engine.deployment.test_engine_formats import CPU0, GPU0, LAYERED, NPU0, OPTIONS, placed

HOSTILE = (
    "a\nb", "\n", "a\r", "\t", "nul\0", "\x1b[31m", "\x7f", "\u202egnp", "a\u2066b", "\u200b", "\u2028", "\ud800",
    "\ue000",
    "'", '"', "`id`", "$", "${HOME}", "$(id)", "$$", "%s", "\\", ";rm", "a;b", "|", "&", "--x", "-", "a b", " a", "a ",
    "../x", "/", "..", "/etc/passwd", "~", "c:\\x", "//x", "a/../b", ":", "a:b", "a:b:c", "=", ",", ",,", "#", "a #b",
    "&a", "*a", "!!python/object:x", "{a: b}", "[x", "- x", "? x", "|-", "%", "@", "null", "~", "yes", "no", "0x10",
    "1e3", "007", "٣", "²", "0", "-1", "99999999999", "é", "模型", "😀", "A" * 65, "a" * 300,
    "a" * MAX_VALUE, "a" * 5000,
    "1.24", "0.1", "9", "12", "99999.1", "1.", "v", "latest", "cpu", "gpu:0", "gpu:x", "gpu:01", "CPU", "GPU.1", "DLA",
    "cuda/CUDAExecutionProvider", "atc", "Ascend910B3", "openvino:GPU", "registry.local:5000/a/b:1@sha256:x", "/dev/a",
    "/dev/../etc", "/dev/a,/dev/b", "/dev", "vendor.com/thing", "0-1", "3-1", "0,,1", "1" * 999,
)  # fmt: skip


def base(key, folder):
    """A request that the format takes."""
    model = plans.model_file(folder)
    place = {"ascend": lambda operator: NPU0 if operator.index % 9 == 4 else CPU0}.get(key, LAYERED)
    return placed(place, model, **OPTIONS.get(key, {}))


def fields(exporter, request):
    """Every option that can be given, the device's name put in."""
    used = sorted({request.plan.pool.devices[part.device].name for part in request.partition.segments})
    for option in exporter.options:
        if option.name != "version":
            yield from (f"{option.name[:-1]}{name}" for name in used) if option.name.endswith(".*") else [option.name]


def read_back(key, name, folder):
    """The value of an option as the format's files have it; ``None`` where they only act upon it."""
    kind, _, device = name.partition(".")
    text = lambda file: (folder / file).read_text("utf-8")  # noqa: E731
    if key == "compose":
        services = yaml.safe_load(text("compose.yaml"))["services"]
        own = [s for s in services.values() if s["environment"]["HETEROOPT_DEVICE"] == device] or list(
            services.values()
        )
        return {
            "image": lambda: own[0]["image"],
            "folder": lambda: unescaped(own[0]["volumes"][0]["source"]),
            "runtime": lambda: unescaped(own[0]["environment"]["PLATFORM_RUNTIME"]),
            "files": lambda: ",".join(own[0]["devices"]),
        }[kind]()
    if key == "kubernetes":
        pods = [
            d["spec"]["template"]["spec"] for d in yaml.safe_load_all(text("plan.yaml")) if d["kind"] == "Deployment"
        ]
        variables = [{entry["name"]: entry["value"] for entry in pod["containers"][0]["env"]} for pod in pods]
        own = next((pod for pod, v in zip(pods, variables, strict=True) if v["HETEROOPT_DEVICE"] == device), pods[0])
        return {
            "image": lambda: own["containers"][0]["image"],
            "namespace": lambda: next(yaml.safe_load_all(text("plan.yaml")))["metadata"]["namespace"],
            "claim": lambda: own["volumes"][0]["persistentVolumeClaim"]["claimName"],
            "resource": lambda: next(iter(own["containers"][0]["resources"]["limits"])),
            "runtime": lambda: unescaped(variables[pods.index(own)]["PLATFORM_RUNTIME"]),
        }[kind]()
    if key == "openvino-hetero":
        return json.loads(text("affinities.json"))["targets"][device]
    if key == "torch-pipelining":
        return next(s["torch"] for s in json.loads(text("stages.json"))["stages"] if s["device"] == device)
    if key == "accelerate":
        return {str(value) for value in json.loads(text("device_map.json")).values()}
    if key == "triton":
        configs = [parsed_config(path.read_text()) for path in folder.rglob("config.pbtxt")]
        return {instance_target(config) for config in configs if config.backend}
    if key == "ort-annotations":
        rule = json.loads(text("session.json"))
        provider = next(row["provider"] for row in rule["operators"] if row["device"] == device)
        words = rule["session_config"]["session.layer_assignment_settings"]
        return {f"{part.split('(')[0].strip()}/{provider}" for part in words.split(";")}
    if key == "ort-segments" and kind == "device":
        entry = next(d for d in json.loads(text("plan.json"))["devices"] if d["name"] == device)
        return {f"{entry['runtime']}:{entry['provider']}", entry["runtime"]}
    if key == "ascend" and kind == "soc":
        words = shlex.split(next(line for line in text("convert.sh").splitlines() if line.startswith("atc ")))
        return next(word.partition("=")[2] for word in words if word.startswith("--soc_version="))
    return None


WRITTEN = 10
"""Values of an option that are written and read again, of those that the format takes; the strangest first."""


@pytest.mark.parametrize("key", [key for key in SHIPPED if find_exporter(key).options])
def test_a_hostile_value_is_refused_or_kept(tmp_path, key):
    request, exporter = base(key, tmp_path), find_exporter(key)
    taken = 0
    for name in fields(exporter, request):
        enough = taken + WRITTEN
        for value in sorted(HOSTILE, key=lambda value: (value.isalnum(), HOSTILE.index(value))):
            given = plans.replace(request, options={**request.options, name: value})
            refusals = refusals_of(exporter, given)
            for refusal in refusals:
                assert refusal.message.isprintable() and refusal.hint.strip() and len(refusal.message) < 400
            if refusals or taken == enough:
                continue
            taken += 1
            folder = tmp_path / f"out{taken}"
            manifest = export_plan(key, given, folder)
            assert manifest["options"][name] == value
            check_export(folder, given)
            found = read_back(key, name, folder)
            assert found is None or found == value or value in found, (name, value, found)
    assert taken or key == "plan-json"


def hostile_cases():
    yield "compose", {"folder": "a\nb"}, "export_option_character"
    yield "compose", {"folder": "a" * 2000}, "export_option_long"
    yield "compose", {"runtime.cpu0": "${HOME}"}, "export_option_value"
    yield "compose", {"image": "a b"}, "export_image"
    yield "compose", {"files.cpu0": "/dev/../etc/shadow"}, "export_device_files"
    yield "kubernetes", {"namespace": "Default"}, "export_option_value"
    yield "kubernetes", {"resource.gpu0": "gpu"}, "export_resource"
    yield "triton", {"target.gpu0": "gpu:x"}, "export_option_value"
    yield "tensorrt", {"target.cpu0": "CPU"}, "export_option_value"
    yield "openvino-hetero", {"target.gpu0": "GPU.0,CPU"}, "export_option_value"
    yield "ort-annotations", {"target.gpu0": "CUDAExecutionProvider"}, "export_option_value"
    yield "accelerate", {"target.gpu0": "²"}, "export_option_value"
    yield "torch-pipelining", {"target.gpu0": "cuda:0; rm"}, "export_option_value"
    yield "ort-segments", {"cores.cpu0": "٣"}, "export_cores"
    yield "ort-segments", {"device.cpu0": "openvino:$(id)"}, "export_option_value"
    yield "ascend", {"soc.npu0": "Ascend910;id"}, "export_option_value"
    yield "plan-json", {"inputs": "maybe"}, "export_option_value"


@pytest.mark.parametrize(("key", "options", "code"), list(hostile_cases()))
def test_the_reason_is_named(tmp_path, key, options, code):
    request = base(key, tmp_path)
    given = plans.replace(request, options={**request.options, **options})
    assert [refusal.code for refusal in refusals_of(find_exporter(key), given)] == [code]
    with pytest.raises(HeteroOptError) as caught:
        export_plan(key, given, tmp_path / "out")
    assert caught.value.code == code and not (tmp_path / "out").exists()


VERSIONS = {
    "ort-segments": (("1.14", "1.14.1", "2.0"), ("1.13.1", "1", "0.5")),
    "openvino-hetero": (("2023.0", "2025.3"), ("2022.3",)),
    "ort-annotations": (("1.25", "1.26.0"), ("1.24", "1.24.9")),
    "tensorrt": (("10", "10.3"), ("8.6", "9", "12.0", "10.8", "11.4")),
    "ascend": (("7.0", "8.1"), ("6.3.1",)),
    "triton": (("2.0", "2.60.1"), ("1.9", "3.0", "24.05")),
    "accelerate": (("0.20.3", "1.2"), ("0.19",)),
    "torch-pipelining": (("2.4", "v2.9.1"), ("2.3.1", "1.13")),
    "kubernetes": (("v1.26", "1.34.2"), ("1.25",)),
    "compose": (("2", "v2.39.1", "5.0"), ("1.29",)),
}


@pytest.mark.parametrize("key", VERSIONS)
def test_an_engine_outside_of_the_stated_versions_is_refused(tmp_path, key):
    """TensorRT: of the plan with a DLA, which ends at 10.7."""
    request, exporter = base(key, tmp_path), find_exporter(key)
    for versions, refused in zip(VERSIONS[key], (False, True), strict=True):
        for version in versions:
            given = plans.replace(request, options={**request.options, "version": version})
            found = {refusal.code: refusal for refusal in refusals_of(exporter, given)}
            assert set(found) <= {"export_version", "export_dla_version"} and bool(found) is refused, version
            if "export_version" in found:
                assert (
                    version in found["export_version"].message and exporter.versions in found["export_version"].message
                )


def test_every_format_of_an_engine_with_releases_has_a_version():
    without = {key for key in SHIPPED if "version" not in {option.name for option in find_exporter(key).options}}
    assert without == {"plan-json", "csv", "trace", "report-html"} and set(VERSIONS) == set(SHIPPED) - without


def test_tensorrt_11_is_typed_whatever_its_minor_version(tmp_path):
    request = placed(lambda operator: GPU0, plans.model_file(tmp_path), version="11.4.1")
    manifest = export_plan("tensorrt", request, tmp_path / "out")
    assert [note["code"] for note in manifest["notes"]] == ["export_strongly_typed"]
    document = json.loads((tmp_path / "out" / "trtexec.json").read_text())
    assert document["tensorrt"] == "11" and not any("Precision" in word for word in document["arguments"])


@pytest.mark.parametrize("text", ["", "a", "$", "$$", "${A}", "$(A)", "a$b$$c$$$"])
def test_no_variable_is_put_into_a_text(text):
    assert unescaped(escaped(text)) == text
    if "$" in text and text != "$$":
        with pytest.raises(ValueError, match="changed"):
            unescaped(text)


def test_an_empty_option_stands_for_its_default(tmp_path):
    request = base("triton", tmp_path)
    given = plans.replace(request, options={"target.gpu0": "", "version": ""})
    assert refusals_of(find_exporter("triton"), given) == []
    assert export_plan("triton", given, tmp_path / "out")["targets"] == {"gpu0": "gpu:0", "cpu0": "cpu"}
