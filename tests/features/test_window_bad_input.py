"""What goes wrong outside: one sentence in the window, and question and typed text stay."""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from kinet import paths
from kinet.ui.main_window import MainWindow
from tests.support.live_window import LiveWindow, live_window
from tests.support.replies import Cut, Reply
from tests.support.scripted_server import ScriptedServer, asks_raw, says
from tests.support.window import until

pytestmark = pytest.mark.window

QUESTION = "Keep these words, 請"
NEXT = "typed meanwhile"


def refusal(kind: str, message: str) -> str:
    """The body of an error in both protocols' form."""
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}})


async def fails_with(live: LiveWindow, *words: str) -> None:
    """Asks; the turn fails with these words on screen, and nothing that was typed is lost."""
    await live.say(QUESTION)
    live.type(NEXT)
    await until(lambda: not live.panel.runner.running, 30, "the turn ends")
    assert live.panel.state == "failed"
    shown = live.text
    assert QUESTION in shown
    for word in words:
        assert word in shown, shown
    assert "Traceback" not in shown
    assert "<html" not in shown
    assert live.panel.composer.text() == NEXT
    assert [message.text for message in live.panel.session.history()][:1] == [QUESTION]


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("replies", "words"),
    [
        (
            [Reply(status=401, body=refusal("authentication_error", "invalid key"))],
            ("wants a key, and none is kept", "invalid key.", "Give the profile its key"),
        ),
        (
            [Reply(status=404, body=refusal("not_found_error", "no model named scripted"))],
            ("does not offer the model scripted", "Choose another model"),
        ),
        (
            [says("Half a thought", Cut())] * 2,
            ("Half a thought", "ended the answer before it was whole", "Send again"),
        ),
        (
            [Reply(status=200, body="<html><title>Sign in to Wi-Fi</title></html>")],
            ("a web page instead of a model's answer", "Check the address"),
        ),
    ],
)
async def test_a_server_s_fault_is_told_with_what_to_do(
    tmp_path: Path, protocol: str, replies: list[Reply], words: tuple[str, ...]
) -> None:
    if replies[0].status == 200 and replies[0].body:
        replies = [Reply(status=203, body=replies[0].body, headers={"content-type": "text/html"})]
    with ScriptedServer(*replies) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path, protocol=protocol
        ) as live:
            await fails_with(live, *words)
            server.clear()
            server.replies(says("Now it works."))
            live.panel.retry()
            await until(lambda: "Now it works." in live.text)
            await live.ended()
            assert live.panel.composer.text() == NEXT
    assert server.problems == []


async def test_an_address_where_nobody_listens_is_named(tmp_path: Path) -> None:
    from kinet.settings.store import SettingsStore

    SettingsStore(tmp_path / "home").set("network.retries", 0)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    async with live_window(
        tmp_path / "home", server_url=f"http://{address}/v1", folder=tmp_path
    ) as live:
        await fails_with(live, f"No connection to {address}", "Check that the server runs")


async def test_arguments_that_are_no_json_fail_one_step_and_the_turn_goes_on(
    tmp_path: Path,
) -> None:
    with ScriptedServer(asks_raw("read_file", '{"path": "no'), says("I am sorry.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            await live.ask(QUESTION)
            (record,) = live.panel.runner.steps.records()
            assert record.state == "failed"
            assert "not one whole JSON object" in record.content
            assert "I am sorry." in live.text
    assert server.problems == []


async def test_a_damaged_settings_file_is_said_and_kept(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "settings.json").write_text('{"models": ', "utf-8")
    async with live_window(home, folder=tmp_path) as live:
        await until(lambda: "damaged" in everything_said(live), what="the damage is said")
    kept = [path.read_text("utf-8") for path in home.glob("settings.damaged-*.json")]
    assert kept == ['{"models": ']


def everything_said(live: LiveWindow) -> str:
    """The words of every label and banner of the window."""
    words = [live.window.parts.toast.text()]
    for widget in live.window.findChildren(QWidget):
        text = getattr(widget, "text", None)
        if callable(text) and widget.isVisible():
            words.append(str(text()))
    return "\n".join(words)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
async def test_a_data_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    async with window_without_data(closed / "home") as window:
        assert f"this account may not write to {closed / 'home'}" in window.problem


async def test_a_data_folder_on_a_disk_that_can_only_be_read_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusal(folder: Path) -> OSError:
        return OSError(errno.EROFS, "Read-only file system", str(folder))

    monkeypatch.setattr(paths, "write_refusal", refusal)
    async with window_without_data(tmp_path / "home") as window:
        assert "it lies on a disk that can only be read" in window.problem


async def test_a_window_without_its_data_says_so_until_it_can_be_opened(tmp_path: Path) -> None:
    """No empty list that seems to say that all is gone, no composer that takes nothing."""
    blocked = tmp_path / "file"
    blocked.write_text("", "utf-8")
    async with window_without_data(blocked / "home", typed=NEXT) as window:
        assert f"{blocked} is a file, not a folder" in window.problem
        assert not window.parts.sidebar.isVisible()
        again = window.findChild(QPushButton, "buildAgainButton")
        assert again.hasFocus()
        QTest.keyClick(again, Qt.Key.Key_Return)
        await window.ready()
        # Still so, and still said.
        assert window.problem in page_words(window)
        assert window.findChild(QPushButton, "buildAgainButton").hasFocus()
        blocked.unlink()
        window.findChild(QPushButton, "buildAgainButton").click()
        await window.ready()
        assert window.problem == ""
        assert window.panel.composer.text() == NEXT
        assert window.panel.composer.isVisible()
        assert window.panel.composer.edit.hasFocus()


@asynccontextmanager
async def window_without_data(home: Path, typed: str = "") -> AsyncIterator[MainWindow]:
    """The window comes up and says which folder cannot be used, and what to do."""
    from kinet.app import create_window, end_window
    from kinet.runtime import create_runtime

    runtime = create_runtime(home=home, theme="light")
    window = create_window(runtime)
    window.panel.composer.set_content(typed, ())
    window.show()
    await window.ready()
    try:
        assert str(home) in window.problem
        assert "KINET_HOME" in window.problem
        assert window.problem in page_words(window)
        assert typed in page_words(window)
        yield window
    finally:
        await end_window(window, runtime)
        window.deleteLater()


def page_words(window: MainWindow) -> str:
    """What stands in the window in place of its parts."""
    words = window.findChild(QLabel, "unbuiltWords")
    return words.text() if words is not None and words.isVisible() else ""
