"""One-line entries: notices, the figures under a turn, and the files that it changed."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect

from kinet.ui.transcript import draw
from kinet.ui.transcript.durations import plural
from kinet.ui.transcript.entry import Canvas, Entry, Hit
from kinet.ui.transcript.style import Style

NOTICE = 28
META = 28
FILES = 44

_LEVELS = {
    "info": ("info", "text_3"),
    "warning": ("alert", "warning"),
    "error": ("error", "danger"),
}


class NoticeEntry(Entry):
    """One line that tells something: a retry, a limit, a stop."""

    kind = "notice"
    __slots__ = ("icon", "level", "text")

    def __init__(self, text: str, level: str = "info", icon: str = "") -> None:
        super().__init__()
        self.text = " ".join(text.split())
        self.level = level
        self.icon = icon
        self.height = NOTICE

    def estimate(self, style: Style, width: int) -> None:
        """The height is always exact."""
        self.height = style.room(NOTICE)

    def paint(self, canvas: Canvas) -> None:
        """Draws mark and words; what does not fit is told by the tooltip."""
        painter, style = canvas.painter, canvas.style
        mark, token = _LEVELS.get(self.level, _LEVELS["info"])
        draw.icon(painter, style, QRect(0, 0, 16, self.height), self.icon or mark, token, 16)
        line = QRect(24, 0, canvas.width - 24, self.height)
        words = "text_3" if self.level == "info" else "text_2"
        draw.words(painter, style, line, style.elided(self.text, line.width()), words)

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """Nothing to click; long words are told whole."""
        if style.advance(self.text) > width - 24:
            return Hit("", "", QRect(0, 0, width, self.height), self.text)
        return None

    def markdown(self) -> str:
        """The words, in brackets."""
        return f"[{self.text}]"


@dataclass(frozen=True)
class Figures:
    """What a turn took: the time of day it ended, tokens, money, seconds."""

    at: str = ""
    tokens_in: int = 0
    cached: int = 0
    tokens_out: int = 0
    cost: str = ""
    seconds: str = ""

    def parts(self) -> list[str]:
        """The words of the line, in their order."""
        tokens = ""
        if self.tokens_in or self.tokens_out:
            cached = f" ({self.cached:,} cached)" if self.cached else ""
            tokens = f"{self.tokens_in:,} in{cached} · {self.tokens_out:,} out"
        return [part for part in (self.at, tokens, self.cost, self.seconds) if part]


class MetaEntry(Entry):
    """The quiet line that ends a turn, with what can be done with it."""

    kind = "meta"
    __slots__ = ("answer", "figures", "newest")

    def __init__(self, figures: Figures, answer: str) -> None:
        super().__init__()
        self.figures = figures
        self.answer = answer
        self.newest = True
        self.height = META

    def estimate(self, style: Style, width: int) -> None:
        """The height is always exact."""
        self.height = style.room(META)

    def paint(self, canvas: Canvas) -> None:
        """Draws the figures, and the buttons at the column's edge."""
        painter, style = canvas.painter, canvas.style
        left = 0
        hits = self.hits(style, canvas.width)
        room = (hits[0].rect.x() if hits else canvas.width) - 8
        for part in self.figures.parts():
            width = round(style.advance(part, "meta", digits=True))
            if left + width > room:
                break
            line = QRect(left, 0, width + 2, self.height)
            draw.words(painter, style, line, part, "text_3", "meta", digits=True)
            left += width + 12
        for hit in hits:
            copied = hit.action == "copy-turn" and canvas.copied is self
            name = "check" if copied else _BUTTONS[hit.action]
            draw.button(
                painter, style, hit.rect, name, token="success" if copied else "text_2",
                hovered=canvas.is_hovered(hit), focused=canvas.is_focused(hit),
            )  # fmt: skip

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """A button."""
        return next((h for h in self.hits(style, width) if h.rect.contains(x, y)), None)

    def hits(self, style: Style, width: int) -> list[Hit]:
        """Copy, and Retry under the newest turn."""
        actions = [("copy-turn", "Copy answer")] if self.answer else []
        if self.newest:
            actions.append(("retry", "Retry"))
        # Glyphs, not hit areas, are flush with the column: 6 of the button lie outside.
        left = width + 6 - 32 * len(actions) + 4
        return [
            Hit(action, "", QRect(left + 32 * place, 0, draw.BUTTON, self.height), tip)
            for place, (action, tip) in enumerate(actions)
        ]


_BUTTONS = {"copy-turn": "copy", "retry": "retry"}


class FilesEntry(Entry):
    """The card of 44 that says what a turn changed on disk."""

    kind = "files"
    __slots__ = ("added", "call_id", "paths", "removed")

    def __init__(self, paths: tuple[str, ...], added: int, removed: int, call_id: str) -> None:
        super().__init__()
        self.paths = paths
        self.added = added
        self.removed = removed
        self.call_id = call_id
        self.height = FILES

    def estimate(self, style: Style, width: int) -> None:
        """The height is always exact."""
        self.height = style.room(FILES)

    def paint(self, canvas: Canvas) -> None:
        """Draws the card."""
        painter, style = canvas.painter, canvas.style
        draw.card(painter, style, QRect(0, 0, canvas.width, self.height), "raised")
        draw.icon(painter, style, QRect(12, 0, 16, self.height), "file-diff", "text_2", 16)
        left = 36
        title = f"{plural(len(self.paths), 'file')} changed"
        line = QRect(left, 0, canvas.width - left, self.height)
        left += draw.words(painter, style, line, title, bold=True, digits=True) + 8
        for number, sign, token in ((self.added, "+", "success"), (self.removed, "−", "danger")):
            if number:
                line = QRect(left, 0, 100, self.height)
                left += draw.words(painter, style, line, f"{sign}{number}", token, digits=True) + 8
        for hit in self.hits(style, canvas.width):
            token = "accent_hover" if canvas.is_hovered(hit) else "accent"
            draw.words(painter, style, hit.rect, "Review", token)
            if canvas.is_focused(hit):
                draw.ring(painter, style, hit.rect.adjusted(-6, 6, 6, -6))

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """Review; the names are told over the rest."""
        for found in self.hits(style, width):
            if found.rect.contains(x, y):
                return found
        return Hit("", "", QRect(0, 0, width, self.height), "\n".join(self.paths[:30]))

    def hits(self, style: Style, width: int) -> list[Hit]:
        """Review shows the newest change in the panel."""
        if not self.call_id:
            return []
        wide = round(style.advance("Review"))
        return [Hit("step", self.call_id, QRect(width - 16 - wide, 0, wide + 2, self.height), "")]

    def markdown(self) -> str:
        """The names of the files."""
        names = ", ".join(f"`{path}`" for path in self.paths)
        return f"{plural(len(self.paths), 'file')} changed: {names}"
