"""Reads a page of lines from a file of any size in bounded memory."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass

from kinet.core.characters import border_before
from kinet.tools.files.text_form import UNKNOWN, encoding_of, for_reading, is_binary

PAGE_LINES = 2_000
PAGE_BYTES = 50 * 1024
_CHUNK = 256 * 1024
_SAMPLE = 8_192
# Lines are counted to the end only where that is quick.
_COUNTED_BYTES = 20 * 1024 * 1024
# An offset this far into a file is not searched for: the person would wait for minutes.
_SKIPPED_BYTES = 1024 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Page:
    """Some lines of a file. `total` is 0 where the lines were not counted to the end.

    `seen` counts the lines up to the end of the page or the file; `hollow` says that a binary file
    showed nothing but NUL bytes.
    """

    lines: tuple[str, ...]
    size: int
    seen: int
    total: int
    more: bool
    encoding: str
    notes: tuple[str, ...] = ()
    binary: bool = False
    hollow: bool = False


def read_page(
    descriptor: int, size: int, offset: int, limit: int, page_bytes: int = PAGE_BYTES
) -> Page:
    """Lines `offset` to `offset + limit - 1`, at most `page_bytes` of them. Raises OSError."""
    head = os.read(descriptor, _SAMPLE)
    tail = _tail(descriptor, size)
    if is_binary(head, tail):
        hollow = not head.strip(b"\x00") and not tail.strip(b"\x00")
        return Page((), size, 0, 0, False, "binary", binary=True, hollow=hollow)
    encoding, mark = encoding_of(head)
    os.lseek(descriptor, len(mark), os.SEEK_SET)
    page = _collect(_texts(descriptor, encoding), size, offset, limit, encoding, page_bytes)
    if any("\x00" in line for line in page.lines):
        return Page((), size, 0, 0, False, "binary", binary=True)
    return page


def page_of_text(
    text: str, offset: int, limit: int, what: str, page_bytes: int = PAGE_BYTES
) -> Page:
    """The same page of a text that is already here; `what` stands for its encoding."""
    return _collect(iter([text]), 0, offset, limit, what, page_bytes)


def _tail(descriptor: int, size: int) -> bytes:
    if size <= _SAMPLE:
        return b""
    os.lseek(descriptor, size - _SAMPLE, os.SEEK_SET)
    tail = os.read(descriptor, _SAMPLE)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return tail


def _texts(descriptor: int, encoding: str) -> Iterator[str]:
    name = "utf-8" if encoding == UNKNOWN else encoding
    decoder = codecs.getincrementaldecoder(name)("replace")
    while data := os.read(descriptor, _CHUNK):
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, or as much of it as a page can show; `length` is its whole length in characters."""

    text: str
    length: int
    whole: bool = True


def _bounded_lines(texts: Iterator[str], patient: bool) -> Iterator[_Line]:
    """Lines without their ends. A line may be longer than memory: its rest is only counted, and
    where that could take minutes (not `patient`) the reading ends there."""
    kept: list[str] = []
    length = 0
    for text in texts:
        start = 0
        while (end := text.find("\n", start)) != -1:
            kept.append(text[start : min(end, start + PAGE_BYTES)])
            yield _Line("".join(kept).removesuffix("\r"), length + end - start)
            kept, length, start = [], 0, end + 1
        if length < PAGE_BYTES:
            kept.append(text[start : start + PAGE_BYTES])
        length += len(text) - start
        if length > _SKIPPED_BYTES or (length > _CHUNK and not patient):
            yield _Line("".join(kept), length, whole=False)
            return
    if length:
        yield _Line("".join(kept), length)


def _collect(
    texts: Iterator[str], size: int, offset: int, limit: int, encoding: str, page_bytes: int
) -> Page:
    lines: list[str] = []
    notes: list[str] = []
    used = seen = passed = 0
    more = ended = False
    count_all = size <= _COUNTED_BYTES
    for line in _bounded_lines(texts, count_all):
        seen += 1
        passed += line.length + 1
        if seen < offset:
            if passed > _SKIPPED_BYTES:
                notes.append(f"Lines beyond {seen:,} are too far into the file to be reached.")
                break
            continue
        text = for_reading(line.text)
        # The line stands in the page with its number, a tab and an end.
        length = len(text.encode("utf-8")) + len(f"{seen}\t\n")
        if more or seen >= offset + limit or (lines and used + length > page_bytes):
            more = True
            if count_all:
                continue
            break
        if length > page_bytes:
            text = _cut(text, page_bytes)
            count = f"{line.length:,}" if line.whole else f"more than {line.length:,}"
            notes.append(f"Line {seen:,} has {count} characters; {len(text):,} are shown.")
            more = not line.whole
        lines.append(text)
        used += length
    else:
        ended = True
    return Page(tuple(lines), size, seen, seen if ended else 0, more, encoding, tuple(notes))


def _cut(text: str, page_bytes: int) -> str:
    """As much of the text as a page holds, never half of what is seen as one character."""
    fits = len(text.encode("utf-8")[:page_bytes].decode("utf-8", "ignore"))
    return text[: border_before(text, fits)]
