"""A folder, a journal, calls on it as an engine makes them, and pictures to compare."""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
import subprocess
from pathlib import Path

from kinet.engine.base import CallChanges, JournalCall
from kinet.workspace.folder_scan import ScanLimits
from kinet.workspace.journal import LIMIT_BYTES, Journal
from kinet.workspace.undoing import Act, Answer, Outcome, Undoing


class UndoRoom:
    """`shell` and `write` are calls; `undo` and `redo` what a person asks for."""

    def __init__(
        self, tmp_path: Path, *, limit: int = LIMIT_BYTES, limits: ScanLimits | None = None
    ) -> None:
        self.folder = tmp_path / "project"
        self.folder.mkdir(exist_ok=True)
        self.home = tmp_path / "home"
        self.journal = Journal(self.home, limit_bytes=limit, limits=limits)

    def again(self) -> UndoRoom:
        """The same in a new run of the program."""
        self.journal = Journal(self.home)
        return self

    async def shell(self, command: str, *, session: str = "s1", turn: str = "t1") -> CallChanges:
        call = JournalCall(session, turn, "c", "shell", {"command": command}, self.folder)
        ticket = await self.journal.before(call)
        await asyncio.to_thread(
            subprocess.run, ["bash", "-c", command], cwd=self.folder, check=True
        )
        return await self.journal.after(ticket)

    async def write(
        self, path: str, text: str, *, session: str = "s1", turn: str = "t1"
    ) -> CallChanges:
        call = JournalCall(session, turn, "c", "write_file", {"path": path}, self.folder)
        ticket = await self.journal.before(call)
        real = self.folder / path
        real.parent.mkdir(parents=True, exist_ok=True)
        real.write_text(text)
        return await self.journal.after(ticket)

    def undoing(self, session: str = "s1") -> Undoing:
        return Undoing(self.journal.book(self.folder), session)

    def act(
        self,
        act: Act,
        turn: str = "t1",
        *,
        session: str = "s1",
        answers: dict[str, Answer] | None = None,
        paths: list[str] | None = None,
    ) -> Outcome:
        undoing = self.undoing(session)
        return undoing.carry_out(undoing.plan(act, turn, paths), answers)

    def picture(self) -> dict[str, tuple[str, int, str]]:
        """Every place of the folder: kind, mode, content."""
        found: dict[str, tuple[str, int, str]] = {}
        for above, folders, files in os.walk(self.folder):
            for name in (*folders, *files):
                path = os.path.join(above, name)
                status = os.lstat(path)
                mode = stat.S_IMODE(status.st_mode)
                key = os.path.relpath(path, self.folder)
                if stat.S_ISLNK(status.st_mode):
                    found[key] = ("link", 0, os.readlink(path))
                elif stat.S_ISDIR(status.st_mode):
                    found[key] = ("folder", mode, "")
                elif status.st_size > 100_000_000:
                    found[key] = ("large", mode, f"{status.st_size} {status.st_mtime_ns}")
                else:
                    data = Path(path).read_bytes()
                    found[key] = ("file", mode, hashlib.sha256(data).hexdigest())
        return found


def git(folder: Path, *words: str) -> None:
    """git with a name of its own, for repositories of the tests."""
    subprocess.run(
        ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", *words],
        cwd=folder,
        check=True,
        capture_output=True,
    )
