"""A picture goes from the composer to the model, shown as a chip until it is sent."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import QByteArray, QMimeData

from tests.support.live_window import live_window
from tests.support.scripted_server import ScriptedServer, hangs, says
from tests.support.window import until

pytestmark = pytest.mark.window


def picture(place: Path) -> Path:
    path = place / "shot.png"
    Image.linear_gradient("L").save(path)
    return path


async def test_a_picture_is_attached_and_sent(tmp_path: Path) -> None:
    with ScriptedServer(says("A gradient.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            composer = live.panel.composer
            composer.attach(picture(tmp_path))
            composer.edit.set_text("What is this?")
            composer.submitted.emit()
            await until(lambda: len(server.requests) == 1)
            await live.ended()
            assert composer.attachments() == ()
            assert "What is this?" in live.text
    parts = server.bodies[0]["messages"][-1]["content"]
    url = next(part["image_url"]["url"] for part in parts if part["type"] == "image_url")
    assert base64.b64decode(url.partition(",")[2]) == picture(tmp_path).read_bytes()
    assert server.problems == []


async def test_a_picture_waits_while_a_turn_runs(tmp_path: Path) -> None:
    problems: list[str] = []
    with ScriptedServer(hangs("Well, ")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            composer = live.panel.composer
            composer.problem.connect(problems.append)
            composer.edit.set_text("Talk")
            composer.submitted.emit()
            await until(lambda: live.panel.desk.running)
            composer.attach(picture(tmp_path))
            composer.submitted.emit()
            assert problems == ["A picture can be sent when this turn has ended."]
            assert [item.name for item in composer.attachments()] == ["shot.png"]
            live.panel.stop()
            await live.ended()


async def test_a_pasted_picture_is_sent_in_its_very_bytes(tmp_path: Path) -> None:
    with ScriptedServer(says("A gradient.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            composer = live.panel.composer
            held = QMimeData()
            held.setData("image/png", QByteArray(picture(tmp_path).read_bytes()))
            composer.edit.insertFromMimeData(held)
            await until(lambda: len(composer.attachments()) == 1)
            composer.submitted.emit()
            await until(lambda: len(server.requests) == 1)
            await live.ended()
            assert composer.attachments() == ()
            assert "Pasted picture 256×256" in live.text
    parts = server.bodies[0]["messages"][-1]["content"]
    url = next(part["image_url"]["url"] for part in parts if part["type"] == "image_url")
    assert base64.b64decode(url.partition(",")[2]) == picture(tmp_path).read_bytes()
