"""Loading plugins by entry-point group: what loads, and what does not with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A plugin that cannot be used. ``code``: ``load_failed``, ``wrong_kind`` or ``name_taken``."""

    name: str
    origin: str
    """The distribution and the object that the entry point names."""
    code: str
    message: str

    def to_dict(self) -> dict[str, str]:
        """Return ``{"name", "origin", "code", "message"}``."""
        return {"name": self.name, "origin": self.origin, "code": self.code, "message": self.message}


@dataclass(frozen=True)
class Plugins(Generic[T]):
    """A group's plugins by name, and those that are unavailable."""

    available: Mapping[str, T]
    unavailable: tuple[Unavailable, ...]


def load_group(
    group: str,
    accept: Callable[[str, object], T],
    *,
    shipped: Mapping[str, T] | None = None,
    found: Iterable[EntryPoint] | None = None,
) -> Plugins[T]:
    """Load the entry points of a group.

    ``accept(name, object)`` returns the plugin or raises ``TypeError`` or ``ValueError`` saying why the object is
    none. ``shipped`` come first and are there even where the installation's metadata is older than the sources; an
    entry point for the same object adds nothing, one that takes its name for something else is unavailable. No
    plugin's failure is raised. ``found`` replaces the installed entry points, for tests.
    """
    available: dict[str, T] = dict(shipped or {})
    unavailable: list[Unavailable] = []
    points = entry_points(group=group) if found is None else found
    for point in sorted(points, key=lambda item: (item.name, item.value)):
        origin = f"{point.dist.name if point.dist else '?'}: {point.value}"
        try:
            loaded = point.load()
        except Exception as error:  # a plugin may fail in any way while it is imported
            unavailable.append(Unavailable(point.name, origin, "load_failed", f"{type(error).__name__}: {error}"))
            continue
        try:
            plugin = accept(point.name, loaded)
        except (TypeError, ValueError) as error:
            unavailable.append(Unavailable(point.name, origin, "wrong_kind", str(error)))
            continue
        if available.setdefault(point.name, plugin) is not plugin:
            unavailable.append(
                Unavailable(point.name, origin, "name_taken", f"Another plugin is called {point.name!r} already.")
            )
    return Plugins(available, tuple(unavailable))
