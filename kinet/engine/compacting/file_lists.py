"""Which files a conversation read and changed, kept through every compaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kinet.core.messages import Message
from kinet.engine.context.tokens import size_of_text

_READ, _CHANGED = HEADS = "## Files read", "## Files changed"
_CUT = "(Of the files of this conversation only the newest are listed.)"
_READERS = frozenset({"read_file"})
_WRITERS = frozenset({"write_file", "edit_file", "delete_file"})


@dataclass(frozen=True, slots=True)
class FileLists:
    """Paths in the order they were first met; a changed file is not listed as read.

    `cut` says that earlier ones are not listed any more.
    """

    read_files: tuple[str, ...] = ()
    changed_files: tuple[str, ...] = ()
    cut: bool = False

    def __bool__(self) -> bool:
        return bool(self.read_files or self.changed_files)

    def joined_with(self, later: FileLists) -> FileLists:
        """Both together; changed wins over read."""
        changed = tuple(dict.fromkeys((*self.changed_files, *later.changed_files)))
        read = dict.fromkeys((*self.read_files, *later.read_files))
        read_only = tuple(path for path in read if path not in changed)
        return FileLists(read_only, changed, self.cut or later.cut)

    def within(self, weight: float) -> FileLists:
        """As many as weigh no more than `weight` letters: of those read, then changed, the newest.

        They add up in a long conversation, and a small window is soon full of them.
        """
        kept: list[str] = []
        for path in reversed((*self.read_files, *self.changed_files)):
            weight -= size_of_text(path).characters + 1
            if weight < 0:
                break
            kept.append(path)
        if len(kept) == len(self.read_files) + len(self.changed_files):
            return self
        return FileLists(
            tuple(path for path in self.read_files if path in kept),
            tuple(path for path in self.changed_files if path in kept),
            cut=True,
        )

    def write(self) -> str:
        """As sections of a summary."""
        parts = [_CUT] if self.cut else []
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
        cut = False
        for line in summary.splitlines():
            if line == _CUT:
                cut = True
            elif line.startswith("## "):
                current = found.get(line)
            elif line and current is not None:
                current.append(line)
        return cls(tuple(found[_READ]), tuple(found[_CHANGED]), cut)

    @staticmethod
    def strip(summary: str) -> str:
        """The summary without its lists: they are kept by us, not rewritten by a model."""
        starts = [place for mark in (_CUT, _READ, _CHANGED) if (place := summary.find(mark)) >= 0]
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
