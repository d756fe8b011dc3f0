"""Which files a conversation read and changed, kept through every compaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kinet.core.messages import Message

_READ, _CHANGED = HEADS = "## Files read", "## Files changed"
_READERS = frozenset({"read_file"})
_WRITERS = frozenset({"write_file", "edit_file", "delete_file"})


@dataclass(frozen=True, slots=True)
class FileLists:
    """Paths in the order they were first met; a changed file is not listed as read."""

    read_files: tuple[str, ...] = ()
    changed_files: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.read_files or self.changed_files)

    def joined_with(self, later: FileLists) -> FileLists:
        """Both together; changed wins over read."""
        changed = tuple(dict.fromkeys((*self.changed_files, *later.changed_files)))
        read = dict.fromkeys((*self.read_files, *later.read_files))
        return FileLists(tuple(path for path in read if path not in changed), changed)

    def write(self) -> str:
        """As sections of a summary."""
        parts = []
        if self.read_files:
            parts.append("\n".join((_READ, *self.read_files)))
        if self.changed_files:
            parts.append("\n".join((_CHANGED, *self.changed_files)))
        return "\n\n".join(parts)

    @classmethod
    def read(cls, summary: str) -> FileLists:
        """The lists that `write` put into a summary."""
        found: dict[str, list[str]] = {_READ: [], _CHANGED: []}
        current: list[str] | None = None
        for line in summary.splitlines():
            if line.startswith("## "):
                current = found.get(line)
            elif line and current is not None:
                current.append(line)
        return cls(tuple(found[_READ]), tuple(found[_CHANGED]))

    @staticmethod
    def strip(summary: str) -> str:
        """The summary without its lists: they are kept by us, not rewritten by a model."""
        starts = [place for mark in (_READ, _CHANGED) if (place := summary.find(mark)) >= 0]
        return summary[: min(starts)].rstrip() if starts else summary


def files_of(messages: Iterable[Message]) -> FileLists:
    """The files that calls of these messages read and changed; calls that failed do not count."""
    lists = FileLists()
    calls = {}
    for message in messages:
        calls.update({call.id: call for call in message.tool_calls})
        call = calls.get(message.tool_call_id) if message.role == "tool" else None
        if call is None or message.is_error or call.name not in _READERS | _WRITERS:
            continue
        try:
            path = call.parsed().get("path")
        except ValueError:
            continue
        if isinstance(path, str) and "\n" not in path:
            one = (path,)
            new = FileLists((), one) if call.name in _WRITERS else FileLists(one)
            lists = lists.joined_with(new)
    return lists
