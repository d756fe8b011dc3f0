"""The page of servers: how each stands, what can be done, and that it follows what happens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from kinet.ui.preferences.settings_page import SettingsPage
from kinet.ui.servers.server_item import ServerItem
from kinet.ui.servers.servers_view import ServersView
from kinet.ui.servers.tool_rows import switch_rect
from tests.support.fake_servers import FakeServers, Server, Tool
from tests.support.window import until

TOOLS = (
    Tool("search", "Searches all documents.\nSecond line.", 312, read_only=True),
    Tool("fetch", "Gives a document.", 180),
    Tool("delete", "Deletes a document.", 90, on=False, destructive=True),
)
FAILED = Server(
    "postgres",
    "uvx mcp-server-postgres  (sets PGPASSWORD)",
    "failed",
    reason="The program ended before it answered.",
    hint="Try the same command line in a terminal.",
    stderr="\x1b[31mConnection refused\x1b[0m: 5432\n",
    exit_code=1,
)
LEFT = Qt.MouseButton.LeftButton


class Page:
    """The view on a page, over servers that are changed by hand."""

    def __init__(self, qtbot: QtBot, *servers: Server, folder: str = "") -> None:
        self.services = FakeServers(
            list(servers), {row.name: {"command": "x"} for row in servers if row.place == "own"}
        )
        self.page = SettingsPage("mcp", "Servers")
        self.view = ServersView(self.services, self.page, folder=folder)  # type: ignore[arg-type]
        self.page.add_part(self.view, self.view)
        self.told: list[tuple[str, Any]] = []
        self.view.told.connect(lambda words, undo: self.told.append((words, undo)))
        qtbot.addWidget(self.page)
        self.page.resize(704, 900)
        self.page.show()

    async def item(self, name: str) -> ServerItem:
        await until(lambda: [i for i in self.view.items if i.row.name == name], what=name)
        return next(item for item in self.view.items if item.row.name == name)

    async def unfold(self, name: str) -> ServerItem:
        item = await self.item(name)
        item.head.click()
        assert item.details is not None
        await until(item.details.isVisible)
        return item


def words(widget: QWidget) -> str:
    labels = [label for label in widget.findChildren(QLabel) if label.isVisible()]
    return "\n".join(label.text() for label in labels)


def button(widget: QWidget, name: str) -> QPushButton:
    found = widget.findChild(QPushButton, name)
    assert isinstance(found, QPushButton)
    return found


async def test_without_servers_there_is_one_sentence_and_one_action(
    app: object, qtbot: QtBot
) -> None:
    page = Page(qtbot)
    empty = page.view.findChild(QWidget, "noServers")
    assert isinstance(empty, QWidget)
    await until(empty.isVisible)
    seen = [b for b in page.view.findChildren(QPushButton) if b.isVisible()]
    assert [b.accessibleName() for b in seen] == ["Add a server…"]
    seen[0].click()
    form = page.view.findChild(QWidget, "serverForm")
    assert isinstance(form, QWidget)
    assert form.isVisible()


async def test_each_row_says_how_it_stands_in_words(app: object, qtbot: QtBot) -> None:
    rows = [
        Server("docs", state="ready", tools=TOOLS),
        Server("github", "https://x.example/mcp", "starting", kind="http"),
        FAILED,
        Server("browser", state="off", enabled=False),
        Server("time"),
        Server("lint", state="trust", place="folder", reason="Not trusted.", folder="/w"),
    ]
    page = Page(qtbot, *rows, folder="/w")
    await page.item("lint")
    said = [item.head.accessibleName() for item in page.view.items]
    assert said == [
        "docs, Ready, 2 of 3 tools",
        "github, Starting",
        "postgres, Failed, exit code 1",
        "browser, Off",
        "time, Starts with the next message",
        "lint, Folder not trusted",
    ]
    failed = await page.item("postgres")
    assert failed.head.accessibleDescription() == FAILED.reason
    assert [item.switch.isChecked() for item in page.view.items] == [1, 1, 1, 0, 1, 1]
    assert "Named by /w/.mcp.json" in words(page.view)


async def test_a_failed_server_unfolds_reason_exit_code_and_what_it_wrote(
    app: object, qtbot: QtBot
) -> None:
    page = Page(qtbot, FAILED)
    item = await page.unfold("postgres")
    said = words(item)
    assert FAILED.reason in said
    assert FAILED.hint in said
    assert "The last it wrote (exit code 1):" in said
    assert item.details is not None
    assert item.details._stderr is not None
    assert item.details._stderr.text == "Connection refused: 5432", "without its colours"
    assert item.details.line.text == FAILED.line
    button(item, "restartServerButton").click()
    await until(lambda: item.row.state == "starting")
    assert ("restart", "postgres", None) in page.services.done
    assert item.details.isVisible(), "what was unfolded stays so"
    assert "The last it wrote" not in words(item)


async def test_a_silent_failure_says_that_nothing_was_written(app: object, qtbot: QtBot) -> None:
    page = Page(qtbot, Server("a", state="failed", reason="It ended.", exit_code=3))
    assert "It wrote nothing (exit code 3)." in words(await page.unfold("a"))


async def test_the_rows_follow_what_happens_and_keep_focus_and_place(
    app: object, qtbot: QtBot
) -> None:
    page = Page(qtbot, Server("a"), Server("b", state="ready", tools=TOOLS))
    item = await page.unfold("b")
    item.switch.setFocus()
    page.services.change("b", state="failed", reason="It ended.", tools=())
    await until(lambda: "It ended." in words(item))
    assert item.head.accessibleName() == "b, Failed"
    assert (await page.item("b")) is item
    assert QApplication.focusWidget() in (item.switch, None)
    page.services.servers.append(Server("c"))
    page.services.change("a", state="ready")
    assert (await page.item("c")).isVisible()
    page.page.hide()
    assert page.services.listeners == 0, "nothing is read while nobody looks"
    page.page.show()
    assert page.services.listeners == 1


async def test_a_switch_is_kept_and_goes_back_where_it_cannot_be(app: object, qtbot: QtBot) -> None:
    page = Page(qtbot, Server("a"))
    item = await page.item("a")
    item.switch.click()
    await until(lambda: item.row.state == "off")
    assert page.services.done == [("switch", "a", False, None)]
    page.services.refusal = "The settings could not be saved: disk full."
    item.switch.click()
    await until(lambda: page.told)
    assert page.told[-1][0].startswith("The settings could not be saved: disk full.")
    await until(lambda: not item.switch.isChecked(), what="it shows what is true")


async def test_tools_are_switched_by_key_and_mouse_and_told_of_whole(
    app: object, qtbot: QtBot
) -> None:
    page = Page(qtbot, Server("docs", state="ready", tools=TOOLS))
    item = await page.unfold("docs")
    assert item.details is not None
    tools = item.details.tools
    assert "2 of 3 tools on, 492 tokens in each request" in words(tools)
    tools.view.setFocus()
    await until(lambda: "Second line." in words(tools), what="the first one is read whole")
    assert "It says that it only reads." in words(tools)
    QTest.keyClick(tools.view, Qt.Key.Key_Space)
    await until(lambda: page.services.done)
    assert page.services.done[-1] == ("switch_tool", "docs", "search", False, None)
    QTest.keyClick(tools.view, Qt.Key.Key_Down)
    QTest.keyClick(tools.view, Qt.Key.Key_Down)
    assert "It says that it may destroy things." in words(tools)
    place = switch_rect(tools.view.visualRect(tools.rows.index(2, 0))).center()
    QTest.mouseClick(tools.view.viewport(), LEFT, pos=place)
    await until(lambda: page.services.done[-1][:4] == ("switch_tool", "docs", "delete", True))
    QTest.mouseClick(tools.view.viewport(), LEFT, pos=QPoint(30, place.y()))
    assert page.services.done[-1][:4] == ("switch_tool", "docs", "delete", True), "beside it"
    button(tools, "allToolsButton").click()
    await until(lambda: "0 of 3 tools on" in words(tools))
    assert page.services.done[-1][:3] == ("switch_tools", "docs", ("search", "fetch", "delete"))
    assert button(tools, "allToolsButton").accessibleName() == "Turn all on"
    button(tools, "allToolsButton").click()
    await until(lambda: "3 tools on" in words(tools))


async def test_a_tool_that_is_on_and_not_offered_says_why(app: object, qtbot: QtBot) -> None:
    why = "Its schema cannot be used: it points to itself."
    tools = (*TOOLS, Tool("odd", "Something.", 70, problem=why))
    page = Page(qtbot, Server("docs", state="ready", tools=tools))
    item = await page.unfold("docs")
    assert item.head.accessibleName() == "docs, Ready, 2 of 4 tools"
    assert item.details is not None
    view = item.details.tools.view
    assert "2 of 4 tools on, 492 tokens in each request" in words(item)
    view.setCurrentIndex(item.details.tools.rows.index(3, 0))
    assert f"{why}\nSomething." in words(item)
    row = QAccessible.queryAccessibleInterface(view).child(3)
    assert row.text(QAccessible.Text.Name) == "odd, not offered, 70 tokens"
    assert row.text(QAccessible.Text.Description) == why


async def test_a_screen_reader_hears_a_tool_its_state_and_its_weight(
    app: object, qtbot: QtBot
) -> None:
    page = Page(qtbot, Server("docs", state="ready", tools=TOOLS))
    item = await page.unfold("docs")
    assert item.details is not None
    view = item.details.tools.view
    reader = QAccessible.queryAccessibleInterface(view)
    row = reader.child(2)
    assert row.text(QAccessible.Text.Name) == "delete, off, 90 tokens"
    assert "Deletes a document." in row.text(QAccessible.Text.Description)
    head = QAccessible.queryAccessibleInterface(item.head)
    assert head.state().checkable
    assert head.state().checked
    assert item.switch.accessibleName() == "Use the server docs"


async def test_removing_can_be_taken_back_and_what_was_kept_goes_at_the_end(
    app: object, qtbot: QtBot
) -> None:
    page = Page(qtbot, Server("a"), Server("b"), Server("c"))
    page.view.acts.forget_removed()
    assert page.services.done == [], "nothing was removed"
    item = await page.unfold("b")
    button(item, "removeServerButton").click()
    await until(lambda: page.told)
    sentence, undo = page.told[0]
    assert sentence == "b removed"
    await until(lambda: [i.row.name for i in page.view.items] == ["a", "c"])
    undo()
    await page.item("b")
    assert page.services.entries["b"] == {"command": "x"}
    page.view.acts.forget_removed()
    await until(lambda: page.services.done[-1] == ("forget_removed",))


async def test_a_folders_server_is_not_edited_here_and_leads_to_the_question(
    app: object, qtbot: QtBot, tmp_path: Path
) -> None:
    untrusted = Server(
        "lint", "node lint.js", "trust", "folder", reason="Not trusted.", folder=str(tmp_path)
    )
    page = Page(qtbot, untrusted, folder=str(tmp_path))
    wanted: list[bool] = []
    page.view.trust_wanted.connect(lambda: wanted.append(True))
    item = await page.unfold("lint")
    assert "Not trusted." in words(item)
    for name in ("editServerButton", "removeServerButton", "restartServerButton"):
        assert not button(item, name).isVisible(), name
    assert not item.switch.isEnabled()
    button(item, "serverTrustButton").click()
    assert wanted == [True]
    page.services.change("lint", state="ready", reason="")
    await until(item.switch.isEnabled)
    item.switch.click()
    await until(lambda: page.services.done)
    assert page.services.done[-1] == ("switch", "lint", False, tmp_path)


async def test_it_is_found_by_name_line_and_tool(app: object, qtbot: QtBot) -> None:
    many = [Server(f"server-{n}", f"npx package-{n}") for n in range(8)]
    page = Page(qtbot, *many, Server("docs", state="ready", tools=TOOLS))
    await page.item("docs")
    assert page.view.search.isVisible()

    def seen() -> list[str]:
        return [item.row.name for item in page.view.items if item.isVisible()]

    page.view.search.setText("package-3")
    await until(lambda: seen() == ["server-3"])
    page.view.search.setText("FETCH")
    await until(lambda: seen() == ["docs"])
    page.view.search.clear()
    await until(lambda: len(seen()) == 9)
    assert page.page.filter("fetch"), "the search of the settings finds it too"
    await until(lambda: seen() == ["docs"])
    assert not page.page.filter("nothing of it")
    assert page.page.filter("")
    await until(lambda: len(seen()) == 9)


async def test_very_many_are_made_a_few_at_a_time_and_let_go_when_unseen(
    app: object, qtbot: QtBot
) -> None:
    page = Page(qtbot, *(Server(f"s{n:03}") for n in range(90)))
    await page.item("s000")
    assert len(page.view.items) < 90
    await page.item("s089")
    page.view.search.setText("s04")
    await until(lambda: sum(item.isVisible() for item in page.view.items) == 10)
    page.page.hide()
    assert page.view.items == []
    page.page.show()
    await page.item("s089")
    assert sum(item.isVisible() for item in page.view.items) == 10, "the search still holds"


async def test_a_server_can_be_shown_by_name(app: object, qtbot: QtBot) -> None:
    page = Page(qtbot, *(Server(f"s{n}") for n in range(30)), FAILED)
    page.view.show_server("postgres")
    item = await page.item("postgres")
    await until(lambda: item.head.isChecked())
    assert item.details is not None
    await until(lambda: not item.visibleRegion().isEmpty(), what="it is scrolled to")


async def test_tab_goes_through_the_page_from_top_to_bottom(app: object, qtbot: QtBot) -> None:
    page = Page(qtbot, Server("a"), Server("docs", state="ready", tools=TOOLS), Server("z"))
    # Made before the rows are, as the parts of other pages are.
    later = QPushButton("Later", page.page)
    later.setAccessibleName("Later")
    later.show()
    item = await page.unfold("docs")
    await until(lambda: item.details is not None and item.details.isVisible())
    order: list[str] = []
    widget: QWidget = page.view.add
    for _ in range(40):
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            order.append(widget.accessibleName() or widget.objectName())
        widget = widget.nextInFocusChain()
        if widget is page.view.add:
            break
    wanted = [
        "Add a server…", "a, Starts with the next message", "Use the server a",
        "docs, Ready, 2 of 3 tools", "Use the server docs", "Address of docs",
    ]  # fmt: skip
    wanted[-1] = "Command line of docs"
    assert [name for name in order if name in wanted] == wanted
    assert order.index("Tools of docs") < order.index("Restart docs") < order.index("Remove docs")
    assert order.index("Remove docs") < order.index("z, Starts with the next message")
    assert order.index("Use the server z") < order.index("Later")
