"""The tool that shows what has changed in a repository."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.policy.paths import is_inside, is_secret_path, resolve
from kinet.policy.visible import visible_line
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.file_access import project
from kinet.tools.grep import secrets_note
from kinet.tools.processes.git_runner import GitRunner

# --no-renames: both sides of a header then name the same file, so it can be told for certain.
DIFF_OPTIONS = (
    "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=dirty",
    "--submodule=short", "--relative", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
_REF = re.compile(r"\A[A-Za-z0-9_][A-Za-z0-9_./@^~{}+-]{0,199}\Z|\A@[A-Za-z0-9{}^~-]{0,60}\Z")
_SECTION = re.compile(r"^(?=diff --(?:git|cc|combined) )", re.MULTILINE)
_HEADER = re.compile(r"diff --(?:git (.*)|(?:cc|combined) (.*))\Z")
_SHOWN_UNTRACKED = 50


class GitDiffArguments(Arguments):
    """Which changes of what."""

    path: str | None = None
    ref: str | None = Field(None, description="compare with this commit or a..b")
    staged: bool = False


class GitDiff:
    """Shows a diff; runs no filter, driver or hook of the repository, leaves secret files out."""

    name: ClassVar[str] = "git_diff"
    description: ClassVar[str] = (
        "Shows the changes in the working tree (or staged ones, or against a commit) as a unified "
        "diff, and names untracked files."
    )
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = GitDiffArguments

    def question(self, arguments: GitDiffArguments, context: ToolContext) -> ApprovalRequest | None:
        """Never asks: it shows files of the project only, and starts nothing of theirs."""
        return None

    async def run(self, arguments: GitDiffArguments, context: ToolContext) -> ToolOutput:
        """The diff. ToolError without git or repository, and for a path or ref that is none."""
        root = project(context)
        place = place_in(arguments.path, root)
        ref = checked_ref(arguments.ref)
        git = GitRunner(root)
        await git.check()
        command = ["diff", *DIFF_OPTIONS, *(["--cached"] if arguments.staged else [])]
        command += ["--end-of-options", ref] if ref else []
        result = await git.run([*command, "--", place])
        text, left_out, count = open_sections(result.stdout.decode("utf-8", "replace"), root)
        untracked: list[str] = []
        if not ref and not arguments.staged:
            listing = await git.run(
                ["ls-files", "--others", "--exclude-standard", "-z", "--", place]
            )
            names = listing.stdout.decode("utf-8", "surrogateescape").split("\0")
            untracked = [visible_line(name) for name in names if name]
        return diff_output(text, left_out, count, untracked, result.cut)


def checked_ref(ref: str | None) -> str:
    """The name of a commit, "" for none. ToolError for what could be an option or worse."""
    if ref and not _REF.match(ref):
        raise ToolError(f"{visible_line(ref)} is not the name of a commit.", kind="arguments")
    return ref or ""


def place_in(path: str | None, root: Path) -> str:
    """The path relative to the project, as git takes it literally; it need not exist."""
    if not path:
        return "."
    try:
        real = resolve(path, root)
    except (OSError, ValueError) as exc:
        raise ToolError(f"{visible_line(path)} cannot be looked at: {exc}.", kind="io") from exc
    lexical = os.path.normpath(os.path.join(root, path))
    if not is_inside(real, root) or not is_inside(Path(lexical), root):
        raise ToolError(f"{visible_line(path)} is outside the project folder.", kind="refused")
    if is_secret_path(real, root):
        raise ToolError(f"{visible_line(path)} may hold keys or passwords.", kind="refused")
    return os.path.join(".", os.path.relpath(lexical, root))


def open_sections(diff: str, root: Path) -> tuple[str, int, int]:
    """(the diff without secret files, how many were left out, how many are shown)."""
    kept: list[str] = []
    left_out = 0
    for section in _SECTION.split(diff):
        name = _named(section.split("\n", 1)[0])
        if name is not None and is_secret_path(root / name, root):
            left_out += 1
        elif section:
            kept.append(section)
    return "".join(kept), left_out, sum(section.startswith("diff --") for section in kept)


def _named(header: str) -> str | None:
    """The file of a section; None for text before the first one."""
    found = _HEADER.match(header)
    if found is None:
        return None
    if found.group(2) is not None:
        return found.group(2).strip('"')
    both = found.group(1)
    # a/NAME b/NAME, both sides equal, perhaps in quotes.
    half = both[: len(both) // 2]
    return half.strip('"').removeprefix("a/")


def diff_output(
    text: str, left_out: int, count: int, untracked: list[str], cut: bool
) -> ToolOutput:
    """A diff without its secret files, and in words what is not in it."""
    added = len(re.findall(r"^\+(?!\+\+ )", text, re.MULTILINE))
    removed = len(re.findall(r"^-(?!-- )", text, re.MULTILINE))
    lines = [text.rstrip("\n")] if text else ["[no changes in tracked files]"]
    if untracked:
        shown = untracked[:_SHOWN_UNTRACKED]
        more = f" and {len(untracked) - len(shown):,} more" if len(untracked) > len(shown) else ""
        lines.append(f"[untracked: {', '.join(shown)}{more}]")
    lines += secrets_note(left_out)
    lines += ["[the diff is incomplete: there was too much of it]"] if cut else []
    details = {
        "diff": text,
        "added": added,
        "removed": removed,
        "files": count,
        "untracked": untracked[:_SHOWN_UNTRACKED],
        "left_out": left_out,
        "truncated": cut,
    }
    preview = f"{count} file{'' if count == 1 else 's'}, +{added} −{removed}"
    return ToolOutput("\n".join(lines), preview, details)
