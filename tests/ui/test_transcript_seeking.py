"""A step that stands above what is told yet is opened as soon as it is told."""

from __future__ import annotations

import pytest

from kinet.core.events import Event, ToolFinished, ToolStarted, TurnFinished, TurnStarted
from kinet.ui.transcript import presenter
from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import asked, said, settle, shown

TURNS = 60


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, app: object) -> tuple[Transcript, list[str]]:
    """A long conversation of which only the end is told, and the steps that are opened in it."""
    monkeypatch.setattr(presenter, "_FIRST_ENTRIES", 3)
    events: list[Event] = []
    for number in range(TURNS):
        events += [
            TurnStarted("s", f"t{number}"),
            asked(f"Ask {number}"),
            ToolStarted(f"c{number}", "read_file", {"path": "a.py"}),
            ToolFinished(f"c{number}", "read_file", False, "1 line", f"content {number}"),
            said("Done."),
            TurnFinished("completed"),
        ]
    transcript = shown()
    steps: list[str] = []
    transcript.step_activated.connect(steps.append)
    transcript.load(events)
    assert len(transcript.stage.flow.entries) < 4 * TURNS
    return transcript, steps


def test_a_step_far_above_is_opened_when_it_is_told(
    opened: tuple[Transcript, list[str]],
) -> None:
    transcript, steps = opened
    transcript.open_call("c1", "content")
    assert steps == []
    settle(transcript)
    assert steps == ["c1"]
    assert not transcript.following


def test_what_is_no_step_is_said_when_all_is_told(opened: tuple[Transcript, list[str]]) -> None:
    transcript, steps = opened
    missed: list[str] = []
    transcript.open_call("none such", otherwise=lambda: missed.append("none such"))
    assert missed == []
    settle(transcript)
    assert missed == ["none such"]
    assert steps == []
    transcript.open_call("none such", otherwise=lambda: missed.append("again"))
    assert missed == ["none such", "again"]


def test_the_newest_step_needs_nothing_of_what_is_above(
    opened: tuple[Transcript, list[str]],
) -> None:
    transcript, steps = opened
    transcript.open_step(-1)
    assert steps == [f"c{TURNS - 1}"]
    assert not transcript.stage.filler.is_idle


@pytest.mark.parametrize(
    ("index", "call"), [(0, "c0"), (7, "c7"), (-2, f"c{TURNS - 2}"), (TURNS, ""), (-TURNS - 1, "")]
)
def test_steps_are_counted_from_both_ends(
    opened: tuple[Transcript, list[str]], index: int, call: str
) -> None:
    transcript, steps = opened
    settle(transcript)
    transcript.open_step(index)
    assert steps == ([call] if call else [])
