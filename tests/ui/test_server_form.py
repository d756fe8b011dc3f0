"""The form of a server: filled in or pasted, tried before it is saved, its secrets never shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QMainWindow, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from kinet.ui.servers.server_form import JSON, ServerForm
from kinet.ui.servers.server_naming import suggested_name
from kinet.ui.servers.value_rows import KEPT
from tests.support.fake_servers import FakeServers, Tool, Tried
from tests.support.window import until

PASTED = """{
  "mcpServers": {
    "github": {"command": "npx", "args": ["-y", "@x/github"], "env": {"GITHUB_TOKEN": "ghp_1"}},
    "docs": {"url": "https://docs.example/mcp"},
    "no good": {"command": "x"}
  }
}"""


class Form:
    """An open form and what was saved from it."""

    def __init__(self, qtbot: QtBot, services: FakeServers, name: str = "") -> None:
        self.services = services
        self.window = QMainWindow()
        self.window.resize(1000, 800)
        qtbot.addWidget(self.window)
        self.window.show()
        self.form = ServerForm(services, name, self.window)  # type: ignore[arg-type]
        self.saved: list[tuple[list[str], str]] = []
        self.form.saved.connect(lambda names, place: self.saved.append((names, place)))
        self.form.open()

    @property
    def fields(self) -> Any:
        return self.form.fields

    @property
    def words(self) -> str:
        labels = [label for label in self.form.findChildren(QLabel) if label.isVisible()]
        return "\n".join(label.text() for label in labels)

    async def paste(self, text: str) -> None:
        self.form.kind.buttons[JSON].click()
        pasted = self.form.pasted
        pasted.text.setPlainText(text)
        pasted.look()
        await until(lambda: len(pasted.rows) == len(pasted._read), what="all rows are made")


@pytest.fixture
def make(app: object, qtbot: QtBot) -> Callable[..., Form]:
    return lambda *args, **values: Form(qtbot, FakeServers(**values), *args)


async def test_a_program_is_filled_in_and_saved_under_the_name_its_line_suggests(
    make: Callable[..., Form],
) -> None:
    form = make()
    form.fields.command.setText("npx -y @scope/server-github --root '/my work'")
    form.fields.command.editingFinished.emit()
    assert form.fields.command.text() == "npx", "a whole line is taken apart"
    assert form.fields.arguments.text() == "-y\n@scope/server-github\n--root\n/my work"
    form.fields.variables.add.click()
    (row,) = form.fields.variables.rows
    row.name.setText("GITHUB_TOKEN")
    row.value.setText("ghp_secret")
    assert row.value.echoMode() == QLineEdit.EchoMode.Password
    form.fields.folder.setText("~/work")
    assert form.form.name.placeholderText() == "github"
    form.form.save_button.click()
    await until(lambda: form.saved)
    assert form.saved == [(["github"], "")]
    assert form.services.entries["github"] == {
        "command": "npx",
        "args": ["-y", "@scope/server-github", "--root", "/my work"],
        "env": {"GITHUB_TOKEN": "ghp_secret"},
        "cwd": "~/work",
    }
    assert form.services.secrets["github"] == {"GITHUB_TOKEN"}


async def test_an_address_is_filled_in_with_its_headers(make: Callable[..., Form]) -> None:
    form = make()
    form.form.kind.buttons["http"].click()
    assert form.fields.address.isVisible()
    assert not form.fields.command.isVisible()
    form.fields.address.setText("https://docs.example/mcp")
    form.fields.headers.add.click()
    (row,) = form.fields.headers.rows
    row.name.setText("Authorization")
    row.value.setText("Bearer x")
    form.fields.seconds.setValue(30)
    form.form.save_button.click()
    await until(lambda: form.saved)
    assert form.services.entries["docs"] == {
        "type": "http",
        "url": "https://docs.example/mcp",
        "headers": {"Authorization": "Bearer x"},
        "timeout": 30,
    }


async def test_a_client_that_was_registered_by_hand_is_filled_in(make: Callable[..., Form]) -> None:
    form = make()
    form.form.kind.buttons["http"].click()
    client = form.fields.client
    assert not client.client.isVisible(), "few need it"
    client.add.click()
    assert client.client.isVisible()
    assert not client.add.isVisible()
    form.fields.address.setText("https://docs.example/mcp")
    for line, text in ((client.client, "kinet"), (client.secret, "s3cret"), (client.port, "3118")):
        line.setText(text)
    assert client.secret.echoMode() is QLineEdit.EchoMode.Password
    form.form.save_button.click()
    await until(lambda: form.saved)
    given = {"clientId": "kinet", "callbackPort": 3118, "clientSecret": "s3cret"}
    assert form.services.entries["docs"]["oauth"] == given


async def test_a_kept_client_secret_is_never_shown_and_stays(make: Callable[..., Form]) -> None:
    kept = {"clientId": "kinet", "clientSecret": KEPT, "more": 1}
    entry = {"url": "https://docs.example/mcp", "oauth": kept}
    form = make("docs", entries={"docs": entry})
    client = form.fields.client
    assert (client.secret.text(), client.client.text()) == ("", "kinet")
    assert client.client.isVisible()
    assert "Kept" in client.secret.placeholderText()
    assert form.fields.entry()["oauth"] == kept
    client.client.clear()
    assert form.fields.entry()["oauth"] == {"more": 1}


@pytest.mark.parametrize(
    ("fill", "sentence"),
    [
        (lambda fields: None, "Which program is it?"),
        (lambda fields: (fields.command.setText("x"), add(fields, "", "1")), "and no name."),
        (
            lambda fields: (fields.command.setText("x"), add(fields, "A", "1"), add(fields, "A")),
            "The variable A stands here twice.",
        ),
    ],
)
async def test_what_is_missing_is_said_and_nothing_is_tried_or_saved(
    make: Callable[..., Form], fill: Callable[[Any], None], sentence: str
) -> None:
    form = make()
    form.form.name.setText("a")
    fill(form.fields)
    form.form.test.click()
    assert sentence in form.words
    form.form.save_button.click()
    await until(lambda: "Not saved" in form.words)
    assert sentence in form.words
    assert form.services.done == []
    assert form.services.entries == {}


def add(fields: Any, name: str, value: str = "2") -> None:
    fields.variables.add.click()
    row = fields.variables.rows[-1]
    row.name.setText(name)
    row.value.setText(value)


async def test_what_the_keychain_holds_is_never_shown_and_stays_unless_replaced(
    make: Callable[..., Form],
) -> None:
    entry = {
        "command": "npx",
        "args": ["-y", "two\nlines", ' "quoted"', ""],
        "env": {"TOKEN": KEPT, "MODE": "fast"},
        "autoApprove": ["x"],
        "tools_off": ["y"],
    }
    form = make("docs", entries={"docs": entry})
    token, mode = form.fields.variables.rows
    assert token.value.text() == ""
    assert "Kept" in token.value.placeholderText()
    assert (token.secret, mode.secret) == (True, False)
    assert mode.value.echoMode() == QLineEdit.EchoMode.Normal
    assert JSON not in form.form.kind.buttons
    assert form.fields.entry() == entry, "what has no field stays, to the letter"
    token.value.setText("new")
    assert form.fields.entry()["env"] == {"TOKEN": "new", "MODE": "fast"}
    token.value.clear()
    token.lock.click()
    assert form.fields.entry()["env"]["TOKEN"] == "", "no secret any more: its value has to be told"
    mode.lock.click()
    assert mode.value.echoMode() == QLineEdit.EchoMode.Password
    assert form.fields.secrets() == {"MODE"}


async def test_what_was_written_by_hand_and_is_no_entry_is_opened_all_the_same(
    make: Callable[..., Form],
) -> None:
    odd = {"command": 3, "args": "x", "env": ["a"], "timeout": "soon", "cwd": None}
    form = make("odd", entries={"odd": odd})
    assert form.fields.command.text() == "3"
    assert form.fields.entry() == {"command": "3", "timeout": 120}


async def test_a_trial_tells_live_how_it_goes_and_saves_nothing(make: Callable[..., Form]) -> None:
    gate = asyncio.Event()

    async def trial(progress: Callable[[str], None]) -> Tried:
        progress("Starting the program")
        await gate.wait()
        progress("It answers; listing its tools")
        return Tried(tools=(Tool("search", tokens=300), Tool("搜索", tokens=200)))

    form = make(trial=trial)
    form.fields.command.setText("docs-server")
    form.form.test.click()
    await until(lambda: "Starting the program" in form.words)
    assert form.form.test.text() == "End the test"
    assert not form.form.save_button.isEnabled()
    gate.set()
    await until(lambda: "It works" in form.words)
    assert "docs 1.2 brings 2 tools, 500 tokens in each request" in form.words
    assert "search, 搜索" in form.words
    assert form.form.test.text() == "Test"
    assert form.form.save_button.isEnabled()
    assert form.services.entries == {}
    assert form.services.done == [("try_out", "docs", {"command": "docs-server"}, None)]


async def test_a_trial_that_fails_shows_reason_exit_code_and_what_was_written(
    make: Callable[..., Form],
) -> None:
    async def trial(progress: Callable[[str], None]) -> Tried:
        return Tried(
            False, "It ended at once.", "Try it in a terminal.", "\x1b[31mno\x1b[0m\n", 127
        )

    form = make(trial=trial)
    form.fields.command.setText("x")
    form.form.name.setText("x")
    form.form.test.click()
    await until(lambda: "It does not work" in form.words)
    assert (
        "It ended at once.\nTry it in a terminal.\nThe last it wrote (exit code 127):" in form.words
    )
    assert form.form.strip.wrote.text == "no"


@pytest.mark.parametrize("way", ["button", "close"])
async def test_a_trial_ends_when_it_is_ended_and_with_the_form(
    make: Callable[..., Form], way: str
) -> None:
    ended: list[bool] = []

    async def trial(progress: Callable[[str], None]) -> Tried:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)
        raise AssertionError

    form = make(trial=trial)
    form.fields.command.setText("x")
    form.form.test.click()
    await until(lambda: "Starting" in form.words)
    if way == "button":
        form.form.test.click()
        await until(lambda: not form.form.strip.isVisible())
        assert form.form.save_button.isEnabled()
    else:
        form.form.reject()
        form.form.reject()
    await until(lambda: ended)


async def test_several_are_pasted_shown_whole_and_those_that_can_be_are_saved(
    make: Callable[..., Form],
) -> None:
    form = make(entries={"docs": {"command": "old"}})
    await form.paste(PASTED)
    lines = [row.name for row in form.form.pasted.rows]
    assert lines == ["github", "docs", "no good"]
    assert "Kept in the keychain: GITHUB_TOKEN" in form.words
    assert "There is a server of this name already; it stays as it is." in form.words
    assert "“no good” cannot be the name of a server." in form.words
    assert form.form.save_button.text().strip() == "Save"
    form.form.save_button.click()
    await until(lambda: form.saved)
    assert form.saved == [(["github"], "")]
    assert form.services.entries["docs"] == {"command": "old"}
    assert form.services.entries["github"]["env"] == {"GITHUB_TOKEN": "ghp_1"}


async def test_pasted_ones_are_tried_one_after_the_other(make: Callable[..., Form]) -> None:
    async def trial(progress: Callable[[str], None]) -> Tried:
        progress("Starting the program")
        failed = form.services.done[-1][1] == "docs"
        return Tried(False, "Nobody answers.") if failed else Tried(tools=(Tool("a"),))

    form = make(trial=trial)
    await form.paste(PASTED)
    assert form.form.save_button.text().strip() == "Save 2 servers"
    form.form.test.click()
    await until(lambda: "Nobody answers." in form.words)
    assert "docs 1.2 brings 1 tool" in form.words
    assert [entry[1] for entry in form.services.done] == ["github", "docs"]


async def test_hundreds_are_pasted_and_the_window_goes_on_meanwhile(
    make: Callable[..., Form],
) -> None:
    form = make()
    many = {f"server-{n}": {"command": f"program-{n}"} for n in range(200)}
    form.form.kind.buttons[JSON].click()
    form.form.pasted.text.setPlainText(json.dumps({"mcpServers": many}))
    form.form.pasted.look()
    assert len(form.form.pasted.entries) == 60, "what is saved is what is shown"
    assert "These are 200 servers; the first 60 are taken." in form.words
    await until(lambda: form.form.pasted.rows)
    assert len(form.form.pasted.rows) < 60
    form.form.pasted.text.setPlainText(PASTED)
    form.form.pasted.look()
    await until(lambda: len(form.form.pasted.rows) == 3)
    await asyncio.sleep(0)
    assert [row.name for row in form.form.pasted.rows] == ["github", "docs", "no good"]
    form.form.pasted.text.setPlainText(json.dumps({"mcpServers": many}))
    form.form.pasted.look()
    for _ in range(2):
        form.form.reject()
    await until(lambda: not isValid(form.form), what="it closes while rows are made")


async def test_wrong_json_is_answered_at_its_line(make: Callable[..., Form]) -> None:
    form = make()
    await form.paste(PASTED.replace('"ghp_1"}},', '"ghp_1"}}'))
    assert "Line 4: a comma is missing." in form.words
    (mark,) = form.form.pasted.text.extraSelections()
    assert mark.cursor.blockNumber() == 3
    assert not form.form.save_button.isEnabled()
    assert not form.form.test.isEnabled()
    form.form.pasted.text.setPlainText(PASTED)
    assert form.form.pasted.text.extraSelections() == []
    await until(lambda: form.form.pasted.entries, what="it is read after a pause")


@pytest.mark.parametrize("text", ["", "   ", "[]", "{}", "x" * 1_000_001])
async def test_a_text_without_servers_adds_none(make: Callable[..., Form], text: str) -> None:
    form = make()
    form.form.kind.buttons[JSON].click()
    form.form.pasted.text.setPlainText(text[:50])
    form.services.parse = lambda text: {}  # type: ignore[method-assign]
    form.form.pasted.look()
    assert form.form.pasted.entries == {}
    assert not form.form.save_button.isEnabled()


async def test_one_entry_without_a_name_gets_one(make: Callable[..., Form]) -> None:
    form = make()
    await form.paste('{"command": "uvx", "args": ["mcp-server-time"]}')
    assert list(form.form.pasted.entries) == ["time"]


async def test_closing_with_changes_asks_once(make: Callable[..., Form]) -> None:
    form = make()
    form.fields.command.setText("x")
    QTest.keyClick(form.form, Qt.Key.Key_Escape)
    assert form.form.isVisible()
    assert "is not saved" in form.words
    form.fields.command.setText("xy")
    assert "is not saved" not in form.words, "whoever goes on is asked anew"
    form.form.reject()
    form.form.reject()
    assert not form.form.isVisible()
    untouched = make()
    untouched.form.reject()
    await until(lambda: not isValid(form.form) and not isValid(untouched.form), what="they go")


async def test_where_no_keychain_answers_that_is_said(make: Callable[..., Form]) -> None:
    form = make(place="session")
    form.fields.command.setText("x")
    form.form.name.setText("x")
    form.form.save()
    await until(lambda: form.saved)
    assert form.saved == [(["x"], "session")]


async def test_what_cannot_be_saved_says_why_and_stays(make: Callable[..., Form]) -> None:
    form = make(refusal="The settings could not be saved: disk full.")
    form.fields.command.setText("x")
    form.form.name.setText("x")
    form.form.save()
    await until(lambda: "disk full." in form.words)
    assert form.form.isVisible()
    assert form.form.save_button.isEnabled()


async def test_every_control_has_a_name(make: Callable[..., Form]) -> None:
    form = make()
    form.fields.variables.add.click()
    form.fields.headers.add.click()
    silent = [
        type(part).__name__
        for part in form.form.findChildren(QWidget)
        if part.window() is form.form
        and part.focusPolicy() & Qt.FocusPolicy.TabFocus and not part.accessibleName()
        and not part.objectName().startswith("qt_")
    ]  # fmt: skip
    assert silent == []


async def test_tab_goes_through_the_form_as_it_is_laid_out(make: Callable[..., Form]) -> None:
    form = make()
    add(form.fields, "TOKEN")
    await until(form.fields.variables.rows[0].isVisible)
    names: list[str] = []
    widget: QWidget = form.form.name
    for _ in range(80):
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            names.append(widget.accessibleName())
        widget = widget.nextInFocusChain()
        if widget is form.form.name:
            break
    wanted = [
        "Name of the server", "Program", "Arguments, one on each line", "Name of the variable",
        "Value of TOKEN", "Secret: TOKEN is kept in the keychain", "Remove TOKEN",
        "Add a variable", "Working folder", "Choose the working folder", "Longest call in seconds",
        "Test", "Cancel", "Save",
    ]  # fmt: skip
    assert [name for name in names if name in wanted] == wanted


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ({"command": "npx", "args": ["-y", "@modelcontextprotocol/server-github@1.2"]}, "github"),
        ({"command": "uvx", "args": ["mcp-server-time", "--tz", "UTC"]}, "time"),
        ({"command": "python", "args": ["-m", "my_docs_server"]}, "my-docs"),
        ({"command": "/opt/tools/lint-server.js"}, "lint"),
        ({"command": "docker", "args": ["run", "-i", "mcp/postgres"]}, "postgres"),
        ({"url": "https://mcp.example.com/mcp"}, "example"),
        ({"url": "https://api.example.com/tracker/mcp"}, "tracker"),
        ({"command": "npx"}, ""),
        ({"command": "服务器"}, ""),
        ({}, ""),
    ],
)
def test_a_name_is_suggested(entry: dict[str, Any], name: str) -> None:
    assert suggested_name(entry) == name
