"""The receipt for facts that were taken into memory: what, and what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from kinet.ui.kit.long_words import breakable
from kinet.ui.transcript.blocks import draw
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.entry import Canvas, Entry, Hit, Room

_HEAD = 36
_ACTS = 24
_BETWEEN = 10
_FOOT = 2
# A fact is shown whole up to so many lines; the tooltip has the rest.
_LINES = 4
_LEFT = 36
_SIDE = 16
_GAP = 20

_WORDS = {
    "fact-keep": "Keep",
    "fact-edit": "Edit",
    "fact-project": "Only this project",
    "fact-forget": "Forget",
    "fact-restore": "Put back",
}


@dataclass(frozen=True, slots=True)
class FactState:
    """How a fact stands now: its text, whether it is a project's, whether a person kept it."""

    text: str
    of_project: bool = False
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Noted:
    """A fact of the receipt. `was` is what it said before, "" for a new one."""

    id: str
    text: str
    was: str = ""


class ReceiptEntry(Entry):
    """A card with two lines a fact. `known` are the facts as they are now, by id.

    None: nobody has told yet, and nothing can be done. A fact that is not among them is forgotten.
    `has_project`: the session works on a folder.
    """

    kind = "files"
    __slots__ = ("_tops", "cost", "facts", "has_project", "known")

    def __init__(self, facts: Sequence[Mapping[str, str]], cost: str = "") -> None:
        super().__init__()
        self.facts = tuple(
            Noted(fact.get("id", ""), " ".join(fact.get("text", "").split()), fact.get("was", ""))
            for fact in facts
        )
        self.cost = cost
        self.known: Mapping[str, FactState] | None = None
        self.has_project = False
        # Where the text of each fact begins, and where it ends.
        self._tops: list[tuple[int, int]] = []
        self.height = _HEAD + (20 + _ACTS + _BETWEEN) * len(self.facts) + _FOOT

    def estimate(self, style: Style, width: int) -> None:
        """The words are few, so that they are measured at once."""
        metrics, line = QFontMetricsF(style.font("ui")), style.theme.line_height("ui")
        room = QRectF(0, 0, width - _LEFT - _SIDE, 1e6)
        y, self._tops = style.room(_HEAD), []
        for fact in self.facts:
            text = breakable(self._now(fact))
            box = metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), text)
            lines = min(_LINES, max(1, round(box.height() / metrics.lineSpacing())))
            self._tops.append((y, y + lines * line))
            y += lines * line + style.room(_ACTS) + _BETWEEN
        self.height = y + _FOOT

    def settle(self, room: Room) -> bool:
        """The same, for the width that is seen."""
        self.estimate(room.style, room.width)
        return True

    def paint(self, canvas: Canvas) -> None:
        """Draws the card."""
        painter, style = canvas.painter, canvas.style
        head = style.room(_HEAD)
        draw.card(painter, style, QRect(0, 0, canvas.width, self.height), "raised")
        draw.icon(painter, style, QRect(12, 0, 16, head), "memory", "text_2", 16)
        line = QRect(_LEFT, 0, canvas.width - _LEFT, head)
        count = len(self.facts)
        title = "Remembered" if count == 1 else f"Remembered {count} facts"
        taken = draw.words(painter, style, line, title, bold=True)
        if self.cost:
            rest = line.adjusted(taken + 8, 0, -_SIDE, 0)
            draw.words(painter, style, rest, self.cost, "text_3", "meta", digits=True)
        for number, fact in enumerate(self.facts):
            self._paint_fact(canvas, number, fact)
        for hit in self.hits(style, canvas.width):
            token = "accent_hover" if canvas.is_hovered(hit) else "accent"
            draw.words(painter, style, hit.rect, _WORDS[hit.action], token, "meta")
            if canvas.is_focused(hit):
                draw.ring(painter, style, hit.rect.adjusted(-6, 3, 6, -3))

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """An act; over the rest of a fact, its whole text."""
        for found in self.hits(style, width):
            if found.rect.contains(x, y):
                return found
        for number, fact in enumerate(self.facts):
            if self._text_line(number, style, width).contains(x, y):
                told = self._now(fact) + (f"\nBefore: {fact.was}" if fact.was else "")
                return Hit("", fact.id, self._text_line(number, style, width), told)
        return None

    def hits(self, style: Style, width: int) -> list[Hit]:
        """All acts, fact by fact."""
        found: list[Hit] = []
        for number, fact in enumerate(self.facts):
            row = self._text_line(number, style, width)
            left = _LEFT + self._state_width(fact, style)
            for action in self._acts(fact):
                wide = round(style.advance(_WORDS[action], "meta"))
                rect = QRect(left, row.bottom() + 1, wide + 2, style.room(_ACTS))
                found.append(Hit(action, fact.id, rect, self._tip(action, fact)))
                left += wide + _GAP
        return found

    def before(self, hit: Hit) -> str:
        """The text that an act brings back: what the fact said before, or what is put back."""
        fact = next(item for item in self.facts if item.id == hit.value)
        return fact.text if hit.action == "fact-restore" else fact.was

    def markdown(self) -> str:
        """The facts, one a line."""
        return "\n".join(f"[Remembered: {self._now(fact)}]" for fact in self.facts)

    def _acts(self, fact: Noted) -> list[str]:
        if self.known is None:
            return []
        state = self.known.get(fact.id)
        if state is None:
            return ["fact-restore"]
        acts = ["fact-edit", "fact-forget"]
        if self.has_project and not state.of_project:
            acts.insert(1, "fact-project")
        return acts if state.confirmed else ["fact-keep", *acts]

    def _tip(self, action: str, fact: Noted) -> str:
        if action == "fact-forget" and fact.was:
            return f"Says again: {fact.was}"
        return ""

    def _state(self, fact: Noted) -> str:
        if self.known is None:
            return ""
        state = self.known.get(fact.id)
        if state is None:
            return "Forgotten"
        if state.of_project:
            return "Kept for this project" if state.confirmed else "About this project"
        return "Kept" if state.confirmed else ""

    def _state_width(self, fact: Noted, style: Style) -> int:
        words = self._state(fact)
        return round(style.advance(words, "meta")) + _GAP if words else 0

    def _now(self, fact: Noted) -> str:
        state = (self.known or {}).get(fact.id)
        return " ".join(state.text.split()) if state is not None else fact.text

    def _text_line(self, number: int, style: Style, width: int) -> QRect:
        if len(self._tops) != len(self.facts):
            self.estimate(style, width)
        above, below = self._tops[number]
        return QRect(_LEFT, above, width - _LEFT - _SIDE, below - above)

    def _paint_fact(self, canvas: Canvas, number: int, fact: Noted) -> None:
        painter, style = canvas.painter, canvas.style
        line = self._text_line(number, style, canvas.width)
        gone = self.known is not None and fact.id not in self.known
        painter.setFont(style.font("ui"))
        painter.setPen(style.color("text_3" if gone else "text"))
        flags = int(Qt.TextFlag.TextWordWrap)
        painter.drawText(line, flags, breakable(self._now(fact)))
        below = QRect(_LEFT, line.bottom() + 1, line.width(), style.room(_ACTS))
        draw.words(painter, style, below, self._state(fact), "text_3", "meta")
