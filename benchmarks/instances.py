"""The instances of the quality benchmarks: every model on every sample pool, chosen and compiled one by one."""

from __future__ import annotations

import argparse
import fnmatch
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from benchmarks.models import benchmark_models
from heteroopt.api.placing import cost_table, scheduled_graph
from heteroopt.devices.templates import list_sample_pools, load_sample_pool
from heteroopt.graph.graph import Graph
from heteroopt.simulation.compile import compile_problem
from heteroopt.simulation.problem import Problem

QUICK = ("squeezenet/1", "inception_v1/1", "inception_v1/32", "resnet50/32", "shufflenet/1", "bert12")


@dataclass
class Instance:
    """A model on a pool, its costs estimated by roofline."""

    model: str
    pool: str
    graph: Graph

    @property
    def name(self) -> str:
        """``model @ pool``."""
        return f"{self.model} @ {self.pool}"

    @cached_property
    def problem(self) -> Problem:
        """The compiled problem."""
        pool = load_sample_pool(self.pool)
        return compile_problem(self.graph, pool, cost_table(self.graph, pool, None))


def add_instance_options(parser: argparse.ArgumentParser) -> None:
    """Let the command line choose: all instances, a quick subset, or patterns of names."""
    parser.add_argument("--instances", nargs="+", default=["*"], help="patterns of 'model @ pool', as in a shell")
    parser.add_argument("--quick", action="store_true", help=f"only {', '.join(QUICK)}")
    parser.add_argument("--fuse", action="store_true", help="place fused operators, as `heteroopt plan` does")


def chosen_instances(options: argparse.Namespace, *, most_operators: int | None = None) -> Iterator[Instance]:
    """Yield the instances chosen, models in their order; each graph is made once. Larger graphs are left out."""
    for model, make in benchmark_models().items():
        if options.quick and model not in QUICK:
            continue
        pools = [
            pool
            for pool in list_sample_pools()
            if any(fnmatch.fnmatch(f"{model} @ {pool}", pattern) for pattern in options.instances)
        ]
        if not pools:
            continue
        graph = scheduled_graph(make(), fuse=options.fuse)
        if most_operators is None or len(graph.operators) <= most_operators:
            yield from (Instance(model, pool, graph) for pool in pools)
