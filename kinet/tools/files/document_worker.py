"""Turns a document on stdin into text: a process of its own, so that a bad file ends only this.

Run as `document_worker.py KIND`. Prints UTF-8; ends with 3 where a library is missing (its name is
on stderr) and with 4 where the file cannot be read (why is on stderr). It knows nothing of Kinet.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

MISSING, UNREADABLE = 3, 4
_SECONDS = 30
_MEMORY = 1536 * 1024 * 1024
_MOST_CELLS = 300_000
_OUTPUT_CHARACTERS = 4_000


def main(arguments: list[str]) -> int:
    """Reads one document."""
    _limit()
    data = sys.stdin.buffer.read()
    out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", errors="replace", newline="\n")
    try:
        for line in _READERS[arguments[0]](data):
            out.write(line + "\n")
        out.flush()
    except ModuleNotFoundError as exc:
        sys.stderr.write(exc.name or "a library")
        return MISSING
    except MemoryError:
        sys.stderr.write("it needs too much memory")
        return UNREADABLE
    except Exception as exc:  # noqa: BLE001 - libraries raise what they like at a bad file
        sys.stderr.write(f"{type(exc).__name__}: {exc}"[:400])
        return UNREADABLE
    return 0


def _limit() -> None:
    """A file must not take the machine: bounded time and memory where the system can."""
    try:
        import resource
    except ImportError:
        return
    for what, most in ((resource.RLIMIT_CPU, _SECONDS), (resource.RLIMIT_AS, _MEMORY)):
        _, hard = resource.getrlimit(what)
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (soft, hard))


def _pdf(data: bytes) -> Iterator[str]:
    import pypdf

    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise ValueError("it is protected by a password")
    total = len(reader.pages)
    for number, page in enumerate(reader.pages, 1):
        yield f"--- Page {number} of {total} ---"
        text = page.extract_text().strip()
        yield text or "(no text on this page: it may be a picture)"


def _docx(data: bytes) -> Iterator[str]:
    import docx
    from docx.table import Table

    for part in docx.Document(io.BytesIO(data)).iter_inner_content():
        if isinstance(part, Table):
            yield from _table([[cell.text for cell in row.cells] for row in part.rows])
            continue
        style = str(getattr(part.style, "name", "") or "")
        level = style.removeprefix("Heading ") if style.startswith("Heading ") else ""
        mark = "#" * int(level) + " " if level.isdigit() else ""
        yield f"{mark}{part.text}"


def _xlsx(data: bytes) -> Iterator[str]:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    left = _MOST_CELLS
    for sheet in book.worksheets:
        yield f"--- Sheet {sheet.title} ---"
        for row in sheet.iter_rows(values_only=True):
            left -= len(row)
            if left < 0:
                yield f"(only the first {_MOST_CELLS:,} cells are shown)"
                return
            cells = ["" if value is None else str(value) for value in row]
            line = "\t".join(cell.replace("\n", " ") for cell in cells).rstrip("\t")
            if line:
                yield line


def _pptx(data: bytes) -> Iterator[str]:
    import pptx

    slides = list(pptx.Presentation(io.BytesIO(data)).slides)
    for number, slide in enumerate(slides, 1):
        yield f"--- Slide {number} of {len(slides)} ---"
        for shape in slide.shapes:
            yield from _shape(shape)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            notes = slide.notes_slide.notes_text_frame.text.strip()
            if notes:
                yield f"Notes: {notes}"


def _shape(shape: Any) -> Iterator[str]:
    if getattr(shape, "has_table", False):
        yield from _table([[cell.text for cell in row.cells] for row in shape.table.rows])
    elif getattr(shape, "has_text_frame", False) and shape.text_frame.text.strip():
        yield shape.text_frame.text
    for inner in getattr(shape, "shapes", ()):
        yield from _shape(inner)


def _table(rows: list[list[str]]) -> Iterator[str]:
    for row in rows:
        yield "| " + " | ".join(cell.replace("\n", " ") for cell in row) + " |"


def _ipynb(data: bytes) -> Iterator[str]:
    cells = json.loads(data)["cells"]
    for number, cell in enumerate(cells, 1):
        yield f"--- Cell {number} of {len(cells)} ({cell.get('cell_type', '?')}) ---"
        yield _joined(cell.get("source", ""))
        for output in cell.get("outputs", ()):
            text = _output(output).strip()
            if text:
                cut = " …" if len(text) > _OUTPUT_CHARACTERS else ""
                yield f"Output: {text[:_OUTPUT_CHARACTERS]}{cut}"


def _output(output: dict[str, Any]) -> str:
    if "text" in output:
        return _joined(output["text"])
    if "traceback" in output:
        return f"{output.get('ename', 'Error')}: {output.get('evalue', '')}"
    kinds = output.get("data", {})
    if "text/plain" in kinds:
        return _joined(kinds["text/plain"])
    return f"({', '.join(sorted(kinds))})" if kinds else ""


def _joined(text: Any) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


_READERS: dict[str, Callable[[bytes], Iterator[str]]] = {
    "pdf": _pdf,
    "docx": _docx,
    "xlsx": _xlsx,
    "pptx": _pptx,
    "ipynb": _ipynb,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
