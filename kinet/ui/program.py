"""What the window asks of the rest of the program beside `Services`: sessions and the runtime."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from kinet.core.profile import ModelProfile
from kinet.ui.open_session import OpenSession as OpenSession

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kinet.core.keeping import Keeper


class SessionRow(Protocol):
    """One session in the list."""

    @property
    def id(self) -> str:
        """Unique among all sessions."""
        ...

    @property
    def title(self) -> str:
        """One line."""
        ...

    @property
    def folder(self) -> Any:
        """The working folder, "" or None for none."""
        ...

    @property
    def updated(self) -> float:
        """Wall time of the last change, in seconds."""
        ...

    @property
    def state(self) -> str:
        """How its last turn ended or stands."""
        ...

    @property
    def message_count(self) -> int:
        """Messages in it."""
        ...


class Resting(Protocol):
    """Where sessions go that nobody looks at."""

    def leave(self, session_id: str) -> Sequence[list[Any]]:
        """Nobody looks at this one any more. What comes back is to be let go of bit by bit."""
        ...


class Sessions(Protocol):
    """All sessions of a data folder. Each call may raise StoreError with a sentence."""

    @property
    def resting(self) -> Resting:
        """Takes what is not looked at; opening a session brings it back."""
        ...

    @property
    def elsewhere(self) -> Collection[str]:
        """Those on which an editor or a command works now."""
        ...

    def list(self) -> Sequence[SessionRow]:
        """All sessions, the newest first."""
        ...

    def is_open(self, session_id: str) -> bool:
        """True if the session was opened and not closed."""
        ...

    def read(self, session_id: str, is_wanted: Callable[[], bool]) -> Any:
        """What is saved of a session, for `Program.open_session`. Blocks: use it in a thread.

        It ends with a StoreError soon after it `is_wanted` no more.
        """
        ...

    def read_end(self, session_id: str) -> Any:
        """The newest turns of a long one, with `row` and `events`; None for any other."""
        ...

    def search(
        self, text: str, limit: int = 50, *, best: bool = False, **narrowed: Any
    ) -> Sequence[Any]:
        """Places that hold all words, the newest or the best first.

        Each has session_id, title, snippet, at and call_id ("" for a message). `narrowed` may be
        folder, model, tool ("*" for any) and since. Blocks: use it in a thread.
        """
        ...

    def search_choices(self) -> Any:
        """What a search can be narrowed to: `folders` and `models`. Blocks: use it in a thread."""
        ...

    def rename(self, session_id: str, title: str) -> Any:
        """Gives a session another title."""
        ...

    def delete(self, session_id: str) -> Any:
        """Moves a session to the trash."""
        ...

    def restore(self, session_id: str) -> Any:
        """Takes a session out of the trash."""
        ...


class Settings(Protocol):
    """The settings of a data folder."""

    def get(self, key: str) -> Any:
        """The value of `section.name`."""
        ...

    def set(self, key: str, value: Any) -> None:
        """Keeps a value. SettingsError says why it cannot be. Waits for the disk."""
        ...

    def keep(self, key: str, value: Any) -> Future[None]:
        """The value holds when this returns; the future says when it is kept.

        Raises SettingsError for what cannot be a value, the future for what cannot be kept.
        """
        ...

    def profiles(self) -> Sequence[ModelProfile]:
        """All profiles, in the person's order."""
        ...


class FolderTrust(Protocol):
    """Which folders may bring rules, skills and servers along."""

    # True where a person is asked before anything of a folder is used.
    asks: bool

    def pending(self, folder: Path | None) -> Any:
        """What to ask about the folder (`TrustQuestion` of ui.trust_page); None if it is settled.

        Reads files: call it in a thread.
        """
        ...

    def reconsider(self, folder: Path | None) -> Any:
        """The question about a folder that was answered before; None if it brings nothing."""
        ...

    def answer(self, question: Any, trusted: bool) -> None:
        """Keeps the answer. SettingsError if it cannot be stored."""
        ...


class Program(Protocol):
    """The runtime, as the window sees it."""

    home: Path

    @property
    def folder(self) -> Path | None:
        """The folder new sessions work on."""
        ...

    @property
    def theme(self) -> str:
        """light, dark or system."""
        ...

    @property
    def problems(self) -> Sequence[str]:
        """What was found damaged and set aside, each a sentence."""
        ...

    @property
    def keeper(self) -> Keeper:
        """Writes what is kept, beside the window."""
        ...

    @property
    def settings(self) -> Any:
        """Keeps `Settings`."""
        ...

    @property
    def sessions(self) -> Any:
        """Keeps `Sessions`."""
        ...

    @property
    def trust(self) -> Any:
        """Keeps `FolderTrust`."""
        ...

    @property
    def services(self) -> Any:
        """Keeps `Services`: what the parts of the window show."""
        ...

    def profile(self, name: str = "") -> ModelProfile | None:
        """The model that a session with this profile asks, "" for new ones; None for none."""
        ...

    def window(self, profile: ModelProfile) -> int | None:
        """The context window of a profile's model in tokens, 0 where it is not known.

        None while that has to be looked up, which `services.window_of` does. Never waits.
        """
        ...

    def use_folder(self, folder: Path) -> Future[None]:
        """New sessions work on `folder` from now on; the future says when that is kept.

        SettingsError if it cannot be used.
        """
        ...

    def preload(self) -> None:
        """Imports the heavy modules; may run in a thread."""
        ...

    def warm_up(self) -> None:
        """Imports what the first message needs; for a thread, and may be called again."""
        ...

    def build(self) -> None:
        """Opens settings and store; may run in a thread. KinetError says what is wrong."""
        ...

    async def serve(self, show: Callable[[str], object], changed: Callable[[], object]) -> object:
        """Does what commands ask while the window holds the data folder.

        `show` brings the window forward, with a session or "" for none; `changed` shows the list
        anew. OSError if nobody can be listened to.
        """
        ...

    def watch_session(self, session_id: str, saved: Any) -> Any:
        """A session that an editor or a command works on, to be read; None for any other."""
        ...

    def open_session(self, session_id: str | None = None, saved: Any = None) -> Any:
        """An `OpenSession`: the one of this id, or a new one. `saved` is what `read` gave."""
        ...
