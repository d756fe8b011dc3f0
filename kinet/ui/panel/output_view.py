"""Shows what a step printed: in colour, live while it runs, with what the model got at its edge."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from PySide6.QtCore import QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from kinet.markup.terminal_inks import Inks
from kinet.ui.kit.row_links import RowLinks
from kinet.ui.kit.row_view import RowView
from kinet.ui.kit.rows import Row, said
from kinet.ui.kit.terminal_text import TerminalReader, broken, coloured, dressed, read_rows
from kinet.ui.panel.model_share import ModelShare

MARK_HEIGHT = 28
_BAR = 3
# While a program runs only its newest rows are shown; the whole comes when it has ended.
_LIVE_ROWS = 3_000
_LIVE_CHARACTERS = 400_000
_LIVE_MS = 40
# In each of these turns so much is read at once, and for so long.
_LIVE_SLICE = 4_096
_LIVE_SECONDS = 0.012
_EARLIER = "Earlier output is left out while it runs"
# A jump over so many rows: Qt measures all that lie between what was marked and what is seen then.
_JUMP = 40
# Rows that are made at once, and in each turn of the event loop after that.
_FIRST_ROWS = 2_000
_NEXT_ROWS = 2_000


class OutputView(RowView):
    """The whole of an output, or its growing end."""

    waits_for_sight = True
    # As a terminal has it.
    tab_width = 8
    # The text on show, and its colours where they lie apart from it.
    _source = ""
    _inks: Sequence[Inks] = ()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, surface="side")
        self.document().setDocumentMargin(8)
        self.links = RowLinks(self)
        self._reader = TerminalReader()
        self._unfinished = 0
        self._closing = ""
        self._all_sent = False
        self._waiting: list[str] = []
        self._rest: Iterator[Row] | None = None
        self._flush = QTimer(self)
        self._flush.setSingleShot(True)
        self._flush.setInterval(_LIVE_MS)
        self._flush.timeout.connect(lambda: self.flush(_LIVE_SECONDS))
        self._more = QTimer(self)
        self._more.setInterval(0)
        self._more.timeout.connect(self._load_more)
        self.hits.comes_more = self._more.isActive
        self.special_clicked.connect(self._resume)

    def show_text(self, text: str, share: ModelShare | None = None, printed: str = "") -> None:
        """Shows a finished output, its end a moment later where it is very long. `share` draws the
        bar beside what the model got; `printed` is what the text was made of, with its colours."""
        self._stop_live()
        self._source, self._inks = text, ()
        share = share or ModelShare("none")
        self._all_sent = share.kind == "all"
        rows = coloured(text, printed) if printed else read_rows(text)
        self._rest = shared_rows(rows, share)
        self._closing = "\n" if text.endswith("\n") else ""
        self.show_rows(list(islice(self._rest, _FIRST_ROWS)))
        if len(self.rows) < _FIRST_ROWS:
            self._rest = None
        else:
            self._more.start()

    def show_colours(self, inks: Sequence[Inks]) -> None:
        """The colours of what is on show, part by part: a row takes them on when it is seen."""
        self._inks = inks
        self._colours.forget()
        self.decorate()

    def decorate(self) -> None:
        """Rows that come into view get the colours that lie apart from them."""
        for block, _rect in self.visible_blocks() if self._inks else ():
            number = block.blockNumber()
            for inks in self._inks if number < len(self.rows) else ():
                row = self.rows[number]
                if not row.runs and not row.height:
                    self.rows[number] = dressed(row, self._source, inks)
        super().decorate()

    def start_live(self, text: str = "", *, cut: bool = False) -> None:
        """Begins an output that grows; `cut` says that more came before `text`."""
        self._stop_live()
        self._source, self._inks = "", ()
        self._rest = None
        self._all_sent = False
        self._reader = TerminalReader()
        self._unfinished = 0
        self._closing = ""
        self.show_rows([_earlier()] if cut else ())
        self._waiting.append(text)
        self.flush()

    def append_text(self, piece: str) -> None:
        """Adds output at the end, at once or within 40 ms; the view stays at the end if it was
        there."""
        self._waiting.append(piece)
        if not self._flush.isActive():
            self.flush(_LIVE_SECONDS)
            self._flush.start()

    @property
    def is_behind(self) -> bool:
        """True while some of what has come is not on show yet."""
        return bool(self._waiting)

    def flush(self, seconds: float = float("inf")) -> None:
        """Shows all that has come so far, or as much as some time allows, and the rest later."""
        piece = "".join(self._waiting)
        self._waiting.clear()
        if not piece:
            return
        bar = self.verticalScrollBar()
        following = bar.value() >= bar.maximum() - 1
        if len(piece) > _LIVE_CHARACTERS:
            # More came at once than is kept: only its end can be seen.
            piece = piece[piece.find("\n", len(piece) - _LIVE_CHARACTERS) + 1 :]
            self._reader = TerminalReader()
            self._unfinished = 0
            self.show_rows([_earlier()])
        until = time.perf_counter() + seconds
        finished: list[Row] = []
        for place in range(0, len(piece), _LIVE_SLICE):
            if time.perf_counter() > until:
                self._waiting.append(piece[place:])
                self._flush.start()
                break
            finished += self._reader.feed(piece[place : place + _LIVE_SLICE])
        rest = self._reader.rest()
        self._put([*finished, *rest])
        self._unfinished = len(rest)
        if following:
            bar.setValue(bar.maximum())

    def finish_loading(self) -> None:
        """Makes all rows now, if some were left for later."""
        self.flush()
        self._more.stop()
        if self._rest is not None:
            rest, self._rest = list(self._rest), None
            if rest:
                self.add_rows(rest)

    def go_to_hit(self, number: int) -> None:
        """Round the ends of the whole output."""
        if not 0 <= number < len(self.hits.places) and not self.hits.is_done:
            self.finish_loading()
        super().go_to_hit(number)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Forgets the marks of where it was before a jump; they are made anew where it arrives."""
        if abs(dy) > _JUMP:
            self.setExtraSelections([])
        super().scrollContentsBy(dx, dy)

    def toPlainText(self) -> str:
        """The text on show without the rows that are drawn, and whole where rows were broken."""
        self.finish_loading()
        out: list[str] = []
        for row in self.rows:
            if not row.height:
                out.append(said(row) if row.joined or not out else "\n" + said(row))
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
        if row.sent or self._all_sent:
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

    def _put(self, rows: list[Row]) -> None:
        """Rows at the end, in place of the unfinished ones; the oldest make room."""
        if len(rows) > _LIVE_ROWS:
            self.show_rows([_earlier(), *rows[-_LIVE_ROWS:]])
        elif len(self.rows) + len(rows) > 2 * _LIVE_ROWS:
            kept = self.rows[: len(self.rows) - self._unfinished] + rows
            self.show_rows([_earlier(), *kept[-_LIVE_ROWS:]])
        elif rows or self._unfinished:
            rows = rows or [Row("")]
            old = self.rows[len(self.rows) - min(self._unfinished, len(self.rows)) :]
            # What stands there as it is keeps its place, its colours and what is selected in it.
            same = 0
            while same < min(len(old), len(rows) - 1) and old[same] == rows[same]:
                same += 1
            self.add_rows(rows[same:], replacing=len(old) - same)

    def _stop_live(self) -> None:
        self._flush.stop()
        self._more.stop()
        self._waiting.clear()

    def _load_more(self) -> None:
        rows = list(islice(self._rest, _NEXT_ROWS)) if self._rest is not None else []
        if rows:
            self.add_rows(rows)
        if len(rows) < _NEXT_ROWS:
            self._rest = None
            self._more.stop()

    def _resume(self, _number: int) -> None:
        """To the place where the model's part goes on."""
        self.finish_loading()
        marked = False
        for number, row in enumerate(self.rows):
            marked = marked or row.kind == "mark"
            if marked and row.sent:
                self.scroll_to_row(number)
                return


def _earlier() -> Row:
    """The row above the oldest that are on show."""
    return Row("", kind="earlier", label=_EARLIER, height=MARK_HEIGHT)


def shared_rows(rows: Iterable[Row], share: ModelShare) -> Iterator[Row]:
    """The rows as they are; where the output was cut for the model, its part is marked, broken
    exactly where that part ends and begins."""
    if share.kind != "cut":
        yield from rows
        return
    head, tail = share.head, share.total - share.tail
    label = f"{share.missing:,} characters the model did not get"
    mark = Row("", kind="mark", label=label, height=MARK_HEIGHT)
    marked = False
    for row in rows:
        cuts = tuple(edge - row.start for edge in (head, tail) if row.start < edge < row.end)
        for part in broken(row, cuts) if cuts else (row,):
            if not marked and part.start >= head:
                marked = True
                yield mark
            sent = part.start < head or part.start >= tail
            yield part._replace(sent=True) if sent else part
    if not marked:
        yield mark
