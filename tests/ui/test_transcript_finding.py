"""Find looks through the sources, also of what is folded or far away."""

from __future__ import annotations

from kinet.ui.transcript.steps_group import StepGroup
from tests.ui.transcript_kit import asked, said, saved, settle, shown, turn


def test_it_goes_from_place_to_place_and_around(app: object) -> None:
    transcript = shown()
    events = [
        asked("first needle"),
        said("no\n\n" * 80),
        said("a Needle and a needle"),
        asked("end"),
    ]
    transcript.load(events)
    settle(transcript)
    assert transcript.find_next("needle") == (1, 3)
    assert not transcript.following
    assert transcript.find_next("needle") == (2, 3)
    assert transcript.find_next("needle") == (3, 3)
    assert transcript.find_next("needle") == (1, 3)
    assert transcript.find_next("needle", backwards=True) == (3, 3)
    assert transcript.find_next("nowhere") == (0, 0)


def test_the_place_comes_into_view(app: object) -> None:
    transcript = shown()
    transcript.load([said("needle here"), *(said(f"Message {n}.\n\n" * 20) for n in range(30))])
    settle(transcript)
    transcript.find_next("needle")
    settle(transcript)
    assert transcript.verticalScrollBar().value() == 0


def test_a_place_in_a_folded_step_opens_it(app: object) -> None:
    transcript = shown()
    calls: list[str] = []
    transcript.step_activated.connect(calls.append)
    transcript.load(saved(turn()))
    settle(transcript)
    assert transcript.find_next("12 lines") == (1, 1)
    assert calls == ["c1"]
    group = next(e for e in transcript.stage.flow.entries if isinstance(e, StepGroup))
    assert group.open


def test_clearing_takes_the_marks_away(app: object) -> None:
    transcript = shown()
    transcript.load([said("needle")])
    settle(transcript)
    before = transcript.grab().toImage()
    transcript.find_next("needle")
    assert transcript.grab().toImage() != before
    transcript.clear_find()
    assert transcript.grab().toImage() == before
