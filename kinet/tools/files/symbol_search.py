"""Finds what source files define: Python by its own parser, other languages by Universal Ctags.

Ctags is optional; the project's own option files are never read by it.
"""

from __future__ import annotations

import ast
import asyncio
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kinet.tools.processes.environment import child_environment
from kinet.tools.processes.program import run_program

_SECONDS = 30.0
# Larger files are data or made by a program.
_LARGEST = 1_000_000
# Arguments of one start; a command line has a limit.
_AT_ONCE = 200
_UNIVERSAL = b"Universal Ctags"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition: where, what (class, function, …), and its name with that of its owner."""

    path: str
    line: int
    kind: str
    name: str


async def symbols_of(paths: Sequence[str], root: Path) -> tuple[list[Symbol], list[str]]:
    """The definitions in these files (relative to `root`), in order, and what has to be told."""
    python = [path for path in paths if path.endswith((".py", ".pyi"))]
    others = [path for path in paths if path not in set(python)]
    found, notes = await asyncio.to_thread(_of_python, python, root)
    if others:
        program = await _ctags(root)
        if program is None:
            notes.append(f"{len(others):,} files that are not Python need Universal Ctags")
        else:
            found += await _of_others(program, others, root)
    return sorted(found, key=lambda item: (item.path, item.line)), notes


def _of_python(paths: Sequence[str], root: Path) -> tuple[list[Symbol], list[str]]:
    found: list[Symbol] = []
    unread = 0
    for path in paths:
        try:
            if (root / path).stat().st_size > _LARGEST:
                unread += 1
                continue
            tree = ast.parse((root / path).read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            # Not ours to mend, and no reason to tell nothing of the other files.
            unread += 1
            continue
        found += _within(tree.body, path, "")
    return found, [f"{unread:,} Python files could not be parsed"] if unread else []


def _within(body: Sequence[ast.stmt], path: str, owner: str) -> list[Symbol]:
    out: list[Symbol] = []
    for item in body:
        if isinstance(item, ast.ClassDef):
            out.append(Symbol(path, item.lineno, "class", owner + item.name))
            out += _within(item.body, path, f"{owner}{item.name}.")
        elif isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
            kind = "method" if owner else "function"
            out.append(Symbol(path, item.lineno, kind, owner + item.name))
        elif isinstance(item, ast.Assign | ast.AnnAssign) and not owner:
            targets = item.targets if isinstance(item, ast.Assign) else [item.target]
            out += [
                Symbol(path, item.lineno, "variable", target.id)
                for target in targets
                if isinstance(target, ast.Name)
            ]
    return out


async def _ctags(root: Path) -> str | None:
    """Universal Ctags of the system; None where there is none, or another one of that name."""
    program = shutil.which("ctags", path=child_environment(without=root)["PATH"])
    if program is None:
        return None
    said = await run_program(
        [program, "--version"], folder=root, environment=child_environment(without=root),
        timeout_s=_SECONDS,
    )  # fmt: skip
    return program if _UNIVERSAL in said.stdout else None


async def _of_others(program: str, paths: Sequence[str], root: Path) -> list[Symbol]:
    found: list[Symbol] = []
    for start in range(0, len(paths), _AT_ONCE):
        result = await run_program(
            [
                program, "--options=NONE", "--output-format=json", "--fields=+nKS", "-f", "-",
                *(os.path.join(".", path) for path in paths[start : start + _AT_ONCE]),
            ],
            folder=root,
            environment=child_environment(without=root),
            timeout_s=_SECONDS,
        )  # fmt: skip
        found += [item for line in result.stdout.splitlines() if (item := _tag(line))]
    return found


def _tag(line: bytes) -> Symbol | None:
    try:
        raw = json.loads(line)
    except ValueError:
        return None
    if not isinstance(raw, dict) or raw.get("_type") != "tag" or not raw.get("line"):
        return None
    scope = f"{raw['scope']}." if raw.get("scope") else ""
    path = str(raw.get("path", "")).removeprefix(f".{os.sep}")
    return Symbol(path, int(raw["line"]), str(raw.get("kind", "")), f"{scope}{raw.get('name', '')}")
