"""Which modules of a PyTorch model lie whole on one device, taken from the scopes of the operators' names.

An exporter names a node ``/encoder/layer.0/attention/MatMul``: its scope ``encoder/layer.0/attention`` is the module
``encoder.layer.0.attention``. What a module does between its children has the module itself as scope.
"""

from __future__ import annotations

from collections import defaultdict

from heteroopt.deployment.exporters.targets import quoted
from heteroopt.deployment.exporting import ExportRequest, Refusal


def module_devices(request: ExportRequest) -> dict[str, str]:
    """Device by module path, the fewest modules that hold all operators; parents before children, in first use.

    Raises :class:`Refusal`: ``export_no_modules`` where names have no scopes, ``export_module_border`` for a module
    that is itself on more than one device, or whose own operators run beside children on several.
    """
    plan = request.plan
    place = {member: operator.index for operator in plan.graph.operators for member in operator.members}
    names = [device.name for device in plan.pool.devices]
    own: dict[tuple[str, ...], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    below: dict[tuple[str, ...], set[str]] = defaultdict(set)
    children: dict[tuple[str, ...], dict[tuple[str, ...], None]] = defaultdict(dict)
    for operator in plan.original.operators:
        device = names[int(plan.schedule.device[place[operator.index]])]
        path = tuple(part for part in operator.scope.split("/") if part)
        own[path][device].append(operator.name)
        for depth in range(len(path) + 1):
            below[path[:depth]].add(device)
            if depth:
                children[path[: depth - 1]][path[:depth]] = None
    if not children:
        raise Refusal(
            "export_no_modules",
            "The operators' names say nothing of the modules that they come from.",
            hint="Export the model from PyTorch with its module names, or choose another format.",
        )
    found: dict[str, str] = {}
    pending: list[tuple[str, ...]] = [()]
    while pending:
        path = pending.pop()
        if len(below[path]) == 1:
            found[".".join(path)] = next(iter(below[path]))
            continue
        if own[path]:
            raise _torn(path, own[path], below[path])
        pending += reversed(children[path])
    return found


def modules_above(scope: str) -> list[str]:
    """The modules that an operator lies in, by its scope: the model itself (an empty name), then inwards."""
    path = [part for part in scope.split("/") if part]
    return [".".join(path[:depth]) for depth in range(len(path) + 1)]


def _torn(path: tuple[str, ...], own: dict[str, list[str]], devices: set[str]) -> Refusal:
    module = ".".join(path) or "(the model itself)"
    operators = [name for names in own.values() for name in names]
    return Refusal(
        "export_module_border",
        f"The module {module} is on {', '.join(sorted(devices))}: the plan cuts it between its own operators "
        f"{quoted(operators, 3)}.",
        hint="Pin the operators of that module to one device and plan again, or choose a format that cuts anywhere.",
        module=module,
        devices=sorted(devices),
        operators=operators[:20],
    )
