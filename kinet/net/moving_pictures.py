"""Pictures that move: told by their bytes, and given one picture after the other."""

from __future__ import annotations

import io
import struct
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinet.net.pictures import MOST_PIXELS, media_type_of

if TYPE_CHECKING:
    from PIL import Image

# Milliseconds. A file that asks for less, or for nothing, gets what browsers give it.
_SHORTEST, _USUAL = 20, 100


# What Pillow raises for bytes that break off or are none of the kind they say.
_DAMAGED = (EOFError, LookupError, OSError, SyntaxError, ValueError, struct.error)


@dataclass(frozen=True, slots=True)
class Still:
    """One picture of several: its points as RGBA, and how long it is seen."""

    width: int
    height: int
    points: bytes
    milliseconds: int


def moves(data: bytes) -> bool:
    """True for a GIF, WebP or PNG of several pictures. Quick: nothing is unpacked."""
    kind = media_type_of(data)
    if kind == "image/gif":
        return _gif_moves(data)
    if kind == "image/webp":
        return data[12:16] == b"VP8X" and len(data) > 20 and bool(data[20] & 2)
    if kind == "image/png":
        animated, pixels = data.find(b"acTL", 8, 4_096), data.find(b"IDAT", 8)
        return 0 <= animated < (pixels if pixels >= 0 else len(data))
    return False


class MovingPicture:
    """The pictures of a file in turn, from the first again after the last.

    ValueError if the file is damaged from its beginning on, or its pictures are too large.
    """

    def __init__(self, data: bytes) -> None:
        from PIL import Image

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)
                self._image: Image.Image = Image.open(
                    io.BytesIO(data), formats=("GIF", "PNG", "WEBP")
                )
                width, height = self._image.size
                if width * height > MOST_PIXELS:
                    raise ValueError("too many points")
                self.count = _count(self._image)
        except (*_DAMAGED, Image.DecompressionBombError) as exc:
            raise ValueError("no picture") from exc
        self._number = -1

    def next(self) -> Still | None:
        """The next picture; None where the file is damaged: then it begins again."""
        self._number = (self._number + 1) % self.count
        try:
            self._image.seek(self._number)
            shown = self._image.convert("RGBA")
        except _DAMAGED:
            if self._number == 0:
                return None
            self.count = self._number
            return self.next()
        wanted = self._image.info.get("duration", 0)
        milliseconds = round(wanted) if isinstance(wanted, int | float) else 0
        if milliseconds < _SHORTEST:
            milliseconds = _USUAL
        return Still(*shown.size, shown.tobytes(), milliseconds)


def _count(image: Image.Image) -> int:
    """How many pictures it has; of a file that breaks off, those before the break."""
    try:
        return int(getattr(image, "n_frames", 1))
    except _DAMAGED:
        number = 0
    try:
        while True:
            image.seek(number)
            number += 1
    except _DAMAGED:
        return max(1, number)


def _gif_moves(data: bytes) -> bool:
    """True if there is a second picture, or at least the beginning of one."""
    place = 13 + _colours(data[10:11])
    pictures = 0
    while place < len(data):
        kind = data[place]
        if kind == 0x2C:
            pictures += 1
            if pictures > 1:
                return True
            place += 10 + _colours(data[place + 9 : place + 10]) + 1
        elif kind == 0x21:
            place += 2
        else:
            return False
        while place < len(data) and data[place]:
            place += data[place] + 1
        place += 1
    return False


def _colours(flags: bytes) -> int:
    """The bytes of a table of colours that flags tell of."""
    return 3 << (flags[0] & 7) + 1 if flags and flags[0] & 0x80 else 0
