"""What the window asks of an open session: to be sent to, to go back, to be chosen for."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from kinet.core.alternatives import Alternative
from kinet.core.approval import Approver
from kinet.core.context_map import ContextMap
from kinet.core.conversation import Conversation
from kinet.core.events import Event
from kinet.core.own_command import OwnCommand


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

    @property
    def command(self) -> bool:
        """True for a command of the person's own, as it was typed: it will be run."""
        ...

    @property
    def attachments(self) -> Sequence[Any]:
        """What is attached: each with name, path, size, and whether it is a picture."""
        ...


class BranchedSession(Protocol):
    """The part of a session that goes back and aside, and tells what it holds and what waits."""

    @property
    def unsaved(self) -> str:
        """Why its newest part is not on the disk, and what to do; "" where nothing failed."""
        ...

    @property
    def steering(self) -> Sequence[Queued]:
        """What the running turn was given and has not taken up yet."""
        ...

    async def context_map(self) -> ContextMap:
        """What fills the model's window, part by part."""
        ...

    async def prepare(
        self, digest: Callable[[list[Event]], Any], is_wanted: Callable[[], bool]
    ) -> Any:
        """Reads in a thread what `events` gives next; what `digest`, called there, makes of it.

        It ends with a StoreError soon after it `is_wanted` no more.
        """
        ...

    async def branch_points(self) -> Sequence[Any]:
        """For each turn shown: `message_id`, and that it is `number` of `count` alternatives."""
        ...

    async def alternatives(self, message_id: str) -> Sequence[Alternative]:
        """All turns that begin where the one of this message does."""
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


class CommandedSession(Protocol):
    """The part of a session in which the person runs commands of their own."""

    @property
    def command_folder(self) -> Path | None:
        """Where the next command would begin, a real path; None without a folder."""
        ...

    def run_command(
        self, command: OwnCommand, approver: Approver | None = None
    ) -> AsyncGenerator[Event, None]:
        """Runs a command of the person's own; the events of its turn, the last TurnFinished."""
        ...


class OpenSession(BranchedSession, ChosenSession, CommandedSession, Protocol):
    """A conversation that is open and can be sent to."""

    @property
    def id(self) -> str:
        """Unique among all sessions."""
        ...

    @property
    def is_new(self) -> bool:
        """True until something of it is stored."""
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

    @property
    def outputs(self) -> Any:
        """Outputs that lie in files: read part by part, or saved whole elsewhere."""
        ...

    def steer(self, text: str, attachments: Sequence[Any] = ()) -> Any:
        """Gives a message to the running turn."""
        ...

    def stop(self) -> None:
        """Ends the running turn."""
        ...

    def enqueue(self, text: str, attachments: Sequence[Any] = (), *, command: bool = False) -> Any:
        """Adds a message to the queue, or a command of the person's own as it was typed."""
        ...

    def remove_queued(self, message_id: str) -> Any:
        """Takes a message out of the queue."""
        ...

    def take_next(self) -> Queued | None:
        """Takes the next message out of the queue; None if there is none or it is paused."""
        ...

    def take_queued(self, message_id: str) -> Queued | None:
        """Takes this message out of a paused queue, to be sent; None if that cannot be."""
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
