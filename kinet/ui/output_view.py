"""Shows what a step printed: in colour, live while it runs, with what the model got at its edge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from kinet.ui.model_share import ModelShare
from kinet.ui.row_view import Row, RowView
from kinet.ui.terminal_text import TerminalReader, TextRow, broken, read_all

MARK_HEIGHT = 28
_BAR = 3
# While a program runs only its newest rows are shown; the whole comes when it has ended.
_LIVE_ROWS = 5_000
# Far more than anyone reads; Copy all and Save give everything.
_LONGEST_SHOWN = 8_000_000


class OutputView(RowView):
    """The whole of an output, or its growing end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, surface="side")
        self.document().setDocumentMargin(8)
        self._reader = TerminalReader()
        self._unfinished = 0
        self._resume_row = -1
        self._closing = ""
        self.special_clicked.connect(self._resume)

    def show_text(self, text: str, share: ModelShare | None = None) -> None:
        """Shows a finished output. `share` draws the bar beside what the model got."""
        shown = text[:_LONGEST_SHOWN]
        rows = list(shared_rows(read_all(shown), share or ModelShare("none")))
        if len(shown) < len(text):
            left = len(text) - len(shown)
            rows.append(Row("", kind="note", label=f"{left:,} more: Save", height=MARK_HEIGHT))
        self._resume_row = _resume_row(rows)
        self._closing = "\n" if shown.endswith("\n") else ""
        self.show_rows(rows)

    def start_live(self, text: str = "") -> None:
        """Begins an output that grows."""
        self._reader = TerminalReader()
        self._unfinished = 0
        self._closing = ""
        self.show_rows(())
        self.append_text(text)

    def append_text(self, piece: str) -> None:
        """Adds output at the end; the view stays at the end if it was there."""
        bar = self.verticalScrollBar()
        following = bar.value() >= bar.maximum() - 1
        finished = self._reader.feed(piece)
        rest = self._reader.rest()
        rows = [Row(row.text, row.runs, joined=row.joined) for row in (*finished, *rest)]
        if len(rows) > _LIVE_ROWS:
            self.show_rows(rows[-_LIVE_ROWS:])
        elif len(self.rows) + len(rows) > 2 * _LIVE_ROWS:
            kept = self.rows[: len(self.rows) - self._unfinished] + rows
            self.show_rows(kept[-_LIVE_ROWS:])
        elif rows or self._unfinished:
            self.add_rows(rows or [Row("")], replacing=min(self._unfinished, len(self.rows)))
        self._unfinished = len(rest)
        if following:
            bar.setValue(bar.maximum())

    def toPlainText(self) -> str:
        """The text on show without the rows that are drawn, and whole where rows were broken."""
        out: list[str] = []
        for row in self.rows:
            if not row.height:
                out.append(row.text if row.joined or not out else "\n" + row.text)
        return "".join(out) + self._closing

    def set_wrap(self, wrap: bool) -> None:
        """Breaks long rows at the edge, or lets them run on."""
        mode = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(mode.WidgetWidth if wrap else mode.NoWrap)
        self.decorate()

    def show_cut(self) -> None:
        """Brings the place into view where the model's part breaks off."""
        for number, row in enumerate(self.rows):
            if row.kind == "mark":
                self.scroll_to_row(number)
                return

    def draw_ground(self, painter: QPainter, row: Row, rect: QRect) -> None:
        """The bar of what the model got, and the row that names the gap."""
        if row.sent:
            painter.fillRect(QRect(0, rect.top(), _BAR, rect.height()), self.theme.qcolor("accent"))
        if row.kind == "mark":
            painter.fillRect(rect, self.theme.qcolor("warning_tint"))
            line = self.theme.qcolor("warning_line")
            painter.fillRect(QRect(0, rect.top(), rect.width(), 1), line)
            painter.fillRect(QRect(0, rect.bottom(), rect.width(), 1), line)

    def draw_margin(self, painter: QPainter, row: Row, rect: QRect) -> None:
        """The words and icons of the rows that are drawn."""
        if not row.height:
            return
        token = "warning" if row.kind == "mark" else "text_3"
        painter.setPen(self.theme.qcolor(token))
        painter.setFont(self.theme.font("meta", digits=True))
        place = QRectF(rect).adjusted(36 if row.kind == "mark" else 16, 0, -40, 0)
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(place, align, row.label)
        if row.kind == "mark":
            ratio = self.devicePixelRatioF()
            top = rect.top() + (rect.height() - 16) // 2
            painter.drawPixmap(12, top, self.theme.pixmap("alert", token, 16, ratio))
            down = self.theme.pixmap("chevron-down", token, 12, ratio)
            painter.drawPixmap(rect.right() - 27, top + 2, down)

    def _resume(self, _number: int) -> None:
        if self._resume_row >= 0:
            self.scroll_to_row(self._resume_row)


def shared_rows(rows: Iterable[TextRow], share: ModelShare) -> Iterator[Row]:
    """The rows with the model's part marked, broken exactly where that part ends and begins."""
    if share.kind != "cut":
        for row in rows:
            yield Row(row.text, row.runs, joined=row.joined, sent=share.kind == "all")
        return
    head, tail = share.head, share.total - share.tail
    label = f"{share.missing:,} characters the model did not get"
    mark = Row("", kind="mark", label=label, height=MARK_HEIGHT)
    marked = head == 0
    if marked:
        yield mark
    for row in rows:
        cuts = tuple(edge - row.start for edge in (head, tail) if row.start < edge < row.end)
        for part in broken(row, cuts) if cuts else (row,):
            if not marked and part.start >= head:
                marked = True
                yield mark
            sent = part.start < head or part.start >= tail
            yield Row(part.text, part.runs, joined=part.joined, sent=sent)
    if not marked:
        yield mark


def _resume_row(rows: list[Row]) -> int:
    marked = False
    for number, row in enumerate(rows):
        if row.kind == "mark":
            marked = True
        elif marked and row.sent:
            return number
    return -1
