"""Shows rows of code or output: exact text, colours only where the eye is, any number of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QMimeData, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from kinet.ui.row_layout import SPECIAL, give_rows
from kinet.ui.terminal_text import Run
from kinet.ui.theme import Theme, current_theme

_MOST_HITS = 10_000


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `height` other than 0 makes it a drawn row: `label` is shown, `text` is empty.

    `kind` says how its ground is drawn; `old` and `new` are line numbers of a diff, 0 for none;
    `sent` says that the model got it; a `joined` row goes on from the one before it.
    """

    text: str
    runs: tuple[Run, ...] = ()
    kind: str = ""
    label: str = ""
    height: int = 0
    joined: bool = False
    sent: bool = False
    old: int = 0
    new: int = 0


class RowView(QPlainTextEdit):
    """Read-only rows. Colours are laid over the visible rows alone, so a megabyte costs nothing."""

    special_clicked = Signal(int)

    def __init__(
        self, parent: QWidget | None = None, *, size: str = "output", surface: str = "code"
    ) -> None:
        super().__init__(parent)
        self._size = size
        self._surface = surface
        self._keyboard = False
        self.rows: list[Row] = []
        self._hits: list[tuple[int, int, int]] = []
        self._hit = -1
        self.row_layout = give_rows(self)
        self.theme = current_theme()
        self._font = self.font()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setReadOnly(True)
        self.setCursorWidth(0)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self.verticalScrollBar().valueChanged.connect(self.decorate)
        self.viewport().setMouseTracking(True)
        self.set_theme(self.theme)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look or zoom."""
        self.theme = theme
        font = theme.font(self._size, mono=True)
        # Every character is to be seen as it is: no ligature makes one sign of two.
        font.setFeature(QFont.Tag("calt"), 0)
        self._font = font
        families = ", ".join(f'"{family}"' for family in font.families())
        look = f"border: 0; padding: 0; background: {theme.color(self._surface)};"
        self.setStyleSheet(
            f"QPlainTextEdit, QPlainTextEdit:focus {{ {look} font-family: {families};"
            f" font-size: {font.pixelSize()}px; }}"
        )
        self._use_font()
        self.row_layout.row_height = theme.line_height(self._size)
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" ") * 4)
        self.decorate()
        self.viewport().update()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Shows these rows and nothing else."""
        self.rows = list(rows)
        self._hits, self._hit = [], -1
        self.setPlainText("\n".join(row.text for row in self.rows))
        self._mark_special(0)
        self.decorate()

    def add_rows(self, rows: Sequence[Row], *, replacing: int = 0) -> None:
        """Adds rows at the end, in place of the last `replacing` ones."""
        first = len(self.rows) - replacing
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        text = "\n".join(row.text for row in rows)
        if replacing:
            start = self.document().findBlockByNumber(first).position()
            cursor.setPosition(start, QTextCursor.MoveMode.KeepAnchor)
        elif self.rows:
            text = "\n" + text
        cursor.insertText(text)
        self.rows[first:] = rows
        self._mark_special(first)
        self.decorate()

    def find(self, needle: str) -> int:  # type: ignore[override]
        """Marks every place of `needle`, whatever its case, and goes to the first one on or below
        the screen; gives their number (at most 10,000)."""
        self._hits, self._hit = [], -1
        if needle:
            pattern = re.compile(re.escape(needle), re.IGNORECASE)
            for number, row in enumerate(self.rows):
                for match in pattern.finditer(row.text):
                    self._hits.append((number, match.start(), match.end() - match.start()))
                if len(self._hits) >= _MOST_HITS:
                    break
        top = self.firstVisibleBlock().blockNumber()
        if self._hits:
            below = (place for place, hit in enumerate(self._hits) if hit[0] >= top)
            self.go_to_hit(next(below, 0))
        else:
            self.decorate()
        return len(self._hits)

    @property
    def hit(self) -> int:
        """The current hit, counted from 0; -1 for none."""
        return self._hit

    def go_to_hit(self, number: int) -> None:
        """Makes hit `number` (taken round the ends) the current one and brings it into view."""
        if not self._hits:
            return
        self._hit = number % len(self._hits)
        row, start, _length = self._hits[self._hit]
        block = self.document().findBlockByNumber(row)
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + units(self.rows[row].text[:start]))
        self.setTextCursor(cursor)
        self.centerCursor()
        self.decorate()

    def scroll_to_row(self, number: int) -> None:
        """Brings a row to the upper part of the view."""
        block = self.document().findBlockByNumber(number)
        lines_before = block.firstLineNumber()
        self.verticalScrollBar().setValue(max(0, lines_before - 2))

    def decorate(self) -> None:
        """Lays colours, grounds and hits over the rows that can be seen."""
        marks: list[QTextEdit.ExtraSelection] = []
        hits = self._visible_hits()
        for block, _rect in self.visible_blocks():
            number = block.blockNumber()
            if number >= len(self.rows):
                break
            row = self.rows[number]
            for run in row.runs:
                foreground = self._color(run.token)
                ground = self._color(run.ground)
                marks.append(_mark(block, row, run.start, run.length, foreground, ground))
            for start, length, current in hits.get(number, ()):
                ground = self.theme.qcolor("find_current" if current else "find")
                ink = QColor("#10131F" if self.theme.is_dark else "#1B1B19") if current else None
                marks.append(_mark(block, row, start, length, ink, ground))
        self.setExtraSelections(marks)

    def visible_blocks(self) -> Iterator[tuple[QTextBlock, QRect]]:
        """The blocks on screen with their places in the viewport."""
        block = self.firstVisibleBlock()
        top = self.contentOffset().y()
        bottom = self.viewport().height()
        while block.isValid() and top <= bottom:
            height = self.blockBoundingRect(block).height()
            yield block, QRect(0, round(top), self.viewport().width(), round(height))
            top += height
            block = block.next()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Grounds first, then the text, then what stands in the margin."""
        painter = QPainter(self.viewport())
        visible = [(self._row(block), rect) for block, rect in self.visible_blocks()]
        for row, rect in visible:
            self.draw_ground(painter, row, rect)
        painter.end()
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        for row, rect in visible:
            self.draw_margin(painter, row, rect)
        if self._keyboard and self.hasFocus():
            painter.setPen(QPen(self.theme.qcolor("focus"), 2))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))
        painter.end()

    def draw_ground(self, painter: QPainter, row: Row, rect: QRect) -> None:
        """Draws what lies under a row's text; nothing here."""

    def draw_margin(self, painter: QPainter, row: Row, rect: QRect) -> None:
        """Draws what stands beside a row's text; nothing here."""

    def createMimeDataFromSelection(self) -> QMimeData:
        """The selected text from the rows themselves: exact, and whole where rows were broken."""
        cursor = self.textCursor()
        first, last = cursor.selectionStart(), cursor.selectionEnd()
        out: list[str] = []
        block = self.document().findBlock(first)
        while block.isValid() and block.position() <= last:
            row = self._row(block)
            if not row.height:
                text = row.text
                start = max(0, first - block.position())
                end = last - block.position()
                if start or end < block.length() - 1:
                    wide = text.encode("utf-16-le", "surrogatepass")
                    text = wide[start * 2 : end * 2].decode("utf-16-le", "replace")
                out.append(text if row.joined or not out else "\n" + text)
            block = block.next()
        data = QMimeData()
        data.setText("".join(out))
        return data

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More or fewer rows can be seen now."""
        super().resizeEvent(event)
        self.decorate()

    def showEvent(self, event: QShowEvent) -> None:
        """The first moment at which the visible rows are known."""
        super().showEvent(event)
        self.decorate()

    def viewportEvent(self, event: QEvent) -> bool:
        """A drawn row can be clicked like a button."""
        if event.type() in (QEvent.Type.MouseMove, QEvent.Type.MouseButtonPress):
            assert isinstance(event, QMouseEvent)
            number = self._special_at(event.position().toPoint().y())
            shape = Qt.CursorShape
            self.viewport().setCursor(
                shape.PointingHandCursor if number >= 0 else shape.IBeamCursor
            )
            if number >= 0 and event.type() == QEvent.Type.MouseButtonPress:
                self.special_clicked.emit(number)
                return True
        return super().viewportEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Focus that came by keyboard is shown."""
        reasons = Qt.FocusReason
        self._keyboard = event.reason() in (reasons.TabFocusReason, reasons.BacktabFocusReason)
        self.setCursorWidth(1 if self._keyboard else 0)
        super().focusInEvent(event)
        self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        """The style sheet gives its own font when it is read; ours has no ligatures."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._use_font()

    def _use_font(self) -> None:
        self.document().setDefaultFont(self._font)

    def _special_at(self, height: int) -> int:
        for block, rect in self.visible_blocks():
            if rect.top() <= height < rect.bottom() and self._row(block).kind == "mark":
                return block.blockNumber()
        return -1

    def _row(self, block: QTextBlock) -> Row:
        number = block.blockNumber()
        return self.rows[number] if 0 <= number < len(self.rows) else Row("")

    def _mark_special(self, first: int) -> None:
        for number in range(first, len(self.rows)):
            if self.rows[number].height:
                block = self.document().findBlockByNumber(number)
                block.setUserState(max(SPECIAL, self.rows[number].height))

    def _visible_hits(self) -> dict[int, list[tuple[int, int, bool]]]:
        if not self._hits:
            return {}
        numbers = [block.blockNumber() for block, _rect in self.visible_blocks()]
        if not numbers:
            return {}
        out: dict[int, list[tuple[int, int, bool]]] = {}
        for place, (row, start, length) in enumerate(self._hits):
            if numbers[0] <= row <= numbers[-1]:
                out.setdefault(row, []).append((start, length, place == self._hit))
        return out

    def _color(self, token: str) -> QColor | None:
        if not token:
            return None
        if token == "cyan":
            return QColor(self.theme.chart[1])
        if token == "magenta":
            return QColor(self.theme.syntax["keyword"])
        if token in self.theme.syntax:
            return QColor(self.theme.syntax[token])
        return self.theme.qcolor(token)


def units(text: str) -> int:
    """Length in the units a text document counts in."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _mark(
    block: QTextBlock,
    row: Row,
    start: int,
    length: int,
    foreground: QColor | None,
    ground: QColor | None,
) -> QTextEdit.ExtraSelection:
    mark = QTextEdit.ExtraSelection()
    first = block.position() + units(row.text[:start])
    cursor = QTextCursor(block)
    cursor.setPosition(first)
    cursor.setPosition(
        first + units(row.text[start : start + length]), QTextCursor.MoveMode.KeepAnchor
    )
    look = QTextCharFormat()
    if foreground is not None:
        look.setForeground(foreground)
    if ground is not None:
        look.setBackground(ground)
    mark.cursor = cursor
    mark.format = look
    return mark
