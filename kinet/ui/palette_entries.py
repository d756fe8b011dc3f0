"""What the command palette offers: sessions by age, commands with their keys, models."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction

from kinet.ui.actions import COMMANDS
from kinet.ui.session_list import SessionItem, word_of
from kinet.ui.window_parts import WindowParts

if TYPE_CHECKING:
    from kinet.ui.palette import Entry


def palette_entries(parts: WindowParts, actions: Mapping[str, QAction]) -> list[Entry]:
    """Everything that can be chosen now."""
    from kinet.ui.palette import Entry

    def session(item: SessionItem) -> Entry:
        where = PurePath(item.folder).name
        detail = "  ".join(part for part in (where, word_of(item, time.time())) if part)
        return Entry("Sessions", item.title, lambda: parts.desk.open(item.id), "chat", detail)

    def model(name: str, detail: str) -> Entry:
        return Entry("Models", name, lambda: parts.models.choose_model(name), "model", detail)

    out = [session(item) for item in parts.sidebar.model.items()]
    for command in COMMANDS:
        action = actions.get(command.id)
        if action is not None and command.id != "palette":
            key = command.keys.split()[0] if command.keys else ""
            out.append(Entry("Commands", command.title, action.trigger, command.icon, keys=key))
    out += [model(name, detail) for name, detail in parts.models.choices()]
    return out
