"""A session as a document for paper: Qt's own text, black on white, nothing loaded."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QPagedPaintDevice,
    QPainter,
    QPalette,
    QTextDocument,
    QTextOption,
)

from kinet.core.messages import Message
from kinet.core.own_command import fenced
from kinet.markup.blocks import BlockStream, Bounds, split_in_steps
from kinet.markup.formulas import draw_formula
from kinet.markup.inline import text_html
from kinet.markup.look import Look
from kinet.markup.render import to_html, user_html
from kinet.ui.look.theme import load_theme
from kinet.ui.transcript.blocks.documents import SafeDocument
from kinet.ui.transcript.blocks.formula_shelf import FormulaShelf
from kinet.ui.transcript.blocks.style import Style

_RATIO = 4.0
_WIDTH = 640
# The lengths of the document are of 96 to the inch, as a browser's are.
_DOTS = 96
_FOOT = 28
_ARGUMENTS = 300
# One table is one table, so that its head is repeated where a page begins and nowhere else.
_BOUNDS = Bounds(10**6, 10**9, 10**6, characters=16_384, lines=2_000, open_characters=32_768)
# What the window draws around the words, Qt's own text has to say here.
_ON_PAPER = (
    ("list-style-type:none", "list-style-type:disc"),
    ('<img src="', '<img style="vertical-align:middle" src="'),
    ('<span style="font-size:1px;color:transparent">☐</span>', "☐ "),
    ('<span style="font-size:1px;color:transparent">☑</span>', "☑ "),
    ('<table width="100%" cellspacing="0" cellpadding="0">',
     '<table width="100%" cellspacing="0" cellpadding="0" border="1" '
     'style="border-collapse:collapse">'),
)  # fmt: skip


def paper(title: str, messages: Sequence[Message]) -> QTextDocument:
    """The document; `print_on` puts it on paper or into a PDF."""
    shelf = _NowShelf()
    style = Style(load_theme("light"), 100, 1.0, shelf)
    parts = [f'<p style="font-size:21px;font-weight:600">{text_html(title)}</p>']
    for message in messages:
        if message.role == "user" and message.kind in ("", "steer"):
            parts += [_who("You", style.look), user_html(message.text, style.look)]
        elif message.command is not None:
            ran = message.command
            kept = ", kept from the model" if ran.private else ""
            who = f"You ran a command ({ran.status or 'not ended'}{kept})"
            said = f"{fenced(ran.text)}\n\n{fenced(message.text)}"
            parts += [_who(who, style.look), _answer(said, style.look)]
        elif message.role == "assistant" and message.text.strip():
            parts += [_who("Kinet", style.look), _answer(message.text, style.look)]
        for call in message.tool_calls:
            parts.append(_aside(_call(call.name, call.arguments), style.look))
    html = "".join(parts)
    for shown, written in _ON_PAPER:
        html = html.replace(shown, written)
    document = SafeDocument()
    document.setDefaultFont(style.font("answer"))
    document.setIndentWidth(style.px(24))
    option = QTextOption()
    option.setTabStopDistance(4 * style.advance("0", "code", mono=True))
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)
    shelf.give(document, html, _WIDTH, _RATIO)
    document.setHtml(html)
    return document


def print_on(
    device: QPagedPaintDevice, document: QTextDocument, first: int = 1, last: int = 0
) -> None:
    """Prints the pages from `first` to `last` (0: the last there is), each with its number.

    Raises OSError if the device takes nothing.
    """
    painter = QPainter()
    if not painter.begin(device):
        raise OSError("nothing can be written there")
    scale = device.logicalDpiX() / _DOTS
    painter.scale(scale, scale)
    sheet = QSizeF(device.width() / scale, device.height() / scale)
    page = QSizeF(sheet.width(), sheet.height() - _FOOT)
    document.setPageSize(page)
    numbers = range(max(1, first), min(last or document.pageCount(), document.pageCount()) + 1)
    for number in numbers:
        if number != numbers[0]:
            device.newPage()
        _print_page(painter, document, page, number)
        foot = QRectF(0, page.height(), sheet.width(), _FOOT)
        painter.setFont(document.defaultFont())
        painter.setPen(Qt.GlobalColor.darkGray)
        align = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
        painter.drawText(foot, align, f"{number} / {document.pageCount()}")
    painter.end()


def _print_page(painter: QPainter, document: QTextDocument, page: QSizeF, number: int) -> None:
    context = QAbstractTextDocumentLayout.PaintContext()
    context.clip = QRectF(0, (number - 1) * page.height(), page.width(), page.height())
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Text, Qt.GlobalColor.black)
    context.palette = palette
    painter.save()
    painter.translate(0, -context.clip.top())
    painter.setClipRect(context.clip)
    document.documentLayout().draw(painter, context)
    painter.restore()


def _call(name: str, arguments: str) -> str:
    cut = "…" if len(arguments) > _ARGUMENTS else ""
    return f"{name} {arguments[:_ARGUMENTS]}{cut}"


def _answer(source: str, look: Look) -> str:
    stream = BlockStream(_BOUNDS)
    blocks = [block for step in split_in_steps(stream, source) for block in step]
    gap = f'<p style="margin:0;font-size:{look.gap // 2}px">&#8203;</p>'
    out: list[str] = []
    for block in blocks:
        out += [] if block.continues or not out else [gap]
        out.append(to_html(block, look, stream.references))
    return "".join(out)


def _who(name: str, look: Look) -> str:
    color = look.colors["text_3"]
    return f'<p style="font-size:12px;font-weight:600;color:{color};margin-top:16px">{name}</p>'


def _aside(text: str, look: Look) -> str:
    return f'<p style="font-size:12px;color:{look.colors["text_3"]}">{text_html(text)}</p>'


class _NowShelf(FormulaShelf):
    """Draws at once: paper has no second chance."""

    def tag(self, tex: str, display: bool, size: int, color: str) -> str:
        key = (tex, display, size, color)
        if key not in self._drawings:
            self._drawings[key] = draw_formula(tex, display=display, size=size, color=color)
        return super().tag(tex, display, size, color)
