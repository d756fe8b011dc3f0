"""The composer: Enter, input methods, large pastes, attachments, growth, recall."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QFontMetrics, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from kinet.session.attached import Attached
from kinet.ui.look.look import Look
from kinet.ui.look.theme import current_theme
from kinet.ui.writing.attachments import Attachment, pictures_of, read_attachment, with_attachments
from kinet.ui.writing.composer import Composer
from kinet.ui.writing.composer_edit import (
    COMMIT_GRACE,
    LINE,
    ComposerEdit,
    clean_text,
    is_huge,
)


@pytest.fixture
def composer(app: QApplication) -> Composer:
    """A composer that is shown, and counts what was submitted."""
    widget = Composer()
    widget.resize(720, 400)
    widget.show()
    return widget


def submissions(composer: Composer) -> list[str]:
    """Grows with each submission."""
    sent: list[str] = []
    composer.submitted.connect(lambda: sent.append(composer.text()))
    return sent


def test_enter_sends_and_shift_enter_starts_a_line(composer: Composer) -> None:
    sent = submissions(composer)
    QTest.keyClicks(composer.edit, "one")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(composer.edit, "two")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == ["one\ntwo"]


def test_with_the_setting_enter_starts_a_line_and_ctrl_enter_sends(composer: Composer) -> None:
    sent = submissions(composer)
    composer.set_enter_sends(False)
    QTest.keyClicks(composer.edit, "one")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    QTest.keyClick(composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert sent == ["one\n"]


def test_nothing_is_sent_from_an_empty_field(composer: Composer) -> None:
    sent = submissions(composer)
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    assert not composer.box.send.isEnabled()


def test_enter_that_confirms_a_candidate_does_not_send(composer: Composer) -> None:
    sent = submissions(composer)
    edit = composer.edit
    QApplication.sendEvent(edit, QInputMethodEvent("ni", []))
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert sent == []
    commit = QInputMethodEvent()
    commit.setCommitString("你好")
    QApplication.sendEvent(edit, commit)
    # Some input methods deliver the key just after the text.
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert sent == []
    assert composer.text() == "你好"
    edit._committed_at -= 2 * COMMIT_GRACE
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert sent == ["你好"]


@pytest.mark.parametrize(
    "text",
    ["word " * 2_000, "line\n" * 201, "x" * 20_001],
    ids=["many characters", "many lines", "one long line"],
)
def test_a_huge_paste_becomes_a_chip(composer: Composer, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    composer.edit.insertFromMimeData(data)
    assert composer.text() == ""
    assert [item.text for item in composer.attachments()] == [text]
    assert composer.box.send.isEnabled()


def test_a_pasted_chip_can_be_put_into_the_field_after_all(composer: Composer) -> None:
    data = QMimeData()
    data.setText("line\n" * 300)
    composer.edit.insertFromMimeData(data)
    composer.box.chips.opened.emit(0)
    assert composer.text() == "line\n" * 300
    assert composer.attachments() == ()


def test_dropped_text_files_become_chips_and_others_are_refused_in_words(
    composer: Composer, tmp_path: Path
) -> None:
    problems: list[str] = []
    composer.problem.connect(problems.append)
    good, bad = tmp_path / "notes.txt", tmp_path / "picture.bin"
    good.write_text("hello", encoding="utf-8")
    bad.write_bytes(b"\0\1\2")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(good)), QUrl.fromLocalFile(str(bad))])
    composer.edit.insertFromMimeData(data)
    assert [item.name for item in composer.attachments()] == ["notes.txt"]
    assert problems == ["picture.bin is neither text nor a PNG, JPEG, GIF or WebP picture."]


def test_a_picture_becomes_a_chip_and_no_part_of_the_text(
    composer: Composer, tmp_path: Path
) -> None:
    picture = tmp_path / "shot.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40_000))
    composer.attach(picture)
    (item,) = composer.attachments()
    assert item.is_picture
    assert item.size_text == "40 KB"
    assert composer.box.send.isEnabled()
    assert with_attachments("See", composer.attachments()) == "See"
    assert pictures_of(composer.attachments()) == (Attached("shot.png", str(picture), item.size),)


def test_a_no_break_space_stays_one(composer: Composer) -> None:
    composer.edit.set_text("10\u00a0km")
    assert composer.text() == "10\u00a0km"


def test_the_field_grows_with_its_text_up_to_its_limit(composer: Composer) -> None:
    one = composer.edit.height()
    composer.edit.set_text("a\nb\nc")
    assert composer.edit.height() == 3 * one
    composer.edit.set_max_height(5 * one)
    composer.edit.set_text("\n" * 40)
    assert composer.edit.height() == 5 * one
    composer.edit.set_text("")
    assert composer.edit.height() == one


def test_stop_appears_beside_send_while_a_turn_runs(composer: Composer) -> None:
    assert not composer.box.stop.isVisible()
    composer.set_running(True)
    assert composer.box.stop.isVisible()
    assert composer.box.send.isVisible()
    assert not composer.box.send.isEnabled()
    composer.edit.set_text("and then")
    assert composer.box.send.isEnabled()


def test_up_asks_for_the_last_message_only_from_an_empty_field(composer: Composer) -> None:
    asked: list[int] = []
    composer.edit.recall_requested.connect(asked.append)
    QTest.keyClick(composer.edit, Qt.Key.Key_Up)
    QTest.keyClicks(composer.edit, "x")
    QTest.keyClick(composer.edit, Qt.Key.Key_Up)
    assert asked == [0]


def test_attachments_are_fenced_with_more_backticks_than_they_hold() -> None:
    text = with_attachments("Look", (Attachment("a.md", "```\ncode\n```", "/w/a.md"),))
    assert text.startswith("Look\n\nAttached: /w/a.md\n````\n")
    assert text.endswith("\n````")


def test_a_file_that_is_too_large_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "big.txt"
    path.write_bytes(b"a" * 600_000)
    found = read_attachment(path)
    assert isinstance(found, str)
    assert "600 KB" in found


def test_lone_surrogates_leave_pasted_text() -> None:
    assert "\ud800" not in clean_text("a\ud800b")
    assert clean_text("a\r\nb") == "a\nb"
    assert not is_huge("short")


def test_long_quiet_words_stay_in_one_line_and_leave_when_something_is_typed(
    composer: Composer,
) -> None:
    edit = composer.edit
    edit.setFixedSize(160, 3 * LINE)
    empty = edit.grab().toImage()
    edit.setPlaceholderText("Ask for anything in this folder, however long the words are")
    shown = edit.grab().toImage()
    scale = round(shown.devicePixelRatio())
    first = LINE * scale
    assert shown.copy(0, 0, shown.width(), first) != empty.copy(0, 0, empty.width(), first)
    rest = shown.height() - first
    assert shown.copy(0, first, shown.width(), rest) == empty.copy(0, first, empty.width(), rest)
    QTest.keyClicks(edit, " ")
    typed = edit.grab().toImage()
    places = [(x, y) for x in range(20, typed.width()) for y in range(first)]
    assert all(typed.pixel(x, y) == empty.pixel(x, y) for x, y in places)


def test_the_stop_button_keeps_its_word_where_its_key_has_no_room(composer: Composer) -> None:
    stop = composer.box.stop
    assert stop.minimumSizeHint().width() < stop.sizeHint().width()
    word = QFontMetrics(current_theme().font("ui")).horizontalAdvance("Stop")
    assert stop.minimumSizeHint().width() >= 32 + word


@pytest.mark.parametrize("zoom", [100, 150])
def test_the_hint_stands_where_the_text_will(composer: Composer, zoom: int) -> None:
    look = Look(QApplication.instance(), "light")  # type: ignore[arg-type]
    look.set_zoom(zoom)
    composer.restyle()
    edit = composer.edit
    words = "Ask for anything"
    edit.setPlaceholderText(words)
    hint = _rows_of_ink(edit)
    edit.set_text(words)
    assert _rows_of_ink(edit) == hint
    look.set_zoom(100)
    composer.restyle()


def _rows_of_ink(edit: ComposerEdit) -> tuple[int, int]:
    """The first and the last row with something of a letter; the field has no ground."""
    image = edit.viewport().grab().toImage()
    rows = [
        y
        for y in range(image.height())
        # Beside the caret.
        if any(image.pixelColor(x, y).alpha() > 40 for x in range(4, 100))
    ]
    return rows[0], rows[-1]
