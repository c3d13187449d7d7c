"""Blocks of arrays: what goes in comes out, in little room; blocks of before are still read; damage is refused."""

import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from heteroopt.search.packing import pack, unpack

ARRAYS = st.sampled_from(["<i8", "<i4", "<u8", "<u2", "u1", "<f8", "?", ">i4"]).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0))
)


@given(arrays=st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), ARRAYS, max_size=4))
def test_what_goes_in_comes_out(arrays):
    header, found = unpack(pack({"of": "arrays"}, arrays))
    assert header == {"of": "arrays"}
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()
        assert found[name].flags.writeable


@pytest.mark.parametrize("largest", [0, 255, 256, 65_535, 65_536, 2**31 - 1, 2**63 - 1])
def test_the_largest_value_decides_the_bytes_of_all(largest):
    array = np.array([[0, largest], [largest // 2, 1]], np.int64)
    data = pack({}, {"a": array})
    assert np.array_equal(unpack(data)[1]["a"], array)
    stored = np.load(io.BytesIO(zipfile.ZipFile(io.BytesIO(data)).read("a.npy")))
    assert len(stored) == max(1, -(-largest.bit_length() // 8))


def test_orders_of_plans_take_less_than_two_bytes_a_gene():
    generator = np.random.default_rng(1)
    orders = np.tile(np.arange(5_000, dtype=np.int32), (32, 1))
    for order in orders:
        order[1000:1500] = generator.permutation(order[1000:1500])
    data = pack({}, {"orders": orders})
    assert len(data) < orders.size


def test_blocks_of_before_are_read():
    """They hold every array as it is, and no list of types."""
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    member, block = io.BytesIO(), io.BytesIO()
    np.save(member, array)
    with zipfile.ZipFile(block, "w") as archive:
        archive.writestr("header.json", json.dumps({"a": 1}))
        archive.writestr("orders.npy", member.getvalue())
    header, arrays = unpack(block.getvalue())
    assert header == {"a": 1}
    assert np.array_equal(arrays["orders"], array)


@pytest.mark.parametrize("types", [[], {"a": "<f8"}, {"a": "<i1"}, {"a": "|O"}, {"b": "<i4"}, {"a": "nonsense"}])
def test_wrong_types_are_refused(types):
    planes, block = io.BytesIO(), io.BytesIO()
    np.save(planes, np.zeros((2, 3), np.uint8))
    with zipfile.ZipFile(block, "w") as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("a.npy", planes.getvalue())
        archive.writestr("narrowed.json", json.dumps(types))
    with pytest.raises((ValueError, KeyError, TypeError)):
        unpack(block.getvalue())
