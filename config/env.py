"""Reads settings from the environment; a value that cannot be meant is an error that names the variable."""

from __future__ import annotations

import os
import re
import secrets
import socket
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

PREFIX = "HETEROOPT_"
HOST_NAME = re.compile(r"[A-Za-z0-9._-]{1,60}")
TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off"})


def text(name: str, default: str = "") -> str:
    """Return the variable without surrounding blanks, or ``default`` where it is unset or empty."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool) -> bool:
    """Return a yes/no variable."""
    value = text(name).lower()
    if not value:
        return default
    if value in TRUE:
        return True
    if value in FALSE:
        return False
    raise ImproperlyConfigured(f"{name}={value!r} is neither yes nor no. Use 1 or 0.")


def integer(name: str, default: int, low: int, high: int) -> int:
    """Return a whole number in ``low..high``."""
    value = text(name)
    if not value:
        return default
    try:
        number = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number.") from None
    if not low <= number <= high:
        raise ImproperlyConfigured(f"{name}={number} is outside {low} to {high}.")
    return number


def seconds(name: str, default: float, low: float, high: float) -> float:
    """Return a duration in seconds in ``low..high``."""
    value = text(name)
    if not value:
        return default
    try:
        number = float(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name}={value!r} is not a number of seconds.") from None
    if not low <= number <= high:
        raise ImproperlyConfigured(f"{name}={value} is outside {low} to {high} seconds.")
    return number


def words(name: str) -> list[str]:
    """Return a comma-separated list."""
    return [word for word in (part.strip() for part in text(name).split(",")) if word]


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    """Return one of ``allowed``."""
    value = text(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name}={value!r} is not one of {', '.join(allowed)}.")
    return value


def url(name: str, default: str, schemes: tuple[str, ...]) -> str:
    """Return a URL whose scheme is one of ``schemes``; its password is never repeated in an error."""
    value = secret(name) or default
    scheme = urlsplit(value).scheme
    if scheme not in schemes:
        raise ImproperlyConfigured(f"{name} starts with {scheme!r}://; use one of {', '.join(schemes)}.")
    return value


def secret(name: str) -> str:
    """Return ``NAME``, or the content of the file that ``NAME_FILE`` names (container secrets)."""
    value, path = text(name), text(f"{name}_FILE")
    if value and path:
        raise ImproperlyConfigured(f"Both {name} and {name}_FILE are set. Keep one of them.")
    if not path:
        return value
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE={path!r} cannot be read: {error.strerror}.") from None


def known_names(names: frozenset[str]) -> None:
    """Refuse a misspelt ``HETEROOPT_`` variable, which would otherwise be ignored in silence."""
    for name in sorted(os.environ):
        base = name.removesuffix("_FILE")
        if name.startswith(PREFIX) and name not in names and base not in names:
            raise ImproperlyConfigured(f"{name} is not a setting. Known are: {', '.join(sorted(names))}.")


def host_name(name: str) -> str:
    """Return what this machine is called among the hosts of the installation: the variable, or its own name."""
    given = text(name)
    if given and not HOST_NAME.fullmatch(given):
        raise ImproperlyConfigured(f"{name}={given!r} is no name of a host: 1 to 60 letters, digits, dots, - and _.")
    return given or re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname())[:60] or "localhost"


def data_dir(base: Path) -> Path:
    """Return the writable data folder: ``HETEROOPT_DATA_DIR``, ``.data`` in a checkout, else the user's own."""
    given = text("HETEROOPT_DATA_DIR")
    if given:
        path = Path(given).expanduser().absolute()
    elif (base / "manage.py").exists():
        path = base / ".data"
    else:
        path = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "heteroopt"
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ImproperlyConfigured(
            f"The data folder {path} cannot be made ({error.strerror}). Set HETEROOPT_DATA_DIR to a writable folder."
        ) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(f"The data folder {path} is not writable. Set HETEROOPT_DATA_DIR to another one.")
    return path


def kept_secret(path: Path) -> str:
    """Return the secret in ``path``; the first caller makes it, readable by its owner only.

    Two processes that start together agree: the file is linked into place complete, and only once.
    """
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(48))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    value = path.read_text(encoding="utf-8").strip()
    if len(value) < 32:
        raise ImproperlyConfigured(f"The secret key in {path} is too short. Delete the file to have a new one made.")
    return value
