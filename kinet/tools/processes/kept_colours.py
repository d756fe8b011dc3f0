"""Keeps the colours of a long output in a file beside its words: which pen wrote which part."""

from __future__ import annotations

import contextlib
import os
import struct
from pathlib import Path

from kinet.core import atomic_write
from kinet.markup.terminal_codes import Pen
from kinet.markup.terminal_inks import MOST_PENS, RECORD, Inks, pens_of, pens_text, record
from kinet.paths import ensure_private_dir

ENDING = ".ink"
# How many bytes of stretches there are, and of pens behind them: the last of the file.
_FOOT = struct.Struct("=QQ")
# Of one command. What comes after is shown without colours.
LARGEST = 256 * 1024 * 1024
_AT_ONCE = 64 * 1024
_LONGEST_PENS = 64 * 1024 * 1024


class KeptColours:
    """Takes stretches in their order. Nothing lies on disk before `keep`; what cannot be written is
    lost, never the output."""

    def __init__(self, words: Path) -> None:
        self._file = words.with_suffix(ENDING)
        self._pens: dict[Pen, int] = {}
        self._waiting = bytearray()
        self._written = 0
        self._descriptor: int | None = None
        self._failed = False

    def add(self, start: int, length: int, pen: Pen) -> None:
        """The next stretch. More pens than can be counted write like the usual one."""
        if self._failed or self._written + len(self._waiting) >= LARGEST:
            return
        number = self._pens.get(pen)
        if number is None:
            if len(self._pens) >= MOST_PENS:
                return
            number = self._pens[pen] = len(self._pens)
        self._waiting += record(start, length, number)
        if self._descriptor is not None and len(self._waiting) >= _AT_ONCE:
            self._write(bytes(self._waiting))

    def keep(self) -> None:
        """From here on it lies in the file."""
        if self._descriptor is not None or self._failed or not self._pens:
            return
        try:
            ensure_private_dir(self._file.parent)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
            self._descriptor = os.open(self._file, flags, atomic_write.PRIVATE)
        except OSError:
            self._failed = True

    def close(self) -> bool:
        """Ends the file; True if it holds all colours."""
        if self._descriptor is None:
            return False
        pens = pens_text(list(self._pens))
        self._write(bytes(self._waiting))
        self._write(pens + _FOOT.pack(self._written, len(pens)))
        self._leave()
        return not self._failed

    def _write(self, data: bytes) -> None:
        if self._descriptor is None:
            return
        try:
            atomic_write.write_all(self._descriptor, data)
        except OSError:
            self._failed = True
            self._leave()
        self._written += len(data)
        self._waiting.clear()

    def _leave(self) -> None:
        """Closes the file; a part of the colours is of no use and takes room."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        try:
            os.close(descriptor)
        except OSError:
            # Some file systems tell only now that there was no room.
            self._failed = True
        if self._failed:
            with contextlib.suppress(OSError):
                self._file.unlink(missing_ok=True)


def inks(words: Path, offset: int, characters: int, shift: int = 0) -> Inks | None:
    """The colours of a part of an output, their places counted from its beginning and moved by
    `shift`; None if there are none, or not any more."""
    try:
        descriptor = os.open(words.with_suffix(ENDING), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    try:
        size = os.fstat(descriptor).st_size
        length, pens_length = _FOOT.unpack(_read(descriptor, size - _FOOT.size, _FOOT.size))
        if length + pens_length + _FOOT.size != size or pens_length > _LONGEST_PENS:
            return None
        pens = pens_of(_read(descriptor, length, pens_length))
        count = length // RECORD.size
        first = max(0, _first_from(descriptor, count, offset) - 1)
        last = _first_from(descriptor, count, offset + characters)
        found = _read(descriptor, first * RECORD.size, (last - first) * RECORD.size)
        return Inks(found, pens, shift)
    except (OSError, ValueError, TypeError, struct.error):
        return None
    finally:
        os.close(descriptor)


def _first_from(descriptor: int, count: int, place: int) -> int:
    """The number of the first stretch that begins at a place or behind it."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        begin, _ = RECORD.unpack(_read(descriptor, middle * RECORD.size, RECORD.size))
        low, high = (middle + 1, high) if begin < place else (low, middle)
    return low


def _read(descriptor: int, place: int, length: int) -> bytes:
    if place < 0:
        raise ValueError("too short")
    os.lseek(descriptor, place, os.SEEK_SET)
    parts = []
    while length > 0 and (data := os.read(descriptor, length)):
        parts.append(data)
        length -= len(data)
    return b"".join(parts)
