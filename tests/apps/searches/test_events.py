"""The event stream of a search through the ASGI application, while its row changes."""

import asyncio
import json

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.db.models import F

from apps.audit.models import AuditEvent
from apps.jobs import leases
from apps.jobs.models import Job, JobState
from apps.searches import events
from apps.searches.models import Search
from config.asgi import application
from tests.apps.support import add_model, add_pool, run_jobs, start_search

SMALL = {"population_size": 8, "generations": 2}
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def search(alice_client):
    return start_search(alice_client, add_model(alice_client), add_pool(alice_client), SMALL)


class Stream:
    """A browser's EventSource, as far as a test needs it."""

    def __init__(self, client, search_id, last_event_id=None):
        headers = [(b"host", b"localhost"), (b"accept", b"text/event-stream")]
        cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
        headers.append((b"cookie", cookie.encode()))
        if last_event_id is not None:
            headers.append((b"last-event-id", str(last_event_id).encode()))
        path = f"/api/searches/{search_id}/events/"
        scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
        self.wire = ApplicationCommunicator(application, scope)
        self.buffer = ""
        self.ended = False

    async def open(self):
        await self.wire.send_input({"type": "http.request", "body": b""})
        start = await self.wire.receive_output(5)
        self.headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        return start["status"]

    async def block(self):
        """The next block of the stream (an event or a comment), ``None`` at its end."""
        while "\n\n" not in self.buffer and not self.ended:
            message = await self.wire.receive_output(5)
            self.buffer += message.get("body", b"").decode()
            self.ended = not message.get("more_body", False)
        block, _, self.buffer = self.buffer.partition("\n\n")
        return block or None

    async def event(self):
        """``(name, id, data)`` of the next event, ``None`` at the end."""
        while (block := await self.block()) is not None:
            fields = dict(line.split(": ", 1) for line in block.split("\n"))
            if "event" in fields:
                return fields["event"], int(fields.get("id", 0)), json.loads(fields["data"])
        return None

    async def close(self):
        await self.wire.send_input({"type": "http.disconnect"})
        await self.wire.wait(5)


def run(coroutine):
    return asyncio.run(coroutine)


def change(search_id, **fields):
    Search.objects.filter(pk=search_id).update(changes=F("changes") + 1, **fields)


def test_events_follow_the_row_and_end_with_the_search(alice_client, search):
    async def watch():
        stream = Stream(alice_client, search["id"])
        assert await stream.open() == 200
        assert stream.headers["content-type"] == "text/event-stream"
        assert stream.headers["cache-control"] == "no-store"
        name, first, data = await stream.event()
        assert (name, data["state"], data["id"]) == ("progress", "queued", search["id"])
        assert first == data["revision"] == search["revision"]
        await sync_to_async(change)(search["id"], generation=1)
        _, second, data = await stream.event()
        assert (second, data["generation"]) == (first + 1, 1)
        await sync_to_async(leases.end)(Job.objects.filter(pk=search["job"]), JobState.STOPPED)
        _, third, data = await stream.event()
        assert third > second
        assert data["state"] == "stopped"
        assert await stream.event() is None

    run(watch())


def test_a_reconnect_repeats_and_loses_nothing(alice_client, search):
    async def watch():
        seen = search["revision"]
        stream = Stream(alice_client, search["id"], seen)
        assert await stream.open() == 200
        assert await stream.block() == "retry: 1000"
        change_later = asyncio.create_task(asyncio.sleep(0.3))
        await change_later
        await sync_to_async(change)(search["id"], generation=2)
        _, revision, data = await stream.event()
        assert (revision, data["generation"]) == (seen + 1, 2)
        await stream.close()

    run(watch())


def test_a_search_that_has_ended_is_sent_once_and_then_no_more(alice_client, search):
    run_jobs()

    async def watch():
        stream = Stream(alice_client, search["id"])
        assert await stream.open() == 200
        _, revision, data = await stream.event()
        assert data["state"] == "done"
        assert await stream.event() is None
        again = Stream(alice_client, search["id"], revision)
        assert await again.open() == 204

    run(watch())


def test_a_comment_keeps_the_connection_open(alice_client, search, monkeypatch):
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.2)

    async def watch():
        stream = Stream(alice_client, search["id"], search["revision"])
        await stream.open()
        assert [await stream.block() for _ in range(2)] == ["retry: 1000", ": still here"]
        await stream.close()

    run(watch())


def test_a_deleted_search_ends_its_stream(alice_client, search):
    async def watch():
        stream = Stream(alice_client, search["id"])
        await stream.open()
        await stream.event()
        await sync_to_async(Search.objects.filter(pk=search["id"]).delete)()
        assert (await stream.event())[0] == "deleted"
        assert await stream.event() is None

    run(watch())


def test_other_teams_and_nobody_hear_nothing(outsider_client, anonymous_client, search):
    async def watch():
        assert await Stream(outsider_client, search["id"]).open() == 404
        assert await Stream(anonymous_client, search["id"]).open() == 401

    run(watch())
    assert AuditEvent.objects.filter(denied=True).count() == 1


def test_a_last_event_id_that_is_no_number_counts_as_none(alice_client, search):
    async def watch():
        for wrong in ("x", "-1", "9" * 40):
            stream = Stream(alice_client, search["id"], wrong)
            assert await stream.open() == 200
            assert (await stream.event())[1] == search["revision"]
            await stream.close()

    run(watch())
