"""Draws one line of text with the letters that were searched for set off from the rest."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter

from kinet.ui.look.theme import current_theme


def places(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """(start, end) of the first place of each word in `text`, whatever the case; joined, in order.

    Where folding changes the length of the text nothing is marked: the places would be wrong.
    """
    folded = text.casefold()
    if len(folded) != len(text):
        return []
    found = sorted(
        (place, place + len(word))
        for word in words
        if word and (place := folded.find(word.casefold())) >= 0
    )
    joined: list[tuple[int, int]] = []
    for start, end in found:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def from_first(text: str, words: Sequence[str], font: QFont, room: int) -> str:
    """The text, begun later where the first word that was searched for would not be seen."""
    found = places(text, words)
    if not found:
        return text
    strong = QFont(font)
    strong.setWeight(QFont.Weight.DemiBold)
    metrics = QFontMetrics(strong)
    start, end = found[0]
    begun = 0
    while begun < start:
        shown = ("…" if begun else "") + text[begun:end] + "…"
        if metrics.horizontalAdvance(shown) <= room:
            break
        # By whole words, where there are some.
        blank = text.find(" ", begun, start)
        begun = blank + 1 if blank >= 0 else start
    return f"…{text[begun:]}" if begun else text


def draw_marked(
    painter: QPainter,
    rect: QRect,
    text: str,
    words: Sequence[str],
    *,
    font: QFont,
    token: str = "text",
    mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> int:
    """Draws `text` in `rect`, ended by "…" where it does not fit; gives the width it took."""
    theme = current_theme()
    strong = QFont(font)
    strong.setWeight(QFont.Weight.DemiBold)
    shown = QFontMetrics(strong).elidedText(text, mode, rect.width())
    if QFontMetrics(font).horizontalAdvance(text) <= rect.width() and not words:
        shown = text
    left = rect.left()
    last = 0
    middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    pieces = []
    for start, end in places(shown, words):
        pieces += [(shown[last:start], False), (shown[start:end], True)]
        last = end
    pieces.append((shown[last:], False))
    for piece, marked in pieces:
        if not piece:
            continue
        used = strong if marked else font
        painter.setFont(used)
        painter.setPen(theme.qcolor("accent" if marked else token))
        width = QFontMetrics(used).horizontalAdvance(piece)
        area = QRect(QPoint(left, rect.top()), rect.bottomRight())
        painter.drawText(area, middle | Qt.TextFlag.TextSingleLine, piece)
        left += width
    return left - rect.left()
