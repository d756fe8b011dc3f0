"""What a scripted server can be told to answer, in words free of any protocol."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Call:
    """A tool call of a reply. `arguments` is JSON text, so that broken text can be sent too.

    One that stalls falls silent in the middle of its arguments.
    """

    name: str
    arguments: str
    id: str
    stalls: bool = False

    def pieces(self) -> tuple[Any, ...]:
        """The arguments as they stream: two pieces, so that they never come at once."""
        middle = len(self.arguments) // 2
        first, second = self.arguments[:middle], self.arguments[middle:]
        if self.stalls:
            return (first, Silence())
        return tuple(part for part in (first, second) if part)


@dataclass(frozen=True)
class Reply:
    """One answer. `pieces` is the text as it streams: strings, and acts (gate, silence, cut)."""

    pieces: tuple[Any, ...] = ()
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    finish: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cache_read: int = 0
    model: str = "scripted"
    with_usage: bool = True
    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All text of the reply."""
        return "".join(piece for piece in self.pieces if isinstance(piece, str))

    def with_call(self, tool: str, /, **arguments: Any) -> Reply:
        """The same reply with one call more."""
        return replace(self, calls=(*self.calls, _call(tool, arguments)))

    def counting(self, tokens_in: int, tokens_out: int = 10, cache_read: int = 0) -> Reply:
        """The same reply with these usage figures (`tokens_in` includes the cached part)."""
        return replace(self, tokens_in=tokens_in, tokens_out=tokens_out, cache_read=cache_read)

    def without_usage(self) -> Reply:
        """The same reply of a server that sends no usage."""
        return replace(self, with_usage=False)

    def thinking(self, reasoning: str) -> Reply:
        """The same reply with readable reasoning before it."""
        return replace(self, reasoning=reasoning)

    def cut_by_length(self) -> Reply:
        """The same reply, ended by the output limit."""
        return replace(self, finish="length")


@dataclass(frozen=True)
class Gate:
    """A place in a stream that waits until the test opens it (or 10 seconds have passed)."""

    opened: threading.Event = field(default_factory=threading.Event)
    reached: threading.Event = field(default_factory=threading.Event)

    def open(self) -> None:
        """Lets the stream go on."""
        self.opened.set()


@dataclass(frozen=True)
class Silence:
    """The connection stays open and nothing more comes."""


@dataclass(frozen=True)
class Cut:
    """The connection breaks in the middle of the answer."""


def says(*pieces: Any) -> Reply:
    """A text. Several pieces arrive one by one; a `Gate` among them waits for the test."""
    return Reply(pieces=pieces)


def asks_for(tool: str, /, **arguments: Any) -> Reply:
    """One tool call; `.with_call(...)` adds more, `text=` of `Reply` stays empty."""
    return Reply(calls=(_call(tool, arguments),))


def asks_raw(tool: str, arguments: str) -> Reply:
    """One tool call whose arguments are this very text."""
    return Reply(calls=(Call(tool, arguments, f"call_{next(_numbers)}"),))


def stalls_in(tool: str, /, **arguments: Any) -> Reply:
    """A call whose arguments stop coming half-way; the connection stays open."""
    return Reply(calls=(replace(_call(tool, arguments), stalls=True),))


def says_and_asks(text: str, tool: str, /, **arguments: Any) -> Reply:
    """A text and a call in one reply."""
    return Reply(pieces=(text,), calls=(_call(tool, arguments),))


def fails(status: int, body: str = "", headers: Mapping[str, str] | None = None) -> Reply:
    """An HTTP error with this body."""
    text = body or json.dumps({"error": {"message": f"scripted failure {status}"}})
    return Reply(status=status, body=text, headers=headers or {})


def hangs(text: str = "") -> Reply:
    """Streams `text`, then falls silent with the connection open; "" sends not even headers."""
    return Reply(pieces=(text, Silence()) if text else (Silence(),))


def breaks(text: str) -> Reply:
    """Streams `text`, then the connection breaks."""
    return Reply(pieces=(text, Cut()))


def for_ever(tool: str, /, **arguments: Any) -> Iterator[Reply]:
    """The same call without end; `{n}` in a text argument becomes the number of the round."""
    for number in itertools.count(1):
        filled = {
            key: value.replace("{n}", str(number)) if isinstance(value, str) else value
            for key, value in arguments.items()
        }
        yield asks_for(tool, **filled)


def _call(tool: str, arguments: Mapping[str, Any]) -> Call:
    text = json.dumps(arguments, ensure_ascii=False)
    return Call(tool, text, f"call_{next(_numbers)}")
