"""Lists and searches files with ripgrep, or with a slower worker where there is none."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kinet.core.errors import ToolError
from kinet.policy.paths import SecretNames, is_inside, is_secret_path
from kinet.tools.processes.environment import child_environment
from kinet.tools.processes.program import ProgramResult, run_program

_WORKER = Path(__file__).with_name("search_worker.py")
_SECONDS = 60.0
# Longer lines are shown cut; nobody reads a minified file in a list of hits.
_LONGEST_LINE = 4_096


@dataclass(frozen=True, slots=True)
class Hit:
    """One line. `is_match` is False for a line of context; `path` is relative where it is inside.

    `starts_group` marks the first line after a gap between contexts.
    """

    path: str
    line: int
    text: str
    is_match: bool = True
    starts_group: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """All hits or files, sorted, without secret ones. `left_out` counts the files kept back."""

    hits: tuple[Hit, ...] = ()
    files: tuple[str, ...] = ()
    left_out: int = 0
    notes: tuple[str, ...] = ()


def find_ripgrep() -> str | None:
    """The program that came with the app's packages, else one of the system; None without one."""
    name = "rg.exe" if os.name == "nt" else "rg"
    for folder in (sysconfig.get_path("scripts"), os.path.dirname(sys.executable)):
        candidate = os.path.join(folder, name)
        if os.access(candidate, os.X_OK):
            return candidate
    bundled = os.path.join(getattr(sys, "_MEIPASS", os.devnull), name)
    if os.access(bundled, os.X_OK):
        return bundled
    return shutil.which(name, path=child_environment()["PATH"])


async def search(
    pattern: str,
    where: Path,
    root: Path,
    *,
    glob: str = "",
    ignore_case: bool = False,
    context: int = 0,
) -> Found:
    """Every line below `where` that `pattern` matches. ToolError for a pattern that is none.

    `glob` is a ripgrep glob on file names without a slash ("" for all files).
    """
    options = ["--line-number", "--no-heading", "--with-filename", "--color=never"]
    options += [f"--max-columns={_LONGEST_LINE}", "--max-columns-preview"]
    options += ["--ignore-case"] if ignore_case else []
    options += [f"--context={context}"] if context else []
    options += [f"--type-add=wanted:{glob}", "--type=wanted"] if glob else []
    options += [f"--regexp={pattern}"]
    result, notes = await _run(options, where, root)
    kept, left_out = await asyncio.to_thread(_open_hits, result.stdout, where, root)
    return Found(hits=tuple(kept), left_out=left_out, notes=notes)


async def list_files(
    where: Path, root: Path, choose: Callable[[list[str]], list[str]], name_filter: str = ""
) -> Found:
    """The chosen files below `where`; hidden and ignored ones are left out as ripgrep does.

    `name_filter` is a glob that the names of all chosen files fit: the others need not be listed.
    """
    # As a type, not as a glob: a glob would bring ignored and hidden files back.
    filters = [f"--type-add=wanted:{name_filter}", "--type=wanted"] if name_filter else []
    result, notes = await _run(["--files", *filters], where, root)
    return await asyncio.to_thread(_listed, result.stdout, choose, notes)


def _listed(
    output: bytes, choose: Callable[[list[str]], list[str]], notes: tuple[str, ...]
) -> Found:
    names = os.fsdecode(output).replace("\0./", "\0").removeprefix("./").split("\0")
    files = choose(names[:-1])
    secret = SecretNames()
    open_files = tuple(sorted(name for name in files if not secret.holds(name)))
    return Found(files=open_files, left_out=len(files) - len(open_files), notes=notes)


async def _run(
    options: Sequence[str], where: Path, root: Path
) -> tuple[ProgramResult, tuple[str, ...]]:
    program = find_ripgrep()
    notes: list[str] = []
    if program is None:
        command = [sys.executable, "-I", "-S", str(_WORKER)]
        notes.append("ripgrep is missing: .gitignore was not looked at.")
    else:
        command = [program, "--no-config", "--no-follow", "--no-messages"]
    target = str(where.relative_to(root)) if is_inside(where, root) else str(where)
    if not os.path.isabs(target) and target != ".":
        target = os.path.join(".", target)
    result = await run_program(
        [*command, "--null", *options, "--", target],
        folder=root,
        environment=child_environment(without=root),
        timeout_s=_SECONDS,
        own_session=False,
    )
    # Code 2 with hits only means that some folder could not be read.
    if result.code == 2 and not result.stdout and result.stderr:
        raise ToolError(_complaint(result.stderr), kind="pattern")
    if result.timed_out:
        notes.append(f"The search was ended after {_SECONDS:.0f} s; there may be more.")
    if result.cut:
        notes.append("There was too much output; the search is incomplete. Narrow it down.")
    return result, tuple(notes)


def _complaint(stderr: bytes) -> str:
    text = stderr.decode("utf-8", "replace").strip().removeprefix("rg: ")
    hint = "Escape special characters with a backslash to search for them literally."
    return f"The search could not run: {text[:800]}\n{hint}"


def _open_hits(output: bytes, where: Path, root: Path) -> tuple[list[Hit], int]:
    return _without_secrets(_hits(output), where, root)


def _hits(output: bytes) -> list[Hit]:
    hits: list[Hit] = []
    gap = False
    for raw in output.split(b"\n"):
        path, null, rest = raw.partition(b"\0")
        if not null:
            gap = gap or raw == b"--"
            continue
        digits = len(rest) - len(rest.lstrip(b"0123456789"))
        mark = rest[digits : digits + 1]
        if not digits or mark not in (b":", b"-"):
            continue
        text = rest[digits + 1 :].removesuffix(b"\r").decode("utf-8", "replace")
        name = _plain(os.fsdecode(path))
        hits.append(Hit(name, int(rest[:digits]), text, mark == b":", gap))
        gap = False
    return hits


def _without_secrets(hits: list[Hit], where: Path, root: Path) -> tuple[list[Hit], int]:
    """The hits in files that may be searched, sorted by path, and the number of other files.

    Lines of one file come together and in order, so sorting by path alone keeps groups whole.
    """
    # A file that was named itself has had its own question.
    named = where.is_file()
    verdicts = {
        path: not named and is_secret_path(root / path, root) for path in {hit.path for hit in hits}
    }
    kept = sorted((hit for hit in hits if not verdicts[hit.path]), key=lambda hit: hit.path)
    return kept, sum(verdicts.values())


def _plain(name: str) -> str:
    return name.removeprefix("./").removeprefix(".\\")
