"""Entries of few words: notices, and the line of figures under a turn."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from kinet.ui.kit.long_words import breakable
from kinet.ui.transcript.blocks import draw
from kinet.ui.transcript.blocks.durations import duration
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.entry import Canvas, Entry, Hit, Room

NOTICE = 28
META = 28
# Characters of a notice that are drawn.
_MOST = 1_000

_LEVELS = {
    "info": ("info", "text_3"),
    "warning": ("alert", "warning"),
    "error": ("error", "danger"),
}


class NoticeEntry(Entry):
    """Tells something: a retry, a limit, a stop. Long words take as many lines as they need."""

    kind = "notice"
    __slots__ = ("_lines", "icon", "level", "text")

    def __init__(self, text: str, level: str = "info", icon: str = "") -> None:
        super().__init__()
        self.text = " ".join(text.split())
        self.level = level
        self.icon = icon
        self._lines = 1
        self.height = NOTICE

    def estimate(self, style: Style, width: int) -> None:
        """The height is always exact: the words are few."""
        self._lines = 1
        if style.advance(self.text) > width - 24:
            metrics = QFontMetricsF(style.font("ui"))
            box = QRectF(0, 0, width - 24, 1e6)
            whole = metrics.boundingRect(box, int(Qt.TextFlag.TextWordWrap), self._shown())
            self._lines = max(1, round(whole.height() / metrics.lineSpacing()))
        self.height = style.room(NOTICE) + (self._lines - 1) * style.theme.line_height("ui")

    def settle(self, room: Room) -> bool:
        """The same, for the width that is seen."""
        self.estimate(room.style, room.width)
        return True

    def paint(self, canvas: Canvas) -> None:
        """Draws mark and words, the mark beside the first line."""
        painter, style = canvas.painter, canvas.style
        mark, token = _LEVELS.get(self.level, _LEVELS["info"])
        first = style.room(NOTICE)
        draw.icon(painter, style, QRect(0, 0, 16, first), self.icon or mark, token, 16)
        words = "text_3" if self.level == "info" else "text_2"
        if self._lines == 1:
            line = QRect(24, 0, canvas.width - 24, self.height)
            draw.words(painter, style, line, self.text, words)
            return
        above = (first - QFontMetricsF(style.font("ui")).lineSpacing()) / 2
        painter.setFont(style.font("ui"))
        painter.setPen(style.color(words))
        box = QRectF(24, above, canvas.width - 24, self.height)
        painter.drawText(box, int(Qt.TextFlag.TextWordWrap), self._shown())

    def _shown(self) -> str:
        """The words with places to break; a text that is no notice any more is cut."""
        cut = self.text if len(self.text) <= _MOST else f"{self.text[:_MOST]}…"
        return breakable(cut)

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """Nothing to click; what is cut is told whole."""
        if len(self.text) > _MOST:
            return Hit("", "", QRect(0, 0, width, self.height), self.text)
        return None

    def markdown(self) -> str:
        """The words, in brackets."""
        return f"[{self.text}]"


class RetryEntry(NoticeEntry):
    """Counts down to the next try; gone as soon as that one gives a sign of life."""

    __slots__ = ("_due", "_reason")

    def __init__(self, delay: float, reason: str) -> None:
        self._due = time.monotonic() + delay
        self._reason = " ".join(reason.split())
        super().__init__(self._words(), "warning", "retry")

    @property
    def is_live(self) -> bool:
        """True while there is something to count."""
        return time.monotonic() < self._due

    def paint(self, canvas: Canvas) -> None:
        """With the seconds that are left now."""
        self.text = self._words()
        super().paint(canvas)

    def _words(self) -> str:
        left = self._due - time.monotonic()
        # As the status row counts: a wait that goes on is never told shorter than it is.
        when = f"in {duration(math.ceil(left))}" if left > 0 else "now"
        return f"Trying again {when}: {self._reason}"


@dataclass(frozen=True)
class Figures:
    """What a turn took: the time of day it ended, tokens, money, seconds."""

    at: str = ""
    tokens_in: int = 0
    cached: int = 0
    tokens_out: int = 0
    cost: str = ""
    seconds: str = ""

    def parts(self) -> list[str]:
        """The words of the line, in their order."""
        tokens = ""
        if self.tokens_in or self.tokens_out:
            cached = f" ({self.cached:,} cached)" if self.cached else ""
            tokens = f"{self.tokens_in:,} in{cached} · {self.tokens_out:,} out"
        return [part for part in (self.at, tokens, self.cost, self.seconds) if part]


class MetaEntry(Entry):
    """The quiet line that ends a turn, with what can be done with it."""

    kind = "meta"
    __slots__ = ("answer", "branch", "figures", "has_edit", "newest", "turn_id")

    def __init__(self, figures: Figures, answer: str, turn_id: str = "") -> None:
        super().__init__()
        self.figures = figures
        self.answer = answer
        self.turn_id = turn_id
        # This turn's number among those that begin at the same place, and how many these are.
        self.branch = (1, 1)
        # True where the question was edited, and that was kept and not sent.
        self.has_edit = False
        self.newest = True
        self.height = META

    def estimate(self, style: Style, width: int) -> None:
        """The height is always exact."""
        self.height = style.room(META)

    def paint(self, canvas: Canvas) -> None:
        """Draws the figures, and the buttons at the column's edge."""
        painter, style = canvas.painter, canvas.style
        left = 0
        hits = self.hits(style, canvas.width)
        room = (hits[0].rect.x() if hits else canvas.width) - 8
        if self.has_edit:
            wide = round(style.advance(_EDIT, "meta"))
            line = QRect(0, 0, min(wide + 2, room), self.height)
            draw.words(painter, style, line, _EDIT, "warning", "meta")
            left += wide + 12
        for part in self.figures.parts():
            width = round(style.advance(part, "meta", digits=True))
            if left + width > room:
                break
            line = QRect(left, 0, width + 2, self.height)
            draw.words(painter, style, line, part, "text_3", "meta", digits=True)
            left += width + 12
        for hit in hits:
            if hit.action == "compare":
                self._paint_number(canvas, hit)
                continue
            copied = hit.action == "copy-turn" and canvas.copied is self
            name = "check" if copied else _BUTTONS[hit.action]
            draw.button(
                painter, style, hit.rect, name, token="success" if copied else "text_2",
                hovered=canvas.is_hovered(hit), focused=canvas.is_focused(hit),
            )  # fmt: skip

    def spoken_parts(self) -> list[str]:
        """What the line says to those who hear it."""
        number, count = self.branch
        more = [f"answer {number} of {count}"] if count > 1 else []
        return [*self.figures.parts(), *more, *([_EDIT.lower()] if self.has_edit else [])]

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """A button."""
        return next((h for h in self.hits(style, width) if h.rect.contains(x, y)), None)

    def hits(self, style: Style, width: int) -> list[Hit]:
        """The switch of branches, Copy, Edit, and Retry under the newest turn."""
        actions = [("copy-turn", "Copy answer")] if self.answer else []
        if self.turn_id:
            kept = " (an unsent edit is kept)" if self.has_edit else ""
            actions.append(("edit-message", f"Edit the question{kept}"))
        if self.newest:
            actions.append(("retry", "Ask again"))
            if self.turn_id:
                actions.append(("retry-with", "Ask again with another model or effort"))
        # Glyphs, not hit areas, are flush with the column: 6 of the button lie outside.
        left = width + 6 - 32 * len(actions) + 4
        return [
            *self._switch(left),
            *(
                Hit(
                    action, self.turn_id, QRect(left + 32 * place, 0, draw.BUTTON, self.height), tip
                )
                for place, (action, tip) in enumerate(actions)
            ),
        ]

    def _switch(self, left: int) -> list[Hit]:
        """The two buttons around "2/3"; none where there is one branch only."""
        if self.branch[1] < 2:
            return []
        after = QRect(left - draw.BUTTON - 8, 0, draw.BUTTON, self.height)
        before = after.translated(-_NUMBER - draw.BUTTON, 0)
        between = QRect(before.right() + 1, 0, _NUMBER, self.height)
        return [
            Hit("branch-previous", self.turn_id, before, "Previous branch"),
            Hit("compare", self.turn_id, between, f"Compare the {self.branch[1]} answers"),
            Hit("branch-next", self.turn_id, after, "Next branch"),
        ]

    def _paint_number(self, canvas: Canvas, hit: Hit) -> None:
        """ "2/3": a click lays the answers side by side."""
        painter, style = canvas.painter, canvas.style
        words = f"{self.branch[0]}/{self.branch[1]}"
        wide = round(style.advance(words, "meta", digits=True))
        box = QRect(hit.rect.x(), (self.height - 24) // 2, hit.rect.width(), 24)
        if canvas.is_hovered(hit):
            draw.rounded(painter, style, box.toRectF(), "hover", 6)
        if canvas.is_focused(hit):
            draw.ring(painter, style, box)
        slot = QRect(hit.rect.x() + max(0, (_NUMBER - wide) // 2), 0, _NUMBER, self.height)
        draw.words(painter, style, slot, words, "text_2", "meta", digits=True)


_NUMBER = 36
_EDIT = "Unsent edit"
_BUTTONS = {
    "copy-turn": "copy",
    "retry": "retry",
    "retry-with": "chevron-down",
    "edit-message": "edit",
    "branch-previous": "chevron-left",
    "branch-next": "chevron-right",
}
