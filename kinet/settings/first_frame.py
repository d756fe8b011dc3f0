"""The few facts the first picture of the window needs, in one small file."""

from __future__ import annotations

import contextlib
import json
import threading
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from kinet.paths import ensure_private_dir

FILE_NAME = "window.json"
_LARGEST = 64 * 1024
# The window keeps its geometry while its look is kept beside it: neither takes the other back.
_changing = threading.Lock()
_THEMES = ("system", "light", "dark")


@dataclass(frozen=True, slots=True)
class FirstFrame:
    """How the window looked last. `geometry` is what the window wrote, as text; "" if nothing."""

    theme: str = "system"
    language: str = ""
    zoom: int = 100
    geometry: str = ""


def load(home: Path) -> FirstFrame:
    """What was kept in `home`; anything missing or odd is the default. Never raises."""
    try:
        with open(home / FILE_NAME, "rb") as file:
            raw = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return FirstFrame()
    if not isinstance(raw, dict):
        return FirstFrame()
    known = {item.name: raw[item.name] for item in fields(FirstFrame) if item.name in raw}
    return FirstFrame(**{name: value for name, value in known.items() if _fits(name, value)})


def save(home: Path, frame: FirstFrame) -> None:
    """Keeps `frame` in `home`. A home that cannot be written is left as it is: it is only looks."""
    # Imported late: reading, which the first picture waits for, does without it.
    from kinet.core import atomic_write

    with contextlib.suppress(OSError):
        ensure_private_dir(home)
        text = json.dumps(asdict(frame), ensure_ascii=True, indent=1)
        atomic_write.write_bytes(home / FILE_NAME, text.encode("ascii"))


def update(home: Path, **values: Any) -> FirstFrame:
    """Changes some of the facts and keeps them. Returns the new ones."""
    with _changing:
        before = load(home)
        frame = replace(before, **values)
        if frame != before:
            save(home, frame)
        return frame


def _fits(name: str, value: Any) -> bool:
    match name:
        case "theme":
            return value in _THEMES
        case "zoom":
            return type(value) is int and 80 <= value <= 200
        case _:
            return isinstance(value, str)
