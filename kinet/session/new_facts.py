"""Tells facts that were added while a session runs, without changing what was sent before."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_SINCE = "Remembered since then:"


class KnownFacts:
    """The memory of one session: what it began with, and a note on what came since.

    The block that began the conversation stays as it was sent: changed, it would make the server
    read everything behind it anew. `begun` is None until the first turn, and after a compaction.
    """

    def __init__(self) -> None:
        self.begun: str | None = None
        self.since = ""
        # True once something was edited that the next turn has to take up.
        self.edited = False

    def renew(self) -> None:
        """With the next turn the session begins with what is known then."""
        self.begun, self.since, self.edited = None, "", False

    def note(self, lines: Sequence[str]) -> None:
        """Facts were noticed in another session: told with the next message, the block stays."""
        if self.begun is None or not lines:
            return
        said = set(self.begun.splitlines()) | set(self.since.splitlines())
        fresh = [line for line in lines if line not in said]
        if fresh:
            self.since = "\n".join([self.since or _SINCE, *fresh])

    def follow(self, read: Callable[[], str]) -> None:
        """Takes up what was edited; `read` gives the block of now.

        What was only added is told in a note. What was changed or deleted must be gone from the
        block itself, which is then made anew.
        """
        if self.begun is None or not self.edited:
            return
        self.edited = False
        block = read()
        before, now = _facts(self.begun), _facts(block)
        fresh = [fact for fact in now if fact not in set(before)]
        if not set(before) <= set(now) or (block != self.begun and not fresh):
            self.renew()
            return
        self.since = "\n".join([_SINCE, *fresh]) if fresh else ""


def _facts(block: str) -> list[str]:
    return [line for line in block.splitlines() if line.startswith("- ")]
