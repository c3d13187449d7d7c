"""DevicePool as the Python interface offers it: the engine's pool and what acts on the devices themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from heteroopt.devices import pool as engine
from heteroopt.devices.templates import sample_pool_toml
from heteroopt.devices.topology.machine import found_on
from heteroopt.errors import PoolError

if TYPE_CHECKING:
    from heteroopt.api.calibration import Calibration
    from heteroopt.calibration.pair_transfers import PairTransfer
    from heteroopt.costs.device_model import DeviceCostModel
    from heteroopt.costs.profile import Profile
    from heteroopt.graph.graph import Graph
    from heteroopt.precision.operator_map import OperatorMap
    from heteroopt.progress import ProgressCallback


class DevicePool(engine.DevicePool):
    """The devices that a plan may use: ``DevicePool([DeviceSpec(template="NVIDIA_A100_40G", name="gpu0"), ...])``.

    ``cost_models``: by device name, what ``calibrate`` learned; a ``Scheduler`` on this pool costs operators with them.
    """

    @property
    def cost_models(self) -> Mapping[str, DeviceCostModel]:
        """Cost models of the calibrated devices, by name."""
        found: Mapping[str, DeviceCostModel] = getattr(self, "_cost_models", {})
        return found

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """Profiles of a model on devices, by name; only that model can be planned with them."""
        found: Mapping[str, Profile] = getattr(self, "_profiles", {})
        return found

    def use_profiles(self, profiles: Mapping[str, str | Path | Profile]) -> None:
        """Cost the operators of one model by a run of it: by device a result of ``hopt.profile``, or its file.

        They come before calibrations. Raises ``PoolError`` for an unknown device, ``CostError`` for a file.
        """
        from heteroopt.costs.profile import Profile

        found = {
            name: one if isinstance(one, Profile) else Profile.load(one)
            for name, one in profiles.items()
            if self.index(name) >= 0
        }
        self._profiles = {**self.profiles, **found}

    def transfers(self) -> list[PairTransfer]:
        """What copies take between the ends of the pool, as the calibrations of its devices measured them.

        ``path`` of each: "measured" between a device and the host, "composed" of two such legs between devices. Pairs
        that are not listed have the figures of their links alone.
        """
        from heteroopt.calibration.pair_transfers import MeasuredLegs, pair_transfers

        known = {name: model.database for name, model in self.cost_models.items()}
        legs = {name: MeasuredLegs(one.device.host, one.transfers) for name, one in known.items()}
        return list(pair_transfers(self, legs))

    def with_operator_map(self, device: str, found: OperatorMap | Mapping[str, Any], *, strict: bool = False) -> Self:
        """Return the pool with a device that supports what a runtime was found to support, with reasons.

        ``found``: of ``heteroopt.precision.operator_map.map_operators``, or its JSON form. An earlier map of the device
        is replaced. ``strict``: an operator with a wrong result in any case is not used at all. Raises ``PoolError``
        for a device that is not in the pool, ``HeteroOptError`` ``operator_map_invalid``.
        """
        from heteroopt.precision.operator_map import OperatorMap
        from heteroopt.precision.support import not_supported_by

        known = found if isinstance(found, OperatorMap) else OperatorMap.from_json(found)
        pool = self.without_operators(device, not_supported_by(known, strict=strict))
        pool._cost_models, pool._profiles = dict(self.cost_models), dict(self.profiles)
        return pool

    def calibrate(
        self,
        models: Iterable[Graph] = (),
        *,
        on: Mapping[str, str | Path | Calibration] | None = None,
        budget_s: float = 120.0,
        count: int = 1_300,
        host_folder: str | Path | None = None,
        progress: ProgressCallback | None = None,
    ) -> dict[str, Calibration]:
        """Measure devices, and cost operators of this pool by what was measured; return the calibrations by device.

        models: whose operators are measured first. on: device of the pool to where it is: "onnxruntime:0" is device 0
        of that runtime on this machine; a path or a ``Calibration`` is one made before, here or elsewhere. Left out,
        each device takes the first one of its type that this machine's runtimes have. budget_s: for each device.
        Of devices of one runtime here that share a memory domain it is measured how much they slow each other, and the
        pool's ``memory_domains`` say so from then on, as they do where a calibration that was made before knows it.
        Links between the host and devices with a memory of their own get what copies were measured to take.
        Raises ``PoolError`` ``calibration_no_device`` where there is none, ``RuntimeFault`` and ``CostError``.
        """
        from heteroopt.api.calibration import Calibration, calibrate
        from heteroopt.calibration.contention import measured_domains
        from heteroopt.calibration.transfers import measured_links

        graphs = list(models)
        folder = None if host_folder is None else Path(host_folder)
        places = dict(on) if on is not None else _places(self, folder)
        found: dict[str, Calibration] = {}
        for name, place in places.items():
            self.index(name)
            if isinstance(place, Calibration):
                found[name] = place
            elif isinstance(place, Path) or ":" not in place:
                found[name] = Calibration.load(place)
            else:
                runtime, number = _place(place)
                found[name] = calibrate(
                    runtime, number, models=graphs, count=count, budget_s=budget_s, host_folder=folder,
                    progress=progress, beside=_neighbour(self, name, places),
                )  # fmt: skip
        trained = {name: made.cost_model(self.devices[self.index(name)]) for name, made in found.items()}
        self._cost_models = {**self.cost_models, **trained}
        found_by = {name: model.database.contention for name, model in self.cost_models.items()}
        self.memory_domains = {**self.memory_domains, **measured_domains(self, found_by)}
        linked = measured_links(self, {name: model.database.transfers for name, model in trained.items()})
        self.links, self.implied_links = linked.links, linked.implied_links
        return found


def _place(place: str) -> tuple[str, int]:
    """Runtime and number of ``"onnxruntime:0"``."""
    runtime, _, number = place.rpartition(":")
    if not number.isdigit():
        raise PoolError(
            "calibration_place",
            f"{place!r} names no device.",
            hint='Write RUNTIME:NUMBER, such as "onnxruntime:0", or the path of a calibration.',
            value=place,
        )
    return runtime, int(number)


def _neighbour(pool: engine.DevicePool, name: str, places: Mapping[str, str | Path | Calibration]) -> int | None:
    """Number of another device of the same runtime here that is in the device's memory domain."""
    domain = pool.devices[pool.index(name)].memory_domain
    runtime, number = _place(str(places[name]))
    for other, place in places.items():
        shares = domain is not None and pool.devices[pool.index(other)].memory_domain == domain
        if shares and isinstance(place, str) and ":" in place:
            there = _place(place)
            if there[0] == runtime and there[1] != number:
                return there[1]
    return None


def _places(pool: engine.DevicePool, folder: Path | None) -> dict[str, str | Path | Calibration]:
    """Each device of the pool, where this machine has it or one of its type; no device is taken twice."""
    from heteroopt.calibration.local import local_devices

    free = local_devices(folder)
    places: dict[str, str | Path | Calibration] = {}
    named = {found_on(device): device.name for device in pool.devices if found_on(device)}
    for runtime, described in list(free):
        place = f"{runtime}:{described.index}"
        if place in named:
            places[named[place]] = place
            free.remove((runtime, described))
    for device in pool.devices:
        if device.name in places:
            continue
        for runtime, described in free:
            if described.device_type == device.device_type:
                places[device.name] = f"{runtime}:{described.index}"
                free.remove((runtime, described))
                break
    if not places:
        here = [
            f"{runtime}:{described.index} ({described.name}, {described.device_type})" for runtime, described in free
        ]
        raise PoolError(
            "calibration_no_device",
            "No device of this pool can be measured on this machine.",
            hint=f"Say which is which with on={{device: 'RUNTIME:NUMBER'}}; here are {', '.join(here) or 'none'}. "
            "For a machine elsewhere run heteroopt calibrate there and give the file: on={device: 'bundle.json'}.",
            known=here,
        )
    return places


def load_sample_pool(name: str) -> DevicePool:
    """A pool that ships with the product: data_center, edge, mixed_training or workstation."""
    return DevicePool.from_toml(sample_pool_toml(name))
