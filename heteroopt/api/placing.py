"""From what a person names (operators, devices) to the compiled problem that is searched."""

from __future__ import annotations

from heteroopt.api.pool import DevicePool as CalibratablePool
from heteroopt.costs.roofline import roofline_cost_table
from heteroopt.costs.table import CostTable
from heteroopt.devices.pool import DevicePool
from heteroopt.errors import SettingsError
from heteroopt.graph.graph import Graph


def scheduled_graph(graph: Graph, *, fuse: bool) -> Graph:
    """The graph whose operators are placed: with fusion, runs of small operators joined to their producers."""
    if not fuse or graph.original is not None:
        return graph
    from heteroopt.graph.fusion import fuse as fused

    return fused(graph)


def cost_table(graph: Graph, pool: DevicePool, costs: CostTable | None) -> CostTable:
    """The costs given, checked for their shape; else of profiled or calibrated devices theirs, of others roofline."""
    if costs is None and isinstance(pool, CalibratablePool) and (pool.cost_models or pool.profiles):
        from heteroopt.costs.calibrated import calibrated_cost_table

        return calibrated_cost_table(graph, pool, pool.cost_models, pool.profiles)
    if costs is None:
        return roofline_cost_table(graph, pool)
    if costs.time_ps.shape != (len(graph.operators), len(pool)):
        raise SettingsError(
            "cost_table_shape",
            f"The cost table has {costs.n_operators} operators and {costs.n_devices} devices; the graph has "
            f"{len(graph.operators)} operators and the pool {len(pool)} devices.",
            hint="Give one row per operator of the graph (without fusion) and one column per device.",
        )
    return costs
