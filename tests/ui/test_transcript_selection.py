"""What is copied is what was written: code exactly, messages as their Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from kinet.core.events import TextDelta, TurnFinished, TurnStarted
from kinet.net import redact
from kinet.net.secret import Secret
from kinet.ui.transcript.hand.drag_out import DraggedText
from kinet.ui.transcript.stage.selection import Place
from tests.ui.transcript_kit import (
    ANSWER,
    CODE,
    asked,
    click,
    entry_number,
    live,
    point_of,
    said,
    saved,
    select,
    settle,
    shown,
    turn,
)


def _loaded(answer: str = ANSWER):  # type: ignore[no-untyped-def]
    transcript = shown(height=1200)
    transcript.load(saved(turn(answer)))
    settle(transcript)
    return transcript, entry_number(transcript, "answer")


def test_the_copy_button_gives_the_very_code(app: object) -> None:
    transcript, answer = _loaded()
    click(transcript, answer, "copy-code")
    assert QGuiApplication.clipboard().text() == CODE.removesuffix("\n")


def test_code_that_was_cut_into_parts_is_copied_whole(app: object) -> None:
    code = "".join(f"value_{number} = {number}\n" for number in range(900))
    transcript = shown()
    transcript.load([asked("Go."), said(f"```python\n{code}```\n")])
    transcript.verticalScrollBar().setValue(0)
    settle(transcript)
    pieces = transcript.stage.flow.entries[1].pieces
    assert len(pieces) > 2
    last = len(pieces) - 1
    assert select(transcript, (1, 0, 0), (1, last, 10**6)) == code.removesuffix("\n")
    click(transcript, 1, "copy-code")
    assert QGuiApplication.clipboard().text() == code.removesuffix("\n")


def test_selected_text_is_dragged_out_and_stays_selected(app: object, monkeypatch) -> None:
    carried: list[str] = []
    monkeypatch.setattr(
        "kinet.ui.transcript.area.drag_out", lambda source, held: carried.append(held.text())
    )
    transcript, answer = _loaded("Some plain words to carry.")
    select(transcript, (answer, 0, 0), (answer, 0, 16))
    words = point_of(transcript, answer, 40, 12)
    viewport, left = transcript.viewport(), Qt.MouseButton.LeftButton
    QTest.mousePress(viewport, left, pos=words)
    QTest.mouseMove(viewport, words + QPoint(3, 0))
    assert carried == []
    _drag(viewport, words + QPoint(60, 40))
    assert carried == ["Some plain words"]
    QTest.mouseRelease(viewport, left, pos=words + QPoint(60, 40))
    assert transcript.selection.text() == "Some plain words"


def test_what_may_be_dragged_is_gathered_from_the_press_on_and_let_go_with_a_click(
    app: object, monkeypatch
) -> None:
    dropped: list[str] = []
    monkeypatch.setattr(
        "kinet.ui.transcript.area.drag_out", lambda source, held: dropped.append(held.text())
    )
    transcript, answer = _loaded("Some plain words to carry.")
    select(transcript, (answer, 0, 0), (answer, 0, 16))
    words = point_of(transcript, answer, 40, 12)
    viewport, left = transcript.viewport(), Qt.MouseButton.LeftButton
    QTest.mousePress(viewport, left, pos=words)
    for _ in range(20):
        QApplication.processEvents()
    # All is there before it is moved: what the selection holds now is asked no more.
    monkeypatch.setattr(transcript.selection, "parts", lambda: iter(["too late"]))
    _drag(viewport, words + QPoint(60, 40))
    assert dropped == ["Some plain words"]
    QTest.mouseRelease(viewport, left, pos=words + QPoint(60, 40))
    QTest.mousePress(viewport, left, pos=words)
    QTest.mouseRelease(viewport, left, pos=words)
    assert transcript._carried is None
    assert len(dropped) == 1


def test_whole_messages_are_copied_as_each_by_itself(app: object, monkeypatch) -> None:
    texts = [
        "plain",
        "\n\n  \n",
        "a\r\nb",
        "\x1b[31mred\x1b[0m",
        "你好 👩\u200d🚀",
        "```\n\x07\n```",
        "",
    ]
    said_so = [said(f"{text}\n" if text else text) for text in texts]
    transcript = shown()
    transcript.load([asked("Go."), *said_so, said("The end.")])
    transcript.selection.all()
    together = transcript.selection.text()
    for heap in (1, 2):
        monkeypatch.setattr("kinet.ui.transcript.stage.selection._HEAP", heap)
        assert transcript.selection.text() == together
    assert together.startswith("Go.\n\nplain\n\na\nb\n\nred\n\n你好")
    assert "\x07" in together
    assert together.endswith("The end.")


def test_what_is_dragged_is_made_while_it_is_carried(app: object) -> None:
    made: list[int] = []

    def parts() -> Iterator[str]:
        for number in range(40):
            made.append(number)
            yield f"part {number}" if number != 3 else ""

    whole = "\n\n".join(f"part {number}" for number in range(40) if number != 3)
    carried = DraggedText(parts())
    assert carried.hasText()
    assert not carried.hasHtml()
    assert made == []
    for _ in range(200):
        QApplication.processEvents()
    assert len(made) == 40
    assert carried.text() == whole
    made.clear()
    dropped_at_once = DraggedText(parts())
    assert dropped_at_once.text() == whole
    assert dropped_at_once.text() == whole
    assert len(made) == 40


def test_no_live_key_is_dragged_out(app: object) -> None:
    key = "sk-live-key-9876543210fedcba"
    redact.register(Secret(key))
    assert DraggedText(iter([f"It is {key}."])).text() == f"It is {redact.MASK}."


def test_a_click_on_selected_text_takes_the_selection_away(app: object) -> None:
    transcript, answer = _loaded("Some plain words to carry.")
    select(transcript, (answer, 0, 0), (answer, 0, 16))
    words = point_of(transcript, answer, 40, 12)
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=words)
    assert transcript.selection.is_empty


def _drag(viewport: QWidget, to: QPoint) -> None:
    """A move with the button held, which QTest does not tell."""
    at = QPointF(to)
    kind, left = QEvent.Type.MouseMove, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(kind, at, viewport.mapToGlobal(at), Qt.MouseButton.NoButton, left, none)
    QApplication.sendEvent(viewport, event)


def test_select_all_gives_the_markdown_of_all_messages(app: object) -> None:
    transcript, _ = _loaded()
    transcript.setFocus()
    QTest.keyClick(transcript, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(transcript, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    text = QGuiApplication.clipboard().text()
    assert ANSWER.strip() in text
    assert "Match `invoices/` with the bank." in text
    assert "Read `totals.py` (12 lines)" in text


def test_a_part_of_code_keeps_tabs_and_no_break_spaces(app: object) -> None:
    transcript, answer = _loaded()
    kinds = [p.kind for p in transcript.stage.flow.entries[answer].pieces]
    code = kinds.index("code")
    start, stop = CODE.index("\tvalue"), CODE.index("b\n") + 1
    assert select(transcript, (answer, code, start), (answer, code, stop)) == CODE[start:stop]


def test_a_part_of_prose_is_copied_as_it_reads(app: object) -> None:
    transcript, answer = _loaded("Words with `code` and **weight** here.")
    text = select(transcript, (answer, 0, 0), (answer, 0, 24))
    assert text == "Words with code and we"


def test_cells_are_copied_with_tabs(app: object) -> None:
    transcript, answer = _loaded()
    pieces = transcript.stage.flow.entries[answer].pieces
    table = [p.kind for p in pieces].index("table")
    end = pieces[table].document.characterCount() - 1
    assert "one\t1.00" in select(transcript, (answer, table, 2), (answer, table, end))


def test_characters_outside_the_first_plane_are_never_cut(app: object) -> None:
    transcript, answer = _loaded("```\na😀b👍c\n```")
    assert select(transcript, (answer, 0, 1), (answer, 0, 4)) == "😀b"


def test_dragging_selects_across_messages(app: object) -> None:
    transcript, answer = _loaded()
    user = entry_number(transcript, "user")
    viewport = transcript.viewport()
    start = point_of(transcript, user, transcript.stage.column[1] - 150, 20)
    end = point_of(transcript, answer, 110, 12)
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(viewport, left, pos=start)
    QTest.mouseMove(viewport, start + QPoint(0, 30))
    QTest.mouseMove(viewport, end)
    QTest.mouseRelease(viewport, left, pos=end)
    text = transcript.selection.text()
    assert text.splitlines()[0].endswith("with the bank.")
    assert text.splitlines()[-1].startswith("Three invoices")
    assert "match" not in text
    assert not transcript.following


def test_a_double_click_selects_a_word_and_shift_arrows_extend_it(app: object) -> None:
    transcript, answer = _loaded("Plain words here")
    left = Qt.MouseButton.LeftButton
    where = point_of(transcript, answer, 60, 12)
    QTest.mouseClick(transcript.viewport(), left, pos=where)
    QTest.mouseDClick(transcript.viewport(), left, pos=where)
    assert transcript.selection.text() == "words"
    transcript.setFocus()
    shift_control = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(transcript, Qt.Key.Key_Right, shift_control)
    QTest.keyClick(transcript, Qt.Key.Key_Right, shift_control)
    assert transcript.selection.text() == "words here"


def test_a_selection_survives_streaming_and_the_end_of_the_turn(app: object) -> None:
    transcript = shown()
    presenter = live(transcript, [TurnStarted("s"), asked("Go."), TextDelta("First words.\n\n")])
    presenter.show(TextDelta("Second paragraph grows"))
    settle(transcript)
    assert select(transcript, (1, 0, 0), (1, 0, 5)) == "First"
    for _ in range(20):
        presenter.show(TextDelta(" and grows"))
        settle(transcript)
    presenter.show(TurnFinished("stopped"))
    settle(transcript)
    assert transcript.selection.text() == "First"


def test_nothing_hidden_is_copied(app: object) -> None:
    transcript, answer = _loaded("hello\U000e0069\U000e0067 \x1b[31mred\x1b[0m world")
    text = select(transcript, (answer, 0, 0), (answer, 10**6, 0))
    assert text == "hello red world"


def test_a_part_keeps_every_character_of_the_source(app: object) -> None:
    transcript, answer = _loaded("one two\u00a0three \u2003four\n\n`a\u00a0b` end")
    assert select(transcript, (answer, 0, 4), (answer, 0, 13)) == "two\u00a0three"
    assert select(transcript, (answer, 1, 0), (answer, 1, 6)).strip() == "a\u00a0b"


def test_a_part_with_a_formula_has_its_source(app: object) -> None:
    transcript, answer = _loaded("Here $x^2$ and $y_1$ and $x^2$ stand.")
    text = select(transcript, (answer, 0, 7), (answer, 0, 10**6))
    assert text == "and $y_1$ and $x^2$ stand."


def test_copy_as_text_gives_the_words_on_screen(app: object) -> None:
    transcript, _ = _loaded("Some **bold** and [a page](https://example.org/p).")
    transcript.selection.all()
    transcript.copy(plain=True)
    # The host behind the link stands there for the eye; it is none of the words.
    assert "Some bold and a page." in QGuiApplication.clipboard().text()
    transcript.copy()
    assert (
        "Some **bold** and [a page](https://example.org/p)." in QGuiApplication.clipboard().text()
    )


def test_copy_as_text_keeps_what_a_list_or_a_table_says_by_its_form(app: object) -> None:
    transcript, answer = _loaded(
        "3. three\n4. four\n   - deep\n   - [x] done\n\n| a | b |\n|---|---|\n| `c` | d |\n"
    )
    transcript.selection.set(Place(answer, 0, 0), Place(answer, 1, 10**6))
    assert transcript.selection.text(plain=True) == (
        "3. three\n4. four\n  - deep\n  ☑ done\n\na\tb\nc\td"
    )
    # From the middle of an item on, its number is no part of what is selected.
    assert select(transcript, (answer, 0, 2), (answer, 0, 10)) == "ree\n4. four"


def test_the_menu_of_code_offers_code_and_message_and_blocks_nothing(app: object) -> None:
    transcript, answer = _loaded("Text.\n\n```python\nprint(1)\n```")
    entry = transcript.stage.flow.entries[answer]
    where = point_of(transcript, answer, 60, entry.piece_top(1) + 50)
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, where, transcript.viewport().mapToGlobal(where)
    )
    QApplication.sendEvent(transcript.viewport(), event)
    menu = transcript.viewport().findChild(QMenu)
    assert menu is not None
    assert menu.isVisible()
    named = {action.text(): action for action in menu.actions()}
    named["Copy code"].trigger()
    assert QGuiApplication.clipboard().text() == "print(1)"
    named["Copy message"].trigger()
    assert QGuiApplication.clipboard().text().startswith("Text.\n\n```python")
    menu.close()
