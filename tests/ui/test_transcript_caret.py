"""Selecting with the keyboard, and by words or paragraphs with the mouse."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from kinet.ui.transcript.stage.selection import Place
from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import asked, point_of, said, settle, shown

SHIFT = Qt.KeyboardModifier.ShiftModifier
LEAP = SHIFT | Qt.KeyboardModifier.ControlModifier


def _loaded(answer: str, height: int = 600) -> Transcript:
    transcript = shown(height=height)
    transcript.load([asked("The question."), said(answer)])
    settle(transcript)
    transcript.setFocus()
    return transcript


def _put(transcript: Transcript, *place: int) -> None:
    transcript.selection.set(Place(*place), Place(*place))


def _press(transcript: Transcript, key: Qt.Key, modifiers: Qt.KeyboardModifier = SHIFT) -> Place:
    QTest.keyClick(transcript, key, modifiers)
    focus = transcript.selection.focus
    assert focus is not None
    return focus


def test_a_selection_that_leaves_the_screen_takes_the_screen_along(app: object) -> None:
    transcript = _loaded("\n\n".join(f"Paragraph {n}." for n in range(80)))
    transcript.verticalScrollBar().setValue(0)
    _put(transcript, 0, 0, 0)
    for _ in range(50):
        focus = _press(transcript, Qt.Key.Key_Down)
    settle(transcript)
    entry = transcript.stage.flow.entries[focus.entry]
    top = transcript.stage.flow.top_of(focus.entry) + entry.piece_top(focus.piece)
    assert focus.piece > 40
    assert 0 <= top - transcript.verticalScrollBar().value() < transcript.viewport().height() - 20


def test_up_and_down_keep_the_column_through_other_blocks(app: object) -> None:
    transcript = _loaded("```\naaaa bbbb\n```\n\nx\n\n```\ncccc dddd\n```")
    _put(transcript, 1, 0, 7)
    assert _press(transcript, Qt.Key.Key_Down) == Place(1, 1, 1)
    assert _press(transcript, Qt.Key.Key_Down) == Place(1, 2, 7)
    assert transcript.selection.text().endswith("x\n\ncccc dd")
    _press(transcript, Qt.Key.Key_Up)
    assert _press(transcript, Qt.Key.Key_Up) == Place(1, 0, 7)
    assert transcript.selection.is_empty


def test_down_in_a_table_goes_to_the_row_below(app: object) -> None:
    transcript = _loaded("| a | b |\n|---|---|\n| one | two |\n| three | four |\n")
    document = transcript.stage.flow.entries[1].document_of(
        0, transcript.stage.flow.style, transcript.stage.flow.width
    )
    _put(transcript, 1, 0, document.find("two").selectionStart())
    focus = _press(transcript, Qt.Key.Key_Down)
    assert focus.offset == document.find("four").selectionStart()


def test_home_and_end_stay_in_their_line_and_with_control_go_to_the_ends_of_all(
    app: object,
) -> None:
    transcript = _loaded("First line.\n\nSecond one.")
    _put(transcript, 1, 0, 3)
    for _ in range(3):
        assert _press(transcript, Qt.Key.Key_End) == Place(1, 0, 11)
    for _ in range(3):
        assert _press(transcript, Qt.Key.Key_Home) == Place(1, 0, 0)
    assert _press(transcript, Qt.Key.Key_Home, LEAP) == Place(0, 0, 0)
    last = _press(transcript, Qt.Key.Key_End, LEAP)
    assert last.entry == len(transcript.stage.flow.entries) - 1
    assert transcript.selection.text().endswith("Second one.")


def test_a_walk_never_gets_stuck(app: object) -> None:
    text = "One.\n\n- a\n- b\n\n| a | b |\n|---|---|\n| c | |\n\n> q\n\n---\n\n"
    transcript = _loaded(text + "```\nx\n\n```\n\n$$x$$\n\nEnd.")
    ways = ((Qt.Key.Key_Right, Qt.Key.Key_Left), (Qt.Key.Key_Down, Qt.Key.Key_Up))
    for modifiers in (SHIFT, LEAP):
        for on, back in ways:
            _put(transcript, 0, 0, 0)
            places = [_press(transcript, on, modifiers) for _ in range(140)]
            assert places == sorted(places)
            assert places[-1].entry == len(transcript.stage.flow.entries) - 1
            places = [_press(transcript, back, modifiers) for _ in range(140)]
            assert places == sorted(places, reverse=True)
            assert places[-1] == Place(0, 0, 0)


def test_dragging_on_after_a_double_click_selects_whole_words(app: object) -> None:
    transcript = _loaded("Plain words stand here in one line.")
    viewport, left = transcript.viewport(), Qt.MouseButton.LeftButton
    start = point_of(transcript, 1, 60, 12)
    QTest.mouseClick(viewport, left, pos=start)
    QTest.mouseDClick(viewport, left, pos=start)
    QTest.mousePress(viewport, left, pos=start + QPoint(0, 300))
    QTest.mouseRelease(viewport, left, pos=start + QPoint(0, 300))
    _send(transcript, QEvent.Type.MouseButtonPress, start)
    _send(transcript, QEvent.Type.MouseButtonDblClick, start)
    _send(transcript, QEvent.Type.MouseMove, start + QPoint(50, 0))
    assert transcript.selection.text() == "words stand"
    _send(transcript, QEvent.Type.MouseMove, start - QPoint(40, 0))
    assert transcript.selection.text() == "Plain words"
    _send(transcript, QEvent.Type.MouseButtonRelease, start)


def test_the_key_for_menus_opens_the_menu_of_where_the_selection_ends(app: object) -> None:
    transcript = _loaded("Text.\n\n```python\nprint(1)\n```")
    _put(transcript, 1, 1, 2)
    _press(transcript, Qt.Key.Key_Right)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(0, 0), QPoint(0, 0))
    QApplication.sendEvent(transcript, event)
    menu = transcript.viewport().findChild(QMenu)
    assert menu is not None
    assert "Copy code" in [action.text() for action in menu.actions()]
    line = transcript.viewport().mapFromGlobal(menu.pos()).y()
    assert abs(line - point_of(transcript, 1, 0, 24 + 12 + 32 + 10 + 20).y()) < 12
    menu.close()


def _send(transcript: Transcript, kind: QEvent.Type, at: QPoint) -> None:
    viewport, left = transcript.viewport(), Qt.MouseButton.LeftButton
    place = QPointF(at)
    none = Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(kind, place, viewport.mapToGlobal(place), left, left, none)
    QApplication.sendEvent(viewport, event)
