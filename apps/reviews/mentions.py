"""Who a comment names: ``@`` with the address, the user name or the name of a member."""

from __future__ import annotations

from collections.abc import Iterable

from apps.accounts.models import User


def mentioned(body: str, people: Iterable[User]) -> dict[User, str]:
    """By the person named, the words that name them, without the ``@``; others than ``people`` are never named.

    The longest fitting name counts, letters of both cases are alike, and a name that several have names all of them.
    An ``@`` inside a word, as in an address, begins no mention.
    """
    names: dict[str, list[User]] = {}
    for person in people:
        for name in {person.email, person.username, person.name} - {""}:
            names.setdefault(name.casefold(), []).append(person)
    longest_first = sorted(names, key=lambda name: -len(name))
    found: dict[User, str] = {}
    for at, letter in enumerate(body):
        if letter != "@" or (at and _joins(body[at - 1])):
            continue
        rest = body[at + 1 :]
        for name in longest_first:
            written = rest[: len(name)]
            if written.casefold() == name and _ends(rest, len(name)):
                for person in names[name]:
                    found.setdefault(person, written)
                break
    return found


def _joins(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter in "._-+@")


def _ends(text: str, length: int) -> bool:
    """Whether a name of ``length`` letters is not the start of a longer word. Chinese puts no blank after a name."""
    if not text[length - 1].isascii() or length >= len(text):
        return True
    following = text[length]
    if following in ".-@+":
        return length + 1 >= len(text) or not text[length + 1].isalnum()
    return not (following.isalnum() and following.isascii()) and following != "_"
