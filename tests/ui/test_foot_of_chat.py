"""What stands about the conversation when words are long and room is short: steps, summaries."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QScrollArea

from kinet.core.events import ToolFinished
from kinet.ui.look.theme import load_theme
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.compaction_entry import CompactionEntry
from kinet.ui.transcript.entries.entry import Canvas
from kinet.ui.writing.todo_tray import TodoTray

LONG = "/srv/" + "a_very_long_name_without_any_place_to_break_it" * 6


@pytest.mark.parametrize("width", [300, 700])
def test_a_step_with_a_long_path_wraps_and_cuts_no_other(app: QApplication, width: int) -> None:
    tray = TodoTray()
    tray.setFixedWidth(width)
    items = [{"text": text, "state": "open"} for text in ("请把所有测试都检查一遍" * 9, LONG)]
    tray.take(ToolFinished("c", "todo", details={"items": items}))
    tray.set_open(True)
    tray.show()
    app.sendPostedEvents()
    area = tray.findChild(QScrollArea)
    assert area is not None
    inside = area.widget()
    assert inside.width() <= area.viewport().width()
    assert inside.minimumSizeHint().width() <= area.viewport().width()
    # The mark for breaking is for the eye alone.
    assert tray.texts()[1] == f"○ {LONG}"
    tray.deleteLater()


@pytest.mark.parametrize(("zoom", "width"), [(100, 760), (150, 720), (150, 460), (200, 420)])
def test_what_was_folded_can_be_asked_for_whatever_the_room(
    app: QApplication, zoom: int, width: int
) -> None:
    style = Style(load_theme("light"), zoom)
    entry = CompactionEntry(128_907, 18_143, "## Goal\nAll.")
    entry.estimate(style, width)
    words = entry._words(0.0)
    fitting = [word for word in words if style.advance(word, "ui", digits=True) <= width - 60]
    assert fitting
    assert fitting[0].endswith("Show what was folded")
    image = QImage(width, 80, QImage.Format.Format_ARGB32)
    image.fill(0xFFFFFFFF)
    painter = QPainter(image)
    entry.paint(Canvas(painter, style, width, 0, 80))
    painter.end()
    # Something stands at the end of the words: the mark that it opens.
    end = 36 + round(style.advance(fitting[0], "ui", digits=True))
    inked = [
        x
        for x in range(end + 4, min(width, end + 24))
        if any(image.pixel(x, y) != 0xFFFFFFFF for y in range(image.height()))
    ]
    assert inked
    # It can be pressed as far as its words go.
    (hit,) = entry.hits(style, width)
    assert hit.rect.right() >= min(end, style.room(entry.line_width))
