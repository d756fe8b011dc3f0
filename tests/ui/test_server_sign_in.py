"""Signing in on the page of servers: asked for, shown whose page it is, opened by a press alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QDesktopServices, QGuiApplication
from pytestqt.qtbot import QtBot

from kinet.mcp.sign_in import Visit
from kinet.mcp.sign_ins import Signing
from kinet.ui.chat.banner import Banner
from kinet.ui.look.theme import current_theme
from kinet.ui.servers.server_details import ServerDetails
from kinet.ui.servers.server_item import ServerItem
from tests.support.fake_program import FakeProgram
from tests.support.fake_servers import FakeServers, Server
from tests.support.shell_window import shell_window
from tests.support.window import until
from tests.ui.test_servers_view import Page, button

URL = "https://login.example.org/authorize?client_id=kinet&state=abc"
VISIT = Visit(URL, "login.example.org", "login.example.org", "read write", lambda address: False)
DOCS = Server(
    "docs",
    "https://mcp.example.com/mcp",
    "sign_in",
    kind="http",
    reason="The server wants you to sign in first.",
    hint="If you have a token for it, that can go into headers instead, as Authorization.",
)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What a browser was given."""
    found: list[str] = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: found.append(url.toString()) or True
    )
    return found  # type: ignore[return-value]


async def unfolded(page: Page) -> tuple[ServerItem, ServerDetails]:
    item = await page.unfold("docs")
    assert item.details is not None
    return item, item.details


def asked(page: Page, what: str) -> list[tuple[Any, ...]]:
    return [act for act in page.services.done if act[0] == what]


async def test_a_sign_in_is_asked_for_and_opened_by_a_press_alone(
    app: object, qtbot: QtBot, opened: list[str]
) -> None:
    page = Page(qtbot, DOCS)
    _, details = await unfolded(page)
    assert details.reason.text() == "The server wants you to sign in first."
    warning = current_theme().color("warning")
    assert details.reason.palette().windowText().color().name() == warning, "no failure"
    details.sign_in.click()
    await until(lambda: asked(page, "begin"))
    page.services.change("docs", signing=Signing("Asking how to sign in"))
    await until(details.signing.isVisible)
    assert details.signing.word.text() == "Asking how to sign in…"
    assert not details.sign_in.isVisible()
    assert not details.signing.visit.isVisible()
    page.services.change("docs", signing=Signing("Waiting", VISIT))
    await until(details.signing.visit.isVisible)
    assert details.signing.word.text() == "Sign in at login.example.org"
    assert "It asks for: read write." in details.signing.detail.text()
    assert opened == [], "nothing opens by itself"
    details.signing.copy.click()
    assert QGuiApplication.clipboard().text() == URL
    details.signing.visit.click()
    assert opened == [URL]
    assert details.signing.word.text() == "Waiting for you at login.example.org…"
    page.services.change("docs", state="ready", reason="", hint="", signing=None,
                         signed_in="login.example.org", kept="keychain")  # fmt: skip
    await until(lambda: not details.signing.isVisible())
    assert details.account.text() == "Signed in at login.example.org."
    assert not details.sign_in.isVisible()
    assert details.sign_out.isVisible()


async def test_it_can_be_given_up_and_tried_again(
    app: object, qtbot: QtBot, opened: list[str]
) -> None:
    page = Page(qtbot, replace(DOCS, signing=Signing("Waiting", VISIT)))
    _, details = await unfolded(page)
    details.signing.give_up.click()
    await until(lambda: asked(page, "give_up"))
    failed = Signing(problem="The sign-in was refused at login.example.org.", hint="Ask them.")
    page.services.change("docs", signing=failed)
    await until(details.signing.again.isVisible)
    assert details.signing.word.text() == "Not signed in"
    assert details.signing.detail.text() == f"{failed.problem} {failed.hint}"
    assert not details.signing.visit.isVisible()
    details.signing.again.click()
    await until(lambda: asked(page, "begin"))
    assert opened == []


async def test_an_address_that_is_no_page_is_not_opened(
    app: object, qtbot: QtBot, opened: list[str]
) -> None:
    bad = replace(VISIT, url="javascript:alert(1)", host="x\u202etxt.example")
    page = Page(qtbot, replace(DOCS, signing=Signing("Waiting", bad)))
    _, details = await unfolded(page)
    assert "\u202e" not in details.signing.word.text()
    details.signing.visit.click()
    assert opened == []
    assert "No browser could be opened" in details.signing.detail.text()


async def test_an_issuer_of_another_name_is_said(app: object, qtbot: QtBot) -> None:
    other = replace(VISIT, issuer="accounts.example.net")
    page = Page(qtbot, replace(DOCS, signing=Signing("Waiting", other)))
    _, details = await unfolded(page)
    assert "The sign-in belongs to accounts.example.net." in details.signing.detail.text()


async def test_signing_out_is_told(app: object, qtbot: QtBot) -> None:
    signed = replace(DOCS, state="ready", reason="", hint="", signed_in="a.example", kept="session")
    page = Page(qtbot, signed)
    _, details = await unfolded(page)
    assert details.account.text() == (
        "Signed in at a.example, for this session only: no keychain answers here."
    )
    button(details, "signOutButton").click()
    await until(lambda: page.told)
    assert page.told[-1][0] == "Signed out of docs"
    page.services.sign_ins.ended = False
    button(details, "signOutButton").click()
    await until(lambda: len(page.told) == 2)
    assert "did not confirm it" in page.told[-1][0]
    page.services.sign_ins.refusal = "The keychain of this computer refused."
    button(details, "signOutButton").click()
    await until(lambda: len(page.told) == 3)
    assert page.told[-1][0] == "The keychain of this computer refused."


async def test_more_can_be_granted_while_the_rest_works(app: object, qtbot: QtBot) -> None:
    wants = "The server wants more to be granted: write."
    page = Page(qtbot, replace(DOCS, state="ready", reason="", hint="", wants=wants))
    _, details = await unfolded(page)
    assert details.wants.text() == wants
    assert details.sign_in.isVisible()


async def test_the_icon_of_a_filled_button_is_seen_on_it(app: object, qtbot: QtBot) -> None:
    page = Page(qtbot, DOCS)
    _, details = await unfolded(page)
    ground, ink = current_theme().qcolor("accent"), current_theme().qcolor("on_accent")
    seen = details.sign_in.grab().toImage()
    left = [seen.pixelColor(x, y) for x in range(8, 30) for y in range(seen.height())]
    assert ground in left
    assert ink in left
    page.services.change("docs", state="idle", takes_sign_in=True, reason="", hint="")
    await until(lambda: not details.reason.text())
    assert details.sign_in.isVisible(), "it may be tried before the server was asked"
    assert ground not in [details.sign_in.grab().toImage().pixelColor(12, 14)]


async def test_who_comes_for_it_finds_the_button_under_the_keyboard(
    app: object, qtbot: QtBot
) -> None:
    page = Page(qtbot, Server("time"), DOCS)
    page.view.show_server("docs")
    item = await page.item("docs")
    await until(lambda: item.details is not None and item.details.isVisible())
    assert item.details is not None
    assert page.view.focusWidget() is item.details.sign_in


async def test_the_line_above_the_conversation_leads_there(app: object, tmp_path: Path) -> None:
    program = FakeProgram(tmp_path)
    servers = program.services.servers = FakeServers([Server("docs"), Server("time")])
    async with shell_window(program) as window:
        line, wanted = window.panel.findChild(Banner), []
        assert isinstance(line, Banner)
        window.core.servers.server_wanted.disconnect()
        window.core.servers.server_wanted.connect(wanted.append)
        servers.servers = [DOCS, Server("time", state="failed", reason="It ended.")]
        servers.change("docs")
        await until(line.isVisible)
        assert line.label.whole_text() == (
            "2 servers do not work; docs: The server wants you to sign in first."
        )
        line.button.click()
        assert wanted == ["docs"]
        assert not [act for act in servers.done if act[0] == "begin"]
        servers.change("docs", state="ready", reason="")
        await until(lambda: not line.isVisible())
        wants = "The server wants more to be granted: write."
        servers.change("docs", wants=wants)
        await until(line.isVisible)
        assert line.label.whole_text() == f"docs: {wants}"
        assert line.button.accessibleName() == "Sign in…"
