"""Shows a picture of a message large: from the message's own bytes, nothing is fetched.

One that moves stands still until a click lets it play.
"""

from __future__ import annotations

import base64
import binascii

from PySide6.QtCore import QBuffer, QByteArray, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QMouseEvent, QPainter, QPixmap
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from kinet.net.moving_pictures import moves
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.transcript.blocks.player import Player

_MEGABYTES = 256
_SHARE = 0.9
# Below one that moves: what it is, and the button that lets it play.
_ROW = 40


_DAMAGED = "This picture cannot be shown: its bytes are damaged or elsewhere."
_TOO_LARGE = "This picture cannot be shown: it has {0:,} by {1:,} points, which is too many."


def bytes_of(url: str) -> bytes:
    """The bytes of a picture's data: address; none for anything else."""
    head, _, data = url.partition(",")
    if not head.startswith("data:image/") or not head.endswith(";base64"):
        return b""
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return b""


def decoded(url: str) -> tuple[QImage, str]:
    """(the picture of a data: address, ""), or a null image and why it cannot be shown.

    Of a moving picture it is the first.
    """
    raw = bytes_of(url)
    if not raw:
        return QImage(), _DAMAGED
    buffer = QBuffer()
    buffer.setData(QByteArray(raw))
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid() and size.width() * size.height() * 4 > _MEGABYTES * 1_000_000:
        return QImage(), _TOO_LARGE.format(size.width(), size.height())
    image = reader.read()
    return image, _DAMAGED if image.isNull() else ""


class PictureBox(QDialog):
    """Opened with `open()`; a click or Esc closes it. One that moves plays and stops by a click."""

    def __init__(self, url: str, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pictureBox")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(name)
        self.label = QLabel(self)
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.label.setAccessibleName(name)
        self._most = parent.window().size() * _SHARE - QSize(0, _ROW)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.label)
        self.player: Player | None = None
        image, problem = decoded(url)
        if problem:
            self.label.setText(problem)
            self.label.setMargin(24)
            return
        self._show(image)
        raw = bytes_of(url)
        if moves(raw):
            self._offer_to_play(raw, name, column)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click is enough to be back, or to let it play."""
        if self.player is not None and self.label.geometry().contains(event.position().toPoint()):
            self.player.toggle()
        else:
            self.reject()

    def _show(self, image: QImage) -> None:
        self.label.setPixmap(fitted(_on_white(image), self._most, self.devicePixelRatioF()))

    def _offer_to_play(self, raw: bytes, name: str, column: QVBoxLayout) -> None:
        try:
            self.player = player = Player(raw, self.label, self._show)
        except ValueError:
            # Its first picture is what can be seen of it.
            return
        self.label.setAccessibleName(f"{name}, animated")
        self.label.setCursor(Qt.CursorShape.PointingHandCursor)
        self.play = TextButton("Play", self, size="row")
        self.play.clicked.connect(player.toggle)
        player.changed.connect(lambda: self.play.set_text("Pause" if player.is_playing else "Play"))
        row = QHBoxLayout()
        row.addWidget(text_label(f"Animated, {player.count:,} pictures", tone="text_2"))
        row.addStretch(1)
        row.addWidget(self.play)
        column.addLayout(row)


def _on_white(image: QImage) -> QImage:
    """What can be seen through lies on white, as on most pages: black on dark would be unseen."""
    if not image.hasAlphaChannel():
        return image
    ground = QImage(image.size(), QImage.Format.Format_RGB32)
    ground.fill(Qt.GlobalColor.white)
    painter = QPainter(ground)
    painter.drawImage(0, 0, image)
    painter.end()
    return ground


def fitted(image: QImage, most: QSize, ratio: float) -> QPixmap:
    """The picture at its own size, or as large as there is room for, with all points it has."""
    size, keep = image.size(), Qt.AspectRatioMode.KeepAspectRatio
    if size.width() > most.width() or size.height() > most.height():
        size = size.scaled(most, keep)
    if size.width() * ratio < image.width():
        smooth = Qt.TransformationMode.SmoothTransformation
        image = image.scaled(size * ratio, keep, smooth)
    shown = QPixmap.fromImage(image)
    shown.setDevicePixelRatio(max(1.0, image.width() / max(1, size.width())))
    return shown
