"""Keeps pictures that came without a file in one, so that drafts and messages can name them."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QObject, QThreadPool, Signal
from PySide6.QtGui import QImage

from kinet.core.atomic_write import write_bytes
from kinet.net.pictures import media_type_of, prepared
from kinet.session.attached import Attached
from kinet.ui.kit.size_words import size_words
from kinet.ui.writing.attachments import MAX_PICTURE_BYTES, Attachment
from kinet.ui.writing.given_pictures import Picture

_ENDS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif"}
DAMAGED = "The picture is damaged or too large, so it was not attached."


class PastedPictures(QObject):
    """Keeps pictures in a folder of their own, in a thread: packing a large one takes a while."""

    # An Attachment, or a sentence that says why it is none.
    ready = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder: Path | None = None
        self.waiting = 0

    def take(self, picture: Picture) -> None:
        """Begins to keep a picture; `ready` comes later, once for each."""
        self.waiting += 1
        # A copy of its own: the clipboard's may be gone by then.
        own = picture.copy() if isinstance(picture, QImage) else picture
        QThreadPool.globalInstance().start(lambda: self._keep(own))

    def _keep(self, picture: Picture) -> None:
        made = kept(picture, self.folder)
        # The program may have ended meanwhile.
        with contextlib.suppress(RuntimeError):
            self.ready.emit(made)


def kept(picture: Picture, folder: Path | None) -> Attachment | str:
    """The picture as a file of `folder`, or a sentence that says why it cannot be one."""
    data = picture if isinstance(picture, bytes) else _packed(picture)
    if len(data) > MAX_PICTURE_BYTES:
        most = size_words(MAX_PICTURE_BYTES)
        return f"The picture is {size_words(len(data))}; up to {most} can be attached."
    checked = prepared(data)
    if checked is None:
        return DAMAGED
    if folder is None:
        return "There is no place to keep the picture."
    try:
        path = _write(data, folder)
    except OSError as exc:
        return f"The picture could not be kept: {exc.strerror or exc}."
    return Attachment(_name(data), "", str(path), len(data))


def come_back(item: Attached, folder: Path | None) -> Attachment | None:
    """What was attached to a message that is written on; None for what is no picture.

    Its own file where that is as it was, else one made of what would have been sent.
    """
    if _is_as_it_was(item):
        return Attachment(item.name, "", item.path, item.size)
    data = item.data
    if data is None or folder is None or not media_type_of(data):
        # A file that was never read: the person is told when it is sent again.
        return Attachment(item.name, "", item.path, item.size or 1) if item.path else None
    try:
        path = _write(data, folder)
    except OSError:
        return None
    return Attachment(item.name, "", str(path), len(data))


def _is_as_it_was(item: Attached) -> bool:
    try:
        return bool(item.path) and item.size == Path(item.path).stat().st_size
    except OSError:
        return False


def _write(data: bytes, folder: Path) -> Path:
    name = f"{hashlib.sha256(data).hexdigest()[:16]}.{_ENDS[media_type_of(data)]}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_bytes(folder / name, data)
    return folder / name


def _packed(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _name(data: bytes) -> str:
    image = QImage.fromData(data)
    size = f" {image.width()}×{image.height()}" if not image.isNull() else ""
    return f"Pasted picture{size}"
