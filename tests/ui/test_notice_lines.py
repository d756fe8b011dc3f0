"""Notices in the conversation: read whole at any width, and not said twice."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from kinet.core.events import (
    ModelChosen,
    Notice,
    StepStarted,
    TurnEnd,
    TurnFinished,
    TurnStarted,
)
from kinet.ui.transcript.entries.lines import NOTICE, NoticeEntry
from kinet.ui.transcript.presenter import Presenter
from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import asked, said, settle, shown

LONG = (
    "The folder brings rules along that were changed by another program since you saw them: "
    "they are used when you have looked at the difference and said so."
)


def test_a_long_notice_takes_more_lines_in_less_room_and_all_of_it_is_drawn(
    app: QApplication,
) -> None:
    heights = []
    for width in (1200, 420):
        transcript = shown(width)
        transcript.load([TurnStarted("s"), asked("Hi"), Notice(LONG), said("Yes.")])
        settle(transcript)
        entry = next(e for e in transcript.stage.flow.entries if isinstance(e, NoticeEntry))
        heights.append(entry.height)
        place = transcript.stage.flow.place_of(entry)
        left, wide = transcript.stage.column
        top = transcript.stage.flow.top_of(place) - transcript.stage.bar.value()
        image = transcript.viewport().grab().toImage()
        ratio = round(image.devicePixelRatio())
        last = range(top + entry.height - 20, top + entry.height)
        ground = image.pixelColor((left - 2) * ratio, (top + 2) * ratio).lightness()
        assert any(
            abs(image.pixelColor(x * ratio, y * ratio).lightness() - ground) > 60
            for x in range(left + 24, left + wide)
            for y in last
        )
    assert heights[0] >= NOTICE
    assert heights[1] > heights[0]
    assert LONG in transcript.plain_text()


@pytest.mark.parametrize(
    ("reason", "reached"),
    [
        ("budget", "The turn's budget of 1.00 USD was reached."),
        ("budget", "The time limit of 120 seconds was reached."),
        ("budget", "The turn wrote more than 480 KB; the answer is partial."),
        ("step_limit", "The limit of 6 steps was reached; the task may be unfinished."),
        ("no_progress", "No progress: grep was called 6 times with the same result."),
    ],
)
def test_a_limit_is_told_once_and_by_its_own_name(
    app: QApplication, reason: TurnEnd, reached: str
) -> None:
    for told in ([Notice(reached, "warning")], []):
        transcript = shown()
        transcript.load(
            [TurnStarted("s"), asked("Hi"), *told, TurnFinished(reason, detail=reached)]
        )
        settle(transcript)
        text = transcript.plain_text()
        assert text.count(reached) == 1
        assert "money" not in text
        assert ("Stopped" in text) != bool(told)


def test_what_is_chosen_before_one_request_is_told_in_one_line(app: QApplication) -> None:
    begin = (TurnStarted("s"), asked("Hi"), said("Yes."), TurnFinished("completed"))
    large = ModelChosen("Large", "", "", "")
    deep = ModelChosen("Large", "high", "Large", "")
    back = ModelChosen("", "", "Large", "high")
    transcript = shown(1200)
    transcript.load([*begin, large, deep])
    settle(transcript)
    assert _notices(transcript) == ["Large answers from here on. Effort: high."]
    live = shown(1200)
    presenter = Presenter(live)
    for event in (*begin, large, deep):
        presenter.show(event)
    settle(live)
    assert _notices(live) == ["Large answers from here on. Effort: high."]
    # Chosen back: nothing has changed, so nothing is said.
    presenter.show(back)
    settle(live)
    assert _notices(live) == []
    presenter.show(large)
    for event in (TurnStarted("s"), asked("And?"), StepStarted(1)):
        presenter.show(event)
    # What came between two requests of one turn held for the first.
    presenter.show(deep)
    settle(live)
    assert _notices(live) == ["Large answers from here on.", "Effort: high."]


def _notices(transcript: Transcript) -> list[str]:
    return [e.text for e in transcript.stage.flow.entries if isinstance(e, NoticeEntry)]
