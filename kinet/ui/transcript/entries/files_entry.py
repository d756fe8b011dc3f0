"""The card that says what a turn changed on disk, with Review and Undo."""

from __future__ import annotations

from PySide6.QtCore import QRect

from kinet.ui.transcript.blocks import draw
from kinet.ui.transcript.blocks.durations import plural
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.entry import Canvas, Entry, Hit

FILES = 44
_SIDE = 16
_UNDO_ICON = 24


class FilesEntry(Entry):
    """The card of 44. `can_undo` where the changes were noted; `undone` once they are back."""

    kind = "files"
    __slots__ = ("added", "call_id", "can_undo", "paths", "removed", "turn_id", "undone")

    def __init__(
        self, paths: tuple[str, ...], added: int, removed: int, call_id: str, turn_id: str = ""
    ) -> None:
        super().__init__()
        self.paths = paths
        self.added = added
        self.removed = removed
        self.call_id = call_id
        self.turn_id = turn_id
        self.can_undo = False
        self.undone = False
        self.height = FILES

    def add(self, paths: tuple[str, ...], added: int, removed: int) -> None:
        """Takes in what was found later."""
        self.paths = tuple(dict.fromkeys((*self.paths, *paths)))
        self.added += added
        self.removed += removed

    def estimate(self, style: Style, width: int) -> None:
        """The height is always exact."""
        self.height = style.room(FILES)

    def paint(self, canvas: Canvas) -> None:
        """Draws the card."""
        painter, style = canvas.painter, canvas.style
        draw.card(painter, style, QRect(0, 0, canvas.width, self.height), "raised")
        draw.icon(painter, style, QRect(12, 0, 16, self.height), "file-diff", "text_2", 16)
        left = 36
        title = f"{plural(len(self.paths), 'file')} {'put back' if self.undone else 'changed'}"
        hits = self.hits(style, canvas.width)
        end = hits[0].rect.left() - 8 if hits else canvas.width - _SIDE
        # What has no room is left out, the counts first: the panel tells them too.
        title = style.elided(title, end - left, bold=True, digits=True)
        line = QRect(left, 0, end - left, self.height)
        left += draw.words(painter, style, line, title, bold=True, digits=True) + 8
        for number, sign, token in ((self.added, "+", "success"), (self.removed, "−", "danger")):
            count = f"{sign}{number}"
            if number and not self.undone and left + style.advance(count, digits=True) <= end:
                line = QRect(left, 0, end - left, self.height)
                left += draw.words(painter, style, line, count, token, digits=True) + 8
        for hit in hits:
            self._paint_hit(canvas, hit)

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """Review or Undo; the names are told over the rest."""
        for found in self.hits(style, width):
            if found.rect.contains(x, y):
                return found
        return Hit("", "", QRect(0, 0, width, self.height), "\n".join(self.paths[:30]))

    def hits(self, style: Style, width: int) -> list[Hit]:
        """Review shows the changes in the panel; Undo puts the files back, Redo undoes that."""
        found: list[Hit] = []
        right = width - _SIDE
        if self.can_undo:
            wide = round(style.advance(self._word())) + _UNDO_ICON
            action = "redo" if self.undone else "undo"
            rect = QRect(right - wide, 0, wide + 2, self.height)
            found.append(Hit(action, self.turn_id, rect, name=f"{self._word()} the changes"))
            right -= wide + 2 * _SIDE
        if self.call_id or self.can_undo:
            wide = round(style.advance("Review"))
            action, value = ("changes", self.turn_id) if self.can_undo else ("step", self.call_id)
            rect = QRect(right - wide, 0, wide + 2, self.height)
            found.insert(0, Hit(action, value, rect, name="Review the changes"))
        return found

    def markdown(self) -> str:
        """The names of the files."""
        names = ", ".join(f"`{path}`" for path in self.paths)
        return f"{plural(len(self.paths), 'file')} changed: {names}"

    def _word(self) -> str:
        return "Redo" if self.undone else "Undo"

    def _paint_hit(self, canvas: Canvas, hit: Hit) -> None:
        painter, style = canvas.painter, canvas.style
        rect = hit.rect
        hovered = canvas.is_hovered(hit)
        if hit.action in ("undo", "redo"):
            middle = self.height // 2
            line = QRect(rect.x() - _SIDE, middle - 8, 1, 16)
            painter.fillRect(line, style.color("border"))
            token = "text" if hovered else "text_2"
            box = QRect(rect.x(), 0, 16, self.height)
            draw.icon(painter, style, box, hit.action, token, 16)
            draw.words(painter, style, rect.adjusted(_UNDO_ICON, 0, 0, 0), self._word(), token)
        else:
            token = "accent_hover" if hovered else "accent"
            draw.words(painter, style, rect, "Review", token)
        if canvas.is_focused(hit):
            draw.ring(painter, style, rect.adjusted(-6, 6, 6, -6))
