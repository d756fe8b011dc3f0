"""The tool that reads a page of a text file."""

from __future__ import annotations

import asyncio
import base64
import difflib
import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.net.pictures import media_type_of, prepared
from kinet.policy.visible import visible_line
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.documents import LARGEST_BYTES, NAMES, document_kind, document_text
from kinet.tools.files.file_access import held, open_regular, project, relative, settle
from kinet.tools.files.file_pages import PAGE_BYTES, PAGE_LINES, Page, page_of_text, read_page
from kinet.tools.questions import path_question

# Files above this cannot be changed by the tools, so their bytes need not be known.
_HASHED_BYTES = 50 * 1024 * 1024
# Bytes. A larger picture is told of like any other binary file.
_PICTURE_BYTES = 20 * 1024 * 1024


class ReadFileArguments(Arguments):
    """Which lines of which file."""

    path: str
    offset: int = Field(1, ge=0, description="first line, from 1")
    limit: int = Field(PAGE_LINES, ge=1, description="number of lines")


class ReadFile:
    """Reads lines with their numbers, a page at a time."""

    name: ClassVar[str] = "read_file"
    description: ClassVar[str] = (
        "Reads a text file, picture, PDF, Office document or notebook. A line of text comes as its "
        f"number, a tab and the text; a page has up to {PAGE_LINES:,} lines or "
        f"{PAGE_BYTES // 1024} KB and says how to go on."
    )
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = ReadFileArguments

    def question(
        self, arguments: ReadFileArguments, context: ToolContext
    ) -> ApprovalRequest | None:
        """Asks only for what lies outside the project or may hold secrets."""
        return path_question(self.name, arguments, arguments.path, "read", context)

    async def run(self, arguments: ReadFileArguments, context: ToolContext) -> ToolOutput:
        """The page. ToolError for what is missing, a folder, a pipe or past the end."""
        read = await asyncio.to_thread(self._read, arguments, context)
        if isinstance(read, ToolOutput):
            return read
        text = await document_text(read.data, read.kind, read.shown)
        offset, limit = max(1, arguments.offset), min(arguments.limit, PAGE_LINES)
        page = page_of_text(text, offset, limit, read.kind, _page_bytes(context))
        note = f"This is the text of a {NAMES[read.kind]}, not its bytes; edit_file sees the bytes."
        page = replace(page, size=len(read.data), notes=(*page.notes, note))
        return _output(page, read.shown, offset, limit, _page_bytes(context))

    def _read(self, arguments: ReadFileArguments, context: ToolContext) -> ToolOutput | _Document:
        try:
            real = settle(self.name, arguments, arguments.path, "read", context)
        except ToolError as exc:
            if exc.kind == "not-found":
                exc.hint = _similar(arguments.path, context)
            raise
        shown = relative(real, context)
        with held(real, project(context)) as place:
            descriptor, status = open_regular(place)
            try:
                head = os.read(descriptor, 1024)
                kind = document_kind(real, head)
                os.lseek(descriptor, 0, os.SEEK_SET)
                if kind and 0 < status.st_size <= LARGEST_BYTES:
                    return self._document(real, descriptor, kind, context)
                if media_type_of(head) and status.st_size <= _PICTURE_BYTES:
                    return _picture(shown, _whole(descriptor), head)
                limit = min(arguments.limit, PAGE_LINES)
                offset, most = max(1, arguments.offset), _page_bytes(context)
                page = read_page(descriptor, status.st_size, offset, limit, most)
                if context.files is not None and not page.binary:
                    context.files.remember(real, _digest(descriptor, status))
            finally:
                os.close(descriptor)
        return _output(page, shown, offset, limit, most)

    def _document(self, real: Path, descriptor: int, kind: str, context: ToolContext) -> _Document:
        data = _whole(descriptor)
        if context.files is not None:
            context.files.remember(real, hashlib.sha256(data).hexdigest())
        return _Document(data, kind, relative(real, context))


@dataclass(frozen=True, slots=True)
class _Document:
    """Bytes that have to be turned into text elsewhere."""

    data: bytes
    kind: str
    shown: str


def _whole(descriptor: int) -> bytes:
    pieces: list[bytes] = []
    while piece := os.read(descriptor, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def _picture(shown: str, data: bytes, head: bytes) -> ToolOutput:
    """The picture itself, made smaller where it is large; words alone for a damaged one."""
    kind = media_type_of(head).removeprefix("image/").upper()
    size = f"{len(data):,} bytes"
    details = {"path": shown, "size": len(data), "media": media_type_of(head)}
    made = prepared(data)
    if made is None:
        text = f"{shown} is a {kind} picture ({size}), damaged or too large to be shown."
        return ToolOutput(text, f"{kind} picture, damaged", details)
    measure = f"{made.width} × {made.height}"
    smaller = "" if made.data is data else f", shown smaller, at {measure}"
    text = f"{shown} is a {kind} picture ({size}{smaller or f', {measure}'})."
    address = f"data:{made.media_type};base64,{base64.b64encode(made.data).decode('ascii')}"
    return ToolOutput(text, f"{kind} picture", details, pictures=(address,))


def stamp_of(status: os.stat_result) -> str:
    """Stands for the hash of a file that is too large to be hashed at each look."""
    return f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"


def _digest(descriptor: int, status: os.stat_result) -> str:
    if status.st_size > _HASHED_BYTES:
        return stamp_of(status)
    os.lseek(descriptor, 0, os.SEEK_SET)
    digest = hashlib.sha256()
    while piece := os.read(descriptor, 1 << 20):
        digest.update(piece)
    return digest.hexdigest()


def _output(page: Page, shown: str, offset: int, limit: int, page_bytes: int) -> ToolOutput:
    size = f"{page.size:,} bytes"
    if page.binary:
        what = "NUL bytes only, as far as looked at" if page.hollow else "a binary file"
        text = f"{shown} is {what} ({size}); it is not shown as text."
        return ToolOutput(text, f"binary, {size}", {"path": shown, "size": page.size})
    if not page.lines and offset > 1:
        raise ToolError(
            f"{shown} has {page.seen:,} lines; there is no line {offset:,}.",
            hint="Choose an offset within the file.",
            kind="past-end",
        )
    last = offset + len(page.lines) - 1
    numbered = [f"{number}\t{line}" for number, line in enumerate(page.lines, offset)]
    notes = [*page.notes]
    if page.more:
        total = f" of {page.total:,}" if page.total else ""
        kilobytes = f"{max(1, page_bytes // 1024)} KB"
        notes.append(f"Cut at {f'{limit:,} lines' if len(page.lines) >= limit else kilobytes}.")
        notes.append(f"Lines {offset:,} to {last:,}{total}. Go on with offset={last + 1}.")
    if not page.size:
        notes.append("The file is empty.")
    text = "\n".join([*numbered, *(f"[{note}]" for note in notes)])
    preview = f"{len(page.lines):,} line{'' if len(page.lines) == 1 else 's'}"
    details = {
        "path": shown,
        "offset": offset,
        "lines": len(page.lines),
        "total_lines": page.total,
        "encoding": page.encoding,
        "truncated": page.more,
    }
    return ToolOutput(text, preview, details, model_content=text)


def _page_bytes(context: ToolContext) -> int:
    """A page is smaller where the model's window is small."""
    return min(PAGE_BYTES, context.limits.get("page_bytes", PAGE_BYTES))


def _similar(path: str, context: ToolContext) -> str:
    """Names in the same folder that look like the missing one."""
    wanted = Path(path)
    folder = project(context) / wanted.parent
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for _, entry in zip(range(2_000), entries, strict=False)]
    except (OSError, ValueError):
        return ""
    near = difflib.get_close_matches(wanted.name, names, n=3, cutoff=0.6)
    shown = [visible_line(str(wanted.parent / name)) for name in near]
    return f"Did you mean {' or '.join(shown)}?" if shown else ""
