"""A long conversation is looked through once for a text, not once for each step to its places."""

from __future__ import annotations

from typing import Any

import pytest

from kinet.core.events import TextDelta, TurnStarted
from kinet.ui.transcript.presenter import Presenter
from kinet.ui.transcript.stage import finding
from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import said, settle, shown


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The entries that were looked through."""
    seen: list[Any] = []
    look = finding._places_in

    def noted(entry: Any, text: str) -> int:
        seen.append(entry)
        return look(entry, text)

    monkeypatch.setattr(finding, "_places_in", noted)
    return seen


def _loaded() -> Transcript:
    text = "A needle here. " + "Some other words. " * 30
    transcript = shown()
    transcript.load([said(f"{number} {text}") for number in range(40)])
    settle(transcript)
    return transcript


def test_going_on_looks_through_nothing_again(app: object, looked: list[Any]) -> None:
    transcript = _loaded()
    assert transcript.find_next("needle") == (1, 40)
    count = len(looked)
    for number in range(2, 12):
        settle(transcript)
        assert transcript.find_next("needle") == (number, 40)
    assert transcript.find_next("needle", backwards=True) == (10, 40)
    assert len(looked) == count


def test_what_is_said_meanwhile_is_found_too(app: object, looked: list[Any]) -> None:
    transcript = _loaded()
    presenter = Presenter(transcript)
    presenter.show(TurnStarted("s"))
    presenter.show(TextDelta("Nothing yet. "))
    settle(transcript)
    assert transcript.find_next("needle") == (1, 40)
    presenter.show(TextDelta("One more needle."))
    settle(transcript)
    assert transcript.find_next("needle") == (2, 41)
