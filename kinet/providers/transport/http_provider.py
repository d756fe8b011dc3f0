"""Asks a model over HTTP: one request, retried before its first byte, streamed to its end."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Protocol

from kinet.core.completion import Completion
from kinet.core.errors import NetworkError, ProtocolError, ProviderError, StalledError
from kinet.core.events import RetryScheduled
from kinet.net.redact import redact
from kinet.providers.base import ModelRequest, RawRequest, StreamItem
from kinet.providers.transport.complaints import Complaint
from kinet.providers.transport.failures import page_instead_of_answer, words_instead_of_answer
from kinet.providers.transport.headers import SECRET_HEADERS
from kinet.providers.transport.http import Call, Connection, OpenAnswer, Refused
from kinet.providers.transport.sse import EventSplitter, LineSplitter, ServerEvent

BACKOFF_SECONDS = (1.0, 2.0, 4.0)
JITTER = 0.25
LONGEST_WAIT_SECONDS = 60.0
MAX_EVENTS = 1_000_000
MAX_REPLY_BYTES = 64 * 1024 * 1024
MAX_PARAMETERS_LEFT_OUT = 3
# A finish reason came but no end mark: the rest (usage, end of body) is not waited for long.
AFTER_FINISH_SECONDS = 2.0
# After so much work without a pause others get a turn.
WORK_SECONDS = 0.008


class Decoder(Protocol):
    """Makes stream items of one answer's events, in one protocol."""

    @property
    def framing(self) -> str:
        """What the body is made of: "events" of an event stream, or "lines" of JSON."""
        ...

    @property
    def started(self) -> bool:
        """True once something of an answer came."""
        ...

    @property
    def finished(self) -> bool:
        """True once the server named a finish: the answer is whole even if nothing follows."""
        ...

    @property
    def ended(self) -> bool:
        """True once the end mark came: nothing follows."""
        ...

    def feed(self, event: ServerEvent) -> None:
        """Takes one event. ProviderError for an error in band or an answer that is none."""
        ...

    def whole(self, document: Mapping[str, Any]) -> None:
        """Takes an answer that came in one piece instead of a stream."""
        ...

    def flush(self) -> None:
        """Makes items of what was held back to the end."""
        ...

    def take(self) -> list[StreamItem]:
        """The items made since the last time."""
        ...

    def completion(self, *, partial: bool = False) -> Completion:
        """The answer so far; in a partial one no call may be run."""
        ...


class Dialect(Protocol):
    """One protocol spoken to one server for one profile."""

    def call(self, request: ModelRequest) -> Call:
        """The request to send."""
        ...

    def decoder(self, request: ModelRequest) -> Decoder:
        """A decoder for its answer."""
        ...

    def learn(self, complaint: Complaint, body: Mapping[str, Any]) -> bool:
        """True if the server refused a parameter that will be left out from now on."""
        ...


class HttpProvider:
    """A provider: speaks a dialect over a connection. See `providers.base.Provider`."""

    def __init__(
        self,
        dialect: Dialect,
        connection: Connection,
        *,
        retries: int = 3,
        backoff: Sequence[float] = BACKOFF_SECONDS,
        sleep: Callable[[float], Any] = asyncio.sleep,
    ) -> None:
        self._dialect = dialect
        self._connection = connection
        self._retries = retries
        self._backoff = backoff
        self._sleep = sleep

    def build(self, request: ModelRequest) -> RawRequest:
        """The request as it would be sent, secrets masked; no I/O."""
        call = self._dialect.call(request)
        headers = {
            name: _masked(value) if name.lower() in SECRET_HEADERS else value
            for name, value in call.headers.items()
        }
        return RawRequest(call.url, headers, call.body)

    async def close(self) -> None:
        """Closes the connections this object owns."""
        await self._connection.close()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        """Deltas as they arrive, then exactly one Completion. Raises ProviderError."""
        attempt = 0
        left_out = 0
        while True:
            decoder = self._dialect.decoder(request)
            call = self._dialect.call(request)
            try:
                async with aclosing(self._attempt(call, decoder)) as batches:
                    async for batch in batches:
                        for item in batch:
                            yield item
            except Refused as refused:
                failure = refused.failure
                if (
                    failure.cause in ("request", "model", "address", "filter")
                    and left_out < MAX_PARAMETERS_LEFT_OUT
                    and self._dialect.learn(failure.complaint, call.body)
                ):
                    left_out += 1
                    continue
                error = failure.error
                cause: BaseException = refused
            except ProviderError as exc:
                error, cause = exc, exc.__cause__ or exc
            else:
                return
            # A server may put the key that it was sent into anything that it says.
            error.message, error.hint = redact(error.message), redact(error.hint)
            error.args = (error.message,)
            delay = None if decoder.started else self._delay(error, attempt)
            if delay is None:
                self._give_up(error, decoder)
                raise error from (None if cause is error else cause)
            attempt += 1
            yield RetryScheduled(round(delay, 3), error.message, attempt)
            await self._sleep(delay)

    async def _attempt(
        self, call: Call, decoder: Decoder
    ) -> AsyncGenerator[list[StreamItem], None]:
        """Items in batches, as they came together: one by one through here would cost more."""
        async with self._connection.open(call) as answer:
            try:
                async with aclosing(self._read(answer, decoder)) as batches:
                    async for batch in batches:
                        yield batch
            except (NetworkError, StalledError):
                # All that matters had come: a break afterwards is no failure.
                if not decoder.finished:
                    raise
            if not decoder.finished:
                raise _cut(decoder)
            decoder.flush()
            yield [*decoder.take(), decoder.completion()]
            if decoder.ended:
                await answer.drain()

    async def _read(
        self, answer: OpenAnswer, decoder: Decoder
    ) -> AsyncGenerator[list[StreamItem], None]:
        reading = _Reading(decoder)
        clock = asyncio.get_running_loop().time
        rested = clock()
        try:
            async with aclosing(answer.pieces()) as pieces:
                async for piece in pieces:
                    reading.feed(piece)
                    made = decoder.take()
                    if made:
                        yield made
                    if decoder.ended:
                        return
                    if decoder.finished:
                        answer.expect_end(AFTER_FINISH_SECONDS)
                    if clock() - rested > WORK_SECONDS:
                        await asyncio.sleep(0)
                        rested = clock()
            reading.finish()
        except ProviderError:
            # What came before the failure is shown.
            yield decoder.take()
            raise
        yield decoder.take()

    def _delay(self, error: ProviderError, attempt: int) -> float | None:
        """Seconds until the next attempt; None if there is to be none."""
        if attempt >= self._retries or not error.retryable or isinstance(error, StalledError):
            return None
        asked = error.retry_after_s or 0.0
        if asked > LONGEST_WAIT_SECONDS:
            return None
        base = self._backoff[min(attempt, len(self._backoff) - 1)]
        return max(asked, base * random.uniform(1 - JITTER, 1 + JITTER))

    def _give_up(self, error: ProviderError, decoder: Decoder) -> None:
        if decoder.started and error.partial is None:
            decoder.flush()
            error.partial = decoder.completion(partial=True)
        asked = error.retry_after_s
        if asked and asked > LONGEST_WAIT_SECONDS:
            span = _span(asked)
            error.hint = (
                f"The server asks to wait {span}: send again then, or choose another model."
            )


class _Body:
    """Tells a stream from a whole document by its first character, whatever type it claims."""

    def __init__(self, *, lines: bool = False) -> None:
        self._kind = ""
        self._pieces: list[bytes] = []
        self._documents = b"<" if lines else b"{[<"

    def is_stream(self, piece: bytes) -> bool:
        """False while the pieces belong to a document; they are kept then."""
        if self._kind == "stream":
            return True
        if not self._kind:
            self._pieces.append(piece)
            start = b"".join(self._pieces).removeprefix(b"\xef\xbb\xbf").lstrip()
            if not start:
                return True
            self._kind = "document" if start[:1] in self._documents else "stream"
            if self._kind == "stream":
                self._pieces.clear()
                return True
            if start[:1] == b"<":
                raise page_instead_of_answer()
            return False
        self._pieces.append(piece)
        return False

    def document(self) -> bytes:
        """The document's bytes, b"" if it was a stream."""
        return b"".join(self._pieces) if self._kind == "document" else b""


class _Reading:
    """Feeds a decoder with the bytes of one body, within the limits."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        lines = decoder.framing == "lines"
        self._splitter = LineSplitter() if lines else EventSplitter()
        self._body = _Body(lines=lines)
        self._events = 0
        self._size = 0

    def feed(self, piece: bytes) -> None:
        """Takes the next bytes. ProviderError if they are no answer, or too many."""
        self._size += len(piece)
        if self._size > MAX_REPLY_BYTES:
            raise _too_much(f"more than {MAX_REPLY_BYTES // 2**20} MB")
        if not self._body.is_stream(piece):
            return
        decoder = self._decoder
        for event in self._splitter.feed(piece):
            self._events += 1
            if self._events > MAX_EVENTS:
                raise _too_much(f"more than {MAX_EVENTS:,} events")
            decoder.feed(event)
            if decoder.ended:
                return

    def finish(self) -> None:
        """Takes the end of the body: the last line, or a whole document."""
        decoder, splitter = self._decoder, self._splitter
        document = self._body.document()
        if document:
            value = _parsed(document)
            if isinstance(value, list) and len(value) == 1:
                value = value[0]
            if isinstance(value, dict):
                decoder.whole(value)
                return
            for event in splitter.feed(document):
                decoder.feed(event)
        for event in splitter.finish():
            if not decoder.ended:
                decoder.feed(event)
        if splitter.strange and not decoder.started:
            raise words_instead_of_answer(splitter.strange.decode("utf-8", "replace"))


def _parsed(document: bytes) -> Any:
    try:
        return json.loads(document)
    except (ValueError, RecursionError):
        return None


def _cut(decoder: Decoder) -> ProviderError:
    """For a body that ended although nothing said that the answer was whole."""
    if decoder.started:
        return NetworkError(
            "The server ended the answer before it was whole.", hint="Send again.", retryable=True
        )
    return ProtocolError(
        "The server sent no answer.",
        hint="Send again; if it happens every time, check address, protocol and model in the "
        "profile.",
        retryable=True,
    )


def _too_much(what: str) -> ProtocolError:
    return ProtocolError(f"The answer was stopped: it has {what}.", hint="Ask for a smaller step.")


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    if seconds < 7200:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.0f} hours"


def _masked(value: str) -> str:
    scheme, blank, key = value.partition(" ")
    return f"{scheme} ***" if blank and key else "***"
