"""Our end of a plugin's process: starts it, sends commands, and says why it ended when it did."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import heteroopt
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.host_memory import host_memory_bytes
from heteroopt.runtimes.protocol import Channel, Command
from heteroopt.runtimes.regions import Region, create

START_SECONDS = 30.0
COMMAND_SECONDS = 10.0
_STDERR_BYTES = 4000
_WORDS_CHARACTERS = 200


class RuntimeProcess:
    """One plugin in a process of its own. Thread-safe: one command at a time.

    ``plugin``: ``module:class``; ``interpreter``: the Python that has the vendor's package. A command that takes too
    long ends the process, since what it left behind is unknown; later commands raise ``runtime_died``.
    """

    def __init__(
        self,
        name: str,
        plugin: str,
        *,
        interpreter: str | None = None,
        settings: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self._lock = threading.RLock()
        self._next_call = 1
        self._next_region = 1
        self._reason: RuntimeFault | None = None
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  (closed by ``close``)
        ours, theirs = socket.socketpair()
        our_files, their_files = socket.socketpair()
        command = [
            interpreter or sys.executable, "-m", "heteroopt.runtimes.host", plugin, json.dumps(dict(settings or {})),
            str(theirs.fileno()), str(their_files.fileno()),
        ]  # fmt: skip
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self._stderr,
                stderr=self._stderr,
                pass_fds=(theirs.fileno(), their_files.fileno()),
                env=_environment(environment or {}),
                start_new_session=True,  # Ctrl-C is for us
            )
        except OSError as error:
            ours.close()
            our_files.close()
            self._stderr.close()
            raise RuntimeFault(
                "runtime_load_failed",
                f"The interpreter {command[0]} of {name} could not be started: {error.strerror}.",
                hint="Correct the runtime's interpreter in its configuration.",
                path=command[0],
                kind=type(error).__name__,
                says=str(error),
            ) from error
        finally:
            theirs.close()
            their_files.close()
        self._channel = Channel(ours)
        self._files = our_files

    @property
    def pid(self) -> int:
        """The process' id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still answers, as far as known."""
        return self._reason is None and self._process.poll() is None

    def wait_for_end(self, timeout_s: float) -> bool:
        """Wait until the process has ended, at most so long; return whether it has. Sends nothing."""
        poll = select.poll()
        poll.register(self._channel.socket, select.POLLRDHUP)
        if poll.poll(timeout_s * 1000):
            with suppress(subprocess.TimeoutExpired):  # its end of the socket is closed, and yet it goes on
                self._process.wait(timeout_s)
        return not self.alive

    def check(self, timeout_s: float = COMMAND_SECONDS) -> None:
        """Ask a process that nobody waits for whether it still answers; one that does not is ended.

        Where somebody waits for an answer now, that call's own limit counts, and nothing is asked.
        """
        if not self._lock.acquire(blocking=False):
            return
        try:
            with suppress(RuntimeFault):  # ``alive`` says so from now on
                self.call(Command.PING, timeout_s=timeout_s)
        finally:
            self._lock.release()

    def start(self, timeout_s: float = START_SECONDS) -> str:
        """Wait until the plugin is loaded; return its name. Raises ``runtime_load_failed`` or ``runtime_timeout``."""
        with self._lock:
            return str(self._answer(0, timeout_s, "load"))

    def call(self, command: Command, *arguments: Any, timeout_s: float = COMMAND_SECONDS) -> Any:
        """Run one command and return its answer. Raises ``RuntimeFault``."""
        with self._lock:
            return self._answer(self._send(command, arguments), timeout_s, command.name.lower())

    def batch(self, commands: Sequence[tuple[Command, Sequence[Any]]], timeout_s: float = COMMAND_SECONDS) -> list[Any]:
        """Run commands in one message; return their answers. Raises the first error; later ones did not run."""
        answers, error = self.call(Command.BATCH, commands, timeout_s=timeout_s)
        if error is not None:
            raise RuntimeFault.from_dict(error)
        return list(answers)

    def share(self, size_bytes: int) -> tuple[int, Region]:
        """Make memory that both processes see (the host side of copies) and return its number and our mapping.

        Raises ``RuntimeFault`` ``copy_out_of_range`` or ``device_memory_full`` (of this host).
        """
        if size_bytes <= 0:
            raise RuntimeFault("copy_out_of_range", f"A buffer cannot have {size_bytes} bytes.", size_bytes=size_bytes)
        most = host_memory_bytes()
        if size_bytes > most:  # its pages are taken at once: the system would end processes to find them
            raise _no_room(size_bytes, most)
        with self._lock:
            number = self._next_region
            self._next_region += 1
            try:
                descriptor, region = create(size_bytes)
            except OSError as error:
                raise _no_room(size_bytes, most) from error
            try:
                self._refuse_if_ended()
                try:
                    socket.send_fds(self._files, [b"\0"], [descriptor])
                except OSError as error:
                    raise self._died() from error
            finally:
                os.close(descriptor)
            self.call(Command.SHARE, number, size_bytes)
            return number, region

    def close(self, timeout_s: float = 5.0) -> None:
        """End the process: it is asked first, and killed if it does not go."""
        if self._reason is None:
            self._reason = RuntimeFault(
                "runtime_died", f"{self.name} was closed.", runtime=self.name, exit="closed", why="closed"
            )
        self._channel.socket.close()
        self._files.close()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
        self._stderr.close()

    def kill(self, reason: RuntimeFault | None = None) -> None:
        """End the process at once; later commands raise ``reason``. A confined process may end no other one: then
        whoever started both does.
        """
        if self._reason is None:
            self._reason = reason
        try:
            self._process.kill()
        except PermissionError:
            return
        self._process.wait()

    def _send(self, command: Command, arguments: Sequence[Any]) -> int:
        self._refuse_if_ended()
        number = self._next_call
        self._next_call += 1
        try:
            self._channel.send([number, command, arguments])
        except OSError as error:
            raise self._died() from error
        return number

    def _answer(self, number: int, timeout_s: float, what: str) -> Any:
        self._channel.socket.settimeout(timeout_s)
        try:
            message = self._channel.receive()
        except TimeoutError:
            fault = RuntimeFault(
                "runtime_timeout",
                f"{self.name} did not answer ({what}) within {timeout_s:g} s, so its process was ended.",
                hint="If this goes on, the device or its driver hangs.",
                runtime=self.name,
                command=what,
                timeout_s=timeout_s,
            )
            self.kill(fault)
            raise fault from None
        except OSError as error:
            raise self._died() from error
        if message is None:
            raise self._died()
        answered, failed, answer = message
        if answered != number:
            self.kill()
            raise self._died()
        if failed:
            raise RuntimeFault.from_dict(answer)
        return answer

    def _refuse_if_ended(self) -> None:
        if self._reason is not None:
            raise self._reason

    def _died(self) -> RuntimeFault:
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self.kill()
            code = -signal.SIGKILL
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        output = self.output()
        printed = last_words(output)
        why = f"{how} ({printed})" if printed else how
        self._reason = RuntimeFault(
            "runtime_died",
            f"The process of {self.name} ended: {why}.",
            hint="It is started again; what was on its devices is lost.",
            runtime=self.name,
            exit=how,
            why=why,
            output=output,
        )
        return self._reason

    def output(self) -> str:
        """Return the end of what the process printed."""
        try:
            size = self._stderr.seek(0, os.SEEK_END)
            self._stderr.seek(max(0, size - _STDERR_BYTES))
            return self._stderr.read().decode(errors="replace")
        except ValueError:  # closed
            return ""


def _no_room(size_bytes: int, capacity_bytes: int) -> RuntimeFault:
    return RuntimeFault(
        "device_memory_full",
        f"{size_bytes} bytes do not fit into this host's memory of {capacity_bytes}.",
        hint="Free buffers that are no longer needed, or use a smaller batch.",
        size_bytes=size_bytes,
        held_bytes=0,
        capacity_bytes=capacity_bytes,
    )


def last_words(output: str) -> str:
    """Return the last line that a library printed before its process ended, "" if there was none.

    What Python adds on a fatal signal (the stacks of all threads) says less and is left out.
    """
    before = output.partition("Fatal Python error")[0]
    lines = [line.strip() for line in before.splitlines() if line.strip()]
    return lines[-1][:_WORDS_CHARACTERS].rstrip(".") if lines else ""


def _environment(extra: Mapping[str, str]) -> dict[str, str]:
    package = str(Path(heteroopt.__file__).parent.parent)
    paths = [package, *filter(None, [extra.get("PYTHONPATH") or os.environ.get("PYTHONPATH", "")])]
    return {**os.environ, **extra, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"}
