"""What goes wrong outside: one sentence in the window, and question and typed text stay."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

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
            ("refused the key", "invalid key.", "Check the key of this profile"),
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
    await opens_with_a_word(closed / "home")


async def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    await opens_with_a_word(tmp_path / "file" / "home")


async def opens_with_a_word(home: Path) -> None:
    """The window comes up, says that this folder cannot be used and what to do."""
    from kinet.app import create_window, end_window
    from kinet.runtime import create_runtime

    runtime = create_runtime(home=home, theme="light")
    window = create_window(runtime)
    window.show()
    await window.ready()
    try:
        assert str(home) in window.problem
        assert "KINET_HOME" in window.problem
        live = LiveWindow(window)
        assert window.problem in everything_said(live)
        live.type(NEXT)
        live.press("sendButton")
        assert live.panel.composer.text() == NEXT
    finally:
        await end_window(window, runtime)
        window.deleteLater()
