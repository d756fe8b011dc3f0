"""A compaction: one line with the figures before and after, that opens to the summary."""

from __future__ import annotations

from kinet.ui.transcript.entries.reasoning import ReasoningEntry


class CompactionEntry(ReasoningEntry):
    """What was folded stays above it; open, it shows what the model has in its place."""

    kind = "compaction"
    icon = "archive"
    line_width = 520
    __slots__ = ("after", "before")

    def __init__(self, before: int, after: int, summary: str) -> None:
        super().__init__(summary or "The older messages were left out without a summary.")
        self.before = before
        self.after = after

    def markdown(self) -> str:
        """The line, in brackets."""
        return f"[Older messages were summarised: {self.before:,} → {self.after:,} tokens]"

    def _words(self, now: float) -> tuple[str, ...]:
        what = "Hide" if self.open else "Show"
        figures = f"{self.before:,} → {self.after:,} tokens"
        return (
            f"Older messages were summarised: {figures} · {what} what was folded",
            f"Summarised: {figures} · {what} what was folded",
            f"{figures} · {what} what was folded",
            f"{what} what was folded",
        )
