"""What operators cost on a version of a pool: by profiles and calibrations of its devices, else by data sheets."""

from __future__ import annotations

import uuid

from apps.calibrations.profiles import profile_bytes
from apps.calibrations.services import bundle_bytes
from apps.modelhub.graphs import pack, unpack
from apps.pools.models import PoolVersion
from apps.pools.profiled import profiles_for
from apps.searches.models import CalibratedCosts
from heteroopt.costs.table import CostTable
from heteroopt.devices.pool import DevicePool
from heteroopt.graph.graph import Graph


def cost_table(graph_id: uuid.UUID, graph: Graph, pool: DevicePool, version: PoolVersion, *, fuse: bool) -> CostTable:
    """The costs of ``graph``, which is that of ``graph_id``, fused or not, on ``pool``, which is that of ``version``.

    Learning from a calibration takes seconds: the first who asks does it and keeps the table for every process, so
    that a plan is always decoded with the costs it was found with.
    """
    calibrations, profiles = version.calibrations, profiles_for(version, graph_id)
    if not calibrations and not profiles:
        from heteroopt.costs.roofline import roofline_cost_table

        return roofline_cost_table(graph, pool)
    key = {"graph_id": graph_id, "pool_version": version, "fuse": fuse}
    kept = CalibratedCosts.objects.filter(**key).values_list("data", flat=True).first()
    if kept is None:
        made = pack(_learned(graph, pool, calibrations, profiles).to_dict())
        row, _ = CalibratedCosts.objects.get_or_create(**key, defaults={"data": made})
        kept = row.data
    return CostTable.from_dict(unpack(kept))


def _learned(
    graph: Graph, pool: DevicePool, calibrations: dict[str, uuid.UUID], profiles: dict[str, uuid.UUID]
) -> CostTable:
    from heteroopt.costs.bundle import read_bundle
    from heteroopt.costs.calibrated import calibrated_cost_table
    from heteroopt.costs.device_model import DeviceCostModel
    from heteroopt.costs.profile import Profile

    models = {
        name: DeviceCostModel.train(read_bundle(bundle_bytes(one)), pool.devices[pool.index(name)])
        for name, one in calibrations.items()
    }
    inside = {name: Profile.load(profile_bytes(one)) for name, one in profiles.items()}
    return calibrated_cost_table(graph, pool, models, inside)
