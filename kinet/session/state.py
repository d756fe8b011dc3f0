"""Everything a session holds, in one place, for the session and its turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.core.conversation import Conversation
from kinet.core.events import (
    ContextCompacted,
    Event,
    MessageCompleted,
    ModelChosen,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from kinet.core.profile import Effort
from kinet.session.active_skills import ActiveSkills
from kinet.session.day_guard import DayGuard
from kinet.session.found_later import FoundLater
from kinet.session.known_files import KnownFiles
from kinet.session.new_facts import KnownFacts
from kinet.session.parts import SessionParts
from kinet.session.raised_budgets import RaisedBudgets
from kinet.session.recorder import Recorder
from kinet.session.waiting import Waiting
from kinet.session.whole_outputs import WholeOutputs

if TYPE_CHECKING:
    from kinet.engine.base import Remembered, Section
    from kinet.memory.facts import Taken


_WRITING = frozenset({"write_file", "edit_file"})


@dataclass
class SessionState:
    """Changed by the session and its running turn alone.

    `mode`, `effort` and `preset` are this session's own choice, "" for the usual one. `memory`
    stays the same for the life of the session, until a compaction or an edit by the person; so does
    `skills`. `found` takes in what is found when a turn has ended.
    """

    parts: SessionParts
    id: str
    conversation: Conversation
    recorder: Recorder
    waiting: Waiting
    files: KnownFiles
    outputs: WholeOutputs
    day_guard: DayGuard
    folder: Path | None = None
    profile: str = ""
    title: str = ""
    titled_by: str = ""
    mode: str = ""
    effort: Effort = ""
    preset: str = ""
    # The person confirmed, for this session, that commands of mode all run without a sandbox.
    unsandboxed: bool = False
    remembered: Remembered | None = None
    memory: KnownFacts = field(default_factory=KnownFacts)
    skills: Sequence[Section] | None = None
    active: ActiveSkills = field(default_factory=ActiveSkills)
    rules_digest: str = ""
    # What was told of tool servers when the last turn began.
    told_of_servers: frozenset[str] = frozenset()
    # Files that tools wrote after a person saw the diff, since the last turn began.
    written: set[str] = field(default_factory=set)
    budgets: RaisedBudgets = field(default_factory=RaisedBudgets)
    # Takes facts noticed here to the other sessions that are open.
    tell_others: Callable[[str, Sequence[Taken]], None] = lambda session_id, taken: None
    found: FoundLater = field(default_factory=lambda: FoundLater(lambda event: None))
    # The calls that run now, for a turn that is ended early.
    calls: dict[str, ToolStarted] = field(default_factory=dict)
    # Who reads the session while somebody else works on it.
    watchers: list[Callable[[Event], None]] = field(default_factory=list)

    def take(self, event: Event, *, sent: str = "") -> None:
        """Applies an event and hands it to the recorder."""
        match event:
            case TurnStarted():
                self.calls.clear()
            case ToolStarted(call_id=call_id):
                self.calls[call_id] = event
            case ToolFinished(call_id=call_id, name=name, is_error=is_error, details=details):
                self.calls.pop(call_id, None)
                if details.get("kept_whole") or details.get("colours") or details.get("job"):
                    self.parts.make_room()
                if name in _WRITING and not is_error:
                    self.written |= {str(path) for path in details.get("paths", ())}
            case MessageCompleted(message=message) if message.kind == "steer":
                sent = message.id
                self.waiting.steered(sent)
            case ContextCompacted():
                self.memory.renew()
                self.skills = None
            case _:
                pass
        self.conversation.apply(event)
        self.recorder.record(event, sent=sent)
        for told in self.watchers:
            told(event)

    def take_beginning(self) -> None:
        """Keeps what was chosen before the first message, when that is sent."""
        if self.recorder.new is not None and (self.effort or self.preset):
            profile, effort, preset = self.profile, self.effort, self.preset
            self.take(ModelChosen(profile, effort, profile, effort, preset, preset))

    def take_entry(self, event: Event) -> None:
        """Like `take`, for an event between turns, with or without a running loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self.conversation.apply(event)
            self.recorder.save_now([event])
            return
        self.take(event)

    def take_skills(self, text: str) -> tuple[list[str], tuple[Path, ...]]:
        """Takes up the skills of the session and the one that a message calls; in a thread.

        What comes back: sentences for the person, and the folders whose files may be read.
        """
        source = self.parts.skills
        if source is None:
            self.skills = self.skills or ()
            return [], ()
        if self.skills is None:
            self.skills = tuple(source.sections(self.folder))
        told = self.active.follow(text, lambda call: source.called(self.folder, call, self.id))
        return told, source.readable(self.folder)

    def move_skills(self, before: Sequence[Event], after: Sequence[Event]) -> None:
        """The path is another one: the skills are those that were called on it; in a thread."""
        source = self.parts.skills
        if source is None:
            return
        old, new = _asked(before), _asked(after)
        self.active.go_over(
            list(new.values()),
            [text for id_, text in old.items() if id_ not in new],
            [text for id_, text in new.items() if id_ not in old],
            lambda call: source.called(self.folder, call, self.id),
        )

    def save_notes(self) -> None:
        """Keeps what is not an event."""
        from kinet.store.notes import NoteStore

        notes: dict[str, Any] = {"rules": self.rules_digest, "skills": self.active.to_note()}
        if self.memory.begun is not None:
            notes["memory"] = self.memory.begun
            notes["memory_since"] = self.memory.since
        NoteStore(self.parts.store.database).save(self.id, notes)


def _asked(events: Sequence[Event]) -> dict[str, str]:
    """The messages that began turns, by id: only such a one calls a skill."""
    return {
        event.message.id: event.message.text
        for event in events
        if isinstance(event, MessageCompleted)
        and event.message.role == "user"
        and event.message.kind == ""
    }
