"""Tab goes through a part as it is read: in the order in which its layouts hold its controls."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QWidget


def tab_as_laid_out(part: QWidget) -> None:
    """Brings all that takes the focus in `part` into the order of its layouts.

    Qt's own order is that in which the controls were made, which nobody sees.
    """
    for before, after in itertools.pairwise(stops_in(part)):
        QWidget.setTabOrder(before, after)


def stops_in(part: QWidget) -> list[QWidget]:
    """Where Tab stops, in the order of the layouts, hidden ones too; `part` comes first."""
    return list(_stops(part))


def _stops(widget: QWidget) -> Iterator[QWidget]:
    if widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value:
        yield widget
    layout = widget.layout()
    inside = widget.widget() if isinstance(widget, QScrollArea) else None
    if layout is not None:
        yield from _in(layout)
    elif inside is not None:
        yield from _stops(inside)


def _in(layout: QLayout) -> Iterator[QWidget]:
    for number in range(layout.count()):
        item = layout.itemAt(number)
        inner = item.widget() if item is not None else None
        below = item.layout() if item is not None else None
        if inner is not None:
            yield from _stops(inner)
        elif below is not None:
            yield from _in(below)
