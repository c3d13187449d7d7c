"""What an exporter is: a plan written in a format that an execution engine loads, or the reasons why it cannot be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heteroopt.deployment.plan import Plan
from heteroopt.errors import HeteroOptError
from heteroopt.partition import Partition

if TYPE_CHECKING:
    from heteroopt.deployment.front_points import FrontPoints

MAX_EXPORT_BYTES = 4 << 30
"""What the files of an export may take together, unless a request says otherwise."""


class Refusal(HeteroOptError):
    """Why a format cannot hold a plan, and what to do instead.

    Listed before anything is written (``Exporter.refusals``), raised where it is written all the same.
    """


@dataclass(frozen=True)
class ExportRequest:
    """A plan to export.

    ``model_path``: the ONNX file that was planned, needed by formats that carry or name parts of it. ``options``: by
    the names in ``Exporter.options``. ``front``: the plans beside it, for formats that show them. ``data_files``:
    the model's external data by location, ``None`` where they lie beside the model. ``limit_bytes``: what all files
    together may take.
    """

    plan: Plan
    partition: Partition
    model_path: Path | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    front: FrontPoints | None = None
    data_files: Mapping[str, Path] | None = None
    limit_bytes: int = MAX_EXPORT_BYTES


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file: a relative posix path of plain names, and its bytes or a file that holds them."""

    path: str
    data: bytes | Path


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of the planned operators (of the model itself) a format expresses, and the names of the others."""

    planned: int
    expressed: int
    unmatched: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether nothing of the plan is lost."""
        return self.expressed == self.planned and not self.unmatched

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-able data; of the unmatched at most 100 names, and their number."""
        return {
            "planned": self.planned,
            "expressed": self.expressed,
            "unmatched": list(self.unmatched[:100]),
            "n_unmatched": len(self.unmatched),
        }


@dataclass(frozen=True, slots=True)
class Export:
    """What an exporter made. ``notes``: ``{"code", "params"}`` that the reader of the files must know. ``targets``: by
    device of the pool what stands for it in the files; the check compares it with what it reads there.
    """

    files: tuple[ExportFile, ...]
    coverage: Coverage
    notes: tuple[Mapping[str, Any], ...] = ()
    targets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExportOption:
    """An option of a format: its name, what it means (English), and the value that holds without it. ``pattern``: a
    regular expression that a value matches whole; without one the format looks at it itself.
    """

    name: str
    meaning: str
    default: str = ""
    pattern: str = ""


VERSION = ExportOption(
    "version", "of the engine that will load it, such as 1.25", pattern=r"v?[0-9]{1,5}(\.[0-9]{1,5}){0,3}"
)


class Exporter(ABC):
    """One format. Instances hold no state; ``heteroopt.deployment.conformance`` tests what they promise.

    ``key``: ``ort-segments``. ``engine``: what loads it. ``versions``: of that engine, in words; ``oldest`` and
    ``newest`` (an empty text for none) in numbers, for formats with the option ``VERSION``. ``needs_model``: whether
    ``request.model_path`` is needed. ``expresses``: of ``placement``, ``order``, ``precision``, ``segments``,
    ``times``, ``reasons``. ``reads_back``: whether the engine's real placement can be compared with the plan.
    ``needs_front``: whether it shows the plans beside this one; otherwise ``request.front`` may be ``None``.
    ``options``: what ``request.options`` may hold; a name that ends in ``.*`` stands for one a device.
    """

    key: str
    engine: str
    versions: str
    oldest: str = "0"
    newest: str = ""
    needs_model: bool = False
    expresses: tuple[str, ...] = ("placement",)
    reads_back: bool = False
    needs_front: bool = False
    options: tuple[ExportOption, ...] = ()

    @abstractmethod
    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Return every reason why the plan cannot be written, empty where it can. Writes nothing, reads no model."""

    def expected_bytes(self, request: ExportRequest) -> int:
        """Return what the files will take at most, as far as the model in them decides it; reads no model."""
        return 0

    @abstractmethod
    def export(self, request: ExportRequest) -> Export:
        """Return the files. The same request gives the same bytes. Called only where nothing is refused.

        Raises :class:`Refusal` for what shows only in the model's file.
        """

    @abstractmethod
    def check(self, folder: Path) -> Coverage:
        """Parse what was written, as its engine would. Raises ``HeteroOptError`` where it does not hold."""
