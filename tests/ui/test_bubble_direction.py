"""A message in any direction of writing is seen in its bubble."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from kinet.core.events import TurnFinished
from kinet.ui.transcript.entries.bubble import SIDE, UserEntry
from tests.ui.transcript_kit import asked, said, settle, shown


@pytest.mark.parametrize("text", ["Short", "短い", "لخص الملفات من فضلك", "סכם", "سطر\nسطر ثان"])
def test_the_words_of_a_short_message_lie_within_its_bubble(app: QApplication, text: str) -> None:
    transcript = shown()
    transcript.load([asked(text), said("Yes."), TurnFinished("completed")])
    settle(transcript)
    stage = transcript.stage
    entry = stage.flow.entries[0]
    assert isinstance(entry, UserEntry)
    assert entry.bubble < 400
    left, width = stage.column
    image = transcript.viewport().grab().toImage()
    ratio = round(image.devicePixelRatio())
    top = stage.flow.top_of(0) - stage.bar.value()
    inside = entry.bubble - 2 * SIDE
    begin = left + width - entry.bubble + SIDE
    ground = image.pixelColor((begin - 4) * ratio, (top + entry.height // 2) * ratio)
    inked = {
        x
        for x in range(begin, begin + inside)
        for y in range(top + 10, top + entry.height - 10)
        if abs(image.pixelColor(x * ratio, y * ratio).lightness() - ground.lightness()) > 60
    }
    # Ink from one edge of the text to the other: nothing is cut off.
    assert min(inked) - begin < 8
    assert begin + inside - max(inked) < 8
