"""Bundles may come from anybody: what is not what the calibrator writes is refused, whatever it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.costs import bundle as reader
from heteroopt.costs.bundle import bundle_hash, read_bundle, write_bundle
from heteroopt.costs.database import MeasuredContention, PerformanceDatabase
from heteroopt.errors import CostError
from tests.engine.costs.measured import bundle

GOOD = bundle(6)
FIT = {"latency_s": 4e-6, "bytes_per_s": 5e9, "residual": 0.02, "worst": 0.1, "samples": [[4096, 5e-6, 4.8192e-6]]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)


def sealed(content: dict) -> bytes:
    return json.dumps({**content, "hash": bundle_hash(content)}).encode()


def test_it_reads_what_it_wrote_exactly(tmp_path):
    found = read_bundle(sealed(GOOD))
    assert len(found) == 6
    digest = write_bundle(found, tmp_path / "bundle.json")
    again = read_bundle(tmp_path / "bundle.json")
    assert again.rows == found.rows
    assert again.device == found.device
    assert again.content_hash == digest
    assert read_bundle(sealed(GOOD)).rows == found.rows


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        (("rows", 0, "median_s"), -1.0, "bundle_invalid"),
        (("rows", 0, "median_s"), 10**400, "bundle_invalid"),
        (("rows", 0, "minimum_s"), 0.0, "bundle_invalid"),
        (("rows", 0, "minimum_s"), 1.0, "bundle_invalid"),  # above the median
        (("rows", 0, "repeats"), 0, "bundle_invalid"),
        (("rows", 0, "facts", "flops"), 1.5, "bundle_invalid"),
        (("rows", 0, "facts", "inputs"), [["float32", [-1]]], "bundle_invalid"),
        (("rows", 0, "facts", "op_types"), [], "bundle_invalid"),
        (("rows", 1), "row", "bundle_invalid"),
        (("device", "fingerprint"), "", "bundle_invalid"),
        (("device", "name"), "x" * 201, "bundle_invalid"),
        (("energy", "power_w"), {"conv": -3.0}, "bundle_invalid"),
        (("energy", "source"), "guessed", "bundle_invalid"),
        (("launch_overhead_s",), None, "bundle_invalid"),
        (("transfers",), {"h2d": FIT}, "bundle_invalid"),
        (("transfers",), {"h2d": FIT, "d2h": {**FIT, "bytes_per_s": 0.0}}, "bundle_invalid"),
        (("transfers",), {"h2d": FIT, "d2h": {**FIT, "latency_s": "1"}}, "bundle_invalid"),
        (("transfers",), {"h2d": FIT, "d2h": {**FIT, "samples": [[4096, 1e-5]]}}, "bundle_invalid"),
        (("handover",), [75e-6], "bundle_invalid"),
        (("handover",), {"beside": "d1", "seconds": -1e-6}, "bundle_invalid"),
        (("handover",), {"beside": "d1", "seconds": 2.0}, "bundle_invalid"),
        (("format",), "another", "bundle_invalid"),
    ],
)
def test_figures_that_cannot_be_are_refused_by_name(path, value, code):
    content = json.loads(json.dumps(GOOD))
    place = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(CostError) as caught:
        read_bundle(sealed(content))
    assert caught.value.code == code
    assert caught.value.hint


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_nan_and_infinity_are_refused(constant):
    text = sealed(GOOD).decode().replace('"repeats": 10', f'"repeats": {constant}', 1)
    with pytest.raises(CostError) as caught:
        read_bundle(text.encode())
    assert caught.value.code == "bundle_unreadable"


def test_a_changed_figure_does_not_fit_the_hash():
    content = json.loads(sealed(GOOD))
    content["rows"][0]["median_s"] *= 1.5
    with pytest.raises(CostError) as caught:
        read_bundle(json.dumps(content).encode())
    assert caught.value.code == "bundle_changed"


def test_size_and_nesting_are_limited(monkeypatch):
    with pytest.raises(CostError) as caught:
        read_bundle(b"[" * 200_000)
    assert caught.value.code == "bundle_unreadable"
    monkeypatch.setattr(reader, "MAX_BUNDLE_BYTES", 100)
    with pytest.raises(CostError) as caught:
        read_bundle(sealed(GOOD))
    assert caught.value.code == "bundle_too_large"


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_anything_at_any_place_is_read_or_refused(data):
    """No other error, and what is read can be written and read again."""
    content = json.loads(json.dumps(GOOD))
    place, steps = content, data.draw(st.integers(1, 5))
    for step in range(steps):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if step == steps - 1 or not isinstance(place[key], dict | list):
            place[key] = data.draw(JSON)
            break
        place = place[key]
    try:
        found = PerformanceDatabase.from_dict(content)
    except CostError:
        return
    assert PerformanceDatabase.from_dict(json.loads(json.dumps(found.to_dict()))).rows == found.rows


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_bytes_that_are_no_bundle_are_refused(data):
    with pytest.raises(CostError):
        read_bundle(data)


def test_calibrations_of_two_devices_are_never_mixed():
    first = PerformanceDatabase.from_dict(GOOD)
    other = PerformanceDatabase.from_dict({**GOOD, "device": {**GOOD["device"], "fingerprint": "other"}})
    with pytest.raises(CostError) as caught:
        first.merged([other])
    assert caught.value.code == "bundle_other_device"
    later = json.loads(json.dumps(GOOD))
    later["rows"] = later["rows"][:1]
    later["rows"][0]["median_s"] *= 2
    merged = first.merged([PerformanceDatabase.from_dict(later)])
    key = next(iter(first.rows))
    assert merged.rows[key].median_s == 2 * first.rows[key].median_s
    assert len(merged) == len(first)


def test_it_keeps_what_was_measured_beside_another_device(tmp_path):
    content = {**GOOD, "contention": {"beside": "cores 1", "memory": 2.26, "compute": 1.1}}
    found = read_bundle(sealed(content))
    assert found.contention == MeasuredContention("cores 1", 2.26, 1.1)
    write_bundle(found, tmp_path / "bundle.json")
    assert read_bundle(tmp_path / "bundle.json").contention == found.contention
    assert read_bundle(sealed(GOOD)).contention is None
    for wrong in ({}, {"memory": -1.0, "compute": 1.0}, [1], {"memory": 2.0, "compute": 1.0, "beside": 3}):
        with pytest.raises(CostError) as caught:
            read_bundle(sealed({**GOOD, "contention": wrong}))
        assert caught.value.code == "bundle_invalid"


def test_it_keeps_what_copies_were_measured_to_take(tmp_path):
    assert read_bundle(sealed(GOOD)).transfers == {}
    found = read_bundle(sealed({**GOOD, "transfers": {"h2d": FIT, "d2h": {**FIT, "latency_s": 1e-5}}}))
    write_bundle(found, tmp_path / "bundle.json")
    again = read_bundle(tmp_path / "bundle.json")
    assert again.transfers == found.transfers
    assert (again.transfers["d2h"].latency_s, again.transfers["h2d"].samples) == (1e-5, ((4096, 5e-6, 4.8192e-6),))
