"""Where the links of a laid-out block stand: for the keyboard and for screen readers."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRect, QSize
from PySide6.QtGui import QTextDocument

from kinet.ui.transcript.blocks.ornaments import boxes_of
from kinet.ui.transcript.blocks.pieces import Piece
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.entry import Hit
from kinet.ui.transcript.entries.piece_paint import lift

# What in a source means that there may be a link.
_SIGNS = ("[", "http", "www.", "@")


def links(piece: Piece, number: int, rect: QRect, style: Style) -> list[Hit]:
    """The links of a block that has been laid out, in reading order; `rect` is the block's."""
    document, source = piece.document, piece.block.source
    if document is None or piece.kind == "code" or piece.height == 0:
        return []
    if not any(sign in source for sign in _SIGNS):
        return []
    left, top = piece.text_origin(style)
    across, down = rect.x() + left, rect.y() + top - lift(piece, style)
    return [
        Hit("link", url, box.translated(across, down), url, number)
        for url, box in _anchors(document)
    ]


def link_at(piece: Piece, number: int, rect: QRect, point: QPoint, style: Style) -> Hit | None:
    """The link of a block at a point of its entry; `rect` is the block's."""
    if piece.document is None:
        return None
    left, top = piece.text_origin(style)
    x, y = point.x() - rect.x() - left, point.y() - rect.y() - top + lift(piece, style)
    url = piece.document.documentLayout().anchorAt(QPointF(x, y))
    return Hit("link", url, QRect(point, QSize(1, 1)), url, number) if url else None


def _anchors(document: QTextDocument) -> list[tuple[str, QRect]]:
    """(address, where its first line is); words of another face belong to the link before them."""
    found: list[tuple[str, QRect]] = []
    block = document.begin()
    while block.isValid():
        origin = document.documentLayout().blockBoundingRect(block).topLeft()
        iterator, before = block.begin(), ""
        while not iterator.atEnd():
            fragment = iterator.fragment()
            url = fragment.charFormat().anchorHref()
            box = next(iter(boxes_of(block, fragment, origin)), None) if url else None
            if box is not None and url != before:
                found.append((url, box.toAlignedRect()))
            elif box is not None and found and found[-1][1].y() == box.toAlignedRect().y():
                found[-1] = url, found[-1][1].united(box.toAlignedRect())
            before = url
            iterator += 1
        block = block.next()
    return found
