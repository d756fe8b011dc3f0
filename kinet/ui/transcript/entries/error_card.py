"""The error card: what went wrong, why, what to do, and the buttons for it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from kinet.ui.kit.long_words import breakable
from kinet.ui.transcript.blocks import draw
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.entry import Canvas, Entry, Hit, Room

_SIDE = 12
_BUTTON = 32
_ICONS = {"continue": "play", "leave": "close", "models": "model", "report": "save"}
_TITLES = {
    "auth": "The key or the account was refused",
    "rate_limit": "Too many requests",
    "overloaded": "The service cannot answer now",
    "circuit": "The service is left alone for a moment",
    "context_too_long": "The conversation is too long for this model",
    "bad_request": "The server refused the request",
    "network": "No connection",
    "protocol": "The answer could not be understood",
    "stalled": "The answer stopped coming",
    "internal": "Something in Kinet went wrong",
    "interrupted": "This turn was interrupted",
}
# Another key or another model helps.
_BY_MODEL = ("auth", "bad_request", "context_too_long", "rate_limit")
# Nothing is run again by itself: these two are messages.
_TIPS = {
    "continue": "Sends a message that asks the model to go on and to look first what was done",
    "retry-step": "Sends a message that asks the model to look first, then to do the step again",
    "models": "Opens the settings of models and their keys",
}


def title_of(kind: str) -> str:
    """What a failure of this kind is called."""
    return _TITLES.get(kind, "The turn failed")


def acts_of(kind: str) -> tuple[tuple[str, str], ...]:
    """What is offered for a failure of this kind."""
    if kind == "interrupted":
        again = ("retry-step", "Ask for the step again")
        return (("continue", "Continue"), again, ("leave", "Leave"))
    if kind in _BY_MODEL:
        return (("retry", "Retry"), ("models", "Models…"))
    return (("retry", "Try anyway" if kind == "circuit" else "Retry"),)


class ErrorEntry(Entry):
    """A failure as the person sees it. `acts` are what can be done: (action, word), each a button,
    as long as nothing came after (`newest`); a report can be saved of it at any time."""

    kind = "error"
    __slots__ = ("_head", "_text_height", "acts", "hint", "message", "newest", "title", "turn_id")

    def __init__(
        self,
        title: str,
        message: str,
        hint: str,
        acts: Sequence[tuple[str, str]] = (("retry", "Retry"),),
        turn_id: str = "",
    ) -> None:
        super().__init__()
        self.title = title
        self.message = message
        self.hint = hint
        self.acts = tuple(acts)
        self.turn_id = turn_id
        self.newest = True
        self._text_height = self._head = 40
        self.height = 120

    def estimate(self, style: Style, width: int) -> None:
        """The words are few, so that they are measured at once."""
        line = style.theme.line_height("ui")
        text_width = width - 36 - _SIDE
        self._text_height = self._lines(style, text_width) * line
        self._head = style.room(40)
        self.height = self._head + self._text_height + _BUTTON + 24

    def settle(self, room: Room) -> bool:
        """The same, for the width that is seen."""
        self.estimate(room.style, room.width)
        return True

    def paint(self, canvas: Canvas) -> None:
        """Draws the card."""
        painter, style = canvas.painter, canvas.style
        rect = QRect(0, 0, canvas.width, self.height)
        draw.card(painter, style, rect, "danger_tint", "danger_line")
        draw.icon(painter, style, QRect(12, 0, 16, self._head), "error", "danger", 16)
        draw.words(
            painter, style, QRect(36, 0, canvas.width - 48, self._head), self.title, bold=True
        )
        text = QRectF(36, self._head - 2, canvas.width - 36 - _SIDE, self._text_height + 4)
        painter.setFont(style.font("ui"))
        painter.setPen(style.color("text"))
        painter.drawText(text, int(Qt.TextFlag.TextWordWrap), breakable(self._words()))
        for hit in self.hits(style, canvas.width):
            fill = "hover" if canvas.is_hovered(hit) else "raised"
            draw.card(painter, style, hit.rect, fill, "control_border", radius=6)
            box = QRect(hit.rect.x() + 12, hit.rect.y(), 16, _BUTTON)
            draw.icon(painter, style, box, _ICONS.get(hit.action, "retry"), "text_2", 16)
            word = dict(self._offered()).get(hit.action, "")
            draw.words(painter, style, hit.rect.adjusted(36, 0, 0, 0), word)
            if canvas.is_focused(hit):
                draw.ring(painter, style, hit.rect)

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """A button."""
        return next((h for h in self.hits(style, width) if h.rect.contains(x, y)), None)

    def hits(self, style: Style, width: int) -> list[Hit]:
        """The buttons, from the left."""
        left, found = 36, []
        for action, word in self._offered():
            wide = round(style.advance(word)) + 36 + 14
            rect = QRect(left, self.height - 12 - _BUTTON, wide, _BUTTON)
            found.append(Hit(action, self.turn_id, rect, _TIPS.get(action, ""), name=word))
            left += wide + 8
        return found

    def _offered(self) -> tuple[tuple[str, str], ...]:
        return (*(self.acts if self.newest else ()), ("report", "Save a report…"))

    def markdown(self) -> str:
        """Title and words."""
        return f"**{self.title}** {self._words()}".replace("\n", " ")

    def _words(self) -> str:
        return "\n".join(part for part in (self.message[:2000], self.hint[:1000]) if part)

    def _lines(self, style: Style, width: int) -> int:
        flags = int(Qt.TextFlag.TextWordWrap)
        metrics = QFontMetricsF(style.font("ui"))
        box = metrics.boundingRect(QRectF(0, 0, width, 1e6), flags, breakable(self._words()))
        return max(1, round(box.height() / metrics.lineSpacing()))
