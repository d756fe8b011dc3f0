"""Reads one file whose text steers the model, safely: regular, UTF-8, inside its root, 64 KB."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from kinet.policy.hidden import Hidden, without_hidden

MAX_FILE_BYTES = 64 * 1024
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_BLANK_LINES = re.compile(r"(?:[ \t\r]*\n){60,}")
_BLANKS_IN_LINE = re.compile(r"[ \t]{200,}(?=\S)")
_IMPORT = re.compile(r"(?:^|(?<=\s))@([~./\w\\-][^\s`'\"]*)", re.MULTILINE)
_CODE = re.compile(r"^(```+|~~~+).*?^\1|`[^`\n]*`", re.MULTILINE | re.DOTALL)


class Refused(Exception):
    """The file is not used; the text says why, for a person."""


@dataclass(frozen=True, slots=True)
class SteeringFile:
    """One file's text as the model may get it, and what a person should know of it."""

    path: Path
    text: str
    cut: bool = False
    hidden: tuple[Hidden, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def imports(self) -> tuple[str, ...]:
        """Files that the text asks for with an @ outside of code, each once; none is read here."""
        if "@" not in self.text:
            return ()
        found = (item.rstrip(".,;:)") for item in _IMPORT.findall(_CODE.sub("", self.text)))
        return tuple(dict.fromkeys(item for item in found if "/" in item or "." in item))


def read_steering_file(path: Path, root: Path) -> SteeringFile:
    """The file at `path`. Refused if it is no regular UTF-8 file inside `root` by its real path."""
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(os.path.realpath(root)):
        raise Refused(f"{path.name} is a link to a file outside the project; it is not read.")
    return steering_text(path, *_read(real, path.name))


def steering_text(path: Path, data: bytes, size: int) -> SteeringFile:
    """What a file of these bytes would be: its first 64 KB, of `size` in all. Refused as above."""
    data = data[:MAX_FILE_BYTES]
    cut = size > MAX_FILE_BYTES
    text = _decoded(data, path.name, cut=cut)
    clean, hidden = without_hidden(text.removeprefix("\ufeff"))
    warnings = tuple(_warnings(path.name, clean, hidden, cut, size))
    return SteeringFile(path, clean, cut, hidden, warnings)


def _read(real: Path, name: str) -> tuple[bytes, int]:
    try:
        descriptor = os.open(real, _FLAGS)
    except OSError as exc:
        raise Refused(f"{name} cannot be read: {exc.strerror}.") from exc
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Refused(f"{name} is not a regular file; it is not used.")
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(MAX_FILE_BYTES), status.st_size
    except OSError as exc:
        raise Refused(f"{name} cannot be read: {exc.strerror}.") from exc
    finally:
        os.close(descriptor)


def _decoded(data: bytes, name: str, *, cut: bool) -> str:
    if b"\0" in data:
        raise Refused(f"{name} is not a text file; it is not used.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as exc:
        # The limit may have cut the last character in two.
        if cut and exc.start >= len(data) - 3:
            return data[: exc.start].decode("utf-8")
        raise Refused(f"{name} is not UTF-8 text; it is not used.") from exc


def _warnings(name: str, text: str, hidden: tuple[Hidden, ...], cut: bool, size: int) -> list[str]:
    found = []
    if hidden:
        kinds = ", ".join(sorted({item.code_point for item in hidden})[:6])
        places = ", ".join(str(item.offset) for item in hidden[:3])
        found.append(
            f"{name}: {len(hidden)} hidden characters were removed ({kinds}; first at character "
            f"{places})."
        )
    if cut:
        found.append(
            f"{name} has {size:,} bytes; only the first {MAX_FILE_BYTES // 1024} KB are used."
        )
    if "<!--" in text:
        found.append(
            f"{name} holds comments that a rendered view would hide; the model reads them."
        )
    if _BLANK_LINES.search(text):
        lines = text.count("\n") + 1
        found.append(
            f"{name} goes on after many empty lines; it has {lines:,} lines. Read its end."
        )
    if _BLANKS_IN_LINE.search(text):
        found.append(f"{name} has a very long line with text far to the right.")
    return found
