"""TOML text that a parser would take long over is refused before it is parsed; pools are not."""

import tomllib

import pytest

from heteroopt.devices import pool_toml
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.devices.toml_limits import check_toml_shape
from heteroopt.errors import PoolError

N = 100_000


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        (".".join(["a"] * N) + " = 1", "parts of a dotted key", 1),
        ("\n" + ".".join(['"a"'] * N) + " = 1", "parts of a dotted key", 2),
        ("# x\n'''y'''\n" + " . ".join(["'a'"] * N) + " = 1", "parts of a dotted key", 3),
        ("x = '''\n\n'''\n[" + ".".join(["a"] * N) + "]\n", "parts of a dotted key", 4),
        ("x = { " + ".".join(["a"] * N) + " = 1 }\n", "parts of a dotted key", 1),
        ("".join(f"[a.b.c.d.e.f.g.h{i}]\n" for i in range(N // 20)), "dots in keys", 1429),
        ("".join(f"a{i}.b.c.d.e.f.g.h=1\n" for i in range(N // 20)), "dots in keys", 1429),
        ("x={" + "".join(f"a{i}.b.c.d.e.f.g.h=1," for i in range(N // 20)) + "z=1}", "dots in keys", 1),
        ("[[a]]\n" * N, "tables", 10_001),
        ("x = [" + "{}," * N + "]", "tables", 1),
        ("x = " + "[" * N + "]" * N, "nested brackets", 1),
        ("x = " + "{a=" * N, "nested brackets", 1),
        ("x = " + "1" * N, "characters in a word or number", 1),
        ("x = 0x" + "f" * N, "characters in a word or number", 1),
        ("k" * N + " = 1", "characters in a word or number", 1),
    ],
)
def test_shapes_that_no_pool_has(text, what, line):
    with pytest.raises(PoolError) as caught:
        DevicePool.from_toml(text + "\n")
    assert caught.value.code == "toml_shape"
    assert caught.value.hint
    assert (caught.value.params["what"], caught.value.params["line"]) == (what, line)
    assert caught.value.params["value"] > caught.value.params["limit"]


@pytest.mark.parametrize(
    "text",
    [
        "a.b.c.d.e.f.g.h = 1\n",
        "x = 'a.b.c.d.e.f.g.h.i.j.k'\ny = \"[[[[[[[[[[[[[[[[[[[[[[[[[[\"\n",
        'x = "say \\"a.b.c.d.e.f.g.h.i.j\\" [[[[[[[[[[[[[[[[[[[[" # a.b.c.d.e.f.g.h.i.j.k [[[[[[[[[[[[[[[[[[[[[\n',
        'x = """\na.b.c.d.e.f.g.h.i.j ""\\""" "x"""""\ny = 1\n',
        "x = '''\na.b.c.d.e.f.g.h.i.j '' [[[[[[[[[[[[[[[[[[[['''''\ny = 1\n",
        "x = [" + "1.5, " * 20_000 + "]\n",
        "x = '" + "y" * N + "'\n",
        "t = 2026-01-02T03:04:05.678+08:00\n",
        "[[a]]\nb = 1\n" * 5_000,
    ],
)
def test_what_stands_in_strings_and_comments_does_not_count(text):
    check_toml_shape(text)
    assert tomllib.loads(text)


def test_a_parsers_complaint_is_short():
    with pytest.raises(PoolError) as caught:
        DevicePool.from_toml("['" + "k" * N + "']\n" * 2 + "['" + "k" * N + "']\n")
    assert caught.value.code == "not_toml"
    assert len(caught.value.params["reason"]) < 400


def test_a_large_file_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "pool.toml"
    path.write_bytes(b"#" * pool_toml.MAX_TOML_BYTES + b"\n\xff")
    with pytest.raises(PoolError) as caught:
        DevicePool.from_toml(path)
    assert (caught.value.code, caught.value.params["size"]) == ("pool_file", pool_toml.MAX_TOML_BYTES + 1)


def test_the_largest_pool_with_every_figure_spelled_out_fits():
    values = DeviceSpec(template="NVIDIA_A100_40G", name="d").to_dict()
    entry = pool_toml._entries({key: value for key, value in values.items() if value is not None})
    text = "\n".join("\n".join(["[[devices]]", f"name = 'd{i}'", *entry[1:]]) for i in range(256)) + "\n"
    assert entry[0].startswith("name")
    assert len(DevicePool.from_toml(text).devices) == 256
