"""Makes readable text of a web page: title, headings, paragraphs, lists, links; no markup."""

from __future__ import annotations

import codecs
import re
from html.parser import HTMLParser
from urllib.parse import urljoin

_SILENT = frozenset({
    "script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "math",
    "audio", "video", "select", "button", "form", "dialog", "nav",
})  # fmt: skip
_VOID = frozenset({
    "br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track",
    "wbr",
})  # fmt: skip
_BLOCKS = frozenset({
    "p", "div", "section", "article", "main", "header", "footer", "aside", "table", "tr", "ul",
    "ol", "dl", "dt", "dd", "figure", "figcaption", "blockquote", "pre", "address", "details",
    "summary", "title", "h1", "h2", "h3", "h4", "h5", "h6", "li", "hr", "br", "fieldset",
})  # fmt: skip
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0", re.I)
_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{1,40})", re.I)
# Controls, zero-width and bidirectional marks, tags and variation selectors: nobody sees them.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_MOST_LINKS = 2_000
# Characters that are a page's matter for certain, however much stands beside it.
_ENOUGH = 400
# Begins a line of preformatted text; no page can hold it, for NUL is no character of HTML.
_AS_IS = "\x00"
_ASIDE_TAGS = frozenset({"aside", "footer"})
_ASIDE_ROLES = frozenset({
    "navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar",
})  # fmt: skip
_ASIDE_NAMES = re.compile(
    r"(?:^|[\s_-])(?<!has-)(?<!with-)(?<!no-)(?:cookies?|consent|gdpr|side-?bars?|sphinxsidebar|breadcrumbs?|(?:nav|main|site|"
    r"top)-?menus?|menus?|navbar|navigation|toc|share|sharing|social|related|promo|newsletter|"
    r"advert\w*|ads?|footer|site-?header|skip-?link|logo|popup|modal)(?:$|[\s_-])",
    re.I,
)
_PIECE = 64 * 1024


def decoded(body: bytes, content_type: str) -> str:
    """The text of a body, in the charset it names if that is one; never raises."""
    named = re.search(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", content_type)
    inner = _CHARSET.search(body[:2_048])
    names = [named.group(1)] if named else []
    names += [inner.group(1).decode("ascii")] if inner else []
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        names.insert(0, "utf-16")
    for name in names:
        try:
            if codecs.lookup(name)._is_text_encoding:
                return body.decode(name, "replace")
        except (LookupError, ValueError):
            continue
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return body.decode("utf-8-sig" if _mostly_utf8(body) else "cp1252", "replace")


def _mostly_utf8(body: bytes) -> bool:
    text = body[:65_536].decode("utf-8", "replace")
    return text.count("�") * 20 < sum(ord(char) > 127 for char in text)


def readable(text: str, url: str) -> tuple[str, str]:
    """(title, text) of an HTML page. What is hidden by style, attribute or comment is left out.

    So is what stands beside the matter (menus, footers, notices), unless hardly anything is left
    then, or such a part never ends: a page that is not sound is given whole.
    """
    title, trimmed, sound = _read(text, url, trim=True)
    if sound and len(trimmed) >= _ENOUGH:
        return title, trimmed
    _, whole, _ = _read(text, url, trim=False)
    return title, trimmed if sound and 2 * len(trimmed) >= len(whole) else whole


def _read(text: str, url: str, *, trim: bool) -> tuple[str, str, bool]:
    reader = _Reader(url, trim=trim)
    reader.feed(text)
    reader.close()
    # Lines of a program stay as they are; all others lose their blanks.
    lines = [
        line[1:].rstrip() if line.startswith(_AS_IS) else " ".join(line.split())
        for line in "".join(reader.pieces).split("\n")
    ]
    joined = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n").rstrip()
    return " ".join("".join(reader.title).split()), joined, not reader.is_open


def without_unseen(text: str) -> str:
    """The text without characters that nobody can see."""
    # In pieces: a page of nothing else would leave a list of ten million.
    pieces = range(0, len(text), _PIECE)
    return "".join(_UNSEEN.sub("", text[start : start + _PIECE]) for start in pieces)


class _Reader(HTMLParser):
    """Collects text; keeps a count of how deep inside something silent it is."""

    def __init__(self, url: str, *, trim: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._trim = trim
        self._in_pre = 0
        self.pieces: list[str] = []
        self.title: list[str] = []
        self._url = url
        self._silent: list[str] = []
        self._in_title = False
        self._link = ""
        self._links = 0

    @property
    def is_open(self) -> bool:
        """True if something silent never ended."""
        return bool(self._silent)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            if tag in ("br", "hr") and not self._silent:
                self.pieces.append(f"\n{_AS_IS}" if self._in_pre else "\n")
            return
        if self._silent:
            if tag == self._silent[-1]:
                self._silent.append(tag)
            return
        values = {name: value or "" for name, value in attrs}
        if tag in _SILENT or _is_hidden(values) or (self._trim and _is_aside(tag, values)):
            self._silent.append(tag)
            return
        if tag == "pre":
            self._in_pre += 1
            self.pieces.append(f"\n\n{_AS_IS}```\n{_AS_IS}")
            return
        if tag == "title":
            self._in_title = True
        elif tag == "a":
            self._link = values.get("href", "")
        elif tag in _BLOCKS:
            self.pieces.append(_opening(tag))

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            if tag == self._silent[-1]:
                self._silent.pop()
            return
        if tag == "pre":
            if self._in_pre:
                self._in_pre -= 1
                self.pieces.append(f"\n{_AS_IS}```\n")
        elif tag == "title":
            self._in_title = False
        elif tag == "a":
            self._end_link()
        elif tag in ("td", "th"):
            self.pieces.append(" | ")
        elif tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
        elif self._in_pre and not self._silent:
            self.pieces.append(data.replace(_AS_IS, "").replace("\n", f"\n{_AS_IS}"))
        elif not self._silent:
            self.pieces.append(data.replace(_AS_IS, "").replace("\n", " "))

    def _end_link(self) -> None:
        link, self._link = self._link, ""
        if not link or link.startswith("#") or self._links >= _MOST_LINKS:
            return
        try:
            target = urljoin(self._url, link)
        except ValueError:
            return  # Not an address at all: the words of the link stay, the target does not.
        if target.startswith(("http://", "https://")):
            self._links += 1
            self.pieces.append(f" ({target})")


def _is_hidden(values: dict[str, str]) -> bool:
    return (
        "hidden" in values
        or values.get("aria-hidden") == "true"
        or _HIDDEN_STYLE.search(values.get("style", "")) is not None
    )


def _is_aside(tag: str, values: dict[str, str]) -> bool:
    """True for what stands beside a page's matter, by its own words."""
    if tag in ("html", "body", "main", "article"):
        return False
    if tag in _ASIDE_TAGS or values.get("role", "").strip().lower() in _ASIDE_ROLES:
        return True
    names = f"{values.get('class', '')} {values.get('id', '')}"
    return tag not in ("a", "span", "p") and _ASIDE_NAMES.search(names) is not None


def _opening(tag: str) -> str:
    if tag == "li":
        return "\n- "
    if tag[0] == "h" and tag[1:].isdigit():
        return "\n\n" + "#" * int(tag[1]) + " "
    return "\n\n" if tag in ("p", "section", "article", "table", "blockquote", "pre") else "\n"
