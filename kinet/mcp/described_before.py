"""What servers said of their tools when these were last called, so that a change can be shown."""

from __future__ import annotations

import contextlib
import difflib
import json
import threading
from pathlib import Path
from typing import Any

from kinet.core.atomic_write import write_bytes
from kinet.mcp.definition import ServerDefinition
from kinet.mcp.offered import OfferedTool

FILE = "described_tools.json"
_LARGEST_FILE = 8 * 1024 * 1024
_MOST_TOOLS = 400
_LONGEST_TEXT = 12_000
_MOST_LINES, _LONGEST_LINE = 80, 400
_UNSEEN = "It was changed in parts that are not shown to the model."


class DescribedBefore:
    """Kept in a file of the data folder, in memory alone without one. All of it may block."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._guard = threading.Lock()
        self._kept: dict[str, dict[str, str]] | None = None

    def changes(self, server: ServerDefinition, tool: OfferedTool) -> str:
        """What is said otherwise since the last call, as a diff; "" for nothing or a first call."""
        with self._guard:
            before = self._read().get(_key(server, tool))
        if before is None or before.get("definition") == tool.definition:
            return ""
        return _diff(before.get("text", ""), _told(server, tool)) or _UNSEEN

    def note(self, server: ServerDefinition, tool: OfferedTool) -> None:
        """It is called as it is described now. What cannot be written is known in this run."""
        key = _key(server, tool)
        with self._guard:
            kept = self._read()
            if kept.get(key, {}).get("definition") == tool.definition:
                return
            # Another program may have written since.
            kept = self._read(anew=True)
            kept.pop(key, None)
            kept[key] = {"definition": tool.definition, "text": _told(server, tool)}
            while len(kept) > _MOST_TOOLS:
                # The one that was changed the longest ago.
                kept.pop(next(iter(kept)))
            if self._path is not None:
                with contextlib.suppress(OSError):
                    write_bytes(self._path, json.dumps(kept, ensure_ascii=False).encode())

    def _read(self, *, anew: bool = False) -> dict[str, dict[str, str]]:
        if self._kept is None or anew:
            found = _rows(self._path) if self._path is not None else {}
            self._kept = {**(self._kept or {}), **found}
        return self._kept


def _rows(path: Path) -> dict[str, dict[str, str]]:
    """What the file holds; nothing of one that cannot be used: it only makes questions clearer."""
    try:
        if path.stat().st_size > _LARGEST_FILE:
            return {}
        raw = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    rows = raw.items() if isinstance(raw, dict) else ()
    return {str(key): row for key, row in rows if _is_row(row)}


def _is_row(row: Any) -> bool:
    return isinstance(row, dict) and all(isinstance(value, str) for value in row.values())


def _key(server: ServerDefinition, tool: OfferedTool) -> str:
    return "\n".join((server.place, server.folder, server.name, tool.name))


def _told(server: ServerDefinition, tool: OfferedTool) -> str:
    """All of it that a person or the model may read, in lines."""
    lines = [f"server: {server.line}", f"title: {tool.title}", *tool.description.splitlines()]
    lines += ["It says that it only reads."] if tool.read_only else []
    lines += ["It says that it may destroy things."] if tool.destructive else []
    schema = json.dumps(tool.parameters, ensure_ascii=False, indent=2, sort_keys=True)
    return "\n".join([*lines, *schema.splitlines()])[:_LONGEST_TEXT]


def _diff(before: str, now: str) -> str:
    found = difflib.unified_diff(before.splitlines(), now.splitlines(), n=1, lineterm="")
    # Without the names of files, and without the places that mean nothing here.
    lines = [line for line in list(found)[2:] if not line.startswith("@@ ")]
    cut = [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…" for line in lines]
    more = len(cut) - _MOST_LINES
    return "\n".join([*cut[:_MOST_LINES], *([f"… and {more:,} more lines"] if more > 0 else [])])
