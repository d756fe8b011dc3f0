"""The pictures of a step, one below the other, as wide as there is room; pressed, one is large."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from kinet.core.atomic_write import write_bytes
from kinet.ui.kit.clipboard import copy_image
from kinet.ui.kit.controls import PaintedButton, text_label
from kinet.ui.kit.save_text import ask_file, not_written
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.look.theme import current_theme
from kinet.ui.transcript.blocks.picture_box import PictureBox, decoded

# Points to which a picture is made smaller before it is kept for the panel.
_MOST_POINTS = 1_600
_HIGHEST = 480


class PicturesView(QScrollArea):
    """Shows pictures from their own bytes; nothing is fetched."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stepDetailPictures")
        self.setAccessibleName("Pictures")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._urls: tuple[str, ...] = ()
        self.pictures: list[StepPicture] = []
        inside = QWidget(self)
        inside.setObjectName("picturesInside")
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(16, 12, 16, 12)
        self._column.setSpacing(8)
        self._column.addStretch(1)
        self.setWidget(inside)
        self.setStyleSheet("QScrollArea, #picturesInside { background: transparent; }")

    def show_pictures(self, urls: Sequence[str]) -> None:
        """Shows these; they are read in a thread and appear one after the other."""
        if tuple(urls) == self._urls:
            return
        self._urls = tuple(urls)
        self.pictures = []
        while self._column.count() > 1:
            item = self._column.takeAt(0)
            if item is not None and (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        if self._urls:
            spawn(self._read(self._urls), "pictures of a step")

    def copy(self) -> bool:
        """Puts the picture with the focus, else the first one, on the clipboard."""
        chosen = self._chosen()
        if chosen is not None:
            copy_image(decoded(chosen.url)[0])
        return chosen is not None

    def save(self, failed: Callable[[str], None]) -> None:
        """Asks where the same one is to be written; its bytes are those that came."""
        if (chosen := self._chosen()) is None:
            return
        head, _, data = chosen.url.partition(",")
        ending = head.removeprefix("data:image/").partition(";")[0].partition("+")[0]
        ask_file(self, f"picture.{ending}", lambda path: _write(path, data, failed))

    def _chosen(self) -> StepPicture | None:
        first = self.pictures[0] if self.pictures else None
        return next((item for item in self.pictures if item.hasFocus()), first)

    async def _read(self, urls: tuple[str, ...]) -> None:
        for number, url in enumerate(urls):
            image, size, problem = await in_thread(partial(_small, url))
            if urls != self._urls:
                return
            of = f" {number + 1} of {len(urls)}" if len(urls) > 1 else ""
            self._add(url, image, f"Picture{of}", size, problem)

    def _add(self, url: str, image: QImage, name: str, size: QSize, problem: str) -> None:
        points = f"{name} · {size.width():,} × {size.height():,}" if not problem else name
        said: QLabel = text_label(problem or points, type="meta", tone="text_3", parent=self)
        said.setWordWrap(True)
        place = self._column.count() - 1
        if problem:
            said.setText(f"{name}: {problem}")
            self._column.insertWidget(place, said)
            return
        picture = StepPicture(url, image, f"{points}. Show it large", self)
        picture.clicked.connect(lambda: PictureBox(url, name, self).open())
        self.pictures.append(picture)
        self._column.insertWidget(place, picture)
        self._column.insertWidget(place + 1, said)


class StepPicture(PaintedButton):
    """One picture, at its own size or as large as there is room for."""

    def __init__(self, url: str, image: QImage, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.url, self.image = url, image
        self.setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._fitted(width).height()

    def sizeHint(self) -> QSize:
        return self._fitted(360)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        place = QRect(self.rect().topLeft(), self._fitted(self.width()))
        if self.image.hasAlphaChannel():
            # What can be seen through lies on white, as on most pages.
            painter.fillRect(place, Qt.GlobalColor.white)
        painter.drawImage(place, self.image)
        painter.setPen(current_theme().qcolor("border"))
        painter.drawRect(place.adjusted(0, 0, -1, -1))
        self.paint_surface(painter, "", 2)

    def _fitted(self, width: int) -> QSize:
        size = self.image.size()
        if size.width() > width or size.height() > _HIGHEST:
            size = size.scaled(width, _HIGHEST, Qt.AspectRatioMode.KeepAspectRatio)
        return size.expandedTo(QSize(1, 1))


def _write(path: Path, data: str, failed: Callable[[str], None]) -> None:
    try:
        write_bytes(path, base64.b64decode(data), mode=0o644)
    except OSError as exc:
        failed(not_written(path, exc))


def _small(url: str) -> tuple[QImage, QSize, str]:
    """(the picture, small enough to be kept, its own size, why it cannot be shown)."""
    image, problem = decoded(url)
    size = image.size()
    if max(size.width(), size.height()) > _MOST_POINTS:
        most, smooth = QSize(_MOST_POINTS, _MOST_POINTS), Qt.TransformationMode.SmoothTransformation
        image = image.scaled(most, Qt.AspectRatioMode.KeepAspectRatio, smooth)
    return image, size, problem
