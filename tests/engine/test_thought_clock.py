"""The time a model reasoned travels with its message."""

from __future__ import annotations

import pytest

from kinet.core.events import MessageCompleted, SegmentReset, StepStarted, TextDelta, ThinkingDelta
from kinet.core.messages import Message
from kinet.engine import thought_clock
from kinet.engine.thought_clock import ThoughtClock

SAID = MessageCompleted(Message("assistant", "Yes."))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ThoughtClock:
    """A clock for which every event takes one second."""
    seconds = iter(range(100))
    monkeypatch.setattr(thought_clock.time, "monotonic", lambda: float(next(seconds)))
    return ThoughtClock()


def test_it_runs_from_the_first_thought_to_the_first_word(clock: ThoughtClock) -> None:
    for event in (StepStarted(1), ThinkingDelta("a"), ThinkingDelta("b"), TextDelta("Yes")):
        assert clock.stamped(event) is event
    assert clock.stamped(TextDelta(".")) == TextDelta(".")
    stamped = clock.stamped(SAID)
    assert isinstance(stamped, MessageCompleted)
    assert stamped.thought_s == 2.0


def test_a_message_without_reasoning_is_left_as_it_is(clock: ThoughtClock) -> None:
    clock.stamped(StepStarted(1))
    clock.stamped(TextDelta("Yes."))
    assert clock.stamped(SAID) is SAID


def test_a_request_made_again_begins_anew(clock: ThoughtClock) -> None:
    clock.stamped(ThinkingDelta("a"))
    clock.stamped(SegmentReset(2))
    assert clock.stamped(SAID) is SAID
