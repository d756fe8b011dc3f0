"""A picture of a message opens large with a click, from its own bytes alone."""

from __future__ import annotations

import base64
import io
import struct
import zlib

from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from kinet.core.events import MessageCompleted
from kinet.core.messages import ImagePart, Message, TextPart
from kinet.ui.transcript.blocks.picture_box import PictureBox, decoded, fitted
from tests.ui.transcript_kit import click, said, settle, shown


def _address(width: int = 40, height: int = 30, color: int = 0xFF3451C6) -> str:
    image = QImage(width, height, QImage.Format.Format_ARGB32)
    image.fill(color)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.data().data()).decode()


def test_a_click_on_a_picture_shows_it_large_and_blocks_nothing(app: object) -> None:
    transcript = shown()
    message = Message("user", (TextPart("See this."), ImagePart(_address())))
    transcript.load([MessageCompleted(message), said("A blue one.")])
    settle(transcript)
    click(transcript, 0, "picture")
    box = transcript.viewport().findChild(PictureBox)
    assert box is not None
    assert box.label.pixmap().width() == 40
    box.reject()


def test_what_is_no_picture_of_the_message_is_not_shown(app: object) -> None:
    for url in ("https://evil.test/x.png", "file:///etc/hostname", "data:image/png;base64,AAAA",
                "data:text/html;base64,AAAA", "data:image/png;base64,?"):  # fmt: skip
        image, problem = decoded(url)
        assert image.isNull()
        assert problem.startswith("This picture cannot be shown")


def test_what_can_be_seen_through_lies_on_white(app: object) -> None:
    transcript = shown(mode="dark")
    box = PictureBox(_address(color=0x00000000), "nothing", transcript)
    assert box.label.pixmap().toImage().pixelColor(5, 5).name() == "#ffffff"


def test_a_large_picture_keeps_its_points_on_a_sharp_screen(app: object) -> None:
    room = QSize(720, 540)
    large = fitted(QImage(1600, 400, QImage.Format.Format_RGB32), room, 2.0)
    assert large.deviceIndependentSize().width() == 720
    assert large.width() == 1440
    small = fitted(QImage(40, 30, QImage.Format.Format_RGB32), room, 2.0)
    assert small.deviceIndependentSize().width() == small.width() == 40


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def test_a_picture_of_too_many_points_says_so(app: object) -> None:
    head = struct.pack(">II", 60_000, 60_000) + b"\x08\x02\x00\x00\x00"
    whole = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(b"\0"))
    image, problem = decoded("data:image/png;base64," + base64.b64encode(whole).decode())
    assert image.isNull()
    assert "60,000 by 60,000" in problem


def test_many_pictures_stand_in_rows_and_below_the_line_that_unfolds(app: object) -> None:
    transcript = shown()
    pictures = [ImagePart(_address()) for _ in range(9)]
    message = Message("user", (TextPart("line\n" * 20), *pictures))
    transcript.load([MessageCompleted(message), said("Many.")])
    settle(transcript)
    flow = transcript.stage.flow
    for is_open in (False, True):
        entry = flow.entries[0]
        hits = entry.hits(flow.style, flow.width)
        boxes = [hit.rect for hit in hits if hit.action == "picture"]
        (fold,) = [hit.rect for hit in hits if hit.action == "fold"]
        assert len(boxes) == 9
        assert all(box.right() <= flow.width - 16 for box in boxes)
        assert len({box.y() for box in boxes}) == 2
        assert not any(box.intersects(fold) for box in boxes)
        assert max(box.bottom() for box in boxes) < entry.height
        if not is_open:
            click(transcript, 0, "fold")


def _moving() -> str:
    frames = [Image.new("RGB", (40, 30), colour) for colour in ("#c80000", "#0000c8")]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=20, loop=0)
    return "data:image/gif;base64," + base64.b64encode(out.getvalue()).decode()


def _shown_color(box: PictureBox) -> str:
    return box.label.pixmap().toImage().pixelColor(5, 5).name()


def test_one_that_moves_says_so_and_plays_by_a_click_until_nobody_sees_it(
    app: object, qtbot: QtBot
) -> None:
    transcript = shown()
    message = Message("user", (TextPart("See."), ImagePart(_moving()), ImagePart(_address())))
    transcript.load([MessageCompleted(message), said("A red one, then a blue one.")])
    settle(transcript)
    flow = transcript.stage.flow
    tips = [h.tip for h in flow.entries[0].hits(flow.style, flow.width) if h.action == "picture"]
    assert tips == ["See it move", "Enlarge"]
    click(transcript, 0, "picture")
    box = transcript.viewport().findChild(PictureBox)
    assert box is not None
    assert box.player is not None
    # Calm at first.
    assert not box.player.is_playing
    assert (box.play.text(), _shown_color(box)) == ("Play", "#c80000")
    assert any("Animated, 2 pictures" in label.text() for label in box.findChildren(QLabel))
    assert box.label.accessibleName().endswith("animated")
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=box.label.geometry().center())
    assert box.play.text() == "Pause"
    qtbot.waitUntil(lambda: _shown_color(box) == "#0000c8")
    qtbot.waitUntil(lambda: _shown_color(box) == "#c80000")
    box.play.click()
    assert not box.player.is_playing
    box.play.click()
    box.hide()
    assert not box.player.is_playing
    box.reject()


def test_one_that_moves_and_is_damaged_stands_still(app: object) -> None:
    whole = base64.b64decode(_moving().partition(",")[2])
    for cut in (len(whole) // 2, len(whole) - 5):
        url = "data:image/gif;base64," + base64.b64encode(whole[:cut]).decode()
        box = PictureBox(url, "Picture", shown())
        if box.player is not None:
            box.player.toggle()
            box.player.stop()
        box.close()


def test_one_that_does_not_move_offers_nothing_to_play(app: object) -> None:
    box = PictureBox(_address(), "Picture", shown())
    assert box.player is None
    assert not box.findChildren(QPushButton)
