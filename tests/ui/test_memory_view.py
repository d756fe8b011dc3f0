"""The memory page: facts are listed, found, added, edited, deleted, and every act taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPlainTextEdit
from pytestqt.qtbot import QtBot

from kinet.memory.fact import Fact, Support
from kinet.memory.facts import FactBook
from kinet.ui.kit.controls import IconButton
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.preferences.fact_editor import FactEditor
from kinet.ui.preferences.fact_row import FactLine
from kinet.ui.preferences.memory_view import MemoryView
from tests.support.facts_at import Told, facts_at
from tests.support.window import until


@dataclass(frozen=True)
class Use:
    session_id: str
    title: str
    at: float = 1_700_000_000.0


class Page:
    def __init__(self, home: Path, qtbot: QtBot) -> None:
        self.home, self.source = home, Told()
        self.facts = facts_at(home, self.source)
        self.facts.add_fact("Short answers, please.")
        self.view = MemoryView(self.facts, folder=str(home))
        qtbot.addWidget(self.view)
        self.told: list[tuple[str, Callable[[], None]]] = []
        self.view.told.connect(lambda text, undo: self.told.append((text, undo)))

    def texts(self) -> list[str]:
        return [fact.text for fact in self.facts.facts()]

    def lines(self) -> list[FactLine]:
        layout = self.view._list
        items = [layout.itemAt(place).widget() for place in range(layout.count())]
        return [item for item in items if isinstance(item, FactLine)]

    def listed(self) -> list[str]:
        return [line.findChildren(QLabel)[0].text() for line in self.lines()]

    def search(self, words: str, qtbot: QtBot) -> list[str]:
        self.view.search.setText(words)
        qtbot.waitUntil(lambda: not self.view._pause.isActive())
        return self.listed()

    def press(self, name: str) -> None:
        button = next(
            item for item in self.view.findChildren(IconButton) if item.accessibleName() == name
        )
        button.click()


@pytest.fixture
def page(app: object, qtbot: QtBot, tmp_path: Path) -> Page:
    return Page(tmp_path, qtbot)


def test_the_newest_fact_stands_first(page: Page) -> None:
    page.facts.add_fact("Likes green.")
    page.view.refresh()
    assert page.listed() == ["Likes green.", "Short answers, please."]


def test_a_fact_is_added_for_the_project(page: Page, qtbot: QtBot) -> None:
    page.view.field.setText("  The branch is called\nstable. ")
    page.view.scope.setCurrentIndex(1)
    qtbot.keyClick(page.view.field, Qt.Key.Key_Return)
    added = page.facts.facts()[-1]
    assert added.text == "The branch is called stable."
    assert added.folder == str(page.home)
    assert page.view.field.text() == ""
    assert "The branch is called stable." in page.listed()
    page.told[-1][1]()
    assert len(page.texts()) == 1


def test_an_empty_fact_is_not_added(page: Page) -> None:
    page.view.field.setText("   ")
    page.view.add.click()
    assert len(page.texts()) == 1


def test_a_secret_is_refused_in_words(page: Page) -> None:
    page.view.field.setText("My password is hunter2")
    page.view.add.click()
    assert "password" in page.view.error.text()
    assert page.view.field.text() == "My password is hunter2"
    assert len(page.texts()) == 1


def test_a_deleted_fact_can_be_taken_back_whole(page: Page) -> None:
    before = page.facts.facts()
    page.press("Delete: Short answers, please.")
    assert page.texts() == []
    text, undo = page.told[-1]
    assert text == "Fact deleted"
    undo()
    assert page.facts.facts() == before
    assert page.listed() == ["Short answers, please."]


def test_a_fact_is_edited_by_the_keyboard_and_taken_back(page: Page, qtbot: QtBot) -> None:
    page.press("Edit: Short answers, please.")
    editor = page.view.window().findChild(FactEditor)
    assert isinstance(editor, FactEditor)
    edit = editor.findChild(QPlainTextEdit)
    assert isinstance(edit, QPlainTextEdit)
    qtbot.keyClicks(edit, "Long answers.")
    qtbot.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert page.listed() == ["Long answers."]
    assert page.facts.facts()[0].earlier[0].text == "Short answers, please."
    page.told[-1][1]()
    assert page.listed() == ["Short answers, please."]
    assert page.facts.facts()[0].earlier == ()


def test_facts_are_found_by_their_words_in_any_script(page: Page, qtbot: QtBot) -> None:
    for text in ("用户住在北京", "Uses pytest.", "يحب القهوة"):
        page.facts.add_fact(text)
    assert page.search("北京", qtbot) == ["用户住在北京"]
    assert page.search("test", qtbot) == ["Uses pytest."]
    assert page.search("القهوة", qtbot) == ["يحب القهوة"]
    assert page.search("zebra", qtbot) == []
    labels = [
        label.text() for label in page.view.findChildren(QLabel) if label.isVisibleTo(page.view)
    ]
    assert "No fact with these words." in labels


def test_a_thousand_facts_are_listed_in_part_and_the_rest_is_counted(page: Page) -> None:
    book = "".join(f'{{"text": "Fact {number}."}},' for number in range(1_000))
    page.facts.import_facts(f'{{"facts": [{book[:-1]}]}}')
    page.view.refresh()
    assert len(page.lines()) == 100
    texts = [label.text() for label in page.view.findChildren(QLabel)]
    assert "901 more. Search for their words." in texts


async def test_where_a_fact_came_from_and_was_used_is_told_and_can_be_opened(
    page: Page, qtbot: QtBot
) -> None:
    book = FactBook(page.home / "facts.json")
    noticed = book.take(
        Fact("", "Lives in Rome.", source="conversation", support=(Support("s1", "m1"),))
    )
    assert noticed is not None
    page.source.known = [Use("s1", "Moving house")]
    page.source.told = {noticed.fact.id: [Use("s2", "Weather")]}
    page.facts._book = book
    page.view.refresh()
    wanted: list[str] = []
    page.view.session_wanted.connect(wanted.append)
    line = page.lines()[0]
    line.story.click()
    await until(lambda: len(line.findChildren(TextButton)) == 2)
    names = [button.accessibleName() for button in line.findChildren(TextButton)]
    assert names == ["Open the session Moving house", "Open the session Weather"]
    for button in line.findChildren(TextButton):
        button.click()
    assert wanted == ["s1", "s2"]


def test_an_export_can_be_taken_in_elsewhere(page: Page, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    file.write_text(page.facts.export_facts(), "utf-8")
    (tmp_path / "other").mkdir()
    other = Page(tmp_path / "other", qtbot)
    other.facts.delete_fact(other.facts.facts()[0].id)
    other.view.import_file(file)
    assert other.listed() == ["Short answers, please."]
    assert other.told[-1][0] == "1 new fact"
    other.view.import_file(tmp_path / "missing.json")
    assert "cannot be read" in other.view.error.text()


def test_what_could_not_be_kept_is_said_and_the_text_stays(page: Page) -> None:
    (page.home / "facts.json").unlink()
    (page.home / "facts.json").mkdir()
    page.view.field.setText("Important")
    page.view.add.click()
    assert "cannot be written" in page.view.error.text()
    assert page.view.field.text() == "Important"
