"""The memory page: facts are listed, added, deleted, and deleting can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from kinet.core.errors import StoreError
from kinet.ui.kit.controls import IconButton
from kinet.ui.preferences.memory_view import MemoryView


class FakeFacts:
    def __init__(self) -> None:
        self.kept: list[Any] = []
        self.count = 0
        self.broken = False

    def facts(self) -> list[Any]:
        return list(self.kept)

    def add_fact(self, text: str, folder: str = "") -> Any:
        if self.broken:
            raise StoreError("facts.json could not be written: disk full.", hint="Free some space.")
        self.count += 1
        fact = SimpleNamespace(id=str(self.count), text=text, scope="person", folder=folder)
        self.kept.append(fact)
        return fact

    def delete_fact(self, fact_id: str) -> None:
        self.kept = [fact for fact in self.kept if fact.id != fact_id]


class Page:
    def __init__(self, qtbot: QtBot) -> None:
        self.facts = FakeFacts()
        self.facts.add_fact("Short answers, please.")
        self.view = MemoryView(self.facts, folder="/work/shop")  # type: ignore[arg-type]
        qtbot.addWidget(self.view)
        self.told: list[tuple[str, Callable[[], None]]] = []
        self.view.told.connect(lambda text, undo: self.told.append((text, undo)))

    def listed(self) -> list[str]:
        rows = self.view._card.findChildren(
            QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly
        )
        rows = [row for row in rows if row.property("fact") and row.parent() is self.view._card]
        known = {fact.id for fact in self.facts.kept}
        shown = [row for row in rows if row.property("fact") in known]
        return [row.findChildren(QLabel)[0].text() for row in shown]


@pytest.fixture
def page(app: object, qtbot: QtBot) -> Page:
    return Page(qtbot)


def test_facts_are_listed(page: Page) -> None:
    assert page.listed() == ["Short answers, please."]


def test_a_fact_is_added_for_the_project(page: Page, qtbot: QtBot) -> None:
    page.view.field.setText("  The branch is called\nstable. ")
    page.view.scope.setCurrentIndex(1)
    qtbot.keyClick(page.view.field, Qt.Key.Key_Return)
    assert page.facts.kept[-1].text == "The branch is called stable."
    assert page.facts.kept[-1].folder == "/work/shop"
    assert page.view.field.text() == ""
    assert "The branch is called stable." in page.listed()
    page.told[-1][1]()
    assert len(page.facts.kept) == 1


def test_an_empty_fact_is_not_added(page: Page) -> None:
    page.view.field.setText("   ")
    page.view.add.click()
    assert len(page.facts.kept) == 1


def test_a_deleted_fact_can_be_taken_back(page: Page) -> None:
    button = page.view.findChild(IconButton)
    assert isinstance(button, IconButton)
    assert button.accessibleName() == "Delete: Short answers, please."
    button.click()
    assert page.facts.kept == []
    (text, undo) = page.told[-1]
    assert text == "Fact deleted"
    undo()
    assert [fact.text for fact in page.facts.kept] == ["Short answers, please."]


def test_what_could_not_be_kept_is_said_and_the_text_stays(page: Page) -> None:
    page.facts.broken = True
    page.view.field.setText("Important")
    page.view.add.click()
    assert "disk full. Free some space." in page.view.error.text()
    assert page.view.field.text() == "Important"
