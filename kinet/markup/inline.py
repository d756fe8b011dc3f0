"""Writes the inline part of a block: words, emphasis, code, formulas, links, names of images."""

from __future__ import annotations

import re
from html import escape

from markdown_it.token import Token

from kinet.markup.links import bare_links, names_target, openable, target
from kinet.markup.look import Look
from kinet.markup.visible import (
    ITS_END,
    LEFT_TO_RIGHT,
    PAD,
    breakable,
    is_right_to_left,
    shown,
    shown_inline,
)

# Marks what is added about a link or a picture, so that it is never copied as words.
ASIDE = "aside"
# What a list item that is a task begins with.
TASK = re.compile(r"^\[([ xX])\][ \u00a0]")
# Pixels that the box of a numbered task and the gap behind it take.
_BOX_ROOM = 21
_TAGS = {
    "strong_open": '<span style="font-weight:600">',
    "em_open": "<i>",
    "em_close": "</i>",
    "s_open": "<s>",
    "s_close": "</s>",
    "softbreak": "\n",
    "hardbreak": "<br>",
}


def text_html(text: str) -> str:
    """Plain text as rich text, safe to show."""
    return escape(breakable(shown(text)))


def linked_html(text: str, look: Look) -> str:
    """Plain text, its bare addresses as links."""
    out, done = [], 0
    for place, url in bare_links(text):
        out += [text_html(text[done:place]), f"{_anchor(url, look)}{text_html(url)}</a>"]
        done = place + len(url)
    return "".join(out) + text_html(text[done:])


def _anchor(url: str, look: Look) -> str:
    style = f"color:{look.colors['link']};text-decoration:underline"
    return f'<a href="{escape(url)}" style="{style}">'


def code_html(text: str, look: Look, *, padded: bool = True, isolated: bool = False) -> str:
    """Code within a line, with room for the edges of its background if `padded`.

    `isolated` keeps it from the left where the line is written from the right.
    """
    size = look.size("inline")[0]
    style = f"font-family:{look.code_family};font-size:{size}px;white-space:pre-wrap"
    before, after = (LEFT_TO_RIGHT, ITS_END) if isolated else ("", "")
    said = escape(breakable(shown_inline(text)))
    pad = f'<span style="letter-spacing:4px">{PAD}</span>' if padded else PAD if isolated else ""
    return f'{pad}{before}<code style="{style}">{said}</code>{after}{pad}'


class InlineWriter:
    """Walks the inline tokens of one block."""

    def __init__(
        self, look: Look, out: list[str], *, is_item: bool, numbered: bool = False
    ) -> None:
        self.look = look
        self.out = out
        self.is_item = is_item
        self.numbered = numbered
        # (address, where its text begins in `out`) of the links that are open; "" if not openable.
        self._links: list[tuple[str, str, list[str]]] = []

    def write(self, tokens: list[Token]) -> None:
        """All tokens, in order."""
        isolated = any(is_right_to_left(token.content) for token in tokens)
        for place, token in enumerate(tokens):
            match token.type:
                case "text":
                    self._text(token.content, first=place == 0)
                case "code_inline":
                    self._said(token.content)
                    self.out.append(code_html(token.content, self.look, isolated=isolated))
                case "link_open":
                    self._link_open(str(token.attrGet("href") or ""))
                case "link_close":
                    self._link_close()
                case "image":
                    self._image(token)
                case "formula_inline":
                    self._formula(token)
                case "footnote_ref":
                    self._footnote(str(token.meta["label"]))
                case "strong_close":
                    self.out.append("</span>")
                case _:
                    tag = _TAGS.get(token.type)
                    self.out.append(text_html(token.content) if tag is None else tag)

    def _said(self, text: str) -> None:
        if self._links:
            self._links[-1][2].append(text)

    def _text(self, text: str, first: bool) -> None:
        self._said(text)
        task = TASK.match(text) if first and self.is_item else None
        if task:
            mark = "☐" if task.group(1) == " " else "☑"
            # Faces differ too much: a box is drawn for the bullet, its sign is only copied.
            self.out.append(f'<span style="font-size:1px;color:transparent">{mark}</span>')
            if self.numbered:
                # Its number stands there: the box has room of its own.
                self.out.append(f'<span style="letter-spacing:{_BOX_ROOM}px">{PAD}</span>')
            text = text[task.end() :]
        if self._links:
            self.out.append(text_html(text))
            return
        self.out.append(linked_html(text, self.look))

    def _link_open(self, url: str) -> None:
        kind = "a" if openable(url) else ""
        if kind:
            self.out.append(_anchor(url, self.look))
        self._links.append((url, kind, []))

    def _link_close(self) -> None:
        if not self._links:
            return
        url, kind, words = self._links.pop()
        if kind:
            self.out.append("</a>")
        said = "".join(words)
        if not kind and url.strip() and url not in said:
            self._aside(url)
        elif kind and not names_target(said, url):
            self._aside(target(url))

    def _image(self, token: Token) -> None:
        url = str(token.attrGet("src") or "")
        name = token.content or "image"
        self._said(name)
        self.out.append(text_html(f"[{name}]"))
        self._aside(target(url) or url[:60])

    def _formula(self, token: Token) -> None:
        source = str(token.meta["source"])
        self._said(source)
        size = self.look.size(self.look.base)[0]
        drawn = self.look.formula(token.content, False, size)
        self.out.append(drawn or code_html(source, self.look))

    def _footnote(self, label: str) -> None:
        self._said(label)
        color = self.look.colors["text_2"]
        style = f"vertical-align:super;color:{color}"
        self.out.append(f'<span style="{style}">{text_html(label)}</span>')

    def _aside(self, text: str) -> None:
        size = self.look.size("meta")[0]
        style = f"color:{self.look.colors['text_3']};font-size:{size}px"
        said = text_html(text[:200])
        self.out.append(f'<span title="{ASIDE}" style="{style}"> {said}</span>')
