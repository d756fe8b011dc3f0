"""Shows a picture of a message large: from the message's own bytes, nothing is fetched."""

from __future__ import annotations

import base64
import binascii

from PySide6.QtCore import QBuffer, QByteArray, Qt
from PySide6.QtGui import QImage, QImageReader, QMouseEvent, QPixmap
from PySide6.QtWidgets import QDialog, QLabel, QVBoxLayout, QWidget

_MEGABYTES = 256
_SHARE = 0.9


def decoded(url: str) -> QImage:
    """The picture of a data: address; a null image for any other address or damaged bytes."""
    head, _, data = url.partition(",")
    if not head.startswith("data:image/") or not head.endswith(";base64"):
        return QImage()
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return QImage()
    buffer = QBuffer()
    buffer.setData(QByteArray(raw))
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid() and size.width() * size.height() * 4 > _MEGABYTES * 1_000_000:
        return QImage()
    return reader.read()


class PictureBox(QDialog):
    """Opened with `open()`; a click or Esc closes it."""

    def __init__(self, url: str, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pictureBox")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(name)
        self.label = QLabel(self)
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.label.setAccessibleName(name)
        image = decoded(url)
        most = parent.window().size() * _SHARE
        if image.isNull():
            self.label.setText("This picture cannot be shown: its bytes are damaged or elsewhere.")
            self.label.setMargin(24)
        else:
            if image.width() > most.width() or image.height() > most.height():
                keep = Qt.AspectRatioMode.KeepAspectRatio
                image = image.scaled(most, keep, Qt.TransformationMode.SmoothTransformation)
            self.label.setPixmap(QPixmap.fromImage(image))
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.label)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click is enough to be back."""
        self.reject()
