"""A program behind the window that needs no store, no model and no network."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kinet.core.approval import Approver
from kinet.core.context_map import ContextMap, ContextShare
from kinet.core.conversation import Conversation, replay
from kinet.core.errors import SettingsError, StoreError
from kinet.core.events import Event, MessageCompleted, TurnFinished, TurnStarted, is_saved
from kinet.core.keeping import Keeper, done_now
from kinet.core.messages import Message
from kinet.core.profile import ModelProfile
from kinet.skills.catalog import Catalog
from kinet.workspace.starters import Starters, starters
from tests.support.facts_at import facts_at
from tests.support.fake_servers import FakeServers

LUMEN = ModelProfile("Lumen 4", "http://127.0.0.1:9/v1", "lumen-4", window=200_000)
Events = AsyncGenerator[Event, None]
Script = Callable[["FakeSession", str, Approver], Events]


async def says_ok(session: FakeSession, text: str, approver: Approver) -> Events:
    """A turn with one short answer."""
    yield MessageCompleted(Message("assistant", "OK"))
    yield TurnFinished("completed", duration_s=0.4)


@dataclass
class Waiting:
    """A queued message."""

    id: str
    text: str
    command: bool = False
    attachments: tuple[Any, ...] = ()


@dataclass
class FakeSession:
    """Keeps its events in a list and plays a script for each turn."""

    id: str
    program: FakeProgram
    title: str = ""
    folder: Path | None = None
    profile: str = ""
    mode: str = "ask"
    effort: str = ""
    preset: str = "default"
    active_skills: tuple[str, ...] = ()
    conversation: Conversation = field(default_factory=Conversation)
    queue: list[Waiting] = field(default_factory=list)
    saved: list[Event] = field(default_factory=list)
    steering: list[Waiting] = field(default_factory=list)
    steered: list[str] = field(default_factory=list)
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    changes: Any = None
    shelf: Any = None
    unsandboxed: bool = False
    unsaved: str = ""
    no_sandbox: str = ""
    _ids: Any = field(default_factory=lambda: itertools.count(1))

    async def send(
        self, text: str, approver: Approver | None = None, attachments: Sequence[Any] = ()
    ) -> Events:
        assert approver is not None
        self.title = self.title or text[:60]
        self.stopped.clear()
        yield self._take(TurnStarted(self.id))
        yield self._take(MessageCompleted(Message("user", text)))
        async for event in self.program.script(self, text, approver):
            yield self._take(event)

    @property
    def is_new(self) -> bool:
        return not self.saved

    async def prepare(self, digest: Any, is_wanted: Any = None) -> Any:
        return digest(self.saved)

    @property
    def command_folder(self) -> Path | None:
        return self.folder

    async def branch_points(self) -> list[Any]:
        return []

    async def go_back(self, message_id: str, *, summary: bool = False) -> None:
        raise StoreError("This message is not in the conversation.")

    async def switch_branch(self, message_id: str, step: int) -> None:
        raise StoreError("There is no further branch here.")

    async def context_map(self) -> ContextMap:
        return ContextMap((ContextShare("system", "Kinet's own words", 900),), 1_000, 200_000)

    def leave_interrupted(self) -> None:
        self._take(TurnFinished("stopped", detail="Left as it was."))

    async def report(self, turn_id: str = "") -> str:
        return "{}"

    async def afterwards(self) -> Events:
        for event in self.program.after:
            yield self._take(event)

    def steer(self, text: str, attachments: Sequence[Any] = ()) -> None:
        self.steered.append(text)

    def stop(self) -> None:
        self.stopped.set()

    def enqueue(
        self, text: str, attachments: Sequence[Any] = (), *, command: bool = False
    ) -> Waiting:
        item = Waiting(f"q{next(self._ids)}", text, command, tuple(attachments))
        self.queue.append(item)
        return item

    def remove_queued(self, message_id: str) -> None:
        self.queue = [item for item in self.queue if item.id != message_id]

    def take_next(self) -> Waiting | None:
        return self.queue.pop(0) if self.queue and not self.stopped.is_set() else None

    def take_queued(self, message_id: str) -> Waiting | None:
        found = next((item for item in self.queue if item.id == message_id), None)
        self.remove_queued(message_id)
        return found

    def rename(self, title: str) -> None:
        self.title = title

    def use_profile(self, name: str) -> None:
        self.profile = name

    def set_folder(self, folder: Path) -> None:
        self.folder = folder

    def set_effort(self, effort: str) -> None:
        self.effort = effort

    def set_preset(self, name: str) -> None:
        self.preset = name

    def set_mode(self, mode: str) -> None:
        self.mode = mode

    def set_unsandboxed(self, unsandboxed: bool) -> None:
        self.unsandboxed = unsandboxed

    async def sandbox_problem(self) -> str:
        return self.no_sandbox

    def events(self) -> list[Event]:
        return list(self.saved)

    def _take(self, event: Event) -> Event:
        self.conversation.apply(event)
        if is_saved(event):
            self.saved.append(event)
        return event


@dataclass(frozen=True)
class Row:
    """One line of the list."""

    id: str
    title: str
    folder: str = ""
    updated: float = 0.0
    state: str = "idle"
    message_count: int = 2


class FakeResting:
    """Remembers who was left; all stay open."""

    def __init__(self) -> None:
        self.left: list[str] = []

    def leave(self, session_id: str) -> list[list[Any]]:
        self.left.append(session_id)
        return []


class FakeSessions:
    """The list, kept in memory."""

    def __init__(self, rows: Sequence[Row] = ()) -> None:
        self.rows = list(rows)
        self.trash: list[Row] = []
        self.elsewhere: frozenset[str] = frozenset()
        self.resting = FakeResting()

    def list(self) -> Sequence[Row]:
        return tuple(self.rows)

    def is_open(self, session_id: str) -> bool:
        return True

    def read(self, session_id: str, is_wanted: Any = None) -> None:
        pass

    def search(self, text: str, limit: int = 50, **narrowed: Any) -> Sequence[Any]:
        return ()

    def rename(self, session_id: str, title: str) -> None:
        self.rows = [
            Row(**{**row.__dict__, "title": title}) if row.id == session_id else row
            for row in self.rows
        ]

    def delete(self, session_id: str) -> None:
        self.trash += [row for row in self.rows if row.id == session_id]
        self.rows = [row for row in self.rows if row.id != session_id]

    def restore(self, session_id: str) -> None:
        self.rows += [row for row in self.trash if row.id == session_id]


class FakeSettings:
    """Settings in a dict."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {
            "general.escape_stops": "twice",
            "general.send_key": "enter",
            "approvals.mode": "ask",
            "limits.preset": "default",
            "models.default_profile": "Lumen 4",
            "appearance.theme": "light",
            "appearance.zoom": 100,
            "appearance.contrast": False,
            "appearance.wide": False,
            "appearance.scrolling": "follow",
        }
        self.models = [LUMEN]

    def get(self, key: str) -> Any:
        return self.kept[key]

    def set(self, key: str, value: Any) -> None:
        self.kept[key] = value

    def keep(self, key: str, value: Any) -> Future[None]:
        return done_now(lambda: self.set(key, value))

    def fields(self) -> Sequence[Any]:
        return ()

    def profiles(self) -> Sequence[ModelProfile]:
        return tuple(self.models)

    def on_change(self, callback: Callable[[str], None]) -> Callable[[], None]:
        return lambda: None


@dataclass(frozen=True)
class Month:
    """What was spent."""

    cost: float = 12.84
    known: bool = True


class FakeSkills:
    """There are none."""

    def catalog(self, folder: Path | None) -> Catalog:
        return Catalog()


class FakeServices:
    """Finds nothing, knows nothing."""

    memory: Any
    trash: Any

    def __init__(self) -> None:
        self.skills = FakeSkills()
        self.servers = FakeServers()

    def starters(self, folder: Path | None) -> Starters:
        return starters(folder)

    async def month_total(self) -> Month:
        return Month()

    async def discover(self) -> list[Any]:
        return []

    async def keychain_state(self) -> str:
        return "none"

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **values: ()


class NoTrash:
    """Nothing was deleted."""

    def trash(self) -> list[Any]:
        return []


class FakeTrust:
    """Every folder is settled."""

    asks = False

    def pending(self, folder: Path | None) -> None:
        return None

    def reconsider(self, folder: Path | None) -> None:
        return None

    def answer(self, question: Any, trusted: bool) -> None:
        raise AssertionError("nothing was asked")


class FakeProgram:
    """The runtime, as the window sees it."""

    def __init__(self, home: Path, rows: Sequence[Row] = (), script: Script = says_ok) -> None:
        self.home = home
        self.folder: Path | None = home
        self.theme = "light"
        self.settings = FakeSettings()
        self.keeper = Keeper()
        self.sessions = FakeSessions(rows)
        self.services = FakeServices()
        self.services.memory = facts_at(home)
        self.services.trash = NoTrash()
        self.trust = FakeTrust()
        self.script = script
        # What is told when a turn has ended.
        self.after: list[Event] = []
        self.opened: dict[str, FakeSession] = {}
        self.broken: set[str] = set()
        self.warmed = 0
        self.problems: list[str] = []

    def preload(self) -> None:
        pass

    def warm_up(self) -> None:
        self.warmed += 1

    def build(self) -> None:
        pass

    async def serve(self, show: Callable[[str], object], changed: Callable[[], object]) -> None:
        self.show = show

    def profile(self, name: str = "") -> ModelProfile | None:
        models = self.settings.models
        return next((item for item in models if item.name == name), models[0] if models else None)

    def window(self, profile: ModelProfile) -> int:
        return profile.window

    def use_folder(self, folder: Path) -> Future[None]:
        if not folder.is_dir():
            raise SettingsError(f"The folder {folder} cannot be used.")
        self.folder = folder
        return done_now(lambda: None)

    def watch_session(self, session_id: str, saved: Any) -> None:
        return None

    def open_session(self, session_id: str | None = None, saved: Any = None) -> FakeSession:
        if session_id in self.broken:
            raise StoreError("This session cannot be read.", hint="Restore it from a backup.")
        if session_id is None:
            session_id = f"s{len(self.opened) + 1}"
            self.sessions.rows.append(Row(session_id, "", str(self.folder or "")))
        if session_id not in self.opened:
            row = next((row for row in self.sessions.rows if row.id == session_id), None)
            title = row.title if row is not None else ""
            folder = Path(row.folder) if row is not None and row.folder else self.folder
            self.opened[session_id] = FakeSession(session_id, self, title, folder)
        return self.opened[session_id]

    def with_events(self, session_id: str, events: Sequence[Event]) -> FakeSession:
        """A session that holds these events already."""
        session = self.open_session(session_id)
        session.saved = list(events)
        session.conversation = replay(events)
        return session
