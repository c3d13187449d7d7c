"""What options of formats may be: refused with a reason before they reach a file that an engine or a shell reads."""

from __future__ import annotations

import re
import unicodedata

from heteroopt.deployment.exporting import Exporter, ExportOption, ExportRequest, Refusal

MAX_VALUE = 1024
"""Characters of a value; no name, path or list of devices needs more."""
_SHOWN = 100
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Categories of characters that are not seen, end a line, or turn the direction of a text."""
_VERSION = re.compile(r"v?([0-9]{1,5}(?:\.[0-9]{1,5}){0,3})")


def option_of(exporter: Exporter, name: str) -> ExportOption | None:
    """The option that a name stands for, one that ends in ``.*`` for ``NAME.DEVICE``; ``None`` for none."""
    for option in exporter.options:
        if name == option.name or (option.name.endswith(".*") and name.startswith(option.name[:-1])):
            return option
    return None


def value_refusals(exporter: Exporter, request: ExportRequest) -> list[Refusal]:
    """A refusal for each value that no file may carry, that its option does not take, or a version outside."""
    found = []
    for name, value in request.options.items():
        option = option_of(exporter, name)
        if option is None:
            continue
        said = shown(name)
        refusal = _text_refusal(exporter, said, value) or _pattern_refusal(exporter, option, said, value)
        if refusal is None and name == "version":
            refusal = _version_refusal(exporter, value)
        if refusal is not None:
            found.append(refusal)
    return found


def version_numbers(text: str) -> tuple[int, ...]:
    """``v1.26`` as (1, 26). Raises ``ValueError``."""
    match = _VERSION.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return tuple(int(part) for part in match[1].split("."))


def shown(value: str) -> str:
    """A value for a message: its start, hidden characters as U+FFFD."""
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in _HIDDEN else c for c in value[:_SHOWN])


def _text_refusal(exporter: Exporter, name: str, value: str) -> Refusal | None:
    if len(value) > MAX_VALUE:
        return Refusal(
            "export_option_long",
            f"The option {name} has {len(value)} characters; {MAX_VALUE} are allowed.",
            hint="Give a shorter value.",
            format=exporter.key,
            option=name,
            length=len(value),
            limit=MAX_VALUE,
        )
    hidden = next((c for c in value if unicodedata.category(c) in _HIDDEN), None)
    if hidden is None:
        return None
    return Refusal(
        "export_option_character",
        f"The option {name} holds the character U+{ord(hidden):04X}, which cannot be seen or ends a line.",
        hint="Type the value again, without line breaks and invisible characters.",
        format=exporter.key,
        option=name,
        character=f"U+{ord(hidden):04X}",
    )


def _pattern_refusal(exporter: Exporter, option: ExportOption, name: str, value: str) -> Refusal | None:
    if not option.pattern or re.fullmatch(option.pattern, value):
        return None
    return Refusal(
        "export_option_value",
        f"The option {name} cannot be {shown(value)!r}.",
        hint=f"It is: {option.meaning}.",
        format=exporter.key,
        option=name,
        value=shown(value),
    )


def _version_refusal(exporter: Exporter, value: str) -> Refusal | None:
    """``newest`` counts as far as it is given: 11 includes 11.4."""
    asked = version_numbers(value)
    oldest, newest = version_numbers(exporter.oldest), version_numbers(exporter.newest or "99999")
    width = max(len(asked), len(oldest))
    padded = [numbers + (0,) * (width - len(numbers)) for numbers in (asked, oldest)]
    if padded[0] >= padded[1] and asked[: len(newest)] <= newest:
        return None
    return Refusal(
        "export_version",
        f"{exporter.engine} {value} does not load this format, which is for {exporter.versions}.",
        hint="Choose another version of the engine, or another format.",
        format=exporter.key,
        engine=exporter.engine,
        version=value,
        versions=exporter.versions,
    )
