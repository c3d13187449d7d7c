"""The state of a search as bytes, and back."""

from __future__ import annotations

import hashlib
import math
import zipfile
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import PlanError
from heteroopt.search.archive import Archive
from heteroopt.search.packing import pack, unpack
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.problem import Problem

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Entry = tuple[int, float, int]
"""One generation of a history: its number, the hypervolume, the plans in the archive."""

VERSION = 2
_READABLE = (1, 2)
"""The first version always had three columns of objectives."""

_POPULATION = "population_"


@dataclass
class PopulationState:
    """The population after survival (rows of the bank), pymoo's counter and the state of its random generator."""

    rows: dict[str, NDArray[Any]]
    iteration: int
    random_state: dict[str, Any]


@dataclass
class State:
    """Everything that decides how a search goes on."""

    settings: SearchSettings
    fingerprint: str
    history: list[Entry]
    evaluations: int
    outcome: str
    cap_ps: float
    cap_known: bool
    scale: Float64
    warm: bool
    archive: Archive
    least: tuple[Int32, Int32] | None
    population: PopulationState | None


def fingerprint(problem: Problem) -> str:
    """Return a sha256 in hexadecimal over all arrays and options of a problem."""
    digest = hashlib.sha256()
    for field in fields(problem):
        value = np.asarray(getattr(problem, field.name))
        digest.update(f"{field.name}:{value.dtype}:{value.shape};".encode())
        digest.update(value.tobytes())
    return digest.hexdigest()


def dump(state: State) -> bytes:
    """Return the state as bytes."""
    header: dict[str, Any] = {
        "version": VERSION,
        "settings": state.settings.to_dict(),
        "fingerprint": state.fingerprint,
        "history": state.history,
        "evaluations": state.evaluations,
        "outcome": state.outcome,
        "cap_ps": state.cap_ps if math.isfinite(state.cap_ps) else None,
        "cap_known": state.cap_known,
        "warm": state.warm,
    }
    arrays: dict[str, NDArray[Any]] = {"scale": state.scale}
    arrays["archive_objectives"] = state.archive.objectives
    arrays["archive_placement"] = state.archive.placement
    if len(state.archive):
        arrays["archive_orders"] = np.array([order for order, _ in state.archive.genomes])
        arrays["archive_devices"] = np.array([device for _, device in state.archive.genomes])
    if state.least is not None:
        arrays["least_orders"], arrays["least_devices"] = state.least
    population = state.population
    if population is not None:
        header["iteration"] = population.iteration
        header["random_state"] = population.random_state
        arrays.update({_POPULATION + name: rows for name, rows in population.rows.items()})
    return pack(header, arrays)


def load(data: bytes) -> State:
    """Return the state of ``dump``; raise ``PlanError`` ``checkpoint_unreadable`` for anything else."""
    try:
        header, arrays = unpack(data)
        if header.get("version") not in _READABLE:
            raise ValueError(f"version {header.get('version')!r}, expected {VERSION}")
        state = _state(header, arrays)
        if arrays["archive_objectives"].shape[1] != len(state.settings.objectives):
            raise ValueError("it was written for other objectives")
        return state
    except (ValueError, KeyError, TypeError, zipfile.BadZipFile, EOFError) as error:
        raise unreadable(error) from error


def unreadable(error: Exception) -> PlanError:
    """Return the error for bytes that hold no state."""
    return PlanError(
        "checkpoint_unreadable",
        f"The saved state of the search cannot be read: {error}.",
        hint="Start the search again.",
    )


def mismatch(what: str) -> PlanError:
    """Return the error for a checkpoint of another ``problem`` or other ``settings``."""
    return PlanError(
        "checkpoint_mismatch",
        f"The saved state of the search belongs to another {what}.",
        hint="Start the search again, or resume it with the model, pool, costs and settings it was started with.",
        what=what,
    )


def _state(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> State:
    archive = Archive.empty(arrays["archive_objectives"].shape[1])
    if "archive_orders" in arrays:
        archive = Archive.of(
            arrays["archive_objectives"],
            arrays["archive_placement"],
            arrays["archive_orders"],
            arrays["archive_devices"],
        )
    population = None
    if _POPULATION + "orders" in arrays:
        population = PopulationState(
            rows={
                name.removeprefix(_POPULATION): rows for name, rows in arrays.items() if name.startswith(_POPULATION)
            },
            iteration=int(header["iteration"]),
            random_state=header["random_state"],
        )
    return State(
        settings=SearchSettings.from_dict(header["settings"]),
        fingerprint=str(header["fingerprint"]),
        history=[(int(g), float(h), int(n)) for g, h, n in header["history"]],
        evaluations=int(header["evaluations"]),
        outcome=str(header["outcome"]),
        cap_ps=math.inf if header["cap_ps"] is None else float(header["cap_ps"]),
        cap_known=bool(header["cap_known"]),
        scale=arrays["scale"],
        warm=bool(header.get("warm", False)),
        archive=archive,
        least=(arrays["least_orders"], arrays["least_devices"]) if "least_orders" in arrays else None,
        population=population,
    )


def load_for(problem: Problem, settings: SearchSettings | None, data: bytes) -> State:
    """Return what ``dump`` wrote for this problem and, unless ``None``, these settings; see ``Search.resume``."""
    state = load(data)
    if state.fingerprint != fingerprint(problem):
        raise mismatch("problem")
    if settings is not None and settings.resolved(problem.n_operators) != state.settings:
        raise mismatch("settings")
    return state
