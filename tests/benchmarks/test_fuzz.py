"""Damaged models end as a graph or as a refusal with a code; the process that reads them never crashes."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from benchmarks import fuzz_models
from benchmarks.fuzz_models import run_batch
from benchmarks.fuzz_mutations import mutated
from benchmarks.fuzz_seeds import seeds
from heteroopt.errors import ModelError
from heteroopt.graph.data_files import DataFiles
from heteroopt.graph.onnx_reader import inspect_onnx, read_onnx

COUNT = 120
# Each made the reader fail in a way that nobody had thought of.
FOUND_BEFORE = (726, 1622)


def test_what_is_damaged_is_sound(tmp_path):
    (tmp_path / "w.bin").write_bytes(bytes(16))
    for data in seeds():
        assert read_onnx(data, data_files=DataFiles({"w.bin": tmp_path / "w.bin"})).operators


def test_the_same_seed_gives_the_same_damage():
    assert mutated(5) == mutated(5) != mutated(6)


def test_damaged_models_in_the_sandbox():
    outcomes = run_batch([*range(COUNT), *FOUND_BEFORE])
    assert [outcome["seed"] for outcome in outcomes] == [*range(COUNT), *FOUND_BEFORE]
    assert [outcome for outcome in outcomes if "crash" in outcome or "unforeseen" in outcome] == []
    # The damage is neither too small nor too large to be worth anything.
    read = sum("code" not in outcome for outcome in outcomes)
    assert COUNT // 50 < read < COUNT
    assert len({outcome.get("code") for outcome in outcomes}) > 6


def test_a_model_whose_process_dies_is_found_alone(monkeypatch):
    def dying(function, payload, limits):
        from heteroopt.errors import HeteroOptError

        if 3 in payload["seeds"]:
            raise HeteroOptError("sandbox_crash", "The reader stopped.")
        return [{"seed": seed, "seconds": 0.0} for seed in payload["seeds"]]

    monkeypatch.setattr("workers.sandbox.run_in_sandbox", dying)
    outcomes = fuzz_models.run_batch(range(5))
    assert [outcome["seed"] for outcome in outcomes if "crash" in outcome] == [3]


@settings(max_examples=40, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(data=st.sampled_from(seeds()), at=st.integers(0, 10_000), what=st.binary(max_size=12), cut=st.integers(0, 40))
def test_any_bytes_anywhere(data, at, what, cut):
    start = at % len(data)
    damaged = data[:start] + what + data[start + cut :]
    for read in (read_onnx, inspect_onnx):
        try:
            read(damaged)
        except ModelError as error:
            assert error.code
            assert error.params.get("detail") != "reader_defect", error.params


@pytest.mark.django_db
def test_the_whole_way():
    [outcome] = fuzz_models.the_whole_way([0])
    assert "crash" not in outcome
