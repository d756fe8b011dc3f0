"""The words of a part of a document as they read: marks of lists, formulas' sources, cells."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from kinet.markup.inline import ASIDE
from kinet.markup.visible import PAD, unbroken
from kinet.ui.transcript.blocks.documents import columns_in_order, reading_order, table_of
from kinet.ui.transcript.blocks.formula_objects import OBJECT, pictures
from kinet.ui.transcript.blocks.formula_shelf import source_of
from kinet.ui.transcript.blocks.ornaments import TASKS

_BREAKS = "\u2028\u2029\ufdd0\ufdd1"


def units(text: str, begin: int, end: int) -> str:
    """The part of a text between two UTF-16 places."""
    if text.isascii():
        return text[begin:end]
    raw = text.encode("utf-16-le", "surrogatepass")[2 * begin : 2 * end]
    return raw.decode("utf-16-le", "replace")


def words(document: QTextDocument, begin: int, end: int) -> str:
    """What is between two places, line by line, without what was added about links.

    Cells of a table in a list or a quote have tabs between them.
    """
    rows: list[str] = []
    row_before = (-1, -1)
    for block in reading_order(document, begin, end):
        position = block.position()
        first = max(begin, position)
        said = "".join(_said(block, first, min(end, position + block.length() - 1)))
        if said == PAD and len(block.text()) > 1:
            # Nothing but what was added above code.
            continue
        names = iter(pictures(block)[units(block.text(), 0, first - position).count(OBJECT) :])
        row = "".join(source_of(next(names, "")) if c == OBJECT else c for c in said)
        if position >= begin:
            # The sign of a task has no room behind it on screen.
            is_drawn = row.startswith(TASKS) and row[1:2] != " "
            row = _mark(block) + (f"{row[0]} {row[1:]}" if is_drawn else row)
        row_here = _row_of(block)
        if rows and row_here[0] >= 0 and row_here == row_before:
            rows[-1] += f"\t{row}"
        else:
            rows.append(row)
        row_before = row_here
    return unbroken(_with_line_feeds("\n".join(rows)))


def _row_of(block: QTextBlock) -> tuple[int, int]:
    """The table that a paragraph is in and its row; -1 for none."""
    if not block.document().rootFrame().childFrames():
        return -1, -1
    table = QTextCursor(block).currentTable()
    if table is None:
        return -1, -1
    return table.firstPosition(), table.cellAt(block.position()).row()


def cells(document: QTextDocument, begin: int, end: int) -> str:
    """Cells with tabs between them, rows as lines; a part of one cell as it is."""
    table = table_of(document)
    if table is None:
        return ""
    begin, end = max(begin, table.firstPosition()), min(end, table.lastPosition())
    last_place = end if end == table.lastPosition() else max(begin, end - 1)
    first, last = table.cellAt(begin), table.cellAt(last_place)
    if not first.isValid() or not last.isValid() or begin > end:
        return ""
    if first == last:
        return words(document, begin, end)
    rows = []
    for row in range(first.row(), last.row() + 1):
        found = []
        for column in columns_in_order(table):
            cell = table.cellAt(row, column)
            if (first.row(), first.column()) <= (row, column) <= (last.row(), last.column()):
                said = words(document, cell.firstPosition(), cell.lastPosition())
                found.append(said.replace("\n", " "))
        rows.append("\t".join(found))
    return "\n".join(rows)


def _said(block: QTextBlock, begin: int, end: int) -> Iterator[str]:
    """The text of a paragraph between two places of the document, hosts of links left out."""
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        first = max(begin, fragment.position())
        last = min(end, fragment.position() + fragment.length())
        if first < last and fragment.charFormat().toolTip() != ASIDE:
            place = fragment.position()
            yield units(fragment.text(), first - place, last - place)
        iterator += 1


def _mark(block: QTextBlock) -> str:
    """What stands before an item of a list: its number or a dash, further in where it is deeper."""
    listed = block.textList()
    if listed is None:
        return ""
    indent = "  " * max(0, listed.format().indent() - 1)
    number = listed.itemText(block)
    if any(c.isalnum() for c in number):
        return f"{indent}{number} "
    return indent if block.text().startswith(TASKS) else f"{indent}- "


def _with_line_feeds(text: str) -> str:
    return "".join("\n" if c in _BREAKS else c for c in text)
