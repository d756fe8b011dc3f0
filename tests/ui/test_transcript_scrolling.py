"""Follow and hold: only the person changes it, and nothing moves under their eyes."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from kinet.core.events import TextDelta, TurnStarted
from kinet.ui.transcript.entries.steps_group import StepGroup
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.hand.jump_button import JumpButton
from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import asked, click, live, said, saved, settle, shown, turn


def _wheel(transcript: Transcript, turned: int) -> None:
    place = QPointF(200, 200)
    event = QWheelEvent(
        place,
        transcript.viewport().mapToGlobal(place),
        QPoint(),
        QPoint(0, turned),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(transcript.viewport(), event)
    settle(transcript)


def _long(count: int = 8) -> Transcript:
    transcript = shown()
    transcript.load([event for _ in range(count) for event in saved(turn())])
    settle(transcript)
    return transcript


def _at_end(transcript: Transcript) -> bool:
    bar = transcript.verticalScrollBar()
    return bar.value() == bar.maximum()


def test_it_opens_at_the_end_and_follows_a_stream(app: object) -> None:
    transcript = _long()
    assert _at_end(transcript)
    presenter = live(transcript, [TurnStarted("s"), asked("More.")])
    for number in range(80):
        presenter.show(TextDelta(f"Line {number} of many words.\n\n"))
        if number % 8 == 0:
            settle(transcript)
            assert _at_end(transcript)
    assert transcript.following


def test_the_wheel_holds_it_and_text_that_comes_moves_nothing(app: object) -> None:
    transcript = _long()
    presenter = live(transcript, [TurnStarted("s"), asked("More.")])
    _wheel(transcript, 240)
    assert not transcript.following
    before = transcript.verticalScrollBar().value()
    for number in range(40):
        presenter.show(TextDelta(f"Line {number}.\n\n"))
    settle(transcript)
    assert transcript.verticalScrollBar().value() == before
    button = transcript.findChild(JumpButton, "jumpToBottomButton")
    assert button.isVisible()
    assert button.text() == "New text below"
    button.click()
    settle(transcript)
    assert transcript.following
    assert _at_end(transcript)
    assert not button.isVisible()


def test_scrolling_to_the_end_follows_again(app: object) -> None:
    transcript = _long()
    _wheel(transcript, 480)
    assert not transcript.following
    for _ in range(10):
        _wheel(transcript, -480)
    assert transcript.following


def test_a_group_that_opens_above_moves_nothing_that_is_seen(app: object) -> None:
    transcript = _long()
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    settle(transcript)
    flow = transcript.stage.flow
    seen = flow.at(bar.value() + 300)
    before = flow.top_of(seen) - bar.value()
    group = next(e for e in flow.entries[:seen] if isinstance(e, StepGroup))
    group.toggle()
    transcript.stage.touch(group)
    settle(transcript)
    assert flow.top_of(seen) - bar.value() == before


def test_scrolling_up_through_what_was_never_seen_moves_nothing_by_itself(app: object) -> None:
    transcript = _long(30)
    bar = transcript.verticalScrollBar()
    flow = transcript.stage.flow
    for _ in range(40):
        settle(transcript)
        # The block in the middle of the screen moves by just as much as the wheel turns; of an
        # entry that begins above the screen the beginning was never seen.
        middle = flow.at(bar.value() + 300)
        entry = flow.entries[middle]
        number = -1
        if isinstance(entry, TextEntry):
            number = entry.piece_at(bar.value() + 300 - flow.top_of(middle))

        def top(middle: int = middle, number: int = number) -> int:
            piece_top = flow.entries[middle].piece_top(number) if number >= 0 else 0
            return flow.top_of(middle) + piece_top - bar.value()

        before = top()
        bar.setValue(bar.value() - 150)
        settle(transcript)
        assert abs(top() - before - 150) <= 1


def test_resizing_keeps_the_place(app: object) -> None:
    transcript = _long()
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    settle(transcript)
    number = transcript.stage.flow.at(bar.value() + 100)
    transcript.resize(600, 600)
    settle(transcript)
    assert abs(transcript.stage.flow.at(bar.value() + 100) - number) <= 1
    transcript.jump_to_bottom()
    settle(transcript)
    transcript.resize(900, 500)
    settle(transcript)
    assert _at_end(transcript)


def test_opening_a_step_holds_and_tells_the_call(app: object) -> None:
    transcript = _long(1)
    calls: list[str] = []
    transcript.step_activated.connect(calls.append)
    click(transcript, 2, "fold")
    assert not transcript.following
    click(transcript, 2, "step")
    transcript.open_step(-1)
    assert calls == ["c1", "c2"]


def test_a_card_stands_at_the_end_and_goes_again(app: object) -> None:
    transcript = _long(1)
    card = QLabel("Allow once")
    card.setMinimumHeight(90)
    transcript.add_card(card)
    settle(transcript)
    left, width = transcript.stage.column
    assert (card.x(), card.width(), card.height()) == (left, width, 90)
    assert card.geometry().bottom() < transcript.viewport().height()
    presenter = live(transcript, [TurnStarted("s"), asked("More.")])
    presenter.show(TextDelta("Words above the card."))
    settle(transcript)
    assert transcript.stage.flow.entries[-1].kind == "card"
    transcript.remove_card(card)
    settle(transcript)
    assert not card.isVisible()
    assert "card" not in [entry.kind for entry in transcript.stage.flow.entries]


def test_the_column_has_the_edges_of_the_composer(app: object) -> None:
    assert shown(940).stage.column == (110, 720)
    assert shown(540).stage.column == (24, 492)


def test_keys_scroll_and_letters_go_on_to_the_parent(app: object) -> None:
    transcript = _long()
    QTest.keyClick(transcript, Qt.Key.Key_PageUp)
    assert not transcript.following
    QTest.keyClick(transcript, Qt.Key.Key_Home)
    assert transcript.verticalScrollBar().value() == 0
    QTest.keyClick(transcript, Qt.Key.Key_End)
    settle(transcript)
    assert transcript.following


def test_a_table_that_fits_again_is_not_scrolled_sideways(app: object) -> None:
    transcript = shown(940)
    live(transcript, [said("| a | b | c |\n|---|---|---|\n| one | two | three |\n")])
    run = transcript.stage.flow.entries[0].piece(0).run
    transcript.resize(540, 600)
    settle(transcript)
    assert run.content_width <= transcript.stage.column[1]


def test_long_lines_of_code_scroll_inside_their_card(app: object) -> None:
    transcript = shown(540)
    live(transcript, [said("```\n" + "long " * 100 + "\n```\n")])
    run = transcript.stage.flow.entries[0].piece(0).run
    assert run.content_width > transcript.stage.column[1]
    assert transcript.horizontalScrollBar().maximum() == 0
    place = QPointF(200, 60)
    event = QWheelEvent(
        place,
        transcript.viewport().mapToGlobal(place),
        QPoint(),
        QPoint(-240, 0),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(transcript.viewport(), event)
    assert run.scroll == 120
    click(transcript, 0, "wrap")
    assert run.wrap
    assert run.scroll == 0


def _streams(transcript: Transcript, lines: int) -> None:
    presenter = live(transcript, [TurnStarted("s"), asked("A question of mine.")])
    for number in range(lines):
        presenter.show(TextDelta(f"Line {number} of many words.\n\n"))
    settle(transcript)


def test_the_question_can_stay_at_the_top_while_the_answer_grows_down(app: object) -> None:
    transcript = _long()
    transcript.stage.follower.mode = "question"
    transcript.jump_to_bottom()
    stage = transcript.stage
    for lines in (0, 3, 80):
        _streams(transcript, lines)
        places = range(len(stage.flow.entries))
        question = max(n for n in places if stage.flow.entries[n].kind == "user")
        assert stage.flow.top_of(question) - stage.bar.value() == 20
        assert not transcript.following
    assert stage.bar.maximum() > stage.bar.value()


def test_without_scrolling_nothing_moves_while_the_answer_grows(app: object) -> None:
    transcript = _long()
    transcript.stage.follower.mode = "off"
    transcript.jump_to_bottom()
    presenter = live(transcript, [TurnStarted("s"), asked("A question of mine.")])
    before = transcript.verticalScrollBar().value()
    for number in range(80):
        presenter.show(TextDelta(f"Line {number} of many words.\n\n"))
    settle(transcript)
    assert transcript.verticalScrollBar().value() == before
    transcript.verticalScrollBar().setValue(transcript.verticalScrollBar().maximum())
    assert not transcript.following


def test_what_was_measured_by_copying_stands_in_its_place_when_it_is_seen(app: object) -> None:
    transcript = shown()
    table = "| a | b |\n|---|---|\n" + "| some words in a cell | more |\n" * 8
    transcript.load([event for _ in range(30) for event in (asked("Go."), said(table))])
    settle(transcript)
    transcript.selection.all()
    transcript.selection.text(plain=True)
    flow, bar = transcript.stage.flow, transcript.verticalScrollBar()
    for part in (0.2, 0.5, 0.8):
        bar.setValue(int(bar.maximum() * part))
        settle(transcript)
        for number in list(flow.seen(bar.value(), bar.value() + 600))[:-1]:
            below = flow.top_of(number) + flow.entries[number].height
            assert flow.top_of(number + 1) - flow.entries[number + 1].gap == below
