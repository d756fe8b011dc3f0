"""A provider without a wire: plays replies, keeps the requests it was given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator

from kinet.core.completion import Completion, Usage
from kinet.core.errors import ContextTooLongError, NetworkError, OverloadedError, ProviderError
from kinet.core.events import TextDelta, ThinkingDelta, ToolArgumentsDelta
from kinet.core.messages import Message, ToolCall
from kinet.core.pairing import unanswered
from kinet.providers.base import ModelRequest, RawRequest, StreamItem
from tests.support.replies import Cut, Gate, Reply, Silence, says


class ScriptedProvider:
    """Plays the script; when it is used up, says "Done.". Refuses histories that do not pair."""

    def __init__(self, *script: Reply | ProviderError | Iterable[Reply | ProviderError]) -> None:
        self.requests: list[ModelRequest] = []
        self.closed_streams = 0
        self._script: list[Iterator[Reply | ProviderError]] = []
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
        if reply.status != 200:
            raise _error_of(reply)
        try:
            async for item in _items(reply):
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
