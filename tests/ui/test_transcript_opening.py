"""A long conversation opens at its end, and its beginning comes above it without being noticed."""

from __future__ import annotations

from kinet.core.events import Event, TextDelta, TurnFinished, TurnStarted
from kinet.ui.transcript.entries.turn_ends import TurnEnds
from kinet.ui.transcript.presenter import Presenter
from kinet.ui.transcript.stage.sink import Sheet
from kinet.ui.transcript.teller import Teller
from tests.ui.transcript_kit import asked, said, saved, settle, shown, turn


def _long(turns: int) -> list[Event]:
    events: list[Event] = []
    for number in range(turns):
        events += [
            TurnStarted("s", f"m{number}"),
            asked(f"Question {number}"),
            said(f"Answer {number} has a needle."),
            TurnFinished("completed", duration_s=1.0),
        ]
    return events


def test_the_end_is_there_before_the_beginning(app: object) -> None:
    transcript = shown()
    transcript.load(_long(3_000))
    first = list(transcript.stage.flow.entries)
    assert "Answer 2999" in first[-2].markdown()
    assert len(first) < 1_000
    assert not transcript.is_idle()
    settle(transcript)
    entries = transcript.stage.flow.entries
    assert len(entries) == 9_000
    assert "Question 0" in entries[0].markdown()
    assert transcript.verticalScrollBar().value() == transcript.verticalScrollBar().maximum()


def test_it_is_the_same_as_told_from_the_beginning(app: object) -> None:
    events = [*_long(40), *saved(turn()), *_long(3)]
    transcript, plain = shown(), shown()
    transcript.load(events)
    settle(transcript)
    sheet = Sheet()
    teller = Teller(sheet, TurnEnds())
    for event in events:
        teller.show(event)
    plain.stage.set_entries(sheet.entries)
    settle(plain)
    assert transcript.plain_text() == plain.plain_text()
    kinds = [(entry.kind, entry.gap) for entry in transcript.stage.flow.entries]
    assert kinds == [(entry.kind, entry.gap) for entry in plain.stage.flow.entries]


def test_what_is_read_stays_where_it_is_while_older_text_comes(app: object, monkeypatch) -> None:
    # A slow machine shows fewer turns at once, less than there is to scroll.
    monkeypatch.setattr("kinet.ui.transcript.presenter._FIRST_SECONDS", 10.0)
    transcript = shown()
    transcript.load(_long(3_000))
    stage = transcript.stage
    stage.bar.setValue(stage.bar.maximum() - 900)
    stage.refresh()
    entry = stage.flow.entries[stage.flow.at(stage.bar.value() + 100)]
    before = stage.flow.top_of(stage.flow.place_of(entry)) - stage.bar.value()
    settle(transcript)
    assert stage.flow.top_of(stage.flow.place_of(entry)) - stage.bar.value() == before
    assert not transcript.following


def test_selection_and_everything_selected_move_with_their_text(app: object) -> None:
    transcript = shown()
    transcript.load(_long(3_000))
    transcript.selection.all()
    settle(transcript)
    text = transcript.selection.text()
    assert "Question 0" in text
    assert "Answer 2999" in text


def test_a_find_counts_what_came_later_and_stays_at_its_place(app: object) -> None:
    transcript = shown()
    told: list[tuple[int, int]] = []
    transcript.found.connect(lambda number, total: told.append((number, total)))
    transcript.load(_long(3_000))
    transcript.find_next("Answer 2999")
    transcript.clear_find()
    transcript.find_next("needle", backwards=True)
    settle(transcript)
    assert told[-1] == (3_000, 3_000)
    current = transcript.finder.current
    assert current is not None
    assert "Answer 2999" in transcript.stage.flow.entries[current.entry].markdown()


def test_a_find_that_takes_long_answers_later(app: object, monkeypatch) -> None:
    monkeypatch.setattr("kinet.ui.transcript.stage.finding._FIRST_SECONDS", 0.0)
    transcript = shown()
    transcript.load(_long(400))
    settle(transcript)
    told: list[tuple[int, int]] = []
    transcript.found.connect(lambda number, total: told.append((number, total)))
    assert transcript.find_next("Answer 7 ") is None
    settle(transcript)
    assert told == [(1, 1)]
    assert not transcript.following


def test_words_that_come_before_the_newest_turn_is_told_belong_to_it(app: object) -> None:
    transcript = shown()
    presenter = Presenter(transcript)
    draft = "word " * 20_000
    pieces: list[Event] = [TextDelta(draft[n : n + 5]) for n in range(0, len(draft), 5)]
    presenter.replay([*_long(3), TurnStarted("s", "m3"), asked("Go."), *pieces])
    presenter.show(TextDelta("and the end."))
    settle(transcript)
    entries = transcript.stage.flow.entries
    assert [entry.kind for entry in entries[-2:]] == ["user", "answer"]
    assert entries[-1].markdown() == draft + "and the end."


def test_what_is_known_of_turns_is_told_to_those_that_come_later(app: object) -> None:
    transcript = shown()
    presenter = Presenter(transcript)
    presenter.replay(_long(3_000))
    presenter.show_branches({"m0": (1, 2)})
    settle(transcript)
    line = transcript.stage.flow.entries[2]
    assert line.kind == "meta"
    assert line.branch == (1, 2)


def test_another_width_reaches_what_is_far_away(app: object) -> None:
    transcript = shown()
    transcript.load([event for _ in range(300) for event in (asked("a"), said("word " * 300))])
    settle(transcript)
    flow = transcript.stage.flow
    before = flow.entries[1].height
    transcript.resize(420, 700)
    settle(transcript)
    assert flow.entries[1].height > before
    bottoms = [flow.top_of(n) + flow.entries[n].height for n in range(600)]
    tops = [flow.top_of(n) - flow.entries[n].gap for n in range(600)]
    assert tops[1:] == bottoms[:-1]
