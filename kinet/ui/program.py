"""What the window asks of the rest of the program beside `Services`: sessions and the runtime."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from kinet.core.approval import Approver
from kinet.core.context_map import ContextMap
from kinet.core.conversation import Conversation
from kinet.core.events import Event
from kinet.core.profile import ModelProfile


class Queued(Protocol):
    """A message that waits: an id that does not change, and its text."""

    @property
    def id(self) -> str:
        """Tells this message from the others."""
        ...

    @property
    def text(self) -> str:
        """What will be sent."""
        ...


class BranchedSession(Protocol):
    """The part of a session that goes back and aside, and tells what it holds and what waits."""

    @property
    def steering(self) -> Sequence[Queued]:
        """What the running turn was given and has not taken up yet."""
        ...

    async def context_map(self) -> ContextMap:
        """What fills the model's window, part by part."""
        ...

    async def branch_points(self) -> Sequence[Any]:
        """For each turn shown: `message_id`, and that it is `number` of `count` alternatives."""
        ...

    async def go_back(self, message_id: str, *, summary: bool = False) -> None:
        """Goes back to before a message; what is sent next begins a branch."""
        ...

    async def switch_branch(self, message_id: str, step: int) -> None:
        """Goes to the branch so many places beside that of the message."""
        ...


class ChosenSession(Protocol):
    """A session's model, approval mode, preset, folder and name, as a person chooses them."""

    @property
    def profile(self) -> str:
        """The name of the profile that answers; "" for the default one."""
        ...

    @property
    def mode(self) -> str:
        """The approval mode: ask, edits, plan, all or deny."""
        ...

    @property
    def preset(self) -> str:
        """The name of the preset. SettingsError if there is none of this name any more."""
        ...

    @property
    def active_skills(self) -> Sequence[str]:
        """The skills that were called and are in the prompt."""
        ...

    def refresh_skills(self) -> None:
        """Lists the skills anew with the next turn."""
        ...

    def remove_skill(self, name: str) -> None:
        """Takes a skill out of the prompt, from the next turn on."""
        ...

    def rename(self, title: str) -> None:
        """Names the session, as a person does."""
        ...

    def use_profile(self, name: str) -> None:
        """Asks another model from the next turn on. SettingsError if there is no such profile."""
        ...

    @property
    def unsandboxed(self) -> bool:
        """True if commands of mode all run without a sandbox: so started, or so confirmed."""
        ...

    def set_unsandboxed(self, unsandboxed: bool) -> None:
        """What the person confirmed for this session, while it is open."""
        ...

    async def sandbox_problem(self) -> str:
        """Why commands cannot run in a sandbox here, "" where they can or there is no folder."""
        ...

    def set_mode(self, mode: str) -> None:
        """Uses another approval mode from the next call on."""
        ...

    def set_effort(self, effort: Any) -> None:
        """Lets the model think off, low, medium or high from the next request on."""
        ...

    def set_preset(self, name: str) -> None:
        """Uses another preset from the next turn on. SettingsError if there is none such."""
        ...

    def set_folder(self, folder: Path) -> None:
        """Works on another folder from the next turn on."""
        ...


class OpenSession(BranchedSession, ChosenSession, Protocol):
    """A conversation that is open and can be sent to."""

    @property
    def id(self) -> str:
        """Unique among all sessions."""
        ...

    @property
    def title(self) -> str:
        """One line; "" before the first message."""
        ...

    @property
    def folder(self) -> Path | None:
        """The working folder."""
        ...

    @property
    def conversation(self) -> Conversation:
        """Where the conversation stands."""
        ...

    @property
    def queue(self) -> Sequence[Queued]:
        """Messages that wait, in order."""
        ...

    def send(
        self,
        text: str,
        approver: Approver | None = None,
        attachments: Sequence[Any] = (),
        *,
        insist: bool = False,
    ) -> AsyncGenerator[Event, None]:
        """Sends a message; the events of its turn, the last one TurnFinished."""
        ...

    def leave_interrupted(self) -> None:
        """Leaves an interrupted turn as it is."""
        ...

    async def report(self, turn_id: str = "") -> str:
        """A report on a turn that failed, keys masked."""
        ...

    def afterwards(self) -> AsyncGenerator[Event, None]:
        """What is done when a turn has ended, beside everything else."""
        ...

    async def output_part(self, call_id: str, offset: int, characters: int) -> str | None:
        """A part of an output that lies in a file; None if there is no such file any more."""
        ...

    def steer(self, text: str) -> Any:
        """Gives a message to the running turn."""
        ...

    def stop(self) -> None:
        """Ends the running turn."""
        ...

    def enqueue(self, text: str) -> Any:
        """Adds a message to the queue."""
        ...

    def remove_queued(self, message_id: str) -> Any:
        """Takes a message out of the queue."""
        ...

    def take_next(self) -> Queued | None:
        """Takes the next message out of the queue; None if there is none or it is paused."""
        ...

    def events(self) -> list[Event]:
        """The saved events, for replay."""
        ...

    @property
    def shelf(self) -> Any:
        """What runs beside its turns, with a way to end it; None where nothing can."""
        ...

    @property
    def changes(self) -> Any:
        """What its turns changed on disk, with undo and redo; None where nothing is noted."""
        ...


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


class Sessions(Protocol):
    """All sessions of a data folder. Each call may raise StoreError with a sentence."""

    def list(self) -> Sequence[SessionRow]:
        """All sessions, the newest first."""
        ...

    def is_open(self, session_id: str) -> bool:
        """True if the session was opened and not closed."""
        ...

    def read(self, session_id: str) -> Any:
        """What is saved of a session, for `Program.open_session`. Blocks: use it in a thread."""
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
        """Keeps a value. SettingsError says why it cannot be."""
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

    def use_folder(self, folder: Path) -> None:
        """New sessions work on `folder` from now on. SettingsError if it cannot be used."""
        ...

    def preload(self) -> None:
        """Imports the heavy modules; may run in a thread."""
        ...

    def build(self) -> None:
        """Opens settings and store; may run in a thread. KinetError says what is wrong."""
        ...

    async def serve(self, show: Callable[[str], object], changed: Callable[[], object]) -> None:
        """Does what commands ask while the window holds the data folder.

        `show` brings the window forward, with a session or "" for none; `changed` shows the list
        anew. OSError if nobody can be listened to.
        """
        ...

    def open_session(self, session_id: str | None = None, saved: Any = None) -> Any:
        """An `OpenSession`: the one of this id, or a new one. `saved` is what `read` gave."""
        ...
