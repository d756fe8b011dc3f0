"""Every system call of a save or an edit fails once: nothing is damaged, nothing lies about (N7).

A small library (`failing_calls.c`, built with the system's C compiler) lets the n-th call that
touches files fail, for every n of each act and each of four errors: once with the one call alone,
once with every later call that writes too, as on a disk that is gone. Afterwards the file is the
old or the new one whole, the act's answer says which, no other file is there, and the program goes
on. A file with hard links has to be written in place: if that can neither be ended nor taken back,
the answer names the copy of the old bytes. Linux with a C compiler only.
Prints {value, limit, pass}; exits 1 on a miss.

    python tests/bench/bench_faults.py
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kinet.core.approval import Decision
from kinet.core.errors import SettingsError, ToolError
from kinet.policy.gate import gather
from kinet.policy.rules import RuleBook
from kinet.settings.store import SettingsStore
from kinet.tools.base import ToolContext
from kinet.tools.catalog import builtin_tools
from kinet.tools.toolbox import Toolbox

HERE = Path(__file__).resolve().parent
ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES)
MOST_CALLS = 2_000
OLD = b"one\r\ntwo\r\nthree\r\n" * 300
NEW = OLD.replace(b"three", b"drei", 1)
BOX = Toolbox(builtin_tools())
# Made before anything fails: its own descriptors are not what is tried.
LOOP = asyncio.new_event_loop()


@dataclass(frozen=True)
class Act:
    """One save or edit. `before` is laid out each time; `after` is what the file may become."""

    name: str
    run: Callable[[Path], None]
    file: str
    before: bytes | None
    after: Callable[[bytes | None], bool]
    prepare: Callable[[Path], None] = lambda folder: None


def main() -> int:
    """Builds the library and runs all acts in a child that is loaded with it."""
    if sys.argv[1:] == ["inside"]:
        return _inside()
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        print(json.dumps({"name": "failing calls", "value": None, "why": "needs Linux and cc"}))
        return 1
    with tempfile.TemporaryDirectory() as name:
        library = Path(name) / "failing.so"
        source = str(HERE / "failing_calls.c")
        command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), source, "-ldl"]
        subprocess.run(command, check=True)
        environment = {**os.environ, "LD_PRELOAD": str(library), "TMPDIR": name}
        inside = [sys.executable, str(Path(__file__).resolve()), "inside"]
        return subprocess.run(inside, env=environment, check=False).returncode


def _inside() -> int:
    faults = ctypes.CDLL(os.environ["LD_PRELOAD"])
    bad: list[str] = []
    tried = 0
    for act in _acts():
        act_runs = 0
        for error in ERRORS:
            for sticky in (0, 1):
                for number in range(1, MOST_CALLS):
                    wrong, reached = _once(act, faults, number, error, sticky)
                    bad += wrong
                    if not reached:
                        break
                    act_runs += 1
        tried += act_runs
        print(json.dumps({"act": act.name, "runs": act_runs}), flush=True)
    told = {"name": "failing calls that damaged or littered", "value": len(bad), "limit": 0}
    print(json.dumps({**told, "pass": not bad, "runs": tried}))
    for text in dict.fromkeys(bad[:400]):
        print(text)
    return 1 if bad else 0


def _once(
    act: Act, faults: ctypes.CDLL, number: int, error: int, sticky: int
) -> tuple[list[str], bool]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for below in ("project", "data"):
            (folder / below).mkdir()
        target = folder / act.file
        if act.before is not None:
            target.write_bytes(act.before)
        act.prepare(folder)
        names = _names(folder)
        what = f"{act.name} n={number} {errno.errorcode[error]}{' for ever' if sticky else ''}"
        said = ""
        try:
            # Raised by the library from here on, until it is told to stop.
            faults.arm(number, error, sticky)
            try:
                act.run(folder)
            finally:
                reached = faults.disarm() >= number
        except (ToolError, SettingsError) as exc:
            said = str(exc)
        except (OSError, ValueError, RuntimeError) as exc:
            return [f"{what}: {type(exc).__name__}: {exc}"], reached
        data = target.read_bytes() if target.exists() else None
        wrong = []
        saved = [path for path in (folder / "data").rglob("*.saved") if _is_old(path, act)]
        told = any(path.name in said for path in saved)
        if said and data != act.before and not (sticky and told):
            wrong.append(f"{what}: failed ({said}) and changed the file")
        if not said and not act.after(data):
            wrong.append(f"{what}: succeeded and did not change the file as asked")
        litter = _names(folder) - names - {act.file, "data/saved", "data/settings.lock"}
        litter -= {os.path.relpath(path, folder) for path in saved}
        # A new file's folders belong to it.
        litter -= {str(parent) for parent in Path(act.file).parents} if not said else set()
        if litter:
            wrong.append(f"{what}: left {sorted(litter)}")
        return wrong, reached


def _is_old(path: Path, act: Act) -> bool:
    """A copy of the old bytes may stay where it could not be removed or is all there is of them."""
    return path.read_bytes() == act.before


def _names(folder: Path) -> set[str]:
    return {
        os.path.relpath(os.path.join(top, name), folder)
        for top, folders, files in os.walk(folder)
        for name in (*folders, *files)
    }


def _tool(tool: str, **arguments: object) -> Callable[[Path], None]:
    def run(folder: Path) -> None:
        found, checked = BOX.prepare(tool, arguments)
        project, data = folder / "project", folder / "data"
        facts = gather(tool, "write", checked.model_dump(), project, data_dir=data)
        context = ToolContext(folder=project, data_dir=data, require_read=False, grant=facts.grant)
        LOOP.run_until_complete(found.run(checked, context))

    return run


def _setting(folder: Path) -> None:
    SettingsStore(folder / "data").set("general.escape_stops", "never")


def _rule(folder: Path) -> None:
    book = RuleBook(folder / "data")
    decision = Decision(False, "folder", "no")
    book.remember("shell", {"command": "make"}, str(folder / "project"), decision)


def _acts() -> list[Act]:
    edit = _tool("edit_file", path="a.txt", old_string="three", new_string="drei")
    first = _tool(
        "edit_file", path="a.txt", edits=[{"old_string": OLD.decode(), "new_string": NEW.decode()}]
    )
    write = _tool("write_file", path="new/deep/a.txt", content="text\n")
    unique = OLD.replace(b"three", b"3").replace(b"3", b"three", 1)
    changed = unique.replace(b"three", b"drei")

    def is_new(data: bytes | None) -> bool:
        return data == changed

    def linked(folder: Path) -> None:
        os.link(folder / "project" / "a.txt", folder / "project" / "b.txt")

    def by_link(folder: Path) -> None:
        (folder / "project" / "real").mkdir()
        os.rename(folder / "project" / "a.txt", folder / "project" / "real" / "a.txt")
        (folder / "project" / "a.txt").symlink_to("real/a.txt")

    rules = json.dumps({"version": 1, "rules": []}).encode()
    return [
        Act("edit", edit, "project/a.txt", unique, is_new),
        Act("edit of a hard link", edit, "project/a.txt", unique, is_new, linked),
        Act("edit by a link", edit, "project/a.txt", unique, is_new, by_link),
        Act("whole text", first, "project/a.txt", OLD, lambda data: data == NEW),
        Act("new file", write, "project/new/deep/a.txt", None, lambda data: data == b"text\n"),
        Act("rule", _rule, "data/rules.json", rules, lambda data: b"make" in (data or b"")),
        Act(
            "setting", _setting, "data/settings.json", b'{"version": 1}',
            lambda data: b"never" in (data or b""),
        ),
    ]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
