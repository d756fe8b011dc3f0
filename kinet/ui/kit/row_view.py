"""Shows rows of code or output: exact text, colours only where the eye is, any number of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QMimeData, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTextBlock,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from kinet.ui.kit.row_colours import RowColours, characters, color_of, is_own, units
from kinet.ui.kit.row_hits import RowHits
from kinet.ui.kit.row_layout import SPECIAL, give_rows
from kinet.ui.kit.row_marks import Mark, marked
from kinet.ui.kit.rows import Row, said
from kinet.ui.look.theme import Theme, current_theme


class RowView(QPlainTextEdit):
    """Read-only rows. Colours are laid over the visible rows alone, so a megabyte costs nothing."""

    # Another look is taken on only when it is seen: not where others ask for the height meanwhile.
    waits_for_sight = False
    tab_width = 4

    special_clicked = Signal(int)

    def __init__(
        self, parent: QWidget | None = None, *, size: str = "output", surface: str = "code"
    ) -> None:
        super().__init__(parent)
        self._size = size
        self._surface = surface
        self._keyboard = False
        self.rows: list[Row] = []
        self.hits = RowHits(lambda: self.rows, self)
        self.hits.arrived.connect(self.go_to_hit)
        self.hits.changed.connect(self.decorate)
        self._colours = RowColours(surface)
        self.row_layout = give_rows(self)
        self.theme = current_theme()
        self._is_stale = False
        self._font = self.font()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setReadOnly(True)
        self.setCursorWidth(0)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.valueChanged.connect(self.decorate)
        self.viewport().setMouseTracking(True)
        self._restyle()

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look or zoom; a long text that is hidden does so when it is shown."""
        self.theme = theme
        self._is_stale = True
        if self.isVisible() or not self.waits_for_sight:
            self._restyle()

    def _restyle(self) -> None:
        self._is_stale = False
        theme = self.theme
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
        self.document().setDefaultFont(font)
        self.row_layout.row_height = theme.line_height(self._size)
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" ") * self.tab_width)
        self._colours.forget()
        self.decorate()
        self.viewport().update()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Shows these rows and nothing else."""
        self.rows = list(rows)
        self.hits.forget()
        self._colours.forget()
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
        self._colours.forget(first)
        self._mark_special(first)
        self.decorate()

    def find(self, needle: str) -> int:  # type: ignore[override]
        """Marks every place of `needle`, whatever its case, and goes to the first one on or below
        the screen; gives their number so far: `hits` says whether that is all, and tells of more.
        """
        self.hits.look(needle, self.firstVisibleBlock().blockNumber())
        self.decorate()
        return len(self.hits.places)

    @property
    def hit(self) -> int:
        """The current hit, counted from 0; -1 for none."""
        return self.hits.current

    def go_to_hit(self, number: int) -> None:
        """Makes hit `number` (taken round the ends) the current one and brings it into view."""
        if not 0 <= number < len(self.hits.places):
            # Round the ends: for that all have to be known.
            self.hits.finish()
        if not self.hits.places:
            return
        self.hits.current = number % len(self.hits.places)
        row, start, _length = self.hits.places[self.hits.current]
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
        blocks = [block for block, _rect in self.visible_blocks()]
        hits = (
            self.hits.between(blocks[0].blockNumber(), blocks[-1].blockNumber()) if blocks else {}
        )
        marks: list[QTextEdit.ExtraSelection] = []
        for block in blocks:
            number = block.blockNumber()
            if number >= len(self.rows):
                break
            row = self.rows[number]
            self._colours.give(block, row, self.theme)
            here: list[Mark] = []
            for run in row.runs:
                if not is_own(run.ground) and (ground := color_of(self.theme, run.ground)):
                    here.append((run.start, run.length, color_of(self.theme, run.token), ground))
            for start, length, current in hits.get(number, ()):
                ground = self.theme.qcolor("find_current" if current else "find")
                ink = QColor("#10131F" if self.theme.is_dark else "#1B1B19") if current else None
                here.append((start, length, ink, ground))
            marks += marked(self, block, row, here)
        if marks or self.extraSelections():
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
        visible = [(_row(self.rows, block), rect) for block, rect in self.visible_blocks()]
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
            row = _row(self.rows, block)
            if not row.height:
                start = max(0, first - block.position())
                end = last - block.position()
                text = said(row)
                if start or end < block.length() - 1:
                    text = said(row, characters(row.text, start), characters(row.text, end))
                out.append(text if row.joined or not out else "\n" + text)
            block = block.next()
        data = QMimeData()
        data.setText("".join(out))
        return data

    def event(self, event: QEvent) -> bool:
        """More or fewer rows can be seen; and the style sheet's font, which has ligatures, is
        replaced by ours."""
        kind = event.type()
        if kind == QEvent.Type.Show and self._is_stale:
            self._restyle()
        done = super().event(event)
        if kind == QEvent.Type.FontChange:
            self.document().setDefaultFont(self._font)
        elif kind in (QEvent.Type.Resize, QEvent.Type.Show):
            self.decorate()
        return done

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

    def _special_at(self, height: int) -> int:
        for block, rect in self.visible_blocks():
            if rect.top() <= height < rect.bottom() and _row(self.rows, block).kind == "mark":
                return block.blockNumber()
        return -1

    def _mark_special(self, first: int) -> None:
        for number in range(first, len(self.rows)):
            if self.rows[number].height:
                block = self.document().findBlockByNumber(number)
                block.setUserState(max(SPECIAL, self.rows[number].height))


def _row(rows: Sequence[Row], block: QTextBlock) -> Row:
    number = block.blockNumber()
    return rows[number] if 0 <= number < len(rows) else Row("")
