"""The list of codes from which the front end's texts are checked is that of the sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalogue.codes import CODES, Entry, acts, collect, document, text


def found_in(tmp_path: Path, source: str) -> dict[str, dict[str, Entry]]:
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps/errors.py").write_text(
        "class HeteroOptError(Exception): ...\nclass ModelError(HeteroOptError): ...\n"
    )
    (tmp_path / "apps/it.py").write_text(source)
    return collect(tmp_path)


def test_the_list_is_that_of_the_sources():
    assert CODES.read_text() == text(document(collect())), "run: python -m tests.catalogue.codes"


def test_a_code_in_a_subclass_through_helpers_and_choices(tmp_path: Path):
    found = found_in(
        tmp_path,
        "def helper(kind, hint='', **params):\n"
        "    return ModelError(f'bad_{kind}', 'm', hint=hint, index=1, **params)\n"
        "def a(x):\n"
        "    code = 'first' if x else 'second'\n"
        "    raise ModelError(code, 'm', size=x)\n"
        "def b():\n"
        "    raise helper('name', 'do this', where='w')\n"
        "def c():\n"
        "    raise helper('name', index=2)\n"
        "def d(notes):\n"
        "    for code, n in (('one', 1), ('two', 2)):\n"
        "        notes.add(code, count=n)\n",
    )
    errors, notes = found["error"], found["note"]
    assert {"first", "second", "bad_name"} <= set(errors)
    assert errors["first"].params == {"size"}
    assert not errors["first"].hint
    assert errors["bad_name"].params == {"index"}, "only what every place gives can stand in a text"
    assert errors["bad_name"].hint
    assert set(notes) == {"one", "two"}


@pytest.mark.parametrize("code", ["name + 'x'", "table[3]", "unheard_of"])
def test_a_code_that_cannot_be_read_is_an_error(tmp_path: Path, code: str):
    with pytest.raises(LookupError, match=r"apps/it\.py:2"):
        found_in(tmp_path, f"def a(name, table):\n    raise ModelError({code}, 'm')\n")


def acts_in(folder: Path, source: str) -> list[str]:
    (folder / "apps").mkdir(parents=True)
    (folder / "apps/it.py").write_text(source)
    return acts(folder)


def test_acts_of_the_audit_log_are_found_where_they_are_recorded(tmp_path: Path):
    found = acts_in(
        tmp_path / "plain",
        "record(request, 'thing.make', thing)\n"
        "word = 'thing.open' if is_open else 'thing.shut'\n"
        "record(self._request, word, thing)\n"
        "AuditEvent.objects.create(team=team, action='thing.lend')\n"
        "other(request, 'thing.none')\n",
    )
    assert [act for act in found if "." in act] == ["thing.lend", "thing.make", "thing.open", "thing.shut"]
    with pytest.raises(LookupError, match=r"apps/it\.py:1"):
        acts_in(tmp_path / "made", "record(request, word + 's', thing)\n")
