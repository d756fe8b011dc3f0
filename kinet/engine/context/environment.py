"""The note that tells the model date, folder and system: on a user message, only when changed."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from kinet.core.messages import Message


def with_environment(
    user: Message,
    history: Sequence[Message],
    folder: Path | None,
    *,
    mode: str = "ask",
    now: datetime | None = None,
    added: Sequence[str] = (),
) -> Message:
    """`user` with the note, or `user` itself if the model was last told exactly this.

    `added` are texts of context sources; they become part of the note.

    The session calls it before it stores the message, so that a request of the next turn holds the
    very same bytes. A message that has a note keeps it.
    """
    if user.environment:
        return user
    note = "\n\n".join([environment_note(folder, mode=mode, now=now), *filter(None, added)])
    told = next((item.environment for item in reversed(history) if item.environment), "")
    return user if note == told else replace(user, environment=note)


def environment_note(folder: Path | None, *, mode: str = "ask", now: datetime | None = None) -> str:
    """Date (no clock: it would change with each message), time zone, folder, system, plan mode."""
    moment = (now or datetime.now()).astimezone()
    lines = [
        f"Date: {moment:%Y-%m-%d (%A)}, time zone UTC{_offset(moment)}",
        f"Folder: {folder}" if folder else "Folder: none chosen, so there are no file tools",
        f"System: {platform.system()} {platform.machine()}",
    ]
    if mode == "plan":
        lines.append("Mode: plan. Only read; end with a plan that the person can agree to.")
    return "<environment>\n" + "\n".join(lines) + "\n</environment>"


def _offset(moment: datetime) -> str:
    """+01:00, as people write it."""
    text = f"{moment:%z}"
    return f"{text[:3]}:{text[3:5]}"
