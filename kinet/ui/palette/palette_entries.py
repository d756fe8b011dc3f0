"""What the command palette offers: sessions by age, commands with their keys, models, settings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction

from kinet.ui.desks.actions import COMMANDS
from kinet.ui.desks.window_parts import WindowParts
from kinet.ui.palette.palette_rows import Entry
from kinet.ui.sessions.session_list import SessionItem, word_of

if TYPE_CHECKING:
    from kinet.settings.server_services import ServerRow


def palette_entries(parts: WindowParts, actions: Mapping[str, QAction]) -> list[Entry]:
    """Everything that can be chosen now."""

    def session(item: SessionItem) -> Entry:
        where = PurePath(item.folder).name
        age = word_of(item, time.time())
        act = partial(parts.desk.wanted.emit, item.id)
        return Entry("Sessions", item.title, act, "chat", where, right=age)

    def model(name: str, detail: str) -> Entry:
        return Entry("Models", name, lambda: parts.models.choose_model(name), "model", detail)

    out = [session(item) for item in parts.sidebar.model.items()]
    for command in COMMANDS:
        action = actions.get(command.id)
        if action is not None and command.id != "palette":
            key = command.keys.split()[0] if command.keys else ""
            out.append(Entry("Commands", command.title, action.trigger, command.icon, keys=key))
    out += [model(name, detail) for name, detail in parts.models.choices()]
    out += _settings(parts)
    out += _presets(parts)
    return out


def skill_entries(skills: Iterable[tuple[str, str]], call: Callable[[str], object]) -> list[Entry]:
    """The skills a person may call, by name and line; chosen, one is written into the composer."""

    def entry(name: str, detail: str) -> Entry:
        return Entry("Skills", f"/{name}", lambda: call(name), "skill", detail)

    return [entry(name, detail) for name, detail in skills]


def server_entries(servers: Iterable[ServerRow], show: Callable[[str], object]) -> list[Entry]:
    """The servers by name and how they stand; chosen, one is unfolded in the settings."""
    # Known to be there: only now their words are needed.
    from kinet.ui.servers.server_words import state_look

    def entry(row: ServerRow) -> Entry:
        word = state_look(row)[0]
        return Entry("Servers", row.name, lambda: show(row.name), "plug", row.line, right=word)

    return [entry(row) for row in servers]


def _presets(parts: WindowParts) -> Iterator[Entry]:
    """How far a turn of the session on screen may go."""

    def entry(name: str, word: str, detail: str) -> Entry:
        act = lambda: parts.models.choose_preset(name)  # noqa: E731
        return Entry("Presets", f"Preset: {word}", act, "clock", detail)

    for name, word, detail in parts.models.presets():
        yield entry(name, word, detail)


def _settings(parts: WindowParts) -> Iterator[Entry]:
    """The pages, then each setting."""
    # The window starts without the shapes of what its pages show.
    from kinet.ui.services import SHOWN_ELSEWHERE

    fields = parts.models.setting_fields()
    pages = dict.fromkeys((field.key.partition(".")[0], field.section) for field in fields)

    def entry(section: str, title: str, detail: str) -> Entry:
        act = lambda: parts.models.open_settings(section)  # noqa: E731
        return Entry("Settings", title, act, "settings", detail)

    for section, title in pages:
        yield entry(section, title, "")
    for field in fields:
        if field.key in SHOWN_ELSEWHERE:
            continue
        yield entry(field.key.partition(".")[0], field.title, field.section)
