"""`kinet render`: renders a Markdown file as the transcript does, and says what it shows."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from kinet.core.errors import StoreError


def render(options: argparse.Namespace) -> int:
    """Prints one JSON object; with --html and --png the page and the picture are written too.

    Raises StoreError if a file cannot be read or written.
    """
    from kinet.markup.survey import survey

    source = _read(options.file)
    loads: list[str] = []
    _count_loads(loads)
    began = time.perf_counter()
    found = survey(source)
    if options.html is not None:
        from kinet.markup.page import body_html, page

        title = "Markdown" if options.file == "-" else Path(options.file).name
        _write(options.html, page(title, body_html(source)))
    if options.png is not None:
        from kinet.app import render_picture

        if not render_picture(source, options.png):
            raise StoreError(f"{options.png} cannot be written.", hint="Is its folder there?")
    seconds = time.perf_counter() - began
    report: dict[str, Any] = {
        "blocks": [{"kind": kind, "direction": direction} for kind, direction in found.blocks],
        "links": [
            {"text": one.text, "target": one.target, "host": one.host, "allowed": one.allowed}
            for one in found.links
        ],
        "blocked": found.blocked,
        "formulas": found.formulas,
        "requests": len(loads),
        "milliseconds": round(seconds * 1000, 1),
    }
    print(json.dumps(report, ensure_ascii=False))
    return 0


def _count_loads(loads: list[str]) -> None:
    """Counts every look-up and connection of this process from now on: there must be none."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
            loads.append(event)

    sys.addaudithook(hook)


def _read(file: str) -> str:
    if file == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        return Path(file).read_text(encoding="utf-8-sig", errors="replace")
    except OSError as exc:
        raise StoreError(f"{file} cannot be read: {exc.strerror or exc}.") from exc


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise StoreError(f"{path} cannot be written: {exc.strerror or exc}.") from exc
