"""Reads PDF, Word, Excel, PowerPoint and notebooks as text."""

from __future__ import annotations

import sys
from pathlib import Path

from kinet.core.errors import ToolError
from kinet.tools.processes.environment import child_environment
from kinet.tools.processes.program import ProgramResult, run_program

# A larger document is work for a command.
LARGEST_BYTES = 50 * 1024 * 1024
_WORKER = Path(__file__).with_name("document_worker.py")
_SECONDS = 40.0
_MOST_TEXT = 16 * 1024 * 1024
_MISSING, _UNREADABLE = 3, 4

NAMES = {
    "pdf": "PDF document",
    "docx": "Word document",
    "xlsx": "Excel workbook",
    "pptx": "PowerPoint presentation",
    "ipynb": "notebook",
}
_ENDINGS = {".docm": "docx", ".xlsm": "xlsx", ".pptm": "pptx"}
_OLD = {".doc": "docx", ".xls": "xlsx", ".ppt": "pptx"}
_COMPOUND = b"\xd0\xcf\x11\xe0"


def document_kind(path: Path, head: bytes) -> str:
    """Which kind of document this is by its name and first bytes; "" for none.

    ToolError kind format for the old forms of Office, which no library here reads.
    """
    ending = path.suffix.lower()
    kind = _ENDINGS.get(ending, ending.removeprefix("."))
    if ending in _OLD and head.startswith(_COMPOUND):
        new = _OLD[ending]
        raise ToolError(
            f"{path.name} is in the old Office format {ending}, which cannot be read as text.",
            hint=f"Save it as .{new} first, or convert it with a command.",
            kind="format",
        )
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if kind in ("docx", "xlsx", "pptx") and head.startswith(b"PK\x03\x04"):
        return kind
    return "ipynb" if kind == "ipynb" and head.lstrip().startswith(b"{") else ""


async def document_text(data: bytes, kind: str, shown: str) -> str:
    """The document's text. ToolError kind missing-library, format, or io where it takes too long.

    It is read in a process of its own with limits on time and memory: a bad file harms nothing.
    """
    result = await run_program(
        [sys.executable, "-I", str(_WORKER), kind],
        folder=_WORKER.parent,
        environment=child_environment(),
        timeout_s=_SECONDS,
        limit_bytes=_MOST_TEXT,
        stdin=data,
    )
    if result.code == 0 or result.cut:
        return result.stdout.decode("utf-8", "replace")
    raise _trouble(result, kind, shown)


def _trouble(result: ProgramResult, kind: str, shown: str) -> ToolError:
    said = " ".join(result.stderr.decode("utf-8", "replace").split())[-300:]
    if result.code == _MISSING:
        return ToolError(
            f"{shown} is a {NAMES[kind]}; the library that reads it ({said}) is not installed.",
            hint='Install it with: pip install "kinet[documents]".',
            kind="missing-library",
        )
    if result.code == _UNREADABLE:
        return ToolError(
            f"{shown} cannot be read as a {NAMES[kind]}: {said}.",
            hint="It may be damaged or protected; try a command that knows this kind of file.",
            kind="format",
        )
    return ToolError(
        f"{shown} could not be read within {_SECONDS:.0f} s and 1.5 GB of memory.",
        hint="Take it apart with a command.",
        kind="io",
    )
