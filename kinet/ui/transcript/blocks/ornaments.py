"""What is drawn around the words of a block: bullets, quote bars, code backgrounds, rules.

Qt would draw these too heavy, square or out of line; here they are found in a document, so that
they can be drawn as the rest of the window is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFragment,
    QTextListFormat,
)

from kinet.markup.look import BARS

_RULE = int(QTextFormat.Property.BlockTrailingHorizontalRulerWidth.value)
_PLAIN = QTextListFormat.Style.ListStyleUndefined
# What a task begins with in its document; the box itself is drawn.
TASKS = ("☐", "☑")
# A line that is moved down by more of its height begins a page.
_PAGE_END = 0.35
# How far the box of a numbered task stands behind where a bullet would.
_BEHIND = 21


@dataclass
class Ornaments:
    """Places in a document's own coordinates."""

    bullets: list[QPointF] = field(default_factory=list)
    # Boxes of tasks, and whether they are done.
    tasks: list[tuple[QPointF, bool]] = field(default_factory=list)
    bars: list[QRectF] = field(default_factory=list)
    # Code within a line, and whole lines of code inside a list or a quote.
    boxes: list[QRectF] = field(default_factory=list)
    panels: list[QRectF] = field(default_factory=list)
    rules: list[QRectF] = field(default_factory=list)


NONE = Ornaments()


def prepare(document: QTextDocument) -> set[int]:
    """Takes from a document what is drawn here instead; the positions of its lines of code."""
    panels: set[int] = set()
    cursor = QTextCursor(document)
    block = document.begin()
    while block.isValid():
        form = block.blockFormat()
        is_rule = form.hasProperty(_RULE)
        if is_rule or form.hasProperty(int(QTextFormat.Property.BackgroundBrush.value)):
            cursor.setPosition(block.position())
            if is_rule:
                form.clearProperty(_RULE)
                panels.add(-1 - block.position())
            else:
                form.clearBackground()
                panels.add(block.position())
            cursor.setBlockFormat(form)
        block = block.next()
    return panels


def turn(document: QTextDocument) -> None:
    """Puts a quote's room to where its paragraph begins: right, if it is read from there."""
    cursor = QTextCursor(document)
    block = document.begin()
    while block.isValid():
        form = block.blockFormat()
        if form.leftMargin() > 0 and block.textDirection() == Qt.LayoutDirection.RightToLeft:
            form.setRightMargin(form.leftMargin())
            form.setLeftMargin(0)
            cursor.setPosition(block.position())
            cursor.setBlockFormat(form)
        block = block.next()


def find(document: QTextDocument, panels: set[int], indent: int, code: str) -> Ornaments:
    """All that is to be drawn around the words of a laid-out document.

    `indent` is the step of quotes, `code` the first family of the code font: the mark of code.
    """
    made = Ornaments()
    block = document.begin()
    bars: list[QRectF] = []
    while block.isValid():
        box = document.documentLayout().blockBoundingRect(block)
        position = block.position()
        if position in panels:
            left = box.x() + block.layout().lineAt(0).x()
            wide = max(0.0, document.textWidth() - left)
            # A line that had no room on its page stands on the next one.
            line = block.layout().lineAt(0)
            top = box.y() + (line.y() if line.y() > _PAGE_END * line.height() else 0)
            _join(made.panels, QRectF(left, top, wide, box.bottom() - top), 8)
        elif -1 - position in panels:
            made.rules.append(QRectF(box.x(), round(box.center().y()), box.width(), 1))
        else:
            made.boxes += _inline_code(block, box.topLeft(), code)
        listed = block.textList()
        drawn = listed is not None and listed.format().style() == _PLAIN
        # A quote that an item begins with stands behind its bullet.
        back = indent * _depths(block).count(listed.format().indent()) if listed else 0
        if drawn and block.text().startswith(TASKS):
            place = _bullet(block, box, back)
            if block.textDirection() == Qt.LayoutDirection.RightToLeft:
                # A box is wider than a bullet, and leans away from the words.
                place += QPointF(4, 0)
            made.tasks.append((place, block.text().startswith(TASKS[1])))
        elif listed is not None and block.text().startswith(TASKS):
            # Behind the number.
            place = _bullet(block, box, -_BEHIND)
            made.tasks.append((place, block.text().startswith(TASKS[1])))
        elif drawn:
            made.bullets.append(_bullet(block, box, back))
        bars = _bars(document, block, box, indent, bars)
        made.bars += [bar for bar in bars if all(bar is not one for one in made.bars)]
        block = block.next()
    return made


def first_of(value: Any) -> float:
    """A number that Qt gives alone or with the place it was measured at."""
    return float(value[0] if isinstance(value, tuple) else value)


def _bullet(block: QTextBlock, box: QRectF, back: int) -> QPointF:
    line = block.layout().lineAt(0)
    y = box.y() + line.y() + line.height() / 2
    if block.textDirection().value == 1:
        return QPointF(box.x() + line.x() + line.width() + 10 + back, y)
    return QPointF(box.x() + line.x() - 10 - back, y)


def _bars(
    document: QTextDocument, block: QTextBlock, box: QRectF, indent: int, before: list[QRectF]
) -> list[QRectF]:
    """The bars beside a paragraph, outermost first; those `before` it go on where they can."""
    depths = _depths(block)
    if not depths:
        return []
    # Qt puts what a line is higher than its letters above them, and leaves it out below the last.
    bottom = box.bottom() + block.layout().lineAt(0).y()
    bars: list[QRectF] = []
    for level, depth in enumerate(depths):
        left = level * indent + depth * document.indentWidth()
        if block.textDirection() == Qt.LayoutDirection.RightToLeft:
            left = document.textWidth() - left - 3
        if level < len(before) and before[level].x() == left:
            bars.append(before[level])
            bars[-1].setBottom(bottom)
        else:
            bars.append(QRectF(left, box.y(), 3, bottom - box.y()))
    return bars


def _depths(block: QTextBlock) -> list[int]:
    """For each quote that a paragraph stands in, how many lists are around the quote."""
    first = block.begin()
    said = first.fragment().charFormat().toolTip() if not first.atEnd() else ""
    return [int(one) for one in said.removeprefix(BARS).split()] if said.startswith(BARS) else []


def _join(panels: list[QRectF], box: QRectF, near: float) -> None:
    last = panels[-1] if panels else None
    if last is not None and last.x() == box.x() and box.y() - last.bottom() < near:
        last.setBottom(box.bottom())
    else:
        panels.append(QRectF(box))


def _inline_code(block: QTextBlock, origin: QPointF, code: str) -> list[QRectF]:
    boxes: list[QRectF] = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        if fragment.isValid() and code in (fragment.charFormat().fontFamilies() or [])[:1]:
            boxes += boxes_of(block, fragment, origin)
        iterator += 1
    return boxes


def boxes_of(block: QTextBlock, fragment: QTextFragment, origin: QPointF) -> list[QRectF]:
    """Where a piece of text stands, line by line; `origin` is the corner of its paragraph."""
    layout = block.layout()
    first, length = fragment.position() - block.position(), fragment.length()
    boxes = []
    while length > 0:
        line = layout.lineForTextPosition(first)
        if not line.isValid():
            break
        count = min(length, line.textStart() + line.textLength() - first)
        left = first_of(line.cursorToX(first))
        right = first_of(line.cursorToX(first + max(count, 0)))
        box = QRectF(min(left, right), line.y(), abs(right - left), line.height())
        boxes.append(box.translated(origin))
        if count <= 0:
            break
        first, length = first + count, length - count
    return boxes
