"""Long work over very many things, in a thread: it ends when nobody wants what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from kinet.core.errors import StoreError

T = TypeVar("T")

# Asked now and then, from the thread that works.
IsWanted = Callable[[], bool]
# Things between two questions: a few milliseconds.
_EVERY = 500
# Things that go at once: as long as nobody notices who waits for the interpreter.
_AT_ONCE = 4_000


class NotWantedError(StoreError):
    """The work ended early. Whoever wanted it no more shows nothing of this."""


def always() -> bool:
    """For work that is wanted to its end."""
    return True


def while_wanted(things: Iterable[T], is_wanted: IsWanted) -> Iterator[T]:
    """The things one by one; NotWantedError as soon as they are not wanted any more."""
    for number, thing in enumerate(things):
        if number % _EVERY == 0 and not is_wanted():
            raise NotWantedError("What was being read is not wanted any more.")
        yield thing


def empty(things: list[Any]) -> None:
    """Empties a list that nobody else uses, for a thread: all at once would stop every other."""
    while things:
        del things[-_AT_ONCE:]
