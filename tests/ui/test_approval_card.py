"""The approval card: everything is shown, and only a clear answer answers."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from kinet.core.approval import ApprovalRequest, Decision
from kinet.ui.asking.approval_card import ApprovalCard

CTRL = Qt.KeyboardModifier.ControlModifier


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Desk(QWidget):
    """A card beside a field in which the person types."""

    def __init__(self, **values: Any) -> None:
        super().__init__()
        self.clock = Clock()
        values = {
            "kind": "command",
            "question": "Run this command?",
            "body": "rm notes.txt",
        } | values
        request = ApprovalRequest("1", "c", "shell", folder="/home/me/work", **values)
        self.answers: list[Decision] = []
        self.field = QLineEdit(self)
        column = QVBoxLayout(self)
        column.addWidget(self.field)
        self.show()
        self.field.setFocus()
        self.card = ApprovalCard(request, clock=self.clock)
        self.card.answered.connect(self.answers.append)
        column.addWidget(self.card)
        self.resize(720, 500)

    def button(self, name: str) -> QPushButton:
        button = self.card.findChild(QPushButton, name)
        assert isinstance(button, QPushButton)
        return button


@pytest.fixture
def desk(app: object, qtbot: QtBot) -> Desk:
    return make(qtbot)


def make(qtbot: QtBot, **values: Any) -> Desk:
    desk = Desk(**values)
    qtbot.addWidget(desk)
    desk.activateWindow()
    qtbot.waitExposed(desk)
    qtbot.waitUntil(desk.card.isVisible)
    desk.field.setFocus()
    return desk


def test_allow_once(desk: Desk, qtbot: QtBot) -> None:
    assert desk.card.objectName() == "approvalCard"
    desk.button("approveButton").click()
    assert desk.answers == [Decision(True, "once")]


def test_deny_with_a_reason(desk: Desk, qtbot: QtBot) -> None:
    desk.button("denyReasonButton").click()
    reason = desk.card.findChild(QLineEdit, "denyReason")
    assert isinstance(reason, QLineEdit)
    qtbot.keyClicks(reason, "use the trash ")
    desk.button("denyButton").click()
    assert desk.answers == [Decision(False, reason="use the trash")]


def test_the_session_is_offered_only_where_it_may_be(desk: Desk, app: object, qtbot: QtBot) -> None:
    assert desk.button("approveSessionButton").isHidden()
    other = make(qtbot, scopes=("once", "session"))
    other.button("approveSessionButton").click()
    assert other.answers == [Decision(True, "session")]


def test_it_answers_once(desk: Desk) -> None:
    approve = desk.button("approveButton")
    approve.click()
    approve.click()
    desk.card.close_question(Decision(False))
    assert len(desk.answers) == 1
    assert not desk.card.is_open


def test_it_does_not_take_the_focus_from_someone_typing(desk: Desk, qtbot: QtBot) -> None:
    assert desk.field.hasFocus()
    qtbot.keyClick(desk.field, Qt.Key.Key_Return, CTRL)
    assert desk.answers == []


def test_ctrl_enter_allows_once_with_focus_on_the_card(desk: Desk, qtbot: QtBot) -> None:
    desk.card.setFocus()
    desk.clock.now += 0.31
    qtbot.keyClick(desk.card, Qt.Key.Key_Return, CTRL)
    assert desk.answers == [Decision(True, "once")]


def test_keys_within_300_ms_do_not_answer(desk: Desk, qtbot: QtBot) -> None:
    desk.card.setFocus()
    desk.clock.now += 0.29
    qtbot.keyClick(desk.card, Qt.Key.Key_Return, CTRL)
    qtbot.keyClick(desk.card, Qt.Key.Key_Backspace, CTRL)
    qtbot.keyClick(desk.button("approveButton"), Qt.Key.Key_Space)
    assert desk.answers == []


@pytest.mark.parametrize("name", ["approveButton", "denyButton", "denyReasonButton", ""])
def test_enter_alone_never_answers(desk: Desk, qtbot: QtBot, name: str) -> None:
    desk.clock.now += 5
    target = desk.button(name) if name else desk.card
    target.setFocus()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        qtbot.keyClick(target, key)
    assert desk.answers == []


def test_ctrl_enter_in_the_reason_does_not_allow(desk: Desk, qtbot: QtBot) -> None:
    desk.clock.now += 5
    desk.button("denyReasonButton").click()
    reason = desk.card.findChild(QLineEdit, "denyReason")
    assert isinstance(reason, QLineEdit)
    reason.setFocus()
    qtbot.keyClick(reason, Qt.Key.Key_Return, CTRL)
    qtbot.keyClick(reason, Qt.Key.Key_Return)
    assert desk.answers == []


def test_ctrl_backspace_denies(desk: Desk, qtbot: QtBot) -> None:
    desk.card.setFocus()
    desk.clock.now += 1
    qtbot.keyClick(desk.card, Qt.Key.Key_Backspace, CTRL)
    assert desk.answers == [Decision(False)]


def test_space_on_a_focused_button_answers(desk: Desk, qtbot: QtBot) -> None:
    desk.clock.now += 1
    deny = desk.button("denyButton")
    deny.setFocus()
    qtbot.keyClick(deny, Qt.Key.Key_Space)
    assert desk.answers == [Decision(False)]


def test_the_whole_command_is_there_with_what_hides_in_it(app: object, qtbot: QtBot) -> None:
    command = "echo safe \u202e\u200b; " + "x" * 5000 + "; rm -rf ~"
    desk = make(qtbot, body=command)
    box = desk.card.body._box
    assert box is not None
    shown = "".join(row.text for row in box.view.rows)
    assert shown == command.replace("\u202e", "⟨U+202E⟩").replace("\u200b", "⟨U+200B⟩")
    assert box.hidden == 2
    assert not desk.card.body._count.isHidden()
    assert "5,0" in desk.card.body._count.text()


def test_a_diff_is_drawn_with_its_counts(app: object, qtbot: QtBot) -> None:
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n-a = 1\n+a = 2\n+b = 3\n"
    desk = make(
        qtbot,
        kind="edit",
        question="Edit this file?",
        body=diff,
        targets=("/home/me/work/x.py",),
    )
    view = desk.card.body._diff
    assert view is not None
    assert view.toPlainText().split("\n")[1:] == ["a = 1", "a = 2", "b = 3"]
    words = [label.text() for label in desk.card.head.findChildren(QLabel)]
    assert "+2 −1" in words
    assert "x.py" in words
    assert desk.card.accessibleName() == "Edit this file? x.py"
    # The journal can take every edit back.
    assert any(label.text() == "Undo stays possible" for label in desk.card.findChildren(QLabel))


def test_a_place_is_named_whatever_words_the_question_uses(app: object, qtbot: QtBot) -> None:
    desk = make(
        qtbot, kind="edit", question="Edit this file?", body="x", targets=("/home/me/work/file",)
    )
    assert "file" in [label.text() for label in desk.card.head.findChildren(QLabel)]
    desk = make(qtbot, targets=("/home/me/work/command",))
    said = [label.text() for label in desk.card.body.findChildren(QLabel)]
    assert "Acts on command" in said
    desk = make(qtbot, kind="fetch", question="Fetch from a.org?", targets=("a.org",))
    assert "a.org" not in [label.text() for label in desk.card.head.findChildren(QLabel)]


def test_real_targets_reason_and_risk_are_said(app: object, qtbot: QtBot) -> None:
    desk = make(qtbot, targets=("/etc/hosts",), reason="Outside.", risk="Cannot be undone.")
    said = " ".join(label.text() for label in desk.card.body.findChildren(QLabel))
    for words in ("/etc/hosts", "Outside.", "Cannot be undone."):
        assert words in said


def test_it_folds_to_one_line(desk: Desk) -> None:
    high = desk.card.sizeHint().height()
    desk.button("approveButton").click()
    assert desk.card.sizeHint().height() < 50 < high
    assert desk.card.head.isHidden()


def test_a_long_wait_is_said(desk: Desk) -> None:
    desk.card.set_position("2 of 2")
    desk.clock.now += 14
    desk.card._show_wait()
    assert desk.card.head.wait_text == "2 of 2 · waiting 14 s"
    desk.clock.now += 60
    desk.card._show_wait()
    assert desk.card.head._wait.property("tone") == "warning"


def test_the_height_follows_the_width(app: object, qtbot: QtBot) -> None:
    desk = make(qtbot, body="word " * 100)
    assert desk.card.hasHeightForWidth()
    assert desk.card.heightForWidth(400) > desk.card.heightForWidth(700) > 0


def test_no_button_is_cut_where_the_card_is_narrow(qtbot: QtBot, app: object) -> None:
    desk = make(qtbot, scopes=("once", "session", "folder", "always"))
    wide = desk.card.heightForWidth(720)
    assert desk.card.heightForWidth(320) > wide
    desk.card.setFixedWidth(320)
    desk.card.setMinimumHeight(desk.card.heightForWidth(320))
    QApplication.processEvents()
    shown = [item for item in desk.card.findChildren(QPushButton) if item.isVisible()]
    assert len(shown) > 3
    for button in shown:
        assert button.width() >= button.sizeHint().width(), button.text()
        assert button.geometry().right() < 320


def test_enter_in_the_rule_saves_it_and_ctrl_enter_allows_once(qtbot: QtBot, app: object) -> None:
    for key, modifier, answer in (
        (Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "prefix"),
        (Qt.Key.Key_Return, CTRL, "exact"),
    ):
        desk = make(qtbot, body="mkdir -p one", scopes=("once", "session", "folder", "always"))
        desk.button("alwaysButton").click()
        words = desk.card.findChild(QLineEdit, "ruleWords")
        assert isinstance(words, QLineEdit)
        qtbot.keyClick(words, key, modifier)
        assert desk.answers == [], "too soon"
        desk.clock.now += 1
        qtbot.keyClick(words, key, modifier)
        assert [item.reach for item in desk.answers] == [answer]
        assert desk.answers[0].scope == ("once" if modifier else "folder")


def test_escape_folds_the_rule_and_the_reason_and_answers_nothing(
    qtbot: QtBot, app: object
) -> None:
    desk = make(qtbot, body="mkdir -p one", scopes=("once", "session", "folder", "always"))
    desk.clock.now += 1
    always, why = desk.button("alwaysButton"), desk.button("denyReasonButton")
    always.click()
    words = desk.card.findChild(QLineEdit, "ruleWords")
    assert isinstance(words, QLineEdit)
    qtbot.keyClick(words, Qt.Key.Key_Escape)
    assert not words.isVisible()
    assert not desk.button("saveRuleButton").isVisible()
    assert always.hasFocus()
    always.click()
    assert words.isVisible()
    why.click()
    reason = desk.card.findChild(QLineEdit, "denyReason")
    assert isinstance(reason, QLineEdit)
    qtbot.keyClick(reason, Qt.Key.Key_Escape)
    assert not reason.isVisible()
    assert why.hasFocus()
    why.click()
    qtbot.keyClicks(reason, "no")
    qtbot.keyClick(reason, Qt.Key.Key_Escape)
    # What was begun is never taken away.
    assert reason.isVisible()
    assert reason.text() == "no"
    assert desk.button("denyButton").hasFocus()
    assert desk.answers == []
