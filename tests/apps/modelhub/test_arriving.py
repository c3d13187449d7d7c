"""Large pieces through the ASGI application while they arrive: who may send, what a cut leaves, what a check keeps."""

import asyncio
import hashlib
import json
import uuid

import pytest
from asgiref.testing import ApplicationCommunicator

from apps.modelhub import uploads
from apps.modelhub.models import Model
from config import arriving
from config.asgi import application
from tests.apps.modelhub.tus_client import PIECE, begin, checksum, offset
from tests.apps.support import two_branches
from tests.conftest import signed_in

DATA = hashlib.shake_256(b"piece").digest(3 << 20)
SIZE = len(DATA)
HALF = SIZE // 2
MESSAGE = 1 << 16
WAIT = 60
pytestmark = pytest.mark.django_db(transaction=True)


class Sender:
    """A client that sends a body in as many messages as it likes."""

    def __init__(self, path, client=None, *, method="PATCH", length=SIZE, **headers):
        sent = {"host": "localhost", "content-type": PIECE, "tus-resumable": "1.0.0", "upload-offset": "0"}
        sent |= {name.replace("_", "-"): text for name, text in headers.items()}
        sent |= {"transfer-encoding": "chunked"} if length is None else {"content-length": str(length)}
        if client is not None:
            sent["cookie"] = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
        listed = [(name.encode(), text.encode()) for name, text in sent.items()]
        scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": listed}
        self.wire = ApplicationCommunicator(application, scope)

    async def send(self, *parts, more=True):
        for number, part in enumerate(parts, start=1):
            await self.wire.send_input({"type": "http.request", "body": part, "more_body": more or number < len(parts)})

    async def cut(self):
        await self.wire.send_input({"type": "http.disconnect"})
        await self.wire.wait(WAIT)

    async def answer(self):
        start, body = await self.wire.receive_output(WAIT), await self.wire.receive_output(WAIT)
        await self.wire.wait(WAIT)
        return start["status"], (json.loads(body["body"] or b"{}").get("error") or {}).get("code")


async def sent(path, client, *parts, **headers):
    sender = Sender(path, client, **headers)
    await sender.send(*parts, more=False)
    return await sender.answer()


def csrf(client):
    """The header that a page sends beside its cookies."""
    client.get("/api/session/")
    return {"x_csrftoken": client.cookies["heteroopt_csrf"].value}


def part(path):
    return uploads.part_path(uuid.UUID(path.rstrip("/").rsplit("/", 1)[-1]))


async def until(condition):
    for _ in range(WAIT * 50):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never happened")


@pytest.mark.parametrize("length", [SIZE, None], ids=["declared", "chunked"])
def test_a_large_piece_is_written_while_it_arrives(alice_client, length):
    path, token = begin(alice_client, DATA), csrf(alice_client)

    async def run():
        sender = Sender(path, alice_client, length=length, **token)
        await sender.send(DATA[:HALF])
        await until(lambda: part(path).stat().st_size > HALF - MESSAGE)
        # Nobody else writes or completes meanwhile.
        assert await sent(path, alice_client, DATA, **token) == (423, "upload_busy")
        await sender.send(DATA[HALF:], more=False)
        return await sender.answer()

    assert asyncio.run(run()) == (204, None)
    assert part(path).read_bytes() == DATA


@pytest.mark.parametrize("is_declared", [True, False], ids=["declared", "chunked"])
@pytest.mark.parametrize("size", [10, 2 << 20], ids=["small", "large"])
def test_json_arrives_whole_in_parts_of_declared_length_or_not(alice_client, size, is_declared):
    """A proxy that sends bodies on in chunks does not say how long they are."""
    body = json.dumps({"file_name": "a.onnx", "size_bytes": SIZE, "name": " " * size}).encode()
    token = csrf(alice_client)
    kind = {"method": "POST", "length": len(body) if is_declared else None, "content_type": "application/json"}
    answer = asyncio.run(sent("/api/uploads/", alice_client, body[:50], body[50:], **kind, **token))
    assert answer == (201, None)


@pytest.mark.parametrize("n_bytes", [0, 3 << 20])
def test_a_form_in_chunks_arrives_whole(alice_client, n_bytes):
    token, data = csrf(alice_client), two_branches() + bytes(n_bytes)
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="m.onnx"\r\n\r\n'
    kind = {"method": "POST", "length": None, "content_type": "multipart/form-data; boundary=b"}
    answer = asyncio.run(sent("/api/models/", alice_client, head, data, b"\r\n--b--\r\n", **kind, **token))
    assert answer == (201, None)
    assert Model.objects.get().size_bytes == len(data)


def test_a_small_piece_takes_the_same_way(alice_client):
    path, token = begin(alice_client, DATA[:100]), csrf(alice_client)
    answer = asyncio.run(sent(path, alice_client, DATA[:60], DATA[60:100], length=100, **token))
    assert answer == (204, None)
    assert part(path).read_bytes() == DATA[:100]


def test_a_cut_piece_continues_after_what_arrived(alice_client):
    path, token = begin(alice_client, DATA), csrf(alice_client)

    async def run():
        sender = Sender(path, alice_client, **token)
        await sender.send(DATA[:1000], DATA[1000:HALF])
        await sender.cut()

    asyncio.run(run())
    assert offset(alice_client, path) == HALF
    rest = asyncio.run(sent(path, alice_client, DATA[HALF:], length=len(DATA) - HALF, upload_offset=str(HALF), **token))
    assert rest == (204, None)
    assert part(path).read_bytes() == DATA


def test_a_sender_who_falls_silent_is_told_where_to_continue(alice_client, monkeypatch):
    monkeypatch.setattr(arriving, "IDLE_SECONDS", 0.5)
    path, token = begin(alice_client, DATA), csrf(alice_client)

    async def run():
        sender = Sender(path, alice_client, **token)
        await sender.send(DATA[:HALF])
        return await sender.answer()

    assert asyncio.run(run()) == (409, "upload_incomplete")
    assert offset(alice_client, path) == HALF


def test_nothing_unverified_is_kept_of_a_piece_with_a_checksum(alice_client):
    path, token = begin(alice_client, DATA), csrf(alice_client)
    token["upload_checksum"] = checksum(DATA, "sha256")

    async def cut():
        sender = Sender(path, alice_client, **token)
        await sender.send(DATA[:HALF])
        await sender.cut()

    asyncio.run(cut())
    assert offset(alice_client, path) == 0
    assert asyncio.run(sent(path, alice_client, b"y" + DATA[1:], **token)) == (460, "upload_checksum")
    assert offset(alice_client, path) == 0
    assert asyncio.run(sent(path, alice_client, DATA, **token)) == (204, None)
    assert part(path).read_bytes() == DATA


def test_more_than_announced_is_refused_while_it_arrives(alice_client):
    path, token = begin(alice_client, DATA[:HALF]), csrf(alice_client)

    async def run():
        sender = Sender(path, alice_client, **token)
        await sender.send(DATA[: HALF + 1])
        return await sender.answer()

    assert asyncio.run(run()) == (400, "upload_overrun")
    assert offset(alice_client, path) == 0


def test_who_may_not_send_is_refused_before_a_byte_is_asked_for(alice_client, outsider, viewer):
    path = begin(alice_client, DATA)
    stranger, onlooker = signed_in(outsider), signed_in(viewer)

    async def answers():
        return [
            await Sender(path, client, **headers).answer()
            for client, headers in (
                (None, {}),
                (alice_client, {}),
                (stranger, token_of_stranger),
                (onlooker, token_of_onlooker),
            )
        ]

    token_of_stranger, token_of_onlooker = csrf(stranger), csrf(onlooker)
    statuses = [status for status, _ in asyncio.run(answers())]
    assert statuses == [401, 403, 404, 403]
    assert offset(alice_client, path) == 0


def form(data):
    start = b'--b\r\nContent-Disposition: form-data; name="file"; filename="m.onnx"\r\n\r\n'
    return start + data + b"\r\n--b--\r\n"


def test_a_large_form_arrives_whole_or_not_at_all(alice_client):
    body = form(DATA)
    headers = {**csrf(alice_client), "content_type": "multipart/form-data; boundary=b", "length": len(body)}

    async def run():
        sender = Sender("/api/models/", alice_client, method="POST", **headers)
        await sender.send(body[:HALF])
        await sender.cut()

    asyncio.run(run())
    assert not Model.objects.exists()
    whole = asyncio.run(sent("/api/models/", alice_client, body[:HALF], body[HALF:], method="POST", **headers))
    assert whole == (201, None)
    assert Model.objects.get().sha256 == hashlib.sha256(DATA).hexdigest()
