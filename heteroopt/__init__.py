"""HeteroOpt: plans where every operator of a deep-learning model runs on unlike hardware, and in which order.

``import heteroopt as hopt`` gives the names below; each loads what it needs when it is first used.
"""

from importlib import import_module as _import_module

from heteroopt.version import __version__ as __version__

_EXPORTS: dict[str, str] = {
    "Calibration": "heteroopt.api.calibration",
    "Constraint": "heteroopt.search.constraints",
    "CostError": "heteroopt.errors",
    "CostTable": "heteroopt.costs.table",
    "DevicePool": "heteroopt.api.pool",
    "DeviceSpec": "heteroopt.devices.spec",
    "Evaluation": "heteroopt.api.placement",
    "Graph": "heteroopt.api.graph",
    "HeteroOptError": "heteroopt.errors",
    "Link": "heteroopt.devices.links",
    "MemoryConstraint": "heteroopt.api.goals",
    "ModelError": "heteroopt.errors",
    "Objective": "heteroopt.api.goals",
    "PlanError": "heteroopt.errors",
    "PoolError": "heteroopt.errors",
    "Profile": "heteroopt.costs.profile",
    "Result": "heteroopt.api.result",
    "Scheduler": "heteroopt.api.scheduler",
    "SettingsError": "heteroopt.errors",
    "Solution": "heteroopt.api.solution",
    "Topology": "heteroopt.devices.topology.model",
    "calibrate": "heteroopt.api.calibration",
    "evaluate": "heteroopt.api.placement",
    "list_sample_pools": "heteroopt.devices.templates",
    "list_templates": "heteroopt.devices.templates",
    "load_sample_pool": "heteroopt.api.pool",
    "load_tables": "heteroopt.api.tables",
    "load_template": "heteroopt.devices.templates",
    "pool_from_topology": "heteroopt.api.topology",
    "profile": "heteroopt.api.profile",
    "probe_host": "heteroopt.devices.topology.host",
    "read_plan": "heteroopt.deployment.plan_reader",
    "read_topology": "heteroopt.devices.topology.read",
    "this_machine": "heteroopt.api.topology",
}

__all__ = ["__version__", *_EXPORTS]


def __getattr__(name: str) -> object:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'heteroopt' has no attribute {name!r}")
    value = getattr(_import_module(_EXPORTS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_EXPORTS})
