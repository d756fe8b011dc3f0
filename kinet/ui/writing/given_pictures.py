"""Finds the picture in what the clipboard holds or what is dragged."""

from __future__ import annotations

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QImage

from kinet.net.pictures import media_type_of

_TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif")
# The very bytes where the other program gives a file's, else points that are still to be packed.
Picture = bytes | QImage


def has_picture(source: QMimeData) -> bool:
    """True for a picture that is not only a thumbnail beside a text.

    Office programs put a picture of copied words beside them; browsers put a picture's address.
    """
    if not source.hasImage() and not any(source.hasFormat(kind) for kind in _TYPES):
        return False
    words = source.text().strip() if source.hasText() else ""
    return not words or (words.startswith(("http://", "https://", "data:")) and " " not in words)


def picture_in(source: QMimeData) -> Picture | None:
    """The picture; None if there is none after all."""
    for kind in _TYPES:
        data = bytes(source.data(kind).data()) if source.hasFormat(kind) else b""
        if media_type_of(data):
            return data
    image = source.imageData()
    return image if isinstance(image, QImage) and not image.isNull() else None
