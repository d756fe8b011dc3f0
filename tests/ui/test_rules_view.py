"""The page of rules: listed, revoked, refused if too broad, and tried on a pasted command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QFrame, QLabel, QWidget
from pytestqt.qtbot import QtBot

from kinet.core.approval import Decision
from kinet.policy.rules import RuleBook
from kinet.settings.rule_services import RuleServices
from kinet.ui.preferences.rules_view import RulesView


class Page:
    """The view over a real book of rules."""

    def __init__(self, qtbot: QtBot, home: Path, folder: Path) -> None:
        self._qtbot = qtbot
        self.book = RuleBook(home)
        self.folder = str(folder)
        services = RuleServices(self.book, lambda: "ask", home)
        self.view = RulesView(services, folder=self.folder)
        qtbot.addWidget(self.view)
        self.view.show()

    def words(self, name: str) -> str:
        place = self.view.findChild(QFrame, name)
        assert place is not None
        labels = [label for label in place.findChildren(QLabel) if not label.isHidden()]
        return "\n".join(label.text() for label in labels)

    def revoke(self) -> None:
        def seen() -> list[Any]:
            buttons = self.view.findChildren(QWidget, "revokeRuleButton")
            return [button for button in buttons if button.isVisible()]

        self._qtbot.waitUntil(lambda: bool(seen()))
        seen()[0].click()


@pytest.fixture
def page(app: object, qtbot: QtBot, tmp_path: Path) -> Page:
    (tmp_path / "work").mkdir()
    return Page(qtbot, tmp_path / "home", tmp_path / "work")


def test_saved_and_session_rules_are_listed_and_revoked(page: Page) -> None:
    session = page.book.for_session("1")
    session.remember("shell", {"command": "make x"}, page.folder, Decision(True, "session"))
    page.book.add_prefix("mkdir -p", page.folder, Decision(True, "folder"))
    page.view.refresh()
    shown = page.words("rulesList")
    assert "shell exactly: make x (in this session)" in shown
    assert "commands that begin with: mkdir -p" in shown
    page.revoke()
    page.revoke()
    assert page.book.all_rules() == ()
    assert session.rules() == ()


def test_a_rule_that_would_be_too_broad_is_refused_with_the_reason(page: Page) -> None:
    page.view.answer.setCurrentIndex(page.view.answer.findData("folder"))
    page.view.words.setText("python")
    page.view.add.click()
    assert "python can run or change anything" in page.view.error.text()
    assert page.book.all_rules() == ()
    page.view.words.setText("mkdir -p")
    page.view.add.click()
    assert page.view.error.isHidden()
    assert page.book.decision("shell", {"command": "mkdir -p a"}, page.folder) is not None


def test_a_command_is_tried_part_by_part_and_not_run(page: Page, tmp_path: Path) -> None:
    page.view.field.setText("ls && touch PWN")
    shown = page.words("simulatorResult")
    assert "! This is asked about" in shown
    assert "✓\nls\nonly reads inside the project" in shown
    assert "!\ntouch PWN\n" in shown
    page.view.field.setText("ls -l")
    assert "✓ This runs without a question" in page.words("simulatorResult")
    page.view.field.setText("rm -rf /")
    assert "✕ This is refused" in page.words("simulatorResult")
    assert not list(tmp_path.rglob("PWN"))


def test_the_rule_that_would_answer_is_named(page: Page) -> None:
    page.view.answer.setCurrentIndex(page.view.answer.findData("always"))
    page.view.words.setText("mkdir -p")
    page.view.add.click()
    page.view.field.setText("mkdir -p x")
    shown = page.words("simulatorResult")
    assert "✕ This is refused" in shown
    assert "Saved rule: deny commands that begin with: mkdir -p (everywhere)" in shown
