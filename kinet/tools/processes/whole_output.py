"""The files that hold the whole outputs of commands: where they lie, and pages of them."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kinet.core.atomic_write import write_pieces

FOLDER = Path("outputs") / "whole"
_BLOCK = 1024 * 1024
# Of two pieces of one line, so that what is looked for is found across their border.
_OVERLAP = 4_096


@dataclass(frozen=True, slots=True)
class Page:
    """A part of an output. `total` counts the characters of the whole."""

    text: str
    offset: int
    total: int


def place_of(data_dir: Path | None, session_id: str, call_id: str) -> Path | None:
    """Where the output of a call is kept; None for a call of no session, which keeps none."""
    if data_dir is None or not session_id or not call_id:
        return None
    return data_dir / FOLDER / _key(session_id) / f"{_key(call_id)}.txt"


def page(file: Path, offset: int, characters: int) -> Page | None:
    """A part of an output, by characters; None if there is no such file any more.

    Reads block by block: an output may be far larger than memory should hold.
    """
    pieces: list[str] = []
    total = 0
    try:
        for text in _blocks(file):
            first, last = offset - total, offset + characters - total
            if first < len(text) and last > 0:
                pieces.append(text[max(0, first) : last])
            total += len(text)
    except OSError:
        return None
    return Page("".join(pieces), offset, total)


def save(file: Path, to: Path) -> bool:
    """Writes the whole of an output to another file; False if it is not kept any more.

    Reads block by block. OSError if `to` cannot be written.
    """
    if not file.is_file():
        return False
    write_pieces(to, (text.encode("utf-8", "replace") for text in _blocks(file)), mode=0o644)
    return True


@dataclass(frozen=True, slots=True)
class Piece:
    """A line with its number, or a piece of one, and the character it begins at."""

    number: int
    position: int
    text: str


def lines(file: Path) -> Iterator[Piece]:
    """All lines. A very long one comes in pieces of 1 MB, which overlap by some characters.

    OSError if the file cannot be read.
    """
    open_line, position, number = "", 0, 1
    for text in _blocks(file):
        parts = (open_line + text).split("\n")
        open_line = parts.pop()
        for part in parts:
            yield Piece(number, position, part)
            position += len(part) + 1
            number += 1
        if len(open_line) > _BLOCK:
            yield Piece(number, position, open_line)
            position += len(open_line) - _OVERLAP
            open_line = open_line[-_OVERLAP:]
    if open_line:
        yield Piece(number, position, open_line)


def forget_all_but(data_dir: Path, session_ids: Iterable[str]) -> None:
    """Removes the outputs of sessions that are gone. What cannot be removed stays."""
    kept = {_key(session_id) for session_id in session_ids}
    with contextlib.suppress(OSError):
        for folder in (data_dir / FOLDER).iterdir():
            if folder.name not in kept:
                shutil.rmtree(folder, ignore_errors=True)


def _blocks(file: Path) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    try:
        while data := os.read(descriptor, _BLOCK):
            yield decoder.decode(data)
        yield decoder.decode(b"", True)
    finally:
        os.close(descriptor)


def _key(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:24]
