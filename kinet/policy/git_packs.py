"""Reads single objects out of a pack of git: by its index, and what a difference makes of its base.

Packs of version 2 with names of SHA-1; whatever else is a ValueError.
"""

from __future__ import annotations

import zlib
from pathlib import Path

# Bytes of one object, packed and unpacked.
LONGEST = 1 << 20


class Pack:
    """One pack, read at the places that are asked for."""

    def __init__(self, index: Path) -> None:
        self._index = index
        with open(index, "rb") as opened:
            head = opened.read(8 + 256 * 4)
        if head[:8] != b"\xfftOc\x00\x00\x00\x02" or len(head) != 8 + 256 * 4:
            raise ValueError("a pack is of an unknown kind")
        self._fan = [int.from_bytes(head[at : at + 4], "big") for at in range(8, len(head), 4)]

    def place_of(self, number: str) -> int | None:
        """Where the object begins in the pack, None if it is in another one."""
        found = self._found(number)
        if not found:
            return None
        count = self._fan[255]
        with open(self._index, "rb") as opened:
            opened.seek(8 + 1024 + count * 24 + found[0][0] * 4)
            at = int.from_bytes(opened.read(4), "big")
        if at & 0x80000000:
            raise ValueError("a pack is very large")
        return at

    def beginning_with(self, digits: str) -> list[str]:
        """The numbers that begin so."""
        return [number for _, number in self._found(digits)]

    def _found(self, digits: str) -> list[tuple[int, str]]:
        first = int(digits[:2], 16)
        low, high = (self._fan[first - 1] if first else 0), self._fan[first]
        if high - low > 100_000:
            raise ValueError("a pack is very large")
        with open(self._index, "rb") as opened:
            opened.seek(8 + 1024 + low * 20)
            numbers = opened.read((high - low) * 20)
        wanted = bytes.fromhex(digits if len(digits) % 2 == 0 else digits[:-1])
        found = []
        at = numbers.find(wanted)
        while at >= 0:
            if at % 20 == 0:
                number = numbers[at : at + 20].hex()
                if number.startswith(digits):
                    found.append((low + at // 20, number))
            at = numbers.find(wanted, at + 1)
        return found

    def read(self, at: int) -> tuple[int, bytes, bytes]:
        """(kind, what a difference is to: a distance or a number, its data)."""
        with open(self._index.with_suffix(".pack"), "rb") as opened:
            opened.seek(at)
            packed = opened.read(LONGEST)
        kind, place = (packed[0] >> 4) & 7, 0
        while packed[place] & 0x80:
            place += 1
        place += 1
        head = b""
        if kind == 6:
            distance = packed[place] & 0x7F
            while packed[place] & 0x80:
                place += 1
                distance = ((distance + 1) << 7) | (packed[place] & 0x7F)
            place += 1
            head = distance.to_bytes(8, "big")
        elif kind == 7:
            head, place = packed[place : place + 20], place + 20
        return kind, head, inflated(packed[place:])


def inflated(packed: bytes) -> bytes:
    """What was packed. ValueError if it is damaged or longer than `LONGEST`."""
    try:
        inflater = zlib.decompressobj()
        data = inflater.decompress(packed, LONGEST)
    except zlib.error as exc:
        raise ValueError("an object is damaged") from exc
    if not inflater.eof:
        raise ValueError("an object is very large")
    return data


def patched(base: bytes, delta: bytes) -> bytes:
    """What a difference makes of its base."""
    at = 0
    for _ in range(2):
        while delta[at] & 0x80:
            at += 1
        at += 1
    pieces: list[bytes] = []
    while at < len(delta):
        order = delta[at]
        at += 1
        if not order & 0x80:
            pieces.append(delta[at : at + order])
            at += order
            continue
        numbers = []
        for bits in (range(4), range(4, 7)):
            value = 0
            for place, bit in enumerate(bits):
                if order & (1 << bit):
                    value |= delta[at] << (8 * place)
                    at += 1
            numbers.append(value)
        begin, length = numbers[0], numbers[1] or 0x10000
        pieces.append(base[begin : begin + length])
    return b"".join(pieces)
