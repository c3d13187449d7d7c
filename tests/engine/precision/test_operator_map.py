"""Operator maps: what each status means, and that no case can stop a map."""

from __future__ import annotations

import json

import pytest

import heteroopt as hopt
from heteroopt.errors import HeteroOptError
from heteroopt.precision.case_runs import CaseResult, Outcome, short_reason
from heteroopt.precision.node_cases import (
    NodeCase,
    OperatorType,
    in_older_opset,
    node_cases,
    operator_types,
    with_constants,
)
from heteroopt.precision.operator_map import OperatorMap, Status, classify, map_operators
from heteroopt.precision.support import not_supported_by
from heteroopt.runtimes.errors import RuntimeFault
from tests.engine.precision.devices import simulated

P, W, F, S = Outcome.PASSED, Outcome.WRONG, Outcome.FAILED, Outcome.SKIPPED


def case(name: str, expanded: bool = False) -> NodeCase:
    return NodeCase(name, "Foo", "", 13, expanded, b"", {}, {}, ("FLOAT",), 1e-3, 1e-7, True)


@pytest.mark.parametrize(
    ("results", "status", "code"),
    [
        ([], Status.NOT_TESTED, "no_case"),
        ([(S, "not_carried")], Status.NOT_TESTED, "not_carried"),
        ([(P, "")], Status.NATIVE, ""),
        ([(P, ""), (F, "program_refused")], Status.NATIVE, "program_refused"),
        ([(P, ""), (W, "wrong_results")], Status.WRONG, "wrong_results"),
        ([(F, "runtime_died")], Status.UNSUPPORTED, "runtime_died"),
        ([(P, "older_opset"), (F, "program_refused")], Status.NATIVE, "older_opset"),
        ([(P, "older_opset"), (P, "")], Status.NATIVE, ""),
        ([(F, "program_refused"), (P, "", "body")], Status.COMPOSED, "body_only"),
        ([(F, "program_refused"), (F, "program_refused", "body")], Status.UNSUPPORTED, "program_refused"),
        ([(P, "", "composed")], Status.COMPOSED, "taken_apart"),
        ([(P, "", "composed"), (P, "")], Status.NATIVE, ""),
        ([(P, "", "fell_back")], Status.FALLS_BACK, "fell_back"),
        ([(P, "", "fell_back"), (P, "")], Status.NATIVE, ""),
    ],
)
def test_the_status_follows_from_how_the_cases_ended(results, status, code):
    cases, ended = [], []
    for number, (outcome, reason, *how) in enumerate(results):
        cases.append(case(f"c{number}", expanded="body" in how))
        flags = {"composed": "composed" in how, "fell_back": "fell_back" in how}
        ended.append(CaseResult(f"c{number}", "Foo", outcome, reason, "", **flags))
    row = classify(OperatorType("Foo", "", 13, False), cases, ended)
    assert (row.status, row.reason.code) == (status, code)
    counts = [sum(one == outcome for one, *_ in results) for outcome in (P, F, W, S)]
    assert [row.passed, row.failed, row.wrong, row.skipped] == counts


def test_the_standard_has_201_operators_and_48_bodies():
    types = {entry.op_type: entry for entry in operator_types()}
    assert len(types) >= 200
    assert types["Celu"].has_body
    assert not types["Conv"].has_body
    assert "Upsample" not in types  # deprecated


@pytest.fixture(scope="module")
def cases():
    wanted = [
        "StringConcat",
        "SequenceInsert",
        "QuantizeLinear",
        "Unsqueeze",
        "Bernoulli",
        "Celu",
        "OptionalHasElement",
    ]
    found: dict[str, list[NodeCase]] = {}
    for one in node_cases(wanted):
        found.setdefault(one.op_type, []).append(one)
    return found


def test_strings_sequences_and_optional_values_become_tensors(cases):
    joined = next(one for one in cases["StringConcat"] if one.name == "test_string_concat")
    assert joined.inputs == {}
    assert all(array.dtype == bool and array.all() for array in joined.expected.values())
    inserted = next(one for one in cases["SequenceInsert"] if "front" in one.name)
    assert sum(name.endswith("_length") for name in inserted.expected) == 1
    assert not any(one.exact for one in cases["Bernoulli"])
    assert {one.expanded for one in cases["Celu"]} == {True, False}


def test_a_case_can_be_had_in_older_versions_and_with_constants(cases):
    quantize = next(one for one in cases["QuantizeLinear"] if not one.skip)
    older = in_older_opset(quantize)
    assert older
    assert all(one.opset < quantize.opset for one in older)
    constant = with_constants(cases["Unsqueeze"][0])
    assert constant is not None
    assert list(constant.inputs) == ["x"]
    assert with_constants(next(one for one in cases["Celu"] if len(one.inputs) == 1)) is None


def test_a_crash_marks_its_case_and_the_map_goes_on():
    with simulated(crash_on="Abs", refuse=["Neg"]) as device:
        found = map_operators(device, only=["Abs", "Neg", "Relu", "GlobalLpPool"], made_at="then")
        assert device.starts > 1
    status = {row.op_type: (row.status, row.reason.code) for row in found.operators}
    assert status == {
        "Abs": (Status.UNSUPPORTED, "runtime_died"),
        "Neg": (Status.UNSUPPORTED, "program_refused"),
        "Relu": (Status.NATIVE, ""),
        "GlobalLpPool": (Status.NOT_TESTED, "no_case"),
    }
    assert OperatorMap.from_json(json.loads(json.dumps(found.to_json()))) == found
    assert found.summary()["unsupported"] == 2
    reasons = not_supported_by(found)
    assert set(reasons) == {"Abs", "Neg"}
    assert reasons["Neg"] == "not supported by simulated 1.0: no kernel for Neg"


def test_wrong_results_are_said_and_a_stopped_map_says_what_is_left():
    faults = [{"kind": "factor", "op_type": "Abs"}]
    with simulated(faults=faults) as device:
        found = map_operators(device, only=["Abs", "Exp", "Sin"], progress=lambda progress: progress.done < 2)
    assert found.stopped
    status = [row.status for row in found.operators]
    assert status == [Status.WRONG, Status.NATIVE, Status.NOT_TESTED]
    assert found.operators[0].reason.says.startswith("off by ")
    assert set(not_supported_by(found)) == {"Abs"}  # as often wrong as right


def test_a_pool_takes_a_map_and_an_explanation_gives_its_reason():
    with simulated(refuse=["Exp"]) as device:
        found = map_operators(device, only=["Exp", "Conv"])
    pool = hopt.load_sample_pool("edge")
    name = pool.devices[0].name
    limited = pool.with_operator_map(name, found.to_json())
    assert not limited.devices[0].supports("Exp")
    assert limited.devices[0].sources["unsupported_ops.Exp"] == "not supported by simulated 1.0: no kernel for Exp"
    assert hopt.DevicePool.from_toml(limited.to_toml()) == limited
    none = OperatorMap.from_json({**found.to_json(), "operators": []})
    assert limited.with_operator_map(name, none).devices[0] == pool.devices[0]
    with pytest.raises(HeteroOptError) as caught:
        pool.with_operator_map(name, {"kind": "other"})
    assert caught.value.code == "operator_map_invalid"


@pytest.mark.parametrize(
    ("says", "short"),
    [
        ("failed at /onnxruntime_src/core/x.cc:12 in Foo", "failed at x.cc:12 in Foo"),
        ("a\nb\x00c", "a b c"),
        ("at 0x7f0011223344", "at 0x…"),
        ("Check 'a' failed at src/fe/onnx/report.cpp:151:\nSummary:\n-- No rule: Det", "No rule: Det"),
    ],
)
def test_reasons_are_one_line_without_paths_of_other_machines(says, short):
    assert short_reason(RuntimeFault("program_refused", "no", says=says)) == short
