"""The model's thinking: one quiet line that opens to the text."""

from __future__ import annotations

from PySide6.QtCore import QRect

from kinet.markup.look import Look
from kinet.ui.transcript.blocks import draw
from kinet.ui.transcript.blocks.durations import duration
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries import piece_paint
from kinet.ui.transcript.entries.entry import Canvas, Hit
from kinet.ui.transcript.entries.text_entry import TextEntry

LINE = 28
_INDENT = 36


class ReasoningEntry(TextEntry):
    """Thinking of one or more steps. `seconds` is 0 where it is not known how long it took."""

    kind = "reasoning"
    # The mark of its line, and how wide that can be pressed.
    icon = "thought"
    line_width = 200
    __slots__ = ("_line_height", "began", "open", "seconds")

    def __init__(self, source: str = "", seconds: float = 0.0) -> None:
        super().__init__(source)
        self.seconds = seconds
        # time.monotonic() of its start while it arrives, 0 when it has ended.
        self.began = 0.0
        self.open = False
        self._line_height = self.top = LINE
        self.bottom = 4

    @property
    def is_folded(self) -> bool:
        """Folded until it is opened."""
        return not self.open

    @property
    def is_live(self) -> bool:
        """True while it arrives."""
        return self.began > 0

    def look(self, style: Style) -> Look:
        """Smaller and quieter than an answer."""
        return style.quiet_look

    def text_width(self, style: Style, width: int) -> int:
        """Its text stands below the words of its line."""
        return width - _INDENT

    def piece_left(self, style: Style, width: int) -> int:
        """Where its text begins."""
        return _INDENT

    def estimate(self, style: Style, width: int) -> None:
        """The line is always exact."""
        self._line_height = self.top = style.room(LINE)
        super().estimate(style, width)

    def feed(self, text: str, style: Style, width: int) -> None:
        """Takes a piece; nothing is split while the line is folded."""
        if self.blocks is None:
            self._parts.append(text)
        else:
            super().feed(text, style, width)

    def measure(self) -> None:
        """One line while it is folded."""
        super().measure()
        if not self.open:
            self.height = self._line_height

    def paint(self, canvas: Canvas) -> None:
        """Draws the line, and the text if it is open."""
        painter, style = canvas.painter, canvas.style
        hit = self._line(style)
        token = "text" if canvas.is_hovered(hit) else "text_2"
        draw.icon(painter, style, QRect(12, 0, 16, self._line_height), self.icon, token, 16)
        room = QRect(36, 0, canvas.width - 60, self._line_height)
        words = self._words(canvas.now)
        fitting = (item for item in words if style.advance(item, "ui", digits=True) <= room.width())
        width = draw.words(painter, style, room, next(fitting, words[-1]), token, digits=True)
        mark = "chevron-down" if self.open else "chevron-right"
        draw.icon(painter, style, QRect(36 + width + 8, 0, 12, self._line_height), mark, token, 12)
        if canvas.is_focused(hit):
            draw.ring(painter, style, hit.rect)
        if not self.open:
            return
        # Quiet: a different text colour, and a line at its left.
        canvas.palette = style.quiet_palette
        bar = QRect(19, self._line_height, 1, self.height - self._line_height - 4)
        painter.fillRect(bar, style.color("border"))
        for number in self.seen(canvas.top, canvas.bottom):
            piece = self.piece(number)
            top = self.piece_top(number)
            rect = QRect(_INDENT, top, canvas.width - _INDENT, piece.height)
            piece_paint.paint(canvas, piece, number, rect)
        canvas.palette = None

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """The whole line opens and closes it."""
        return self._line(style) if y < self._line_height else None

    def hits(self, style: Style, width: int) -> list[Hit]:
        """The line."""
        return [self._line(style)]

    def markdown(self) -> str:
        """Thinking is no part of what is copied."""
        return ""

    def _line(self, style: Style) -> Hit:
        return Hit("fold", "", QRect(4, 0, style.room(self.line_width), self._line_height), "")

    def _words(self, now: float) -> tuple[str, ...]:
        """What its line says, in ever fewer words: the first that fits is shown."""
        if self.began:
            return (f"Thinking {duration(round(max(now - self.began, 0) + self.seconds))}",)
        return (f"Thought {duration(self.seconds)}" if self.seconds >= 0.5 else "Thought",)
