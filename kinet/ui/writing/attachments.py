"""What is attached to a message: text from a file or a large paste, pictures; shown as chips."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from kinet.net.pictures import media_type_of
from kinet.session.attached import Attached
from kinet.ui.kit.controls import IconButton, draw_icon
from kinet.ui.kit.size_words import size_words
from kinet.ui.look.theme import current_theme
from kinet.ui.writing.chip_rows import place_chips
from kinet.ui.writing.composer_edit import clean_text

MAX_FILE_BYTES = 512 * 1024
MAX_PICTURE_BYTES = 20_000_000
_NAME_WIDTH = 180
_HEAD = re.compile(r"Attached: ([^\n]+)\n(`{3,})\n")
_GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class Attachment:
    """What travels with a message. `name` is shown, `path` is "" for a paste.

    A picture has no text but a `size` in bytes; its file is read when it is sent.
    """

    name: str
    text: str
    path: str = ""
    size: int = 0

    @property
    def is_picture(self) -> bool:
        """True for a picture."""
        return self.size > 0

    @property
    def size_text(self) -> str:
        """Its size in words: "12 KB"."""
        return size_words(self.size or len(self.text.encode("utf-8", "replace")))


def read_attachment(path: Path) -> Attachment | str:
    """A file as an attachment, text or picture, or a sentence that says why it cannot be one."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            picture = media_type_of(file.read(16)) != ""
        if picture and size <= MAX_PICTURE_BYTES:
            return Attachment(path.name, "", str(path), size)
        most = MAX_PICTURE_BYTES if picture else MAX_FILE_BYTES
        if size > most:
            return (
                f"{path.name} is {size_words(size)}; up to {size_words(most)} can be "
                "attached. Put it into the folder and name it in your message instead."
            )
        raw = path.read_bytes()
    except OSError as exc:
        return f"{path.name} could not be read: {exc.strerror or exc}."
    if b"\0" in raw[:8_192]:
        return f"{path.name} is neither text nor a PNG, JPEG, GIF or WebP picture."
    return Attachment(path.name, clean_text(raw.decode("utf-8-sig", "replace")), str(path))


def with_attachments(text: str, attachments: tuple[Attachment, ...]) -> str:
    """The message's text followed by each attachment, fenced and named."""
    parts = [text] if text.strip() else []
    for item in attachments:
        if item.is_picture:
            continue
        fence = "```"
        while fence in item.text:
            fence += "`"
        parts.append(f"Attached: {item.path or item.name}\n{fence}\n{item.text.rstrip()}\n{fence}")
    return "\n\n".join(parts)


def taken_apart(text: str) -> tuple[str, tuple[Attachment, ...]]:
    """What `with_attachments` joined; a text that would not come back as it was stays whole."""
    place = 0
    while (place := text.find("Attached: ", place)) >= 0:
        found = _attached_from(text, place)
        said = text[:place].removesuffix(_GAP)
        if found and with_attachments(said, found) == text:
            return said, found
        place += 1
    return text, ()


def _attached_from(text: str, place: int) -> tuple[Attachment, ...]:
    """The attachments that fill the text from here to its end; none if something else does."""
    found = []
    while (head := _HEAD.match(text, place)) is not None:
        name, fence = head.groups()
        # One without text closes at once.
        end = text.find(f"\n{fence}", head.end() - 1)
        if end < 0:
            return ()
        path = name if "/" in name or "\\" in name else ""
        found.append(Attachment(re.split(r"[/\\]", name)[-1], text[head.end() : end], path))
        place = end + 1 + len(fence)
        if place == len(text):
            return tuple(found)
        if not text.startswith(_GAP, place):
            return ()
        place += len(_GAP)
    return ()


def attachments_to_json(attachments: Iterable[Attachment]) -> list[dict[str, Any]]:
    """As plain values, for a file."""
    return [
        {"name": item.name, "text": item.text, "path": item.path, "size": item.size}
        for item in attachments
    ]


def attachments_from_json(raw: Any) -> tuple[Attachment, ...]:
    """What `attachments_to_json` gave; whatever is nothing of that kind is left out."""
    return tuple(
        Attachment(
            str(item.get("name", "")),
            str(item.get("text", "")),
            str(item.get("path", "")),
            item["size"] if isinstance(item.get("size"), int) else 0,
        )
        for item in (raw if isinstance(raw, list) else ())
        if isinstance(item, dict)
    )


def pictures_of(attachments: tuple[Attachment, ...]) -> tuple[Attached, ...]:
    """The pictures among them, as they are sent or wait to be."""
    return tuple(
        Attached(item.name, item.path, item.size) for item in attachments if item.is_picture
    )


class ChipBar(QWidget):
    """All chips of a message, in rows as wide as there is room."""

    removed = Signal(int)
    opened = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: list[_Chip] = []
        self.hide()

    def set_attachments(self, attachments: tuple[Attachment, ...]) -> None:
        """Shows these chips; hidden where there are none."""
        for chip in self._chips:
            chip.hide()
            chip.deleteLater()
        self._chips = []
        for number, item in enumerate(attachments):
            chip = _Chip(item, self)
            chip.close_button.clicked.connect(lambda _=False, n=number: self.removed.emit(n))
            chip.clicked.connect(lambda n=number: self.opened.emit(n))
            chip.show()
            self._chips.append(chip)
        self.setVisible(bool(attachments))
        place_chips(self, self._chips)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        place_chips(self, self._chips)


class _Chip(QWidget):
    """One attachment: icon, name, size, and a button that takes it away."""

    clicked = Signal()

    def __init__(self, item: Attachment, parent: QWidget) -> None:
        super().__init__(parent)
        self._item = item
        self.setToolTip(item.path or "Pasted text: click to put it into the field")
        self.setAccessibleName(f"Attached: {item.name}, {item.size_text}")
        self.close_button = IconButton(
            "close", f"Remove {item.name}", parent=self, size=20, icon_size=12
        )

    def sizeHint(self) -> QSize:
        return QSize(8 + 14 + 6 + self._name_width() + 6 + self._size_width() + 4 + 20 + 2, 24)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.close_button.move(self.width() - 22, 2)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and not self._item.path:
            self.clicked.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.qcolor("chip"))
        painter.drawRoundedRect(self.rect(), 4, 4)
        icon = "image" if self._item.is_picture else "file-text"
        draw_icon(painter, icon, "text_2", QPoint(15, 12), 14)
        font = theme.font("meta")
        painter.setFont(font)
        painter.setPen(theme.qcolor("text"))
        room = min(self._name_width(), self.width() - 28 - self._size_width() - 32)
        name = QFontMetrics(font).elidedText(
            self._item.name, Qt.TextElideMode.ElideMiddle, max(20, room)
        )
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRect(28, 0, max(20, room), 24), middle, name)
        painter.setPen(theme.qcolor("text_3"))
        left = 28 + room + 6
        painter.drawText(QRect(left, 0, self._size_width() + 4, 24), middle, self._item.size_text)

    def _name_width(self) -> int:
        metrics = QFontMetrics(current_theme().font("meta"))
        return min(_NAME_WIDTH, metrics.horizontalAdvance(self._item.name) + 1)

    def _size_width(self) -> int:
        return QFontMetrics(current_theme().font("meta")).horizontalAdvance(self._item.size_text)
