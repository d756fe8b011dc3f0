"""Grounds that are laid over stretches of rows, only where the eye is: each costs Qt its time."""

from __future__ import annotations

from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from kinet.markup.visible import is_right_to_left
from kinet.ui.kit.row_colours import characters, units
from kinet.ui.kit.rows import Row

# A row with more marks gets those alone that can be seen: Qt measures all rows on screen for each.
_MOST = 24
# Pixels beside the view that count as seen.
_BESIDE = 24.0

# (where it begins, how long it is, colour of the letters, of the ground), in characters.
Mark = tuple[int, int, QColor | None, QColor | None]


def marked(
    view: QPlainTextEdit, block: QTextBlock, row: Row, marks: list[Mark]
) -> list[QTextEdit.ExtraSelection]:
    """These marks of a row that is on screen."""
    if len(marks) > _MOST:
        first, last = _seen(view, block, row)
        marks = [mark for mark in marks if mark[0] <= last and mark[0] + mark[1] >= first]
    return [_selection(block, row, mark) for mark in marks]


def _seen(view: QPlainTextEdit, block: QTextBlock, row: Row) -> tuple[int, int]:
    """The first and the last character of a row that can be seen, or all where that is not plain:
    broken rows, and letters from the right."""
    layout = block.layout()
    broken = view.lineWrapMode() != QPlainTextEdit.LineWrapMode.NoWrap or layout.lineCount() != 1
    if broken or is_right_to_left(row.text):
        return 0, len(row.text)
    line, left = layout.lineAt(0), -view.contentOffset().x()
    first = line.xToCursor(left - _BESIDE)
    last = line.xToCursor(left + view.viewport().width() + _BESIDE)
    return characters(row.text, first), characters(row.text, last)


def _selection(block: QTextBlock, row: Row, mark: Mark) -> QTextEdit.ExtraSelection:
    start, length, letters, ground = mark
    made = QTextEdit.ExtraSelection()
    first = block.position() + units(row.text[:start])
    cursor = QTextCursor(block)
    cursor.setPosition(first)
    cursor.setPosition(
        first + units(row.text[start : start + length]), QTextCursor.MoveMode.KeepAnchor
    )
    look = QTextCharFormat()
    if letters is not None:
        look.setForeground(letters)
    if ground is not None:
        look.setBackground(ground)
    made.cursor = cursor
    made.format = look
    return made
