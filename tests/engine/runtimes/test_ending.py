"""Ending a plugin's process where this one may not."""

from types import SimpleNamespace

import pytest

from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.process import RuntimeProcess


class _Untouchable(SimpleNamespace):
    def kill(self) -> None:
        raise PermissionError(1, "Operation not permitted")

    def wait(self, timeout: float | None = None) -> int:
        raise AssertionError("it computes on: nobody may wait for it")


def test_a_confined_process_keeps_the_reason_where_it_may_end_no_other_process():
    process = object.__new__(RuntimeProcess)
    process._process, process._reason = _Untouchable(), None
    process.kill(RuntimeFault("runtime_timeout", "It did not answer."))
    with pytest.raises(RuntimeFault) as caught:
        process._refuse_if_ended()
    assert caught.value.code == "runtime_timeout"
