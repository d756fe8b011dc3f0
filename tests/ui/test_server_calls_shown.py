"""Calls of servers' tools: the question about one, its row, and its step in the panel."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest
from PySide6.QtCore import QBuffer, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.events import ToolFinished, ToolProgress, ToolStarted, TurnStarted
from kinet.ui.asking.approval_card import ApprovalCard
from kinet.ui.asking.approval_words import spoken_question, summary_text
from kinet.ui.panel.step_detail import DATA, INPUT, OUTPUT, PICTURES, StepDetail
from kinet.ui.server_call import arguments_text
from kinet.ui.steps import StepBook, StepRecord, counts_of
from kinet.ui.transcript.entries.steps_group import StepGroup
from tests.support.window import until
from tests.ui.transcript_kit import asked, live, settle, shown

CLAIM = "Deletes nothing, ever. It says that it only reads."
ARGUMENTS = {"query": "Berlin", "limit": 3, "text": "one\nlimit: 99", "filter": {"a": [1, 2]}}


def question(**values: Any) -> ApprovalRequest:
    known: dict[str, Any] = {
        "body": '{\n  "query": "Berlin"\n}',
        "targets": ("npx -y docs-server  (sets TOKEN)",),
        "reason": "what this tool does is not known beforehand",
        "scopes": ("once", "session", "folder", "always"),
        "rule": "docs__search with any arguments, as the server describes it now",
        "arguments": ARGUMENTS,
        "claim": CLAIM,
    }
    return ApprovalRequest(
        "1", "c", "docs__search", "other", "Let the server docs do search?", **(known | values)
    )


class Desk(QWidget):
    """A card and what was answered."""

    def __init__(self, qtbot: QtBot, **values: Any) -> None:
        super().__init__()
        self.now = 100.0
        self.answers: list[Decision] = []
        self.card = ApprovalCard(question(**values), clock=lambda: self.now)
        self.card.answered.connect(self.answers.append)
        QVBoxLayout(self).addWidget(self.card)
        self.resize(720, 560)
        qtbot.addWidget(self)
        self.show()
        qtbot.waitExposed(self)
        self.now += 1

    @property
    def words(self) -> str:
        labels = [label for label in self.card.findChildren(QLabel) if label.isVisible()]
        return "\n".join(label.text() for label in labels)

    def button(self, name: str) -> QPushButton:
        button = self.card.findChild(QPushButton, name)
        assert isinstance(button, QPushButton)
        return button


@pytest.fixture
def desk(app: object, qtbot: QtBot) -> Desk:
    return Desk(qtbot)


def test_the_question_names_server_and_tool_and_shows_the_arguments_whole(desk: Desk) -> None:
    assert "Let the server docs do search?" in desk.words
    box = desk.card.body._box
    assert box is not None
    assert box.text == arguments_text(ARGUMENTS)
    assert "The server is npx -y docs-server  (sets TOKEN)" in desk.words


def test_an_argument_cannot_pass_for_another_one() -> None:
    lines = arguments_text(ARGUMENTS).split("\n")
    assert "limit: 3" in lines
    assert "limit: 99" not in lines, "the line of a text is set in under its name"
    assert "    limit: 99" in lines
    assert arguments_text({"a\nb: 1": "x"}).split("\n") == ["a b: 1: x"]
    long = arguments_text({"list": ["word"] * 40, "short": [1, {"a": "b"}]})
    assert long.endswith('    ]\nshort: [1, {"a": "b"}]')
    assert all(line[0] == " " for line in long.split("\n")[1:-1])


def test_what_the_server_says_is_told_as_its_own_claim(desk: Desk) -> None:
    assert f"The server says of this tool, unchecked: “{CLAIM}”" in desk.words


def test_what_the_server_says_otherwise_than_before_is_shown_as_a_diff(
    desk: Desk, qtbot: QtBot
) -> None:
    assert "otherwise" not in desk.words
    other = Desk(qtbot, changes="-Reads.\n+Reads, and sends\u200b.")
    assert "Since the last call the server describes this tool otherwise:" in other.words
    assert "describes this tool otherwise" in spoken_question(question(changes="-a\n+b"))
    box = other.card.body._changes
    assert box is not None
    assert box.view.isVisible()
    assert box.text == "-Reads.\n+Reads, and sends⟨U+200B⟩."


def test_hidden_characters_of_arguments_and_claim_are_spelt_out(app: object, qtbot: QtBot) -> None:
    desk = Desk(qtbot, arguments={"query": "a\u202eb"}, claim="good\u200b")
    assert "1 hidden character is spelt out above." in desk.words
    assert "good⟨U+200B⟩" in desk.words


def test_a_call_without_arguments_says_so(app: object, qtbot: QtBot) -> None:
    desk = Desk(qtbot, arguments={}, body="{}")
    assert desk.card.body._box is not None
    assert desk.card.body._box.text == "Without arguments."


def test_always_unfolds_how_far_it_reaches_and_saves_that(desk: Desk, qtbot: QtBot) -> None:
    assert not desk.button("approveSessionButton").isVisible()
    desk.button("alwaysButton").click()
    qtbot.waitUntil(lambda: "Calls of search of the server docs" in desk.words)
    assert "in other words, you are asked again" in desk.words
    editor = desk.card.answers.editor  # type: ignore[union-attr]
    assert list(editor.reach.buttons) == ["session", "folder", "always"]
    assert editor.reach.buttons["folder"].hasFocus()
    assert editor.reach.value == "folder"
    editor.reach.buttons["always"].click()
    desk.button("saveRuleButton").click()
    assert desk.answers == [Decision(True, "always")]


def test_without_scopes_nothing_is_offered_for_good(app: object, qtbot: QtBot) -> None:
    desk = Desk(qtbot, scopes=("once",), rule="")
    assert not desk.button("alwaysButton").isVisible()
    desk.button("approveButton").click()
    assert desk.answers == [Decision(True, "once")]


def test_the_keys_of_a_card_hold_for_a_rule_of_a_server_too(desk: Desk, qtbot: QtBot) -> None:
    desk.button("alwaysButton").click()
    editor = desk.card.answers.editor  # type: ignore[union-attr]
    qtbot.keyClick(editor.reach.buttons["session"], Qt.Key.Key_Return)
    assert desk.answers == [], "Enter alone answers nothing"
    qtbot.keyClick(
        editor.reach.buttons["session"], Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier
    )
    assert desk.answers == [Decision(True, "once")]


def test_the_question_is_heard_and_what_is_left_of_it_is_read() -> None:
    assert "docs do search?" in spoken_question(question())
    assert "query: Berlin limit: 3" in spoken_question(question())
    assert summary_text(question()) == "docs search Berlin"


def started(name: str, arguments: dict[str, Any], call_id: str = "c") -> list[Any]:
    return [TurnStarted("s"), asked("Go."), ToolStarted(call_id, name, arguments)]


def test_a_row_tells_server_tool_and_what_it_was_asked() -> None:
    book = StepBook(started("docs__search", {"limit": 3, "query": "Berlin"}))
    (record,) = book.records()
    assert (record.verb, record.argument) == ("docs", "search  Berlin")
    other = StepRecord("d", "docs__fetch", {"id": 4})
    assert other.argument == "fetch  id 4"
    assert counts_of([record, other]) == "2 server calls"


def test_a_row_tells_how_far_the_call_is(app: object) -> None:
    transcript = shown(width=760, height=400)
    presenter = live(transcript, started("docs__search", {"query": "Berlin"}))
    presenter.show(ToolProgress("c", "1 of 3: reading\n"))
    presenter.show(ToolProgress("c", "2 of 3: 阅读\n"))
    settle(transcript)
    (group,) = [e for e in transcript.stage.flow.entries if isinstance(e, StepGroup)]
    assert group.spoken_rows() == ["docs search  Berlin, running, 2 of 3: 阅读"]
    presenter.show(ToolFinished("c", "docs__search", preview="3 places", content="x"))
    settle(transcript)
    assert "(3 places)" in group.markdown()


def picture(width: int = 64, height: int = 32) -> str:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return "data:image/png;base64," + base64.b64encode(bytes(buffer.data().data())).decode()


@pytest.fixture
def panel(app: object, qtbot: QtBot) -> StepDetail:
    panel = StepDetail()
    qtbot.addWidget(panel)
    panel.resize(400, 600)
    panel.show()
    return panel


def step(**values: Any) -> StepRecord:
    known: dict[str, Any] = {"state": "done", "content": "text", "arguments": ARGUMENTS}
    return StepRecord("c", "docs__search", **(known | values))


def test_the_panel_shows_what_was_sent_as_the_question_did(panel: StepDetail) -> None:
    panel.show_step(step())
    panel.tabs.setCurrentIndex(INPUT)
    assert panel.input.toPlainText() == arguments_text(ARGUMENTS)
    assert not panel.tabs.isTabVisible(DATA)
    assert not panel.tabs.isTabVisible(PICTURES)


def test_a_structured_result_has_a_tab_of_its_own(panel: StepDetail) -> None:
    panel.show_step(step(details={"structured": {"places": ["柏林", "Bonn"]}}))
    assert panel.tabs.isTabVisible(DATA)
    panel.tabs.setCurrentIndex(DATA)
    assert '"柏林"' in panel.data.toPlainText()
    panel.find_text("Bonn")
    assert panel.tabs.currentIndex() == DATA


async def test_pictures_are_shown_one_below_the_other_and_large_when_pressed(
    panel: StepDetail,
) -> None:
    urls = (picture(), picture(2_000, 400), "data:image/png;base64,AAAA")
    panel.show_step(step(content="", pictures=urls))
    assert panel.tabs.currentIndex() == PICTURES, "there is nothing else to see"
    view = panel.pictures.view
    assert view is not None
    await until(lambda: len(view.pictures) == 2)
    await until(lambda: "damaged" in words_of(view))
    first, second = view.pictures
    assert first.accessibleName() == "Picture 1 of 3 · 64 × 32. Show it large"
    await until(lambda: second.width() > 200 and abs(5 * second.height() - second.width()) < 9)
    assert first._fitted(first.width()).width() == 64, "a small one is not blown up"
    assert view.copy()
    assert QGuiApplication.clipboard().image().size().width() == 64
    second.click()
    box = view.findChild(QWidget, "pictureBox")
    assert isinstance(box, QWidget)
    assert box.isVisible()
    box.close()
    panel.show_step(StepRecord("d", "docs__search", state="done", content="text"))
    assert panel.tabs.currentIndex() == OUTPUT
    await asyncio.sleep(0)


def words_of(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel))
