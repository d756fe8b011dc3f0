"""Runs git so that nothing a repository brings along is started: no filter, hook or driver."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from kinet.core.errors import ToolError
from kinet.tools.processes.environment import (
    GIT_QUIET,
    GIT_STARTS_NOTHING,
    child_environment,
    git_settings,
)
from kinet.tools.processes.program import ProgramResult, run_program

_SECONDS = 30.0
_OUTPUT_BYTES = 8 * 1024 * 1024
# Whatever names a program, with the value that names none.
_DRIVER = re.compile(
    r"\A(?:filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:textconv|command))\Z", re.S
)
_FIXED = (
    *GIT_STARTS_NOTHING,
    ("core.pager", "cat"),
    ("core.quotepath", "false"),
    ("diff.external", ""),
    ("interactive.difffilter", "cat"),
    ("color.ui", "false"),
)
_ENVIRONMENT = {
    **GIT_QUIET,
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C.UTF-8",
}


class GitRunner:
    """git in one project folder. Every run names empty drivers for those the repository names."""

    def __init__(self, root: Path) -> None:
        """`root` is the project's real path. ToolError where there is no git."""
        self._root = root
        self._environment = {**child_environment(without=root), **_ENVIRONMENT}
        program = shutil.which("git", path=self._environment["PATH"])
        if program is None:
            raise ToolError("git is not installed.", kind="no-git")
        self._program = program

    async def check(self) -> None:
        """ToolError if the folder is in no repository, or in one that works on other files."""
        result = await self._git(["rev-parse", "--show-toplevel"], ())
        if result.code:
            raise ToolError(_first_line(result), kind="no-repository")
        top = Path(result.stdout.decode("utf-8", "surrogateescape").rstrip("\n"))
        if top != self._root and top not in self._root.parents:
            # core.worktree may name any folder, and its files would be shown.
            raise ToolError(
                "The repository's configuration says that its files lie in another folder.",
                kind="refused",
            )

    async def run(self, arguments: Sequence[str]) -> ProgramResult:
        """git with these arguments. ToolError with its own words where it fails."""
        listing = await self._git(["config", "--list", "-z"], ())
        if listing.code or listing.cut or listing.timed_out:
            # What was not read may name a program: nothing is run then.
            raise ToolError(
                "The repository's configuration cannot be read whole, so git is not run: "
                f"{'it is far too long' if listing.cut else _first_line(listing)}.",
                kind="refused",
            )
        result = await self._git(arguments, _overrides(listing.stdout))
        if result.timed_out:
            raise ToolError(f"git took longer than {_SECONDS:.0f} s.", kind="timeout")
        if result.code not in (0, 1) and not result.cut:
            raise ToolError(f"git: {_first_line(result)}", kind="git")
        return result

    async def _git(
        self, arguments: Sequence[str], overrides: Sequence[tuple[str, str]]
    ) -> ProgramResult:
        given = git_settings([*_FIXED, *overrides])
        try:
            return await run_program(
                [self._program, "--no-pager", *arguments],
                folder=self._root,
                environment={**self._environment, **given},
                timeout_s=_SECONDS,
                limit_bytes=_OUTPUT_BYTES,
            )
        except OSError as exc:
            # Among others where more drivers are named than an environment can hold.
            raise ToolError(f"git cannot be run here: {exc.strerror or exc}.", kind="git") from exc


def _overrides(listing: bytes) -> list[tuple[str, str]]:
    """An empty value for every driver that any configuration names."""
    found: dict[str, str] = {}
    for entry in listing.split(b"\0"):
        key = entry.split(b"\n", 1)[0].decode("utf-8", "surrogateescape")
        if _DRIVER.match(key):
            found[key] = ""
            if key.startswith("filter."):
                found[key.rpartition(".")[0] + ".required"] = "false"
    return list(found.items())


def _first_line(result: ProgramResult) -> str:
    text = result.stderr.decode("utf-8", "replace").strip()
    line = text.split("\n", 1)[0].removeprefix("fatal: ").removeprefix("error: ")
    return line[:500] or f"it ended with code {result.code}"
