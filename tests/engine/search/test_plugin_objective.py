"""An objective of a plugin: out of the polish's sight but searched for, and the command says so."""

import json

import numpy as np
import pytest

import heteroopt as hopt
from heteroopt.api import goals
from heteroopt.cli import main as command
from heteroopt.front import measures
from heteroopt.plugins import Plugins
from heteroopt.search import columns
from heteroopt.search.columns import annealing_of
from heteroopt.simulation import objectives as registry
from heteroopt.simulation.conformance import ObjectiveConformance
from heteroopt.simulation.objectives import SHIPPED, Objective
from tests.engine.api.documents import diamond

NPU_WORK = Objective(
    "npu_operators", "Operators off the NPU", "", "min", "decode", lambda batch: (batch.devices != 1).sum(axis=1) * 1.0
)
"""The more operators the NPU takes, the better: three of the four of the diamond at most, which leaves one."""


class TestNpuWork(ObjectiveConformance):
    objective = NPU_WORK


@pytest.fixture
def installed(monkeypatch):
    found = Plugins({**SHIPPED, NPU_WORK.key: NPU_WORK}, ())
    for module in (registry, columns, measures, goals):
        monkeypatch.setattr(module, "objectives", lambda: found)


def test_the_polish_sees_what_one_decode_says_and_bounds_of_the_pipeline():
    kinds = {key: annealing_of(objective) for key, objective in SHIPPED.items()}
    bounded = {"pipeline_throughput_per_s", "step_time_ms", "latency_p99_ms"}
    assert {key for key, kind in kinds.items() if kind == "bound"} == bounded
    assert not {key for key, kind in kinds.items() if kind == "none"}
    assert annealing_of(NPU_WORK) == "none"


@pytest.mark.usefixtures("installed")
def test_it_is_optimised_all_the_same():
    tables = hopt.load_tables(diamond())
    objectives = [hopt.Objective(type=key) for key in ("exec_time", NPU_WORK.key)]
    result = hopt.Scheduler(tables.graph, tables.pool, objectives, costs=tables.costs, generations=3).run()
    values = np.array([solution.values[NPU_WORK.key] for solution in result.pareto_front])
    assert values.min() == 1
    assert result.front.objectives == ("exec_time_ms", NPU_WORK.key)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("chosen", [["exec_time"], ["exec_time", "npu_operators"]])
def test_the_command_says_that_the_polish_cannot_work_towards_it(chosen, tmp_path, capsys):
    path = tmp_path / "tables.json"
    path.write_text(json.dumps(diamond()))
    arguments = [part for key in chosen for part in ("--objective", key)]
    assert command(["plan", "--tables", str(path), "--generations", "1", "--quiet", *arguments]) == 0
    told = capsys.readouterr().err
    assert ("cannot work towards npu_operators" in told) == (len(chosen) == 2)
