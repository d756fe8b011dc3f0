"""A session as a document for paper: Qt's own text, black on white, nothing loaded."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QTextDocument

from kinet.core.messages import Message
from kinet.markup.blocks import BlockStream, split_in_steps
from kinet.markup.formulas import draw_formula
from kinet.markup.inline import text_html
from kinet.markup.look import Look
from kinet.markup.render import to_html, user_html
from kinet.ui.look.theme import load_theme
from kinet.ui.transcript.documents import SafeDocument
from kinet.ui.transcript.formula_shelf import FormulaShelf
from kinet.ui.transcript.style import Style

_RATIO = 4.0
_WIDTH = 640


def paper(title: str, messages: Sequence[Message]) -> QTextDocument:
    """The document; it can be printed to a printer or a PDF."""
    shelf = _NowShelf()
    style = Style(load_theme("light"), 100, 1.0, shelf)
    parts = [f'<p style="font-size:21px;font-weight:600">{text_html(title)}</p>']
    for message in messages:
        if message.role == "user" and message.kind in ("", "steer"):
            parts += [_who("You", style.look), user_html(message.text, style.look)]
        elif message.role == "assistant" and message.text.strip():
            parts += [_who("Kinet", style.look), _answer(message.text, style.look)]
        for call in message.tool_calls:
            parts.append(_aside(f"{call.name} {call.arguments}"[:300], style.look))
    html = "".join(parts).replace("list-style-type:none", "list-style-type:disc")
    document = SafeDocument()
    document.setDefaultFont(style.font("answer"))
    shelf.give(document, html, _WIDTH, _RATIO)
    document.setHtml(html.replace('<img src="', '<img style="vertical-align:middle" src="'))
    return document


def _answer(source: str, look: Look) -> str:
    stream = BlockStream()
    blocks = [block for step in split_in_steps(stream, source) for block in step]
    gap = f'<p style="margin:0;font-size:{look.gap // 2}px">&#8203;</p>'
    return gap.join(to_html(block, look, stream.references) for block in blocks)


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
