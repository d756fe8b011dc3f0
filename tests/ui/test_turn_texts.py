"""The words of the status row, the money, and the records of steps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.completion import Usage
from kinet.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.ui.chat.turn_status import TurnStatus
from kinet.ui.kit.figures import cost_words, seconds_words, tokens_words
from kinet.ui.panel.step_text import raw_text
from kinet.ui.steps import StepBook, argument_of, counts_of, verb_of
from kinet.ui.transcript.blocks.durations import money

ASKED = ApprovalRequest("r", "c", "shell", "command", "Run this command?", "ls")


def test_the_status_says_what_the_turn_does() -> None:
    status = TurnStatus()
    words = []
    for event in (
        TurnStarted("s"),
        StepStarted(1),
        TextDelta("Hello"),
        ToolStarted("c", "shell", {"command": "ls -la"}),
        ApprovalRequested(ASKED),
        ApprovalResolved("r", "c", Decision(True)),
        ToolFinished("c", "shell"),
        TurnFinished("completed", duration_s=53.6),
    ):
        status.apply(event)
        words.append(status.status.text)
    assert words == [
        "Waiting for model",
        "Waiting for model",
        "Writing",
        "Running ls -la",
        "1 request needs your answer",
        "Running ls -la",
        "Working",
        "Done in 54 s",
    ]


@pytest.mark.parametrize(
    ("reason", "words"),
    [("stopped", "Stopped after 2 s"), ("failed", "Failed after 2 s")],
)
def test_each_end_has_its_word(reason: str, words: str) -> None:
    status = TurnStatus()
    status.apply(TurnStarted("s"))
    status.apply(TurnFinished(reason, duration_s=2.0))  # type: ignore[arg-type]
    assert status.status.text == words


def test_an_unknown_price_is_never_shown_as_nothing() -> None:
    assert cost_words(0.0, False) == "—"
    assert cost_words(0.013, True) == "≈ $0.013"
    assert cost_words(0.5, False) == "at least $0.50"
    assert cost_words(0.0, True) == "free"


def test_money_is_told_alike_wherever_it_is_shown() -> None:
    for cost, known, words in (
        (0.0, True, "free"),
        (0.0312, True, "≈ $0.031"),
        (0.00002, True, "< $0.001"),
        (0.02, False, "at least $0.020"),
    ):
        assert cost_words(cost, known) == words
        assert money(cost, known) == words
    # A turn without a known price says nothing of money.
    assert money(0.0, False) == ""
    assert cost_words(0.5, True, True) == money(0.5, True, True) == "≈ $0.50 (estimate)"


def test_durations_and_tokens_are_short() -> None:
    assert [seconds_words(value) for value in (0.42, 12.9, 68, 7_380)] == [
        "0.4 s", "12 s", "1 min 8 s", "2 h 3 min",
    ]  # fmt: skip
    assert [tokens_words(value) for value in (612, 8_200, 200_000, 1_000_000)] == [
        "612", "8.2k", "200k", "1M",
    ]  # fmt: skip


def test_a_step_follows_its_events() -> None:
    book = StepBook()
    book.apply(ToolStarted("c", "shell", {"command": "ls"}), 5.0)
    book.apply(ToolProgress("c", "a\n"))
    running = book.record("c")
    assert running is not None
    assert (running.state, running.progress, running.started_at) == ("running", "a\n", 5.0)
    book.apply(ToolFinished("c", "shell", content="a\nb\n", model_content="a", duration_s=1.5))
    done = book.record("c")
    assert done is not None
    assert (done.state, done.content, done.model_content, done.progress) == (
        "done", "a\nb\n", "a", "",
    )  # fmt: skip


def test_the_calls_of_a_step_know_what_their_request_cost() -> None:
    note = "message 3 changed: about 1,200 tokens were read anew"
    book = StepBook()
    for call_id in ("a", "b"):
        book.apply(ToolStarted(call_id, "grep", {"pattern": "x"}))
        book.apply(ToolFinished(call_id, "grep", content="found"))
    usage = Usage(2_000, 30, cache_read=800)
    book.apply(StepFinished(usage, 0.01, 800, segments=("+2", "f00d"), cache_note=note))
    book.apply(ToolStarted("c", "grep"))
    for call_id in ("a", "b"):
        record = book.record(call_id)
        assert record is not None
        assert (record.cache_note, record.segments) == (note, ("+2", "f00d"))
        raw = raw_text(replace(record, usage=usage))
        assert note in raw
        assert "f00d" in raw
    later = book.record("c")
    assert later is not None
    assert later.cache_note == ""


def test_a_denied_step_stays_denied_and_an_open_one_is_stopped_with_the_turn() -> None:
    book = StepBook()
    book.apply(ApprovalRequested(ASKED))
    book.apply(ApprovalResolved("r", "c", Decision(False)))
    book.apply(ToolFinished("c", "shell", is_error=True))
    book.apply(ToolStarted("d", "grep", {"pattern": "x"}))
    book.apply(TurnFinished("stopped"))
    assert [record.state for record in book.records()] == ["denied", "stopped"]
    assert book.neighbour("c", 1) == book.record("d")
    assert book.neighbour("c", -1) is None


def test_rows_are_named_by_what_they_do() -> None:
    assert verb_of("edit_file") == "Edit"
    assert verb_of("my_own_tool") == "My own tool"
    assert argument_of("shell", {"command": "a\n  b"}) == "a b"
    records = [
        *(StepBook([ToolStarted(str(n), "grep")]).records()[0] for n in range(2)),
        StepBook([ToolStarted("c", "shell")]).records()[0],
    ]
    assert counts_of(records) == "2 searches · 1 command"


def test_the_end_of_a_turn_looks_only_at_calls_that_are_open() -> None:
    class Unwalked(dict):
        def items(self):
            raise AssertionError("all calls of the session are walked through")

        values = __iter__ = items

    book = StepBook([ToolStarted("old", "shell"), ToolFinished("old", "shell", False)])
    book.apply(ToolStarted("now", "shell"))
    book._records = Unwalked(book._records)
    book.apply(TurnFinished("stopped"))
    assert book.record("now").state == "stopped"
    assert book.record("old").state == "done"
