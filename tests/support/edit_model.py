"""Random files and edits, and a model on bytes of what each edit has to leave behind."""

from __future__ import annotations

import codecs
import os
import random
from dataclasses import dataclass
from pathlib import Path

from kinet.core.errors import ToolError
from kinet.tools.base import ToolContext
from kinet.tools.edit_file import EditFile, EditFileArguments, OneEdit

_LETTERS = "abcxyz 0189_-.,;(){}[]*\\$\t"
_WIDE = "éüßÀñ日本語한글🙂\u2028\x0b\x85\u00a0"
_FORMS = (
    ("utf-8", b""),
    ("utf-8", b""),
    ("utf-8", codecs.BOM_UTF8),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
    ("ascii", b""),
)
_MODES = (0o644, 0o600, 0o755, 0o664, 0o640)


@dataclass(frozen=True)
class Case:
    """Pieces between unique marks; some marks are replaced, everything else has to stay."""

    encoding: str
    mark: bytes
    pieces: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]
    edited: tuple[int, ...]
    mode: int
    linked: bool

    @property
    def before(self) -> bytes:
        """The file's bytes."""
        return self._bytes(self.old)

    @property
    def after(self) -> bytes:
        """The bytes it has to have afterwards."""
        texts = [new if at in self.edited else old
                 for at, (old, new) in enumerate(zip(self.old, self.new, strict=True))]  # fmt: skip
        return self._bytes(tuple(texts))

    def _bytes(self, marks: tuple[str, ...]) -> bytes:
        text = self.pieces[0]
        for piece, mark in zip(self.pieces[1:], marks, strict=True):
            text += mark + piece
        return self.mark + text.encode(self.encoding)


def make_case(source: random.Random) -> Case:
    """One case of the seed."""
    encoding, mark = source.choice(_FORMS)
    letters = _LETTERS if encoding == "ascii" else _LETTERS + _WIDE
    end = source.choice(("\n", "\r\n", "mixed"))
    count = source.randrange(1, 5)
    pieces = tuple(_text(source, letters, end, source.randrange(0, 9)) for _ in range(count + 1))
    old = tuple(f"<<{at}:{_line(source, letters)}>>" for at in range(count))
    new = tuple(f"<<{at}:{_line(source, letters)}!>>" for at in range(count))
    edited = tuple(sorted(source.sample(range(count), source.randrange(1, count + 1))))
    mode, linked = source.choice(_MODES), source.random() < 0.15
    return Case(encoding, mark, pieces, old, new, edited, mode, linked)


def _line(source: random.Random, letters: str) -> str:
    return "".join(source.choices(letters, k=source.randrange(0, 30)))


def _text(source: random.Random, letters: str, end: str, lines: int) -> str:
    ends = ("\n", "\r\n", "\r") if end == "mixed" else (end,)
    text = "".join(_line(source, letters) + source.choice(ends) for _ in range(lines))
    return text + (_line(source, letters) if source.random() < 0.5 else "")


async def run_cases(place: Path, seed: int, count: int) -> list[str]:
    """Edits a real file for each case through the tool; what went wrong, a line each."""
    source = random.Random(seed)
    context = ToolContext(folder=place, require_read=False)
    wrong = []
    for number in range(count):
        case = make_case(source)
        trouble = await _run(case, place, context)
        if trouble:
            wrong.append(f"case {number} of seed {seed}: {trouble}: {case}")
    return wrong


async def _run(case: Case, place: Path, context: ToolContext) -> str:
    real, path = place / "real.txt", place / "t.txt"
    for name in (real, path):
        name.unlink(missing_ok=True)
    target = real if case.linked else path
    target.write_bytes(case.before)
    target.chmod(case.mode)
    if case.linked:
        path.symlink_to(real.name)
    edits = [OneEdit(old_string=case.old[at], new_string=case.new[at]) for at in case.edited]
    try:
        await EditFile().run(EditFileArguments(path="t.txt", edits=edits), context)
    except ToolError as exc:
        unchanged = target.read_bytes() == case.before
        return f"refused ({exc.kind})" if unchanged else f"refused ({exc.kind}) and changed"
    if path.read_bytes() != case.after:
        return "a wrong byte"
    if os.stat(path).st_mode & 0o7777 != case.mode:
        return "another mode"
    if path.is_symlink() != case.linked:
        return "the link is gone"
    return "" if sorted(os.listdir(place)) == _names(case) else "something was left behind"


def _names(case: Case) -> list[str]:
    return ["real.txt", "t.txt"] if case.linked else ["t.txt"]
