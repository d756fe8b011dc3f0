"""Both directions of JSON-RPC, without a process: faults, cancelling, odd answers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from kinet.core.errors import StoreError
from kinet.serve import messages
from kinet.serve.lines import Line
from kinet.serve.messages import Request, RpcError
from kinet.serve.peer import MOST, Peer


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
