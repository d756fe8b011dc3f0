"""Both directions of JSON-RPC, without a process: faults, cancelling, odd answers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from kinet.core.approval import NobodyToAsk
from kinet.core.errors import StoreError
from kinet.core.events import TextDelta, TurnFinished
from kinet.serve import messages, params
from kinet.serve.lines import Line
from kinet.serve.messages import Request, RpcError
from kinet.serve.methods import Method
from kinet.serve.outbox import FULL, Outbox
from kinet.serve.peer import MOST, Peer
from kinet.serve.server import Server
from kinet.serve.session import ServedSession


class Pipe:
    """Lines in memory; what was told is read back as JSON."""

    def __init__(self) -> None:
        self.said: asyncio.Queue[Line | None] = asyncio.Queue()
        self.told: asyncio.Queue[Any] = asyncio.Queue()

    async def hear(self) -> Line | None:
        return await self.said.get()

    async def tell(self, text: str) -> None:
        await self.told.put(json.loads(text))

    def say(self, **message: Any) -> None:
        self.said.put_nowait(Line(json.dumps({"jsonrpc": "2.0", **message})))

    async def answer(self) -> Any:
        return await asyncio.wait_for(self.told.get(), 10)


async def _work(request: Request) -> Any:
    match request.method:
        case "fault":
            raise ZeroDivisionError("sk-live-123456789012345678901234 is a key")
        case "refused":
            raise StoreError("It is full.", hint="Make room.")
        case "odd":
            return {"set": {1}, "bytes": b"x", "nan": float("nan")}
        case "wait":
            await asyncio.Event().wait()
    return "done"


@pytest.fixture
async def pipe() -> Any:
    made = Pipe()
    peer = Peer(made, _work)
    running = asyncio.create_task(peer.run())
    yield made
    made.said.put_nowait(None)
    await asyncio.wait_for(running, 10)


async def test_a_fault_of_our_own_is_answered_and_the_rest_goes_on(pipe: Pipe) -> None:
    pipe.say(id=1, method="fault")
    told = await pipe.answer()
    assert (told["id"], told["error"]["code"]) == (1, messages.FAULT)
    assert "ZeroDivisionError" in told["error"]["message"]
    assert "sk-live" not in json.dumps(told)
    pipe.say(id=2, method="anything")
    assert (await pipe.answer())["result"] == "done"


async def test_what_cannot_be_done_has_kind_and_hint(pipe: Pipe) -> None:
    pipe.say(id=1, method="refused")
    assert (await pipe.answer())["error"] == {
        "code": messages.REFUSED,
        "message": "It is full.",
        "data": {"kind": "store", "hint": "Make room."},
    }


async def test_an_odd_value_is_still_an_answer(pipe: Pipe) -> None:
    pipe.say(id=1, method="odd")
    assert (await pipe.answer())["result"] == {"set": "{1}", "bytes": "b'x'", "nan": None}


async def test_a_cancelled_request_is_answered_once_and_its_id_is_free(pipe: Pipe) -> None:
    pipe.say(id=1, method="wait")
    pipe.say(method="$/cancelRequest", params={"id": "1"})
    pipe.say(method="$/cancelRequest", params={"id": 1})
    assert (await pipe.answer())["error"]["code"] == messages.CANCELLED
    pipe.say(method="$/cancelRequest", params={"id": 1})
    pipe.say(id=1, method="anything")
    assert (await pipe.answer())["result"] == "done"


async def test_more_requests_than_can_be_at_work_are_refused(pipe: Pipe) -> None:
    for number in range(MOST):
        pipe.say(id=number, method="wait")
    pipe.say(id="one more", method="anything")
    told = await pipe.answer()
    assert (told["id"], told["error"]["code"]) == ("one more", messages.REFUSED)
    for number in range(MOST):
        pipe.say(method="$/cancelRequest", params={"id": number})
        assert (await pipe.answer())["id"] == number


async def test_questions_are_matched_by_id_and_end_with_the_client() -> None:
    pipe = Pipe()
    peer = Peer(pipe, _work)
    running = asyncio.create_task(peer.run())
    asked = [asyncio.create_task(peer.ask("which", {"n": n})) for n in range(3)]
    first, second, third = [(await pipe.answer())["id"] for _ in asked]
    pipe.say(id=second, result="two")
    pipe.say(id=str(first), result="not this one")
    pipe.say(id=first, error={"code": 5, "message": "no"})
    assert await asked[1] == "two"
    with pytest.raises(RpcError, match="no"):
        await asked[0]
    assert not asked[2].done()
    pipe.said.put_nowait(None)
    with pytest.raises(RpcError) as told:
        await asked[2]
    assert told.value.code == messages.GONE
    await running
    with pytest.raises(RpcError):
        await peer.ask("which", {"n": 4})
    assert third


class Standing(Pipe):
    """A client that reads nothing until it is `reading`."""

    def __init__(self) -> None:
        super().__init__()
        self.reading = asyncio.Event()

    async def tell(self, text: str) -> None:
        await self.reading.wait()
        await super().tell(text)


async def test_who_tells_much_waits_until_half_of_it_is_read() -> None:
    pipe = Standing()
    outbox = Outbox(pipe)
    piece = "x" * (FULL // 4)
    for number in range(4):
        assert outbox.has_room.is_set()
        outbox.put({"number": number, "text": piece})
    assert not outbox.has_room.is_set()
    pipe.reading.set()
    await asyncio.wait_for(outbox.has_room.wait(), 10)
    assert [(await pipe.answer())["number"] for _ in range(4)] == [0, 1, 2, 3]
    await outbox.end(1)


class Talking:
    """A session whose turn says much; it counts what was taken of it."""

    id, queue = "talks", ()

    def __init__(self, pieces: int) -> None:
        self.pieces, self.taken = pieces, 0

    async def send(self, *_: Any) -> Any:
        for number in range(self.pieces):
            self.taken = number + 1
            yield TextDelta("x" * (FULL // 8))
        yield TurnFinished("completed")

    def take_next(self) -> None:
        return None


async def test_a_turn_waits_for_its_client_and_goes_on_with_it() -> None:
    pipe, session = Standing(), Talking(40)
    peer = Peer(pipe, _work)
    served = ServedSession(session, peer, NobodyToAsk())  # type: ignore[arg-type]
    sending = asyncio.create_task(served.send("talk"))
    for _ in range(100):
        await asyncio.sleep(0)
    assert session.taken == 8
    pipe.reading.set()
    assert (await asyncio.wait_for(sending, 10))["reason"] == "completed"
    told = [await pipe.answer() for _ in range(41)]
    assert [item["params"]["event"]["type"] for item in told[-2:]] == [
        "text_delta",
        "turn_finished",
    ]
    await peer.finish()


async def test_a_client_that_leaves_far_too_much_unread_counts_as_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kinet.serve.outbox.MOST_UNREAD", 1000)
    outbox = Outbox(Standing())
    for _ in range(3):
        outbox.put({"text": "x" * 400})
    assert outbox.was_unread
    assert outbox.gone.is_set()
    # Nobody waits for one that has gone.
    assert outbox.has_room.is_set()
    await outbox.end(1)


@pytest.mark.parametrize("end", ["the client", "a stop", "cancelled"])
async def test_a_long_result_waits_for_no_room_once_the_client_has_gone(
    monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """One that keeps its end open and reads nothing would hold the data folder for ever."""
    made: list[str] = []

    async def act(_desk: Any, _wanted: Any) -> str:
        made.append("a list")
        return "x"

    method = Method("list", params.Page, act, "Lists.", long=True)
    monkeypatch.setattr("kinet.serve.server.named", lambda _name: method)
    monkeypatch.setattr("kinet.serve.peer._LAST_WORDS", 0.01)
    pipe, seat = Standing(), {"greeted": True, "abilities": {}, "sessions": []}
    nobody: Any = None
    server = Server(nobody, pipe, nobody, seat)
    running = asyncio.create_task(server.run())
    server._peer.tell("much", {"text": "x" * FULL})
    pipe.say(id=1, method="list", params={})
    pipe.say(id=2, method="list", params={})
    for _ in range(20):
        await asyncio.sleep(0)
    assert made == []
    match end:
        case "the client":
            pipe.said.put_nowait(None)
        case "a stop":
            server.stop()
        case _:
            running.cancel()
    done, _ = await asyncio.wait({running}, timeout=2)
    assert done
    assert made == ["a list"] * 2
