"""A picture goes from the composer to the model, shown as a chip until it is sent."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PySide6.QtCore import QByteArray, QMimeData

from tests.support.live_window import live_window
from tests.support.replies import Gate, says, says_and_asks
from tests.support.scripted_server import ScriptedServer
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


async def test_a_picture_waits_in_the_queue_while_a_turn_runs_and_follows_it(
    tmp_path: Path,
) -> None:
    gate = Gate()
    with ScriptedServer(says("Well, ", gate, "so."), says("A gradient.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            composer = live.panel.composer
            composer.edit.set_text("Talk")
            composer.submitted.emit()
            await until(lambda: "Well," in live.text)
            composer.attach(picture(tmp_path))
            composer.edit.set_text("What is this?")
            composer.submitted.emit()
            assert composer.attachments() == ()
            (row,) = composer.queue._rows
            assert row.label.whole_text() == "What is this?"
            assert (row.attached.text(), row.attached.toolTip()) == ("1 picture", "shot.png")
            assert "1 picture" in row.label.accessibleName()
            gate.open()
            await until(lambda: "A gradient." in live.text)
            await live.ended()
            assert composer.queue.texts() == []
    assert picture(tmp_path).read_bytes() in _pictures_in(server.bodies[1])
    assert server.problems == []


async def test_a_waiting_picture_comes_back_into_the_composer_and_can_steer(tmp_path: Path) -> None:
    gate = Gate()
    with ScriptedServer(
        says_and_asks("Let me look.", "glob", pattern="*"), says("Well, ", gate, "so."), says("Ah.")
    ) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            composer, desk = live.panel.composer, live.panel.desk
            composer.edit.set_text("Talk")
            composer.submitted.emit()
            await until(lambda: "Well," in live.text)
            path = picture(tmp_path)
            composer.attach(path)
            composer.edit.set_text("What is this?")
            composer.submitted.emit()
            session = live.panel.session
            await until(lambda: session.queue[0].is_read)
            composer.edit.set_text("Half a thought.")
            # Its file is as it was: that comes back.
            composer.queue.edit_requested.emit(session.queue[0].id)
            assert composer.text() == "What is this?\n\nHalf a thought."
            assert [(item.name, item.path) for item in composer.attachments()] == [
                ("shot.png", str(path))
            ]
            composer.submitted.emit()
            await until(lambda: session.queue[0].is_read)
            data = path.read_bytes()
            path.write_bytes(b"something else")
            # The file is another one: what would have been sent comes back.
            composer.queue.edit_requested.emit(session.queue[0].id)
            (item,) = composer.attachments()
            kept = desk._drafts.pictures / item.path.rpartition("/")[2]
            assert (item.name, item.path, _bytes(kept)) == ("shot.png", str(kept), data)
            composer.submitted.emit()
            await until(lambda: session.queue[0].is_read)
            composer.queue.steer_requested.emit(session.queue[0].id)
            assert [item.text for item in session.steering] == ["What is this?\n\nHalf a thought."]
            gate.open()
            await until(lambda: "Ah." in live.text)
            await live.ended()
    assert data in _pictures_in(server.bodies[2])
    assert server.problems == []


async def test_pictures_that_cannot_be_sent_come_back_with_their_text(tmp_path: Path) -> None:
    gate = Gate()
    with ScriptedServer(says("Well, ", gate, "so.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            composer = live.panel.composer
            # At once, and out of the queue.
            path = picture(tmp_path)
            composer.attach(path)
            path.unlink()
            composer.edit.set_text("What is this?")
            composer.submitted.emit()
            await until(lambda: not live.panel.runner.running)
            assert composer.text() == "What is this?"
            assert [item.name for item in composer.attachments()] == ["shot.png"]
            composer.set_content("Talk")
            composer.submitted.emit()
            await until(lambda: "Well," in live.text)
            composer.attach(picture(tmp_path))
            path.unlink()
            composer.edit.set_text("And this?")
            composer.submitted.emit()
            gate.open()
            await live.ended()
            await until(lambda: composer.text() != "")
            assert composer.text() == "And this?"
            assert [item.name for item in composer.attachments()] == ["shot.png"]
            assert live.panel.session.queue == []
    assert len(server.requests) == 1


def _bytes(path: Path) -> bytes:
    return path.read_bytes()


def _pictures_in(body: dict[str, Any]) -> list[bytes]:
    return [
        base64.b64decode(part["image_url"]["url"].partition(",")[2])
        for message in body["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    ]


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
