"""What a session is handed: values and callables, so that it imports no settings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kinet.core.approval import Approver
from kinet.core.completion import Usage
from kinet.core.profile import Effort, ModelProfile

if TYPE_CHECKING:
    from kinet.engine.base import Engine, Limits, PriceOf, Remembered, Section
    from kinet.engine.hooks import Hook
    from kinet.engine.presets import Preset
    from kinet.memory.noticing import Noticing
    from kinet.providers.base import Provider
    from kinet.session.active_skills import SkillSource
    from kinet.store.sessions import SessionStore
    from kinet.tools.base import Memory, Tool
    from kinet.tools.toolbox import Toolbox
    from kinet.workspace.journal import Journal


class Standing(Protocol):
    """How the servers of a session stand when a turn begins."""

    @property
    def tools(self) -> Sequence[Tool]:
        """What those offer that are ready."""
        ...

    @property
    def starting(self) -> Sequence[str]:
        """Names of those that are not ready yet."""
        ...

    @property
    def failed(self) -> Sequence[tuple[str, str]]:
        """Names of those that failed, each with the reason."""
        ...

    @property
    def left_out(self) -> int:
        """How many tools are more than a request can carry."""
        ...


class ToolServers(Protocol):
    """Servers whose tools join those of a session (`settings.tool_servers`)."""

    def wake(self, session_id: str, folder: Path | None) -> None:
        """Starts what the session may use; returns when it has begun. For a thread."""
        ...

    async def settled(self, session_id: str) -> None:
        """Waits for them where a turn has to."""
        ...

    def standing(self, session_id: str) -> Standing | None:
        """How they stand; None where there are none."""
        ...

    def leave(self, session_id: str) -> None:
        """The session is closed."""
        ...


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a folder, in their order, and what has to be told about them."""

    sections: Sequence[Section] = ()
    warnings: Sequence[str] = ()
    # The person's own, for all folders.
    personal: Sequence[Section] = ()


def _usual_preset(name: str) -> Preset:
    from kinet.engine.presets import preset_named

    return preset_named(name)


def _no_price(model: str, usage: Usage) -> tuple[float | None, bool]:
    return None, False


@dataclass(frozen=True)
class SessionParts:
    """Services for sessions. What is "called in a thread" may read files or ask the keychain.

    `profile(name)` gives the profile of this name, the default one for ""; it raises SettingsError
    where there is none. `provider(profile)` gives the object that asks it (one per profile, called
    in a thread). `rules`, `memory_text` and `skills` are called in a thread with the session's
    folder; memory and skills once per session, rules before each turn. `limits`, `mode` and
    `effort` are asked at the beginning of each turn; `preset(name)` gives the preset of this name,
    the usual one for "", or raises SettingsError. `remembered(session_id)` gives the answers
    given before. `approver` answers where `send` is given none; without it questions are denied.
    """

    store: SessionStore
    engine: Callable[[], Engine]
    profile: Callable[[str], ModelProfile]
    provider: Callable[[ModelProfile], Provider]
    toolbox: Callable[[], Toolbox]
    # Tool servers; None where there are none.
    servers: ToolServers | None = None
    price: PriceOf = _no_price
    rules: Callable[[Path | None], Rules] = lambda folder: Rules()
    # Told in a thread, before `rules`: files of the folder that the person let a tool write.
    written: Callable[[Path | None, Collection[str]], None] = lambda folder, names: None
    memory_text: Callable[[Path | None], str] = lambda folder: ""
    skills: SkillSource | None = None
    preset: Callable[[str], Preset] = _usual_preset
    limits: Callable[[Preset], Limits] | None = None
    mode: Callable[[], str] = lambda: "ask"
    # The preset has its say where nobody chose.
    effort: Callable[[Preset], Effort] = lambda preset: preset.effort
    remembered: Callable[[str], Remembered | None] = lambda session_id: None
    memory: Memory | None = None
    # Notices facts after a turn; None never does.
    noticing: Noticing | None = None
    # Told in a thread: this session was given the block of `memory_text` for this folder.
    memory_told: Callable[[str, Path | None], None] = lambda session_id, folder: None
    # Told before sessions are removed for good: what only they support goes with them.
    leaving: Callable[[Collection[str]], None] = lambda session_ids: None
    approver: Approver | None = None
    # USD; what may be spent in a day before it is asked. 0 asks nothing.
    day_limit: Callable[[], float] = lambda: 0.0
    # The same for one session.
    session_limit: Callable[[], float] = lambda: 0.0
    # How long deleted sessions are kept.
    trash_days: Callable[[], float] = lambda: 30.0
    # Texts of context sources for a session on this folder, told with the newest message.
    added: Callable[[Path | None], Sequence[str]] = lambda folder: ()
    # Whether a branch that is left for an edited message is summed up for the new one.
    branch_summary: Callable[[], bool] = lambda: False
    # Stand before and after each call and before a compaction.
    hooks: tuple[Hook, ...] = ()
    data_dir: Path | None = None
    unsandboxed: bool = False
    # Why commands on a folder cannot run in a sandbox, "" where they can. Called in a thread.
    sandbox: Callable[[Path], str] = lambda folder: "none was looked for"
    # host:port of this machine or network that web_fetch may reach.
    local_permits: Callable[[], frozenset[str]] = frozenset
    # Called when a lot was kept: other things may have to go. Returns at once.
    make_room: Callable[[], None] = lambda: None
    # Notes what calls change on disk, for undo; None notes nothing.
    journal: Journal | None = None
    now: Callable[[], datetime] = field(default=datetime.now)
