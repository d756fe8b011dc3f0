"""What an engine is given and what it gives: a turn request in, events out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from kinet.core.approval import Approver, Decision
from kinet.core.budgets import Budget
from kinet.core.completion import Usage
from kinet.core.context_map import ContextMap
from kinet.core.conversation import Carry
from kinet.core.events import Event
from kinet.core.messages import Message
from kinet.core.profile import Effort, ModelProfile
from kinet.engine.hooks import Hook
from kinet.providers.base import Provider
from kinet.tools.base import FileStates, Memory, Outputs, Skills
from kinet.tools.toolbox import Toolbox


class StopSignal:
    """Set once to end a turn; may be set from any slot or coroutine of the loop's thread."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        """Ends the turn; a second call changes nothing."""
        self._event.set()

    @property
    def is_set(self) -> bool:
        """True once `set` was called."""
        return self._event.is_set()

    async def wait(self) -> None:
        """Returns when `set` has been called."""
        await self._event.wait()


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one turn; 0 means none. Money in USD, time in seconds, sizes in characters."""

    max_steps: int = 0
    max_seconds: float = 0.0
    budget_usd: float = 0.0
    max_calls_per_step: int = 0
    parallel_reads: int = 4
    result_characters: int = 8_192
    result_head: int = 3_000
    result_tail: int = 3_000
    compact_ratio: float = 0.7
    compact_at: int = 0
    approval_seconds: float = 0.0
    screen_bytes: int = 480 * 1024
    # Outputs of earlier steps shrink before each request; this costs the cached prefix.
    shrink_old_outputs: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the system prompt: where it comes from and its text."""

    title: str
    text: str
    path: str = ""


class PriceOf(Protocol):
    """Tokens to money."""

    def __call__(self, model: str, usage: Usage) -> tuple[float | None, bool]:
        """(USD or None where not known, True if it is a fallback estimate)."""
        ...


class Remembered(Protocol):
    """Answers given before, for the approval gate. Kept outside the project."""

    def decision(
        self, tool: str, arguments: Mapping[str, object], folder: str, definition: str = ""
    ) -> Decision | None:
        """A remembered decision for exactly such a call, or None.

        `definition` is that of a server's tool, "" for any other.
        """
        ...

    def remember(
        self,
        tool: str,
        arguments: Mapping[str, object],
        folder: str,
        decision: Decision,
        definition: str = "",
    ) -> None:
        """Keeps a decision of scope session, folder or always."""
        ...


@dataclass(frozen=True, slots=True)
class Allowance:
    """USD that are left of a `budget` beyond the turn, and what was `spent` of it before."""

    of: Budget
    left: float
    budget: float
    spent: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelChange:
    """Another model or effort, chosen while the turn runs. `notice` is told to the person."""

    profile: ModelProfile
    provider: Provider
    effort: Effort = ""
    notice: str = ""


@dataclass(frozen=True, slots=True)
class JournalCall:
    """A call that may change files, as a journal is told of it."""

    session_id: str
    turn_id: str
    call_id: str
    tool: str
    arguments: Mapping[str, object]
    folder: Path


@dataclass(frozen=True, slots=True)
class CallChanges:
    """What a call changed: paths as a person knows them, counts of lines, a diff to be shown.

    `problem` is a sentence where the change cannot be taken back, "" else.
    """

    paths: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0
    diff: str = ""
    problem: str = ""


class Afterwards(Protocol):
    """Takes in what becomes known when a turn has ended, and keeps what waits for it."""

    def add(self, event: Event) -> None:
        """Something was found; FilesChanged names its turn."""
        ...

    def follow(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs this to its end, beside all turns; it may be cancelled when the session closes."""
        ...


class Forgotten:
    """Where nobody wants to know."""

    def add(self, event: Event) -> None:
        """Forgets it."""

    def follow(self, work: Coroutine[Any, Any, None]) -> None:
        """Does not even begin it."""
        work.close()


class FileJournal(Protocol):
    """Keeps what calls change, so that it can be undone. Its methods never raise."""

    async def before(self, call: JournalCall) -> object:
        """Keeps the state of what the call may touch; the ticket is for `after`."""
        ...

    async def after(self, ticket: object) -> CallChanges:
        """What the call has changed."""
        ...

    async def go_on(self, ticket: object) -> object:
        """A ticket for what goes on of the call from here, after `after`."""
        ...


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """All an engine needs for one turn; it fetches nothing from anywhere else.

    `history` is the context before the new message, without system and memory; `user` the new
    message. `rules` and `skills` are sections in their order. `memory` is the text of the memory
    block ("" for none). `steering` gives messages that came in meanwhile and takes them out.
    `mode` is the approval mode: ask, edits, plan, all, deny. `occupancy`, `occupancy_messages` and
    `carry` are those of the conversation before this turn (`conversation.carry()`).
    `sandbox` says why commands on a folder cannot run in one, "" where they can; it is called in a
    thread. `local_permits` are the host:port of this machine or network that the person permitted.
    `turn_id` names the turn for the `journal`, also in the turns of its sub-agents.
    `observers` are told every event; one that fails is logged and never breaks the run.
    `hooks` stand before and after each call and before a compaction. `changed` gives a model or
    effort that was chosen meanwhile, None for no change. `added` are texts of context sources, told
    with the newest user message. `allowances` are the budgets beside the turn's own. `insist`
    asks also a server whose circuit is open. `afterwards` takes in what is found when the turn has
    ended: what a stopped call had changed, and what was changed by what goes on of a call.
    """

    session_id: str
    user: Message
    history: tuple[Message, ...]
    profile: ModelProfile
    provider: Provider
    toolbox: Toolbox
    approver: Approver
    stop: StopSignal
    folder: Path | None = None
    mode: str = "ask"
    limits: Limits = field(default_factory=Limits)
    effort: Effort = ""
    rules: Sequence[Section] = ()
    skills: Sequence[Section] = ()
    # The person's own rules for all projects.
    personal: Sequence[Section] = ()
    memory_text: str = ""
    price: PriceOf = lambda model, usage: (None, False)
    remembered: Remembered | None = None
    steering: Callable[[], tuple[Message, ...]] = tuple
    files: FileStates | None = None
    outputs: Outputs | None = None
    memory: Memory | None = None
    skill_library: Skills | None = None
    # Real folders outside the project whose files may be read without a question.
    readable: tuple[Path, ...] = ()
    occupancy: int = 0
    occupancy_messages: int = 0
    data_dir: Path | None = None
    unsandboxed: bool = False
    sandbox: Callable[[Path], str] = lambda folder: "none was looked for"
    local_permits: frozenset[str] = frozenset()
    carry: Carry = field(default_factory=Carry)
    journal: FileJournal | None = None
    turn_id: str = ""
    observers: tuple[Callable[[Event], None], ...] = ()
    hooks: tuple[Hook, ...] = ()
    changed: Callable[[], Awaitable[ModelChange | None]] | None = None
    added: tuple[str, ...] = ()
    insist: bool = False
    allowances: tuple[Allowance, ...] = ()
    afterwards: Afterwards = field(default_factory=Forgotten)


class Engine(Protocol):
    """Runs turns. One engine may run many at once; it keeps no state of a session."""

    def run(self, request: TurnRequest) -> AsyncIterator[Event]:
        """The events of the turn, in order; exactly one TurnFinished, as the last.

        Never raises for anything a model, tool or server does. Setting `request.stop` ends the turn
        within 300 ms; leaving the iteration early ends all it started too.
        """
        ...

    async def settled(self, session_id: str) -> None:
        """Returns when nothing of the session's ended turns cleans up any more."""
        ...

    def compact(self, request: TurnRequest, topic: str = "") -> AsyncIterator[Event]:
        """Compacts the conversation now; the events are those of a turn.

        `request.history` and then `request.user` are the whole context; the last message is not
        asked anything. `topic` is what the summary is to dwell on.
        """
        ...

    def context_map(self, request: TurnRequest) -> ContextMap:
        """What the request would carry, part by part; nothing is asked."""
        ...

    async def branch_summary(
        self, request: TurnRequest, left: Sequence[Message]
    ) -> Sequence[Event]:
        """What a branch that is left was: a message of kind "branch", and what it cost."""
        ...
