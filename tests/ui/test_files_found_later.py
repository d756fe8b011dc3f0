"""The card of files whose change was found when the turn had ended stands in that turn."""

from __future__ import annotations

import pytest

from kinet.core.events import (
    Event,
    FilesChanged,
    Notice,
    StepStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.ui.transcript.entries.files_entry import FilesEntry
from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import asked, live, said, saved, settle, shown


def _turn(turn_id: str, *more: Event, reason: str = "completed") -> list[Event]:
    return [
        TurnStarted("s", turn_id),
        asked(f"Ask {turn_id}."),
        StepStarted(1),
        said(f"Answer {turn_id}."),
        *more,
        TurnFinished(reason, at=1_760_000_000.0),  # type: ignore[arg-type]
    ]


LATE = FilesChanged(("late.txt",), "c1", 2, 1, "one")
EARLY = FilesChanged(("early.txt",), "c0", 5, 0)


def _read(transcript: Transcript) -> list[object]:
    """What is on screen from above: the kinds, and of a card what it says."""
    settle(transcript)
    return [
        (entry.paths, entry.added, entry.removed, entry.turn_id)
        if isinstance(entry, FilesEntry)
        else entry.kind
        for entry in transcript.stage.flow.entries
    ]


@pytest.mark.parametrize("how", ["live", "replayed"])
@pytest.mark.parametrize("when", ["at once", "in the next turn", "after the next turn"])
@pytest.mark.parametrize("card", [False, True])
def test_it_stands_above_the_line_that_ends_its_turn(app: object, how, when, card) -> None:
    first = _turn("one", *([EARLY] if card else []), reason="stopped")
    second = _turn("two")
    if when == "at once":
        events = [*first, LATE, *second]
    elif when == "in the next turn":
        events = [*first, *second[:3], LATE, *second[3:]]
    else:
        events = [*first, *second, LATE]
    transcript = shown(height=1200)
    if how == "live":
        presenter = live(transcript, events)
        assert presenter is not None
    else:
        transcript.load(saved(events))
    seen = _read(transcript)
    told = (("early.txt", "late.txt"), 7, 1, "one") if card else (("late.txt",), 2, 1, "one")
    assert seen.count(told) == 1
    place = seen.index(told)
    assert seen[place + 1] == "meta"
    # It is the first turn's: the second question comes below.
    assert [kind for kind in seen[:place] if kind == "user"] == ["user"]
    assert seen[place:].count("user") == 1


@pytest.mark.parametrize("how", ["live", "replayed"])
def test_what_was_found_of_a_turn_on_another_branch_stands_where_it_was_found(
    app: object, how: str
) -> None:
    """A job went on after the conversation went back: its changes can be seen and taken back."""
    told = Notice("The command changed 1 file.")
    events = [*_turn("zero"), *_turn("two"), told, LATE, LATE, *_turn("three")]
    transcript = shown(height=1200)
    if how == "live":
        live(transcript, events)
    else:
        transcript.load(saved(events))
    seen = _read(transcript)
    place = seen.index((("late.txt",), 4, 2, "one"))
    assert seen[place - 2 : place] == ["meta", "notice"]
    assert seen[place + 1] == "user"
    assert len([entry for entry in seen if isinstance(entry, tuple)]) == 1
