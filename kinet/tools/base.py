"""What a tool is: a name, an arguments model, a kind of access, and `run`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict

from kinet.core.approval import ApprovalRequest


class Access(Enum):
    """What a call may do. Only READ calls run side by side."""

    READ = "read"
    WRITE = "write"
    EXECUTE = "execute"
    NETWORK = "network"


class Arguments(BaseModel):
    """Base of every arguments model: unknown fields are refused with their name."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """The result of a call. `content` is whole; the engine cuts what the model gets.

    `model_content`, where not None, is the tool's own page for the model and is not cut again
    (read_file, grep, glob). `preview` is one line for the step row ("14 hits", "exit 1");
    `details` are JSON-able facts for the screen. Well-known details: `diff` (unified diff),
    `added`, `removed`, `exit_code`, `hits`, `paths` (changed files, relative), `truncated`.
    `pictures` are data: addresses; a model that cannot see is told so instead.
    """

    content: str
    preview: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    is_error: bool = False
    model_content: str | None = None
    # Nothing is left to do: the turn ends if all calls of a step say so.
    ends_turn: bool = False
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Accepted:
    """The hunks of a shown diff (numbers from 1) that a person accepted; the others are skipped.

    `shown` is the hash of the diff as it was shown: another one has not been approved.
    """

    hunks: tuple[int, ...]
    shown: str


class FileStates(Protocol):
    """What the model has read of each file: for read-before-write and the stale-file check."""

    def seen(self, path: Path) -> str | None:
        """Hash of the bytes when last read or written in this session; None if never."""
        ...

    def remember(self, path: Path, digest: str) -> None:
        """Notes that the model knows these bytes."""
        ...


class Outputs(Protocol):
    """Whole results of earlier calls, for `read_output`."""

    def load(self, call_id: str) -> str | None:
        """The whole output of a call of this session, or None."""
        ...


class Memory(Protocol):
    """Facts kept, for `recall_memory`."""

    async def recall(self, query: str, folder: Path | None) -> str:
        """What is known that fits the query, as text for the model."""
        ...


class Skills(Protocol):
    """Written instructions for kinds of tasks, for `skill`."""

    async def load(
        self, name: str, arguments: str, folder: Path | None, session_id: str = ""
    ) -> ToolOutput:
        """The skill's text. ToolError says which there are."""
        ...

    async def file(self, name: str, file: str, folder: Path | None) -> ToolOutput:
        """The text of a file in a skill's folder. ToolError says which there are."""
        ...


class SubAgents(Protocol):
    """Runs a task with a history of its own, for `dispatch_agent`."""

    async def dispatch(self, task: str, context: str, call_id: str) -> ToolOutput:
        """The sub-agent's final text."""
        ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Everything a call may use. `folder` is None in a session without one: no file tools then.

    `progress` takes output so far, in pieces; it never blocks. `unread` is true while so much of it
    waits that who prints more should be held; any thread may ask. What is None is not available.
    `require_read` asks for read-before-write; a lone `kinet tool` call does not.
    """

    folder: Path | None
    call_id: str = ""
    session_id: str = ""
    progress: Callable[[str], None] = lambda text: None
    unread: Callable[[], bool] = lambda: False
    files: FileStates | None = None
    outputs: Outputs | None = None
    memory: Memory | None = None
    skills: Skills | None = None
    agents: SubAgents | None = None
    # Asks the person in words (ask_user); None where nobody can answer.
    ask: Callable[[str, tuple[str, ...]], Awaitable[str]] | None = None
    require_read: bool = True
    unsandboxed: bool = False
    # Where a command of this session begins now (a real path); None for the project's folder.
    start: Path | None = None
    # The command runs in the sandbox.
    boxed: bool = False
    # host:port of this machine or network that the person permitted for web_fetch.
    local_permits: frozenset[str] = frozenset()
    # The gate's token for this very call (policy.gate.CallFacts.grant); "" for a call without one,
    # which then may only do what needs no question by its path.
    grant: str = ""
    # Which part of a change was approved; None for the whole.
    accepted: Accepted | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    data_dir: Path | None = None
    # Real folders outside the project whose files may be read: those of skills in use.
    readable: tuple[Path, ...] = ()


class Tool(Protocol):
    """One tool. Instances hold no state between calls.

    A tool with a class variable `alone = True` makes all calls of its step run one by one. A tool
    that others describe has its JSON schema as `parameters`, the hash of that description as
    `definition`, and `claims_read` where they say that it only reads.
    """

    access: ClassVar[Access]
    arguments: ClassVar[type[Arguments]]

    @property
    def name(self) -> str:
        """What the model calls."""
        ...

    @property
    def description(self) -> str:
        """What the model is told of it."""
        ...

    def question(self, arguments: Any, context: ToolContext) -> ApprovalRequest | None:
        """What a person has to decide before this call, with its whole command or diff.

        None if the call needs no question by its nature. May raise ToolError where the call
        cannot succeed (an edit that matches nothing is not worth a question). Writes nothing.
        Whether the question is really asked, the engine decides by the approval mode.
        """
        ...

    async def run(self, arguments: Any, context: ToolContext) -> ToolOutput:
        """Does it. Raises ToolError with one clear message; cancellation ends all it started."""
        ...
