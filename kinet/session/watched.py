"""A session on which an editor or a command works, to be read in the window as it goes on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any, NoReturn

from kinet.core.errors import StoreError
from kinet.core.events import Event

if TYPE_CHECKING:
    from kinet.session.session import Session

# What would change it. Everything else is that of the session itself.
_CHANGING = frozenset({
    "send", "run_command", "steer", "enqueue", "edit_queued", "remove_queued", "take_queued",
    "go_back", "switch_branch", "rename", "use_profile", "set_mode", "set_effort", "set_preset",
    "set_folder", "set_unsandboxed", "remove_skill", "leave_interrupted", "stop",
    "undo", "redo", "undo_hunks",
})  # fmt: skip


class Watched:
    """Reads `thing`; what would change it raises StoreError."""

    def __init__(self, thing: Any) -> None:
        self._thing = thing

    def __getattr__(self, name: str) -> Any:
        return _refuse if name in _CHANGING else getattr(self._thing, name)


class WatchedSession(Watched):
    """`watch` tells what happens from now on, `when_left` once that nobody works on it any more."""

    is_watched = True

    def __init__(self, session: Session, loaded: list[Event]) -> None:
        """`loaded` is what is saved of it."""
        super().__init__(session)
        self._loaded: list[Event] | None = loaded
        self._watcher: Callable[[Event], None] | None = None
        self._told_left: Callable[[], None] | None = None

    @property
    def changes(self) -> Watched:
        """What its turns changed, to be looked at."""
        return Watched(self._thing.changes)

    def events(self) -> list[Event]:
        """All of it until now, for replay."""
        loaded, self._loaded = self._loaded, None
        events: list[Event] = self._thing.events() if loaded is None else self._thing.after(loaded)
        return events

    def watch(self, told: Callable[[Event], None]) -> None:
        """Each event is told when it has happened, in the loop's thread; it must not raise."""
        self._watcher = told
        self._thing.watchers.append(told)

    def when_left(self, told: Callable[[], None]) -> None:
        """`told` is called when it can be opened."""
        self._told_left = told

    def left(self) -> None:
        """Nobody works on it any more."""
        told, self._told_left = self._told_left, None
        self.leave()
        if told is not None:
            told()

    def leave(self) -> None:
        """Nobody reads it any more; of who did nothing is held."""
        watcher, self._watcher = self._watcher, None
        self._told_left = None
        if watcher in self._thing.watchers:
            self._thing.watchers.remove(watcher)

    def take_next(self) -> None:
        """Its queue is not ours."""

    async def afterwards(self) -> AsyncGenerator[Event, None]:
        """Who works on it sees to that."""
        return
        yield


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise StoreError(
        "An editor or a command works on this session.",
        hint="Here it can be read; it is yours again when that has ended.",
    )
