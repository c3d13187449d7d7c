"""Plugins' folders: what is read, what is refused, and who wins."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from heteroopt.runtimes.configuration import FILE_NAME, read_configuration
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.registry import GROUP, SHIPPED, find_plugins


def folder(tmp_path: Path, text: str, name: str = "mine") -> Path:
    made = tmp_path / name
    made.mkdir()
    (made / FILE_NAME).write_text(text)
    return made


def test_everything_that_ships_can_be_read():
    plugins = {plugin.name: plugin for plugin in find_plugins(found=[])}
    assert {"onnxruntime", "simulated"} <= set(plugins)
    assert all(plugin.configuration for plugin in plugins.values())
    assert not plugins["simulated"].configuration.enabled


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("plugin: [1", "while parsing"),
        ("- 1", "mapping"),
        ("plugin: a:b\ncolour: red", "unknown key 'colour'"),
        ("plugin: a", "MODULE:CLASS"),
        ("settings: {}", "MODULE:CLASS"),
        ("plugin: a:b\nprobe_timeout_s: -1", "probe_timeout_s"),
        ("plugin: a:b\nprobe_timeout_s: true", "probe_timeout_s"),
        ("plugin: a:b\nenvironment: {A: 1}", "environment"),
        ("plugin: a:b\nsettings: {1: 2}", "no text: 1"),
        ("plugin: !!python/object/apply:os.system [id]", "could not determine a constructor"),
        ("x" * ((1 << 18) + 1), "more than"),
        ("plugin: a:b\nsettings: {a: " + "9" * 5000 + "}", "4300"),
        ("plugin: a:b\nsettings: {a: 1_000_000_000_000_000_000_000}", "64 bits"),
        ("plugin: a:b\nsettings: {a: .nan}", "finite"),
        ("plugin: a:b\nsettings: {day: 2020-01-01}", "date"),
        ("plugin: a:b\nsettings: {day: 2020-13-45}", "month"),
        ("plugin: a:b\nsettings: {a: !!timestamp x}", "cannot be used"),
        ("plugin: a:b\nsettings: {a: !!set {b}}", "set"),
        ("plugin: a:b\nsettings: &s {again: *s}", "levels"),
        (
            "plugin: a:b\na0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{f'*a{n - 1},' * 9}]\n" for n in range(1, 12)),
            "values",
        ),
        ("[" * 20_000, "cannot be used"),
        ('plugin: a:b\nenvironment: {A: "b\\0c"}', "NUL"),
        ("plugin: a:b\nenvironment: {A=B: c}", "environment"),
    ],
)
def test_a_wrong_file_is_refused_by_what_is_wrong(tmp_path, text, says):
    with pytest.raises(RuntimeFault) as caught:
        read_configuration(folder(tmp_path, text))
    assert caught.value.code == "runtime_configuration"
    assert says in caught.value.message


def test_the_hosts_folder_wins_and_a_broken_one_is_listed_with_its_reason(tmp_path):
    folder(tmp_path, "plugin: a:b\nsettings: {core_sets: [[0], [1]]}", "onnxruntime")
    folder(tmp_path, "plugin: 3", "broken")
    plugins = {plugin.name: plugin for plugin in find_plugins(tmp_path, found=[])}
    assert plugins["onnxruntime"].configuration.settings == {"core_sets": [[0], [1]]}
    assert plugins["broken"].configuration is None
    assert plugins["broken"].reason.code == "runtime_configuration"


def test_entry_points_lead_to_folders():
    points = [
        EntryPoint("again", "heteroopt.runtimes.plugins.simulated", GROUP),
        EntryPoint("lost", "no.such.package", GROUP),
        EntryPoint("module", "heteroopt.units", GROUP),
    ]
    plugins = {plugin.name: plugin for plugin in find_plugins(found=points)}
    assert plugins["again"].folder == SHIPPED / "simulated"
    assert [plugins[name].reason.code for name in ("lost", "module")] == ["runtime_load_failed"] * 2
