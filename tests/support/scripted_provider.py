"""A provider that plays replies and keeps the requests it was given.

By itself it has no wire. Where `speaking` names a protocol, all of them speak it: the request is
built and judged, and the reply decoded, by the code of that protocol.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator

from kinet.core.completion import Completion, Usage
from kinet.core.errors import ContextTooLongError, NetworkError, OverloadedError, ProviderError
from kinet.core.events import TextDelta, ThinkingDelta, ToolArgumentsDelta
from kinet.core.messages import Message, ToolCall
from kinet.core.pairing import unanswered
from kinet.core.profile import WireProtocol
from kinet.providers.base import ModelRequest, RawRequest, StreamItem
from tests.support.replies import Cut, Gate, Reply, Silence, says
from tests.support.scripted_wire import ScriptedWire

# The protocol that providers made from now on speak; None for none. Set by the fixture `wire`.
speaking: WireProtocol | None = None
# Those that were made since it was set, for what their servers would have refused.
wires: list[ScriptedWire] = []


class ScriptedProvider:
    """Plays the script; when it is used up, says "Done.". Refuses histories that do not pair."""

    def __init__(self, *script: Reply | ProviderError | Iterable[Reply | ProviderError]) -> None:
        self.requests: list[ModelRequest] = []
        self.closed_streams = 0
        self._script: list[Iterator[Reply | ProviderError]] = []
        self._wire = ScriptedWire(speaking) if speaking else None
        if self._wire is not None:
            wires.append(self._wire)
        self.replies(*script)

    def replies(self, *script: Reply | ProviderError | Iterable[Reply | ProviderError]) -> None:
        """Adds replies, errors or iterators of them to the script."""
        for item in script:
            single = isinstance(item, Reply | ProviderError)
            self._script.append(iter([item] if single else item))

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """The next reply of the script, piece by piece."""
        assert not unanswered(request.messages), "a call has no result"
        self.requests.append(request)
        reply = self._next()
        if isinstance(reply, ProviderError):
            raise reply
        try:
            played = self._wire.play(request, reply) if self._wire else _items(reply)
            async for item in played:
                yield item
        finally:
            self.closed_streams += 1

    def build(self, request: ModelRequest) -> RawRequest:
        """Nothing is sent anywhere."""
        return RawRequest("scripted:", {}, {})

    async def close(self) -> None:
        """Nothing to close."""

    def _next(self) -> Reply | ProviderError:
        while self._script:
            reply = next(self._script[0], None)
            if reply is not None:
                return reply
            self._script.pop(0)
        return says("Done.")


async def _items(reply: Reply) -> AsyncIterator[StreamItem]:
    if reply.status != 200:
        raise _error_of(reply)
    if reply.reasoning:
        yield ThinkingDelta(reply.reasoning)
    sent = ""
    for piece in reply.pieces:
        if isinstance(piece, str):
            sent += piece
            yield TextDelta(piece)
            await asyncio.sleep(0)
        elif isinstance(piece, Silence):
            await asyncio.Event().wait()
        elif isinstance(piece, Cut):
            raise NetworkError("The connection broke.", partial=Completion(content=sent))
        elif isinstance(piece, Gate):
            piece.reached.set()
            await asyncio.to_thread(piece.opened.wait, 20)
    calls = []
    for index, call in enumerate(reply.calls):
        yield ToolArgumentsDelta(index, call.name, call.arguments)
        calls.append(ToolCall(call.id, call.name, call.arguments, invalid=_broken(call.arguments)))
    usage = Usage(known=False)
    if reply.with_usage and reply.tokens_in is not None:
        usage = Usage(reply.tokens_in, reply.tokens_out or 0, reply.cache_read)
    reasoning = reply.reasoning or None
    raw = Message("assistant", reply.text, tuple(calls), reasoning=reasoning)
    finish = reply.finish or ("tool_calls" if calls else "stop")
    yield Completion(reply.text, reasoning, tuple(calls), finish, usage, raw, "scripted")  # type: ignore[arg-type]


def _broken(arguments: str) -> bool:
    try:
        ToolCall("x", "x", arguments).parsed()
    except ValueError:
        return True
    return False


def _error_of(reply: Reply) -> ProviderError:
    if reply.status == 413:
        return ContextTooLongError("The prompt is too long.", status=413)
    return OverloadedError(f"The server failed with {reply.status}.", status=reply.status)
