"""In a plugin's process there is one vendor's library, and no other's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.runtime_handle import foreign
from heteroopt.runtimes.canary import canary
from heteroopt.runtimes.description import DeviceState, RuntimeDescription
from heteroopt.runtimes.fingerprint import mapped_objects
from heteroopt.runtimes.handle import DeviceHandle
from heteroopt.runtimes.plugins.openvino.isolation import VARIABLE, keep_to_intels
from heteroopt.runtimes.protocol import Command


@pytest.mark.parametrize("name", ["onnxruntime", "openvino", "opencl"])
def test_no_foreign_library_is_mapped(start, name):
    process = start(name)
    described = RuntimeDescription.from_dict(process.call(Command.DESCRIBE, timeout_s=60.0))
    for device in described.devices:
        if device.state == DeviceState.HEALTHY:
            assert canary(DeviceHandle(process, device.index), 60.0) is None
    mapped = mapped_objects(Path(f"/proc/{process.pid}/maps"))
    assert any(name.removeprefix("open").lower() in path.name.lower() or name in str(path) for path in mapped)
    assert foreign(process.pid, name) == []
    assert len({path for path in mapped if "hwloc" in path.name}) <= 1  # two of one name: only the first would be used


def test_what_belongs_to_another_vendor_is_seen(tmp_path):
    maps = tmp_path / "maps"
    maps.write_text(
        "7f0 r-xp 0 08:01 1 /usr/lib/python3/site-packages/openvino/libs/libhwloc.so.15\n"
        "7f1 r-xp 0 08:01 2 /usr/lib/x86_64-linux-gnu/libpocl.so.2\n"
        "7f2 r-xp 0 08:01 3 /usr/lib/python3/site-packages/numpy/core.so\n"
    )
    assert [Path(path).name for path in foreign(maps, "openvino")] == ["libpocl.so.2"]
    assert [Path(path).name for path in foreign(maps, "opencl")] == ["libhwloc.so.15"]
    assert len(foreign(maps, "onnxruntime")) == 2


def test_openvino_sees_intels_opencl_only(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.delenv(VARIABLE)
    (tmp_path / "pocl.icd").write_text("libpocl.so.2\n")
    owner = type("Owner", (), {})()
    keep_to_intels(owner, tmp_path)
    assert not Path(os.environ[VARIABLE]).exists()
    monkeypatch.delenv(VARIABLE)
    (tmp_path / "intel.icd").write_text("/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so\n")
    keep_to_intels(owner, tmp_path)
    seen = Path(os.environ[VARIABLE])
    assert [path.name for path in seen.iterdir()] == ["intel.icd"]
    keep_to_intels(owner, tmp_path / "other")
    assert os.environ[VARIABLE] == str(seen)  # the administrator's choice stays
    del owner
    assert not seen.exists()
