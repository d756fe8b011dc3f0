"""A picture of a message opens large with a click, from its own bytes alone."""

from __future__ import annotations

import base64

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage

from kinet.core.events import MessageCompleted
from kinet.core.messages import ImagePart, Message, TextPart
from kinet.ui.transcript.picture_box import PictureBox, decoded
from tests.ui.transcript_kit import click, said, settle, shown


def _address() -> str:
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(0x3451C6)
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
        assert decoded(url).isNull()
