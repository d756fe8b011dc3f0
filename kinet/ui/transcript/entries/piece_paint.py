"""Draws one block: prose, a code card, or a table card."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QAbstractTextDocumentLayout

from kinet.markup.highlight import language_of_file, language_title
from kinet.ui.transcript.blocks import draw
from kinet.ui.transcript.blocks.ornament_paint import LIFT, paint_ornaments
from kinet.ui.transcript.blocks.pieces import CODE_HEAD, FOOT, SIDE, Piece
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.entry import Canvas, Hit

LIFT_CODE = 1


def paint(canvas: Canvas, piece: Piece, number: int, rect: QRect) -> None:
    """Draws the block into `rect`, in the entry's coordinates."""
    if piece.document is None:
        return
    if piece.kind == "code":
        _code(canvas, piece, number, rect)
    elif piece.kind == "table":
        _table(canvas, piece, number, rect)
    else:
        _prose(canvas, piece, number, rect)


def lift(piece: Piece, style: Style) -> int:
    """How far the block's text is drawn above its place in the document."""
    return style.px(LIFT_CODE if piece.kind != "prose" else LIFT)


def hits(piece: Piece, number: int, rect: QRect, style: Style) -> list[Hit]:
    """The buttons of a code card, in reading order: those in its head, the line in its foot."""
    if piece.kind != "code":
        return []
    foot = []
    if piece.has_foot and piece.height:
        high = style.room(FOOT)
        box = QRect(rect.x(), rect.bottom() + 1 - high, rect.width(), high)
        foot = [Hit("unfold", "", box, fold_words(piece), number)]
    if not piece.first:
        return foot
    head = style.room(CODE_HEAD)
    side, top = draw.BUTTON, rect.y() + (head - draw.BUTTON) // 2
    right = rect.right() + 1 - SIDE + 6
    copy = QRect(right - side, top, side, side)
    wrap = QRect(right - 2 * side - 4, top, side, side)
    wrapped = piece.run is not None and piece.run.wrap
    return [
        Hit("wrap", "", wrap, "Do not wrap lines" if wrapped else "Wrap lines", number),
        Hit("copy-code", "", copy, "Copy code", number),
        *foot,
    ]


def fold_words(piece: Piece) -> str:
    """What the line below long code says."""
    run = piece.run
    if run is None or not run.folded:
        return "Show less"
    return f"Show all {run.lines:,} lines"


def _prose(canvas: Canvas, piece: Piece, number: int, rect: QRect) -> None:
    up = lift(piece, canvas.style)
    _ornaments(canvas, piece, rect, up)
    clip = QRectF(0, up - 8, rect.width() + 8, rect.height() + 16)
    _text(canvas, piece, number, rect.x(), rect.y() - up, clip)


def _ornaments(canvas: Canvas, piece: Piece, rect: QRect, up: int) -> None:
    paint_ornaments(
        canvas.painter, canvas.style, piece.ornaments, rect.x(), rect.y(), up,
        boxed=not piece.plain, goes_on=piece.block.continues,
    )  # fmt: skip


def _code(canvas: Canvas, piece: Piece, number: int, rect: QRect) -> None:
    painter, style = canvas.painter, canvas.style
    if piece.height == 0:
        return
    draw.card(painter, style, rect, "code", first=piece.first, last=piece.is_end)
    if piece.first:
        _code_head(canvas, piece, number, rect)
    left, top = piece.text_origin(style)
    foot = style.room(FOOT) if piece.has_foot else 0
    inner = QRect(rect.x() + 1, rect.y() + top, rect.width() - 2, rect.height() - top - foot)
    painter.save()
    painter.setClipRect(inner)
    up = lift(piece, style)
    clip = QRectF(-left, 0, rect.width(), rect.height())
    _text(canvas, piece, number, rect.x() + left, rect.y() + top - up, clip)
    painter.restore()
    _scroll_thumb(canvas, piece, rect)
    if foot:
        _code_foot(canvas, piece, number, rect)


def _code_foot(canvas: Canvas, piece: Piece, number: int, rect: QRect) -> None:
    painter, style = canvas.painter, canvas.style
    hit = hits(piece, number, rect, style)[-1]
    box = hit.rect
    draw.rule(painter, style, box.x() + 1, box.right(), box.y(), "border")
    token = "text" if canvas.is_hovered(hit) else "text_2"
    line = box.adjusted(SIDE, 0, -SIDE, 0)
    wide = draw.words(painter, style, line, hit.tip, token, "meta")
    mark = "chevron-down" if piece.is_folded else "chevron-up"
    spot = QRect(line.x() + wide + 4, box.y(), 12, box.height())
    draw.icon(painter, style, spot, mark, token, 12)
    if canvas.is_focused(hit):
        draw.ring(painter, style, box.adjusted(2, 2, -2, -2))


def _code_head(canvas: Canvas, piece: Piece, number: int, rect: QRect) -> None:
    painter, style = canvas.painter, canvas.style
    head = style.room(CODE_HEAD)
    line = QRect(rect.x() + SIDE, rect.y(), rect.width() - 2 * SIDE - 72, head)
    run = piece.run
    name = run.name if run else ""
    language = run.language if run else ""
    if name and not language and run is not None:
        language = run.language = language_of_file(name)
    if name:
        name = style.elided(name, line.width() - 80, "meta")
        line.setLeft(
            line.x() + draw.words(painter, style, line, name, "text", "meta", bold=True) + 8
        )
    if language:
        draw.words(painter, style, line, language_title(language), "text_2", "meta")
    elif not name:
        draw.words(painter, style, line, "Code", "text_2", "meta")
    draw.rule(painter, style, rect.x() + 1, rect.right(), rect.y() + head, "border")
    for hit in hits(piece, number, rect, style)[:2]:
        mark = "wrap" if hit.action == "wrap" else "copy"
        token = "text_2"
        if hit.action == "wrap" and run is not None and run.wrap:
            token = "accent"
        if hit.action == "copy-code" and canvas.copied is piece.run:
            mark, token = "check", "success"
        draw.button(
            painter, style, hit.rect, mark, token=token,
            hovered=canvas.is_hovered(hit), focused=canvas.is_focused(hit),
        )  # fmt: skip


def _table(canvas: Canvas, piece: Piece, number: int, rect: QRect) -> None:
    painter, style = canvas.painter, canvas.style
    draw.card(painter, style, rect, "canvas", first=piece.first, last=piece.last)
    left, top = piece.text_origin(style)
    rows = [round(y) + top for y in piece.rows]
    if piece.first and len(rows) == 1 and piece.last:
        draw.card(painter, style, rect, "subtle")
    elif piece.first and rows:
        end = rows[1] if len(rows) > 1 else rect.height()
        head = QRect(rect.x(), rect.y(), rect.width(), min(end, rect.height() - 1) + 1)
        draw.head_fill(painter, style, head, "subtle", "border")
    for y in rows[2 if piece.first else 1 :]:
        draw.rule(painter, style, rect.x() + 1, rect.right(), rect.y() + y, "border")
    painter.save()
    painter.setClipRect(rect.adjusted(1, 0, -1, 0))
    clip = QRectF(-left, -top, rect.width(), rect.height())
    up = lift(piece, style)
    _ornaments(canvas, piece, rect.translated(left, top), up)
    _text(canvas, piece, number, rect.x() + left, rect.y() + top - up, clip)
    painter.restore()
    _scroll_thumb(canvas, piece, rect)


def _text(canvas: Canvas, piece: Piece, number: int, x: int, y: int, clip: QRectF) -> None:
    document = piece.document
    if document is None:
        return
    context = QAbstractTextDocumentLayout.PaintContext()
    context.palette = canvas.palette or canvas.style.palette
    visible = QRectF(clip.x(), canvas.top - y, clip.width(), canvas.bottom - canvas.top)
    context.clip = clip.intersected(visible.adjusted(0, -40, 0, 40))
    marks = canvas.marks(number)
    if marks:
        context.selections = marks
    painter = canvas.painter
    painter.save()
    painter.translate(x, y)
    document.documentLayout().draw(painter, context)
    painter.restore()


def thumb(piece: Piece, rect: QRect) -> QRect | None:
    """The thumb of a block that is wider than its card; None if all of it is seen."""
    run = piece.run
    if run is None or not piece.is_end or run.wrap or run.content_width <= rect.width():
        return None
    room = rect.width() - 2 * SIDE
    length = max(32, room * rect.width() // run.content_width)
    most = run.content_width - rect.width()
    left = (room - length) * min(run.scroll, most) // most
    foot = FOOT if piece.has_foot else 0
    return QRect(rect.x() + SIDE + left, rect.bottom() - 6 - foot, length, 4)


def scroll_of(piece: Piece, width: int, moved: int) -> int:
    """How far `moved` pixels of the thumb scroll the block."""
    run = piece.run
    box = thumb(piece, QRect(0, 0, width, 100))
    if run is None or box is None:
        return 0
    room = max(1, width - 2 * SIDE - box.width())
    return moved * (run.content_width - width) // room


def _scroll_thumb(canvas: Canvas, piece: Piece, rect: QRect) -> None:
    box = thumb(piece, rect)
    if box is not None:
        draw.rounded(canvas.painter, canvas.style, QRectF(box), "scrollbar", 2)
