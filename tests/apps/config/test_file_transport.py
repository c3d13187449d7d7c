"""The embedded broker: several processes put and take at once, and every message arrives once and whole."""

import os
import subprocess
import sys
import time
from pathlib import Path
from queue import Empty

import pytest
from django.conf import settings
from kombu import Connection

from apps.jobs import dispatch
from config import broker, file_transport

PUTTERS = TAKERS = 3
MESSAGES = 200

START = """
import sys, time, pathlib, queue
from kombu import Connection
from config import broker
folder, who = pathlib.Path(sys.argv[1]), sys.argv[2]
broker.register()
channel = Connection("filesystem://", transport_options=broker.transport_options(folder)).default_channel
(folder / f"ready-{who}").touch()
deadline = time.monotonic() + 40
while not (folder / "go").exists() and time.monotonic() < deadline:
    time.sleep(0.005)
"""
PUT = (
    START
    + f"""
for number in range({MESSAGES}):
    channel._queue_bind("x", f"{{who}}-{{number % 10}}", "", "q")
    channel._put("q", {{"id": f"{{who}}-{{number}}", "padding": list(range(2000))}})
"""
)
TAKE = (
    START
    + """
while time.monotonic() < deadline:
    ended = (folder / "ended").exists()
    channel.get_table("x")
    try:
        print(channel._get("q")["id"])
    except queue.Empty:
        if ended:
            break
"""
)


@pytest.fixture
def channel(tmp_path):
    broker.register()
    with Connection("filesystem://", transport_options=broker.transport_options(tmp_path)) as connection:
        yield connection.default_channel


def test_nothing_is_lost_and_nothing_raised_between_processes(tmp_path, channel):
    def start(script, who):
        command = [sys.executable, "-c", script, str(tmp_path), who]
        return subprocess.Popen(
            command, cwd=settings.BASE_DIR, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    takers = [start(TAKE, f"t{i}") for i in range(TAKERS)]
    putters = [start(PUT, f"p{i}") for i in range(PUTTERS)]
    try:
        deadline = time.monotonic() + 30
        while len(list(tmp_path.glob("ready-*"))) < TAKERS + PUTTERS and time.monotonic() < deadline:
            time.sleep(0.01)
        (tmp_path / "go").touch()
        for process in putters:
            assert process.communicate(timeout=60)[1] == ""
        (tmp_path / "ended").touch()
        outputs = [process.communicate(timeout=60) for process in takers]
    finally:
        for process in (*takers, *putters):
            process.kill()
    assert [error for _, error in outputs] == [""] * TAKERS
    taken = [line for output, _ in outputs for line in output.split()]
    assert sorted(taken) == sorted(f"p{i}-{number}" for i in range(PUTTERS) for number in range(MESSAGES))
    assert len(channel.get_table("x")) == 10 * PUTTERS
    for folder in ("messages", "partial", "processed"):
        assert os.listdir(tmp_path / folder) == []


def test_a_message_gets_its_name_when_it_is_whole(channel, tmp_path, monkeypatch):
    replace, seen = os.replace, []

    def watched(source, target):
        seen.append((os.listdir(tmp_path / "messages"), Path(source).read_text()))
        replace(source, target)

    monkeypatch.setattr(file_transport.os, "replace", watched)
    channel._put("q", {"a": 1})
    assert seen == [([], '{"a": 1}')]
    assert channel._size("q") == 1


def test_the_oldest_whole_message_comes_first(channel, tmp_path, caplog):
    (tmp_path / "messages" / "0_cut.q.msg").write_bytes(b"")
    (tmp_path / "messages" / "1_cut.q.msg").write_bytes(b'{"a": ')
    (tmp_path / "messages" / "2_cut.q.msg").write_bytes(b"\xff")
    for number in (1, 2):
        channel._put("q", {"number": number})
    channel._put("other", {"number": 3})
    assert [channel._get("q")["number"] for _ in range(2)] == [1, 2]
    with pytest.raises(Empty):
        channel._get("q")
    assert caplog.text.count("leaves out") == 3
    assert channel._get("other") == {"number": 3}


def test_a_message_that_another_worker_takes_is_passed_over(channel, tmp_path, monkeypatch):
    channel._put("q", 1)
    names = os.listdir(tmp_path / "messages")
    assert channel._get("q") == 1
    monkeypatch.setattr(file_transport.os, "listdir", lambda _: names)
    with pytest.raises(Empty):
        channel._get("q")


def test_an_unbound_queue_leaves_the_table(channel):
    channel._queue_bind("x", "a", "", "q")
    channel._queue_bind("x", "b", "", "q")
    channel._delete("q", "x", "a", "")
    assert [row.routing_key for row in channel.get_table("x")] == ["b"]


def test_producers_and_workers_use_it():
    with dispatch.celery_app().connection_for_write() as connection:
        assert type(connection.default_channel) is file_transport.Channel
        assert connection.default_channel.data_folder_out == str(settings.BROKER_DIR / "messages")
