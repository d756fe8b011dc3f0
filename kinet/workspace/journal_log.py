"""What was changed in one folder and what of it was taken back, as lines that are only added."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kinet.core import atomic_write
from kinet.paths import ensure_private_dir
from kinet.workspace.file_state import Change, FileState, change_from_json, state_from_json

# The tool of what was changed by what went on of a call: others may have changed it meanwhile.
GOING_ON = "background"
# The tool of an undo that took back some hunks of a file.
PART = "hunks"
Act = Literal["call", "undo", "redo"]
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class Entry:
    """One call that changed something, or one undo or redo; `number` gives the order.

    `left` is what an undo of hunks left of the turn's own change, by path.
    """

    number: int
    act: Act
    session_id: str
    turn_id: str
    changes: tuple[Change, ...]
    call_id: str = ""
    tool: str = ""
    at: float = 0.0
    left: Mapping[str, FileState] = field(default_factory=dict)


class JournalLog:
    """The entries of one folder (a real path). Not for two threads at once."""

    def __init__(self, home: Path, folder: str, path: Path | None = None) -> None:
        """Reads what is there; a line that was cut by a crash is left out. OSError if unreadable.

        `path` is the file where that is known and the folder is not.
        """
        self.folder = folder
        key = hashlib.sha256(os.fsencode(folder)).hexdigest()[:24]
        self.path = path or home / f"{key}.jsonl"
        self.entries: list[Entry] = list(_read(self.path))
        # Of the newest entry there was; no number is given twice, also where entries went.
        self.number = self.entries[-1].number if self.entries else 0

    def add(
        self,
        act: Act,
        session_id: str,
        turn_id: str,
        changes: Iterable[Change],
        *,
        call_id: str = "",
        tool: str = "",
        left: Mapping[str, FileState] | None = None,
    ) -> Entry:
        """Adds an entry; it is on the disk when this returns. OSError if it cannot be kept."""
        number = self.number + 1
        entry = Entry(
            number, act, session_id, turn_id, tuple(changes), call_id, tool, time.time(), left or {}
        )
        begins = not self.path.exists()
        ensure_private_dir(self.path.parent)
        descriptor = os.open(self.path, _FLAGS, atomic_write.PRIVATE)
        try:
            # A line that a crash has cut must not swallow this one.
            head = _ascii({"folder": self.folder}) if begins else b"\n"
            atomic_write.write_all(descriptor, head + _line(entry))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self.entries.append(entry)
        self.number = number
        return entry

    def forget(self, session_ids: Collection[str]) -> list[Entry]:
        """Removes the entries of these sessions and gives them. OSError if that cannot be kept.

        A file without entries goes; the others keep their age.
        """
        gone = [entry for entry in self.entries if entry.session_id in session_ids]
        if not gone:
            return []
        left = [entry for entry in self.entries if entry.session_id not in session_ids]
        if left:
            status = self.path.stat()
            atomic_write.write_bytes(self.path, _head(self.path) + b"".join(map(_line, left)))
            os.utime(self.path, ns=(status.st_atime_ns, status.st_mtime_ns))
        else:
            self.path.unlink(missing_ok=True)
        self.entries = left
        return gone

    def of_turn(self, session_id: str, turn_id: str) -> Sequence[Entry]:
        """The entries of one turn, in order."""
        return [
            entry
            for entry in self.entries
            if entry.session_id == session_id and entry.turn_id == turn_id
        ]


def _ascii(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


def _head(path: Path) -> bytes:
    """The line that names the folder, if that is what the file begins with."""
    with path.open("rb") as file:
        line = file.readline()
    return line if line.startswith(b'{"folder":') and line.endswith(b"\n") else b""


def _line(entry: Entry) -> bytes:
    left = {path: state.to_json() for path, state in entry.left.items()}
    return _ascii({
        "number": entry.number,
        "act": entry.act,
        "session": entry.session_id,
        "turn": entry.turn_id,
        "call": entry.call_id,
        "tool": entry.tool,
        "at": entry.at,
        "changes": [change.to_json() for change in entry.changes],
        **({"left": left} if left else {}),
    })  # fmt: skip


def _read(path: Path) -> Iterator[Entry]:
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return
    for line in text.split(b"\n"):
        try:
            value = json.loads(line)
            if "act" not in value:
                continue
            yield Entry(
                int(value["number"]),
                value["act"],
                str(value["session"]),
                str(value["turn"]),
                tuple(change_from_json(change) for change in value["changes"]),
                str(value["call"]),
                str(value["tool"]),
                float(value["at"]),
                dict(_left(value.get("left", {}))),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue


def _left(value: Mapping[str, Any]) -> Iterator[tuple[str, FileState]]:
    for path, raw in value.items():
        if (state := state_from_json(raw)) is not None:
            yield path, state
