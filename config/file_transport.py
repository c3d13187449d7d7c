"""Messages as files in the data folder: kombu's transport, but whole messages only, each taken by one worker."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem, virtual
from kombu.utils.encoding import bytes_to_str, str_to_bytes
from kombu.utils.json import dumps, loads

log = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    """Writes aside and renames, so that whatever has a final name is complete.

    kombu's own channel opens a file under its final name and writes afterwards: a reader between the two takes an empty
    message, which ends the worker. The tables of exchanges have the same gap.
    """

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        self._write(Path(self.data_folder_out, name), payload)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """Take the oldest whole message; ``Empty`` if there is none. One that cannot be read is logged and left out."""
        for name in sorted(os.listdir(self.data_folder_in)):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = Path(self.processed_folder, name)
            try:
                # Of several workers the rename succeeds in one.
                os.rename(Path(self.data_folder_in, name), taken)
            except FileNotFoundError:
                continue
            try:
                return loads(bytes_to_str(taken.read_bytes()))
            except (OSError, ValueError) as error:
                log.warning("The broker leaves out the message %s: %s", name, error)
            finally:
                with contextlib.suppress(OSError):
                    taken.unlink()
        raise Empty

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str | None, queue: str) -> None:
        entry = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._changing_tables():
            table = self.get_table(exchange)
            if entry not in table:
                self._write_table(exchange, [entry, *table])

    def _delete(self, queue: str, exchange: str, routing_key: str, pattern: str, *args: Any, **kwargs: Any) -> None:
        virtual.Channel._delete(self, queue, exchange, routing_key, pattern, *args, **kwargs)
        entry = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._changing_tables():
            table = self.get_table(exchange)
            if entry in table:
                self._write_table(exchange, [other for other in table if other != entry])

    @contextlib.contextmanager
    def _changing_tables(self) -> Iterator[None]:
        """Hold the lock on the tables of exchanges; closing the file releases it."""
        with (self.control_folder / "lock").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _write_table(self, exchange: str, table: list[filesystem.exchange_queue_t]) -> None:
        # kombu's stubs leave the method out.
        self._write(self._exchange_file(exchange), table)  # type: ignore[attr-defined]

    def _write(self, path: Path, content: Any) -> None:
        partial = Path(self.transport_options["partial_folder"], f"{uuid.uuid4()}.part")
        try:
            partial.write_bytes(str_to_bytes(dumps(content)))
            os.replace(partial, path)
        except BaseException:
            with contextlib.suppress(OSError):
                partial.unlink()
            raise


class Transport(filesystem.Transport):
    """kombu's transport over files with the channel above."""

    Channel = Channel
    global_state = virtual.BrokerState()
