"""Puts a session on pages, a few ms at a time: on paper or into a PDF."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QPagedPaintDevice, QPainter, QTextDocument

from kinet.core.messages import Message
from kinet.ui.window.paper import Paper, Work

# The lengths of a document are of 96 to the inch, as a browser's are.
_DOTS = 96
_FOOT = 28
# So many documents stay as they were laid out; of a longer session each is made again to be drawn,
# for together they would fill the memory.
_KEPT = 400
# How far it is, in words; or something slow to be done first, in whatever thread.
Step = str | Work


@dataclass
class _Portion:
    """A document on its pages, counted from 0; `top` is the room above it on the first."""

    html: str
    top: float
    first: int
    last: int
    document: QTextDocument | None


class _Pages:
    """Where each portion stands."""

    def __init__(self, paper: Paper, size: QSizeF) -> None:
        self._paper, self._size = paper, size
        self._portions: list[_Portion] = []
        self._next = 0
        # Where the next portion begins.
        self._page, self._top = 0, 0.0

    @property
    def count(self) -> int:
        """How many there are so far."""
        return self._page + 1

    def lay_out(self) -> Iterator[Step]:
        """Finds a place for everything."""
        for part in self._paper.portions():
            if isinstance(part, str):
                self._put(part)
                yield f"Laying out page {self.count:,}…"
            else:
                yield part

    def draw(self, painter: QPainter, page: int) -> Iterator[Step]:
        """What stands on a page; pages are drawn in their order."""
        while self._next < len(self._portions) and self._portions[self._next].last < page:
            self._portions[self._next].document = None
            self._next += 1
        for portion in self._portions[self._next :]:
            if portion.first > page:
                break
            if portion.document is None:
                portion.document = self._document(portion.html, portion.top)
                yield None
            self._draw(painter, portion.document, page - portion.first)
            yield None

    def _put(self, html: str) -> None:
        document = self._document(html, self._top)
        last = document.documentLayout().blockBoundingRect(document.lastBlock())
        pages, bottom = divmod(last.bottom(), self._size.height())
        begun = self._page
        self._page += int(pages)
        kept = document if len(self._portions) < _KEPT else None
        self._portions.append(_Portion(html, self._top, begun, self._page, kept))
        self._top = bottom

    def _document(self, html: str, top: float) -> QTextDocument:
        return self._paper.document(html, top, self._size)

    def _draw(self, painter: QPainter, document: QTextDocument, page: int) -> None:
        height = self._size.height()
        clip = QRectF(0, page * height, self._size.width(), height)
        painter.save()
        painter.translate(0, -clip.top())
        painter.setClipRect(clip)
        self._paper.draw(painter, document, clip)
        painter.restore()


def print_steps(
    device: QPagedPaintDevice,
    title: str,
    messages: Sequence[Message],
    first: int = 1,
    last: int = 0,
) -> Generator[Step]:
    """Prints the pages from `first` to `last` (0: the last there is), each with its number.

    Each step takes some ms on the window's thread; what is given up is closed. Raises OSError if
    the device takes nothing.
    """
    painter = QPainter()
    if not painter.begin(device):
        raise OSError("nothing can be written there")
    try:
        scale = device.logicalDpiX() / _DOTS
        painter.scale(scale, scale)
        sheet = QSizeF(device.width() / scale, device.height() / scale)
        paper = Paper(title, messages)
        pages = _Pages(paper, QSizeF(sheet.width(), sheet.height() - _FOOT))
        yield from pages.lay_out()
        numbers = range(max(1, first), min(last or pages.count, pages.count) + 1)
        for number in numbers:
            if number != numbers[0]:
                device.newPage()
            yield from pages.draw(painter, number - 1)
            foot = QRectF(0, sheet.height() - _FOOT, sheet.width(), _FOOT)
            painter.setFont(paper.font)
            painter.setPen(Qt.GlobalColor.darkGray)
            align = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
            painter.drawText(foot, align, f"{number} / {pages.count}")
            yield f"Page {number:,} of {pages.count:,}"
    finally:
        painter.end()


def do_all(steps: Iterator[Step]) -> None:
    """Takes all steps at once, here."""
    for step in steps:
        if callable(step):
            step()
