"""Turns Markdown into a page that needs nothing: no script, no style of the message, no picture.

The page says what the transcript says: HTML is text, a picture is its name and host, and a link
tells where it leads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from kinet.markup.blocks import BlockStream, split_in_steps
from kinet.markup.code_lines import code_info, code_titles
from kinet.markup.formulas import draw_formula
from kinet.markup.highlight import highlight, language_of_file
from kinet.markup.inline import TASK
from kinet.markup.links import bare_links, names_target, openable, target
from kinet.markup.parser import parser
from kinet.markup.render import is_hostile, parsed
from kinet.markup.slices import Block, Bounds
from kinet.markup.tables import table_direction
from kinet.markup.visible import direction, shown, shown_code
from kinet.paths import resources_dir

_BOUNDS = Bounds(10**6, 10**9, 10**6, characters=16_384, lines=2_000, open_characters=32_768)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_OWN_DIRECTION = ("paragraph_open", "heading_open", "list_item_open")
_CELLS = ("td_open", "th_open")
_OF_ITS_WORDS = ("bullet_list_open", "ordered_list_open", "blockquote_open")
_TEXT_COLOR = "currentColor"


def page(title: str, body: str) -> str:
    """A whole HTML page around a body that `body_html` and its like have made."""
    style = (resources_dir() / "page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{plain_html(title)}</title>\n<style>\n{style}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )


def body_html(source: str) -> str:
    """Markdown as HTML without a live reference. Never raises for any text."""
    stream = BlockStream(_BOUNDS)
    blocks = [block for step in split_in_steps(stream, source) for block in step]
    return "\n".join(_block(block, stream.references) for block in blocks)


def plain_html(text: str) -> str:
    """Plain text as HTML; line feeds stay."""
    return escape(shown(text))


def code_block_html(code: str, language: str = "") -> str:
    """Code with its colours."""
    code = shown_code(code)
    out, done = [], 0
    for start, length, color in highlight(code, language):
        out.append(escape(code[done:start]))
        done = start + length
        out.append(f'<span class="{color}">{escape(code[start:done])}</span>')
    return f'<pre dir="ltr"><code>{"".join(out)}{escape(code[done:])}</code></pre>'


def _block(block: Block, references: Mapping[str, object]) -> str:
    if is_hostile(block.markdown):
        return f"<p>{plain_html(block.source.strip())}</p>"
    tokens = parsed(block.markdown, references)
    begins = "ltr"
    repeated = block.lead.count("\n") if block.kind == "prose" else 0
    for place, token in enumerate(tokens):
        if token.type in _OWN_DIRECTION:
            token.attrSet("dir", "auto")
            if token.type == "list_item_open" and token.map and token.map[0] < repeated:
                # It began in the part before, where its mark stands.
                token.attrSet("style", "list-style:none")
        elif token.type == "table_open":
            begins = table_direction(tokens, place)
            token.attrSet("dir", begins)
        elif token.type in _CELLS:
            # What has no letters, a number for one, stands as the table does.
            token.attrSet("dir", direction(tokens[place + 1].content, begins))
        elif token.type in _OF_ITS_WORDS:
            # "auto" does not look into what has a direction of its own.
            said = next((one.content for one in tokens[place:] if one.type == "inline"), "")
            token.attrSet("dir", direction(said))
        elif token.type == "inline" and token.children and _in_item(tokens, place):
            item = tokens[place - 2]
            if _show_task(token.children[0]) and not item.info:
                # Its box stands for the bullet; a number stays.
                item.attrSet("style", "list-style:none")
    writer = _writer()
    writer.goes_on = block.continues
    return str(writer.render(tokens, parser().options, {}))


def _in_item(tokens: Sequence[Token], place: int) -> bool:
    """True for the first words of a list item."""
    return place >= 2 and tokens[place - 2].type == "list_item_open"


def _show_task(token: Token) -> bool:
    """A task shows its box, as a letter and no emoji; True for one."""
    task = TASK.match(token.content) if token.type == "text" else None
    if task is None:
        return False
    sign = "☐" if task[1] == " " else "☑"
    token.content = f"{sign}\ufe0e {token.content[task.end() :]}"
    return True


@lru_cache(maxsize=1)
def _writer() -> _PageWriter:
    return _PageWriter(MarkdownIt())


class _PageWriter(RendererHTML):
    """Writes tokens as HTML of its own; whatever the message says becomes text."""

    # True where the block before is the first part of the same one.
    goes_on = False

    def text(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """Words, with what acts unseen made visible."""
        text, place = tokens[idx].content, idx
        found = bare_links(text)
        while found and place > 0:
            place -= 1
            if tokens[place].type == "link_close":
                break
            if tokens[place].type == "link_open":
                return plain_html(text)
        out, done = [], 0
        for start, url in found:
            anchor = f'<a rel="noopener noreferrer" href="{escape(url)}">{plain_html(url)}</a>'
            out += [plain_html(text[done:start]), anchor]
            done = start + len(url)
        return "".join(out) + plain_html(text[done:])

    def code_inline(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """Code within a line."""
        return f'<code dir="ltr">{plain_html(tokens[idx].content)}</code>'

    def fence(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """A block of code."""
        info = tokens[idx].info
        language = code_info(info)[0]
        name, title = code_titles(info)
        said = " ".join(f"<{tag}>{plain_html(one)}</{tag}>" for tag, one in
                        (("b", name), ("span", title)) if one)  # fmt: skip
        head = f'<p class="name" dir="ltr">{said}</p>' if said and not self.goes_on else ""
        code = code_block_html(tokens[idx].content, language or language_of_file(name))
        return f"{head}{code}\n"

    def code_block(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """Code that is indented."""
        return code_block_html(tokens[idx].content) + "\n"

    def image(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """The name of a picture and where it would come from; it is not loaded."""
        url = str(tokens[idx].attrGet("src") or "")
        name = plain_html(tokens[idx].content or "image")
        return f"[{name}]{_aside(target(url) or url[:60])}"

    def link_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """A link to the web or a mail address; anything else is no link."""
        url = str(tokens[idx].attrGet("href") or "")
        return f'<a rel="noopener noreferrer" href="{escape(url)}">' if openable(url) else ""

    def link_close(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """The end of a link, and its host where the words do not tell it."""
        opening = idx - 1
        while opening > 0 and tokens[opening].type != "link_open":
            opening -= 1
        url = str(tokens[opening].attrGet("href") or "")
        said = "".join(token.content for token in tokens[opening:idx])
        if not openable(url):
            return _aside(url) if url.strip() and url not in said else ""
        return "</a>" if names_target(said, url) else f"</a>{_aside(target(url))}"

    def formula_inline(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """A formula as drawing, else its source."""
        token = tokens[idx]
        made = draw_formula(token.content, display=False, size=15, color=_TEXT_COLOR)
        if made is None:
            return f"<code>{plain_html(token.meta['source'])}</code>"
        # Its line is the text's.
        below = made.height - made.ascent
        return made.svg.replace("<svg ", f'<svg style="vertical-align:{-below:.2f}px" ', 1)

    def formula_block(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """A formula in a line of its own."""
        token = tokens[idx]
        made = draw_formula(token.content, display=True, size=15, color=_TEXT_COLOR)
        if made is None:
            source = str(token.meta["source"])
            is_words = not token.content and "\n" not in source
            return f"<p>{plain_html(source)}</p>\n" if is_words else code_block_html(source)
        return f'<p class="formula">{made.svg}</p>\n'

    def footnote_ref(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """The mark of a footnote."""
        return f"<sup>{plain_html(str(tokens[idx].meta['label']))}</sup>"

    def footnote_reference_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """A footnote, where it was written."""
        return f'<div class="aside"><b>{plain_html(str(tokens[idx].meta["label"]))}.</b>'

    def footnote_reference_close(self, *_: Any) -> str:
        """Its end."""
        return "</div>\n"


def _aside(text: str) -> str:
    return f' <span class="aside">{plain_html(text[:200])}</span>' if text else ""
