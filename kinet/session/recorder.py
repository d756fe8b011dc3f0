"""Brings a session's events to the store: in order, in batches, again when the disk failed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kinet.core.errors import StoreError
from kinet.core.events import (
    Event,
    MessageCompleted,
    SegmentReset,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    TurnFinished,
    is_saved,
)

if TYPE_CHECKING:
    from kinet.store.drafts import DraftKind, DraftPiece
    from kinet.store.sessions import NewSession, SessionStore

# Seconds: streamed text is stored at the latest after this.
DRAFT_EVERY = 0.25
# Seconds until what could not be saved is tried again.
RETRY_AFTER = 2.0


class Recorder:
    """One writer per session. `record` never waits; `durable` waits until all is on the disk.

    At most one batch is on its way, the rest waits for it: so the order holds, and a batch that
    failed goes first the next time.
    """

    def __init__(
        self, store: SessionStore, session_id: str, saved: int = 0, new: NewSession | None = None
    ) -> None:
        self._store = store
        self._session_id = session_id
        # A session is made in the store with its first event, not when it is opened.
        self.new = new
        # The model that is asked now, for the cost log.
        self.model = ""
        # How many events the store has for certain.
        self._saved = saved
        self._events: list[Event] = []
        self._sending = 0
        self._pieces: list[tuple[str, str]] = []
        self._restart = False
        # Counts the answers begun: text of an earlier one is not sent again.
        self._answer = 0
        self._sent: list[str] = []
        self._busy = False
        self._timer: asyncio.TimerHandle | None = None
        self._soon: asyncio.Handle | None = None
        self._waiters: list[asyncio.Future[None]] = []
        self.error: StoreError | None = None

    def record(self, event: Event, *, sent: str = "") -> None:
        """Takes an event. `sent` is the id of the waiting message that it came from."""
        match event:
            case TextDelta(text=text):
                self._pieces.append(("text", text))
            case ThinkingDelta(text=text):
                self._pieces.append(("reasoning", text))
            case StepStarted() | SegmentReset():
                self._begin_anew()
                self._restart = True
            case MessageCompleted() | TurnFinished():
                # The store drops the unfinished answer together with these.
                self._begin_anew()
            case _:
                pass
        if sent:
            self._sent.append(sent)
        if is_saved(event):
            self._events.append(event)
            self._send_soon()
        elif self._pieces or self._restart:
            self._send_later(DRAFT_EVERY)

    def change_new(self, **values: str) -> None:
        """Changes what a session begins with that is not in the store yet."""
        if self.new is not None:
            self.new = replace(self.new, **values)

    @property
    def count(self) -> int:
        """How many events of the path it knows of, saved or not."""
        return self._saved + len(self._events)

    def begin_from(self, saved: int) -> None:
        """The session went to another place, whose path has so many events; all is on the disk."""
        self._saved = saved

    @property
    def is_still(self) -> bool:
        """True if the session is in the store with everything that was recorded."""
        unsaved = self._busy or self._events or self._pieces or self._restart or self._sent
        return not unsaved and self.new is None

    def waiting(self) -> list[Event]:
        """The events that may not be on the disk yet."""
        return list(self._events)

    def unsaved(self, loaded: int) -> list[Event]:
        """The events that a load which gave `loaded` events did not hold yet."""
        return self._events[max(0, loaded - self._saved) :]

    async def durable(self) -> None:
        """Returns when everything recorded so far is on the disk. StoreError if it cannot be."""
        if not self._busy and self._events:
            self._send()
        while self._busy or (self._events and self.error is None):
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter
        if self._events and self.error is not None:
            raise self.error

    def save_now(self, events: Sequence[Event]) -> None:
        """Saves events while no loop runs; blocks for a moment. What fails is tried again later."""
        self._events.extend(events)
        try:
            self._store.put(self._session_id, events, model=self.model).result()
        except StoreError as exc:
            self.error = exc
            return
        self._saved += len(events)
        del self._events[: len(events)]

    def flush(self) -> None:
        """Hands over what waits, without waiting for it."""
        if not self._busy and (self._events or self._pieces or self._restart):
            self._send()

    def _begin_anew(self) -> None:
        self._pieces.clear()
        self._answer += 1

    def _send_later(self, seconds: float) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(seconds, self._timer_fired)

    def _send_soon(self) -> None:
        """What comes in one go, as at the end of a turn, costs the disk one commit."""
        if self._soon is None and not self._busy:
            self._soon = asyncio.get_running_loop().call_soon(self._soon_fired)

    def _soon_fired(self) -> None:
        self._soon = None
        self.flush()

    def _timer_fired(self) -> None:
        self._timer = None
        self.flush()

    def _send(self) -> None:
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        if self._busy:
            return
        batch = tuple(self._events)
        draft = _joined(self._pieces)
        restart, sent, answer = self._restart, tuple(self._sent), self._answer
        try:
            created = self._store.create(self.new) if self.new is not None else None
            future = self._store.put(
                self._session_id, batch, model=self.model, sent=sent, draft=draft,
                restart=restart,
            )  # fmt: skip
        except StoreError as exc:
            self._failed(exc)
            return
        self._busy, self._sending = True, len(batch)
        self._pieces, self._restart, self._sent = [], False, []
        loop = asyncio.get_running_loop()

        def ended() -> None:
            self._busy = False
            # Without its session nothing can be saved: that is the fault to tell.
            error = (created and created.exception()) or future.exception()
            if isinstance(error, StoreError):
                if answer == self._answer:
                    self._pieces = [(piece.kind, piece.text) for piece in draft] + self._pieces
                self._restart, self._sent = restart or self._restart, [*sent, *self._sent]
                self._failed(error)
                return
            if error is not None:
                raise error
            self._succeeded()

        def tell(_: object) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(ended)

        future.add_done_callback(tell)

    def _succeeded(self) -> None:
        del self._events[: self._sending]
        self._saved += self._sending
        self._sending, self.error, self.new = 0, None, None
        if self._events:
            self._send()
        elif self._pieces or self._restart:
            self._send_later(DRAFT_EVERY)
        self._wake()

    def _failed(self, error: StoreError) -> None:
        self._sending, self.error = 0, error
        self._send_later(RETRY_AFTER)
        self._wake()

    def _wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)


def _joined(pieces: Sequence[tuple[str, str]]) -> list[DraftPiece]:
    from kinet.store.drafts import DraftPiece

    out: list[DraftPiece] = []
    texts: list[str] = []
    kind: DraftKind = "text"
    for piece_kind, text in pieces:
        if piece_kind != kind and texts:
            out.append(DraftPiece(kind, "".join(texts)))
            texts = []
        kind = "reasoning" if piece_kind == "reasoning" else "text"
        texts.append(text)
    if texts:
        out.append(DraftPiece(kind, "".join(texts)))
    return out
