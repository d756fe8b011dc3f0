"""What of a session stands on paper: Qt's own text, black on white, nothing loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from weakref import WeakKeyDictionary

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QPainter,
    QPalette,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)

from kinet.core.messages import Message
from kinet.core.own_command import fenced
from kinet.markup.blocks import Block, BlockStream, Bounds, split_in_steps
from kinet.markup.formulas import draw_formula
from kinet.markup.inline import text_html
from kinet.markup.look import Look
from kinet.markup.render import to_html, user_html
from kinet.ui.look.theme import load_theme
from kinet.ui.transcript.blocks import documents
from kinet.ui.transcript.blocks.documents import SafeDocument
from kinet.ui.transcript.blocks.formula_objects import set_html
from kinet.ui.transcript.blocks.formula_shelf import FormulaShelf, Key
from kinet.ui.transcript.blocks.ornament_paint import LIFT, paint_ornaments
from kinet.ui.transcript.blocks.ornaments import Ornaments
from kinet.ui.transcript.blocks.style import Style

_RATIO = 4.0
_WIDTH = 640
_ARGUMENTS = 300
# Characters of HTML in one document: it is laid out in a few ms.
_PORTION = 4_000
# One table is one table, so that its head is repeated where a page begins and nowhere else.
_BOUNDS = Bounds(10**6, 10**9, 10**6, characters=16_384, lines=2_000, open_characters=32_768)
# What the window draws around a table Qt's own text has to say here.
_ON_PAPER = [
    (
        f'<table width="100%" cellspacing="0" cellpadding="0"{turned}>',
        f'<table width="100%" cellspacing="0" cellpadding="0" border="1"{turned} '
        'style="border-collapse:collapse">',
    )
    for turned in ("", ' dir="rtl"')
]
# Lines of a screen are too faint for a printer.
_FAINT = {"border": "#C6C6BF", "code": "#F1F1ED"}
# How far code stands in from both sides and from above: its ground goes around it.
_CODE_SIDE = 10

# What makes a piece of HTML; anew where a formula in it was drawn meanwhile.
_Maker = Callable[[], str]
# A step is done: None, or something slow is to be done first, in whatever thread.
Work = Callable[[], None] | None


class Paper:
    """The session in portions, each to be a document that follows the one before it."""

    def __init__(self, title: str, messages: Sequence[Message]) -> None:
        self._title, self._messages = title, messages
        self._shelf = _PaperShelf()
        theme = load_theme("light")
        theme = replace(theme, colors={**theme.colors, **_FAINT})
        self._style = Style(theme, 100, _RATIO, self._shelf)
        family = ",".join(f"'{name}'" for name in self._style.families(False))
        self._look = replace(self._style.look, syntax=theme.syntax, family=family)
        self._option = QTextOption()
        self._option.setTabStopDistance(4 * self._style.advance("0", "code", mono=True))
        self._option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.font = self._style.font("answer")
        self._around: WeakKeyDictionary[QTextDocument, Ornaments] = WeakKeyDictionary()

    def portions(self) -> Iterator[str | Work]:
        """The HTML of each document, and between them steps of work: see `Work`."""
        waiting: list[str] = []
        size = 0
        for make in self._makers():
            if make is None:
                yield None
                continue
            html = make()
            if self._shelf.wanted:
                yield from self._shelf.draw()
                html = make()
            if waiting and size + len(html) > _PORTION:
                yield "".join(waiting)
                waiting, size = [], 0
            waiting.append(html)
            size += len(html)
        if waiting:
            yield "".join(waiting)

    def document(self, html: str, top: float, size: QSizeF | None = None) -> QTextDocument:
        """A portion with so much room above it, on pages of a size."""
        for shown, written in _ON_PAPER:
            html = html.replace(shown, written)
        if top:
            html = f'<p style="margin:0;font-size:1px">&#8203;</p>{html}'
        document = SafeDocument()
        document.setDefaultFont(self.font)
        document.setIndentWidth(self._style.px(24))
        document.setDefaultTextOption(self._option)
        lines = dict(self._style.look.sizes.values())
        rooms = self._shelf.rooms(html, self.font, lines, _WIDTH, _RATIO)
        set_html(document, html, rooms)
        documents.prepare(document, html, self._style)
        _tidy(document)
        if top:
            form = QTextBlockFormat()
            form.setLineHeight(top, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
            QTextCursor(document).setBlockFormat(form)
        if size is not None:
            document.setPageSize(size)
        found = documents.around(document, html, self._look, self._style)
        self._around[document] = found
        return document

    def around(self, document: QTextDocument) -> Ornaments:
        """What is drawn around the words of a document that was made here."""
        return self._around[document]

    def draw(self, painter: QPainter, document: QTextDocument, clip: QRectF) -> None:
        """A document as far as it is in `clip`: what stands around its words, and these."""
        style = self._style
        # Words stand in the middle of their lines here, and the bars of quotes beside them.
        paint_ornaments(painter, style, self.around(document), 0, LIFT, LIFT)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = clip
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Text, Qt.GlobalColor.black)
        context.palette = palette
        document.documentLayout().draw(painter, context)

    def _makers(self) -> Iterator[_Maker | None]:
        look = self._look
        title = f'<p style="font-size:21px;font-weight:600">{text_html(self._title)}</p>'
        yield lambda: title
        for message in self._messages:
            # What is said begins in the document that says who.
            if message.role == "user" and message.kind in ("", "steer"):
                said = partial(user_html, message.text, look)
                yield partial(_named, "You", look, said)
            elif message.command is not None:
                ran = message.command
                kept = ", kept from the model" if ran.private else ""
                who = f"You ran a command ({ran.status or 'not ended'}{kept})"
                yield from _answer(f"{fenced(ran.text)}\n\n{fenced(message.text)}", who, look)
            elif message.role == "assistant" and message.text.strip():
                yield from _answer(message.text, "Kinet", look)
            for call in message.tool_calls:
                yield partial(_aside, _call(call.name, call.arguments), look)


def _call(name: str, arguments: str) -> str:
    cut = "…" if len(arguments) > _ARGUMENTS else ""
    return f"{name} {arguments[:_ARGUMENTS]}{cut}"


def _answer(source: str, who: str, look: Look) -> Iterator[_Maker | None]:
    stream = BlockStream(_BOUNDS)
    blocks: list[Block] = []
    for step in split_in_steps(stream, source):
        blocks += step
        yield None
    for number, block in enumerate(blocks):
        make = partial(to_html, block, look, stream.references)
        if number == 0:
            make = partial(_named, who, look, make)
        elif not block.continues:
            heading = block.source.lstrip().startswith("#")
            make = partial(_apart, look.gap if heading else look.gap // 2, make)
        yield make


def _named(who: str, look: Look, make: _Maker) -> str:
    return _who(who, look) + make()


def _apart(gap: int, make: _Maker) -> str:
    return f'<p style="margin:0;font-size:{gap}px">&#8203;</p>{make()}'


def _tidy(document: SafeDocument) -> None:
    """Code that stands at the edge moves in, and a table tells its head again on each page."""
    cursor = QTextCursor(document)
    for place in document.panels:
        block = document.findBlock(place)
        form = block.blockFormat()
        if place < 0 or form.leftMargin() or form.indent() or block.textList():
            continue
        form.setLeftMargin(_CODE_SIDE)
        form.setRightMargin(_CODE_SIDE)
        above = block.previous()
        if above.isValid() and above.position() not in document.panels:
            form.setTopMargin(_CODE_SIDE)
        cursor.setPosition(place)
        cursor.setBlockFormat(form)
    table = documents.table_of(document)
    if table is not None:
        head = table.format()
        head.setHeaderRowCount(1)
        table.setFormat(head)


def _who(name: str, look: Look) -> str:
    color = look.colors["text_3"]
    return f'<p style="font-size:12px;font-weight:600;color:{color};margin-top:16px">{name}</p>'


def _aside(text: str, look: Look) -> str:
    return f'<p style="font-size:12px;color:{look.colors["text_3"]}">{text_html(text)}</p>'


class _PaperShelf(FormulaShelf):
    """Paper has no second chance: what is wanted is drawn before the text is made again."""

    # A page may end below any line.
    shared = 0.0

    def __init__(self) -> None:
        super().__init__()
        self.wanted: list[Key] = []

    def tag(self, tex: str, display: bool, size: int, color: str) -> str:
        key = (tex, display, size, color)
        if key not in self._drawings:
            self.wanted.append(key)
            return ""
        return super().tag(tex, display, size, color)

    def draw(self) -> Iterator[Work]:
        """Each formula that is wanted, as a piece of work."""
        wanted, self.wanted = dict.fromkeys(self.wanted), []
        for key in wanted:
            yield partial(self._draw_one, key)

    def _draw_one(self, key: Key) -> None:
        tex, display, size, color = key
        self._drawings[key] = draw_formula(tex, display=display, size=size, color=color)
