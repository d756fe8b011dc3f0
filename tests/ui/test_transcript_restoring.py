"""Restored looks like live, and streamed like opened."""

from __future__ import annotations

import random

import pytest

from kinet.core.events import SegmentReset, StepStarted, TextDelta, TurnFinished, TurnStarted
from tests.ui.transcript_kit import (
    ANSWER,
    asked,
    live,
    on_screen,
    picture,
    said,
    saved,
    settle,
    shown,
    turn,
)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_restored_conversation_looks_exactly_like_the_live_one(app: object, mode: str) -> None:
    now, later = shown(mode=mode), shown(mode=mode)
    live(now, turn())
    later.load(saved(turn()))
    settle(later)
    kinds = [entry.kind for entry in now.stage.flow.entries]
    assert kinds == [entry.kind for entry in later.stage.flow.entries]
    assert kinds == ["user", "reasoning", "steps", "answer", "files", "meta"]
    assert now.plain_text() == later.plain_text()
    assert picture(now) == picture(later)


@pytest.mark.parametrize("seed", range(12))
def test_streamed_in_any_pieces_gives_the_blocks_of_the_whole(app: object, seed: int) -> None:
    chance = random.Random(seed)
    text = "\n\n".join(chance.sample(ANSWER.split("\n\n"), 5)) + "\n"
    streamed, opened = shown(), shown()
    events = [TurnStarted("s"), asked("Go.")]
    place = 0
    while place < len(text):
        size = chance.choice([1, 3, 20])
        events.append(TextDelta(text[place : place + size]))
        place += size
    live(streamed, [*events, TurnFinished("stopped")])
    opened.load([TurnStarted("s"), asked("Go."), said(text)])
    settle(opened)
    first = streamed.stage.flow.entries[1].pieces
    second = opened.stage.flow.entries[1].pieces
    assert [p.block for p in first] == [p.block for p in second]
    assert [p.height for p in first] == [p.height for p in second]


def test_a_request_made_again_takes_back_what_it_had_shown(app: object) -> None:
    transcript = shown()
    live(
        transcript,
        [
            TurnStarted("s"),
            asked("Go."),
            StepStarted(1),
            TextDelta("A first try that broke"),
            SegmentReset(2),
            TextDelta("The second try."),
            said("The second try."),
            TurnFinished("completed"),
        ],
    )
    assert "first try" not in transcript.plain_text()
    assert transcript.plain_text().count("The second try.") == 1


def test_a_draft_that_was_restored_streams_on(app: object) -> None:
    transcript = shown()
    presenter = live(transcript, [])
    presenter.replay([TurnStarted("s"), asked("Go."), TextDelta("Half of a ")])
    settle(transcript)
    presenter.show(TextDelta("sentence."))
    settle(transcript)
    assert transcript.plain_text().endswith("Half of a sentence.")


def test_an_open_fence_is_code_at_once_and_stays_what_it_is(app: object) -> None:
    transcript = shown()
    presenter = live(transcript, [TurnStarted("s"), asked("Go.")])
    kinds = []
    for piece in ("Look:\n\n```py\n", "x = 1\n", "y = 2\n", "```\n", "\nDone."):
        presenter.show(TextDelta(piece))
        settle(transcript)
        kinds.append([p.kind for p in transcript.stage.flow.entries[1].pieces])
    assert kinds[1:4] == [["prose", "code"]] * 3
    assert kinds[4] == ["prose", "code", "prose"]


def test_code_that_is_indented_shows_all_its_lines_while_it_comes(app: object) -> None:
    transcript = shown()
    presenter = live(transcript, [TurnStarted("s"), asked("Go.")])
    texts = []
    for piece in ("Look:\n\n    first = 1\n", "    second = 2\n", "\n      third"):
        presenter.show(TextDelta(piece))
        settle(transcript)
        texts.append(transcript.stage.flow.entries[1].pieces[1].document.toPlainText())
    assert texts == ["first = 1", "first = 1\nsecond = 2", "first = 1\nsecond = 2\n\n  third"]


def test_what_is_painted_bit_by_bit_equals_what_is_painted_at_once(app: object) -> None:
    transcript = shown(height=400)
    presenter = live(transcript, [TurnStarted("s"), asked("Go.")])
    text = ANSWER * 3
    for place in range(0, len(text), 23):
        presenter.show(TextDelta(text[place : place + 23]))
        settle(transcript)
        if place % 5 == 0:
            kept = on_screen(transcript)
            transcript.viewport().update()
            settle(transcript)
            assert on_screen(transcript) == kept
