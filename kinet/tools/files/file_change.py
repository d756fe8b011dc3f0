"""What writing and editing share: the old file, the checks before it, the change itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.policy.paths import judge_path
from kinet.policy.visible import visible, visible_line
from kinet.tools.base import Accepted, Arguments, ToolContext, ToolOutput
from kinet.tools.files.diff import Diff, unified_diff, with_hunks
from kinet.tools.files.file_access import (
    digest_of,
    failure,
    held,
    project,
    read_bytes,
    relative,
    settle,
)
from kinet.tools.files.file_write import check_writable, file_lock, replace_file
from kinet.tools.files.text_form import TextForm
from kinet.tools.questions import build_question

# Larger files are work for a command: they would have to be held in memory several times.
LARGEST_BYTES = 50 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Change:
    """A planned change. `before` and `before_text` are None for a new file."""

    path: Path
    shown: str
    before: bytes | None
    before_text: str | None
    after: TextForm
    notes: tuple[str, ...] = ()
    count: int = 1

    def diff(self) -> Diff:
        """What a person sees of it."""
        return unified_diff(self.before_text, self.after.text, self.shown)


# Makes the change from the path, its shown name and the old bytes (None: no such file).
Plan = Callable[[Path, str, bytes | None], Change]


def ask_about(
    tool: str, arguments: Arguments, path: str, context: ToolContext, plan: Plan
) -> ApprovalRequest:
    """The question with the diff. ToolError where the change cannot succeed; writes nothing."""
    root = project(context)
    judgement = judge_path(path, "write", context.folder, data_dir=context.data_dir)
    if judgement.verdict == "deny":
        settle(tool, arguments, path, "write", context)
    real = Path(judgement.targets[0])
    before = _existing(real, root, context)
    change = plan(real, relative(real, context), before)
    ordinary = judgement.verdict == "allow"
    new = before is None
    return build_question(
        tool,
        arguments,
        context,
        kind="edit",
        question="Create this file?" if new else "Edit this file?",
        body=change.diff().text or "(the file stays as it is)\n",
        targets=judgement.targets,
        reason="" if ordinary else judgement.reason,
        risk="" if ordinary else "This is asked each time and cannot be remembered.",
        scopes=("once", "session") if ordinary else ("once",),
        rule=f"changes to {change.shown}" if ordinary else "",
    )


def carry_out(
    tool: str, arguments: Arguments, path: str, context: ToolContext, plan: Plan, verb: str
) -> ToolOutput:
    """Plans again from the bytes as they are now, and writes. All or nothing; else ToolError."""
    real = settle(tool, arguments, path, "write", context)
    root = project(context)
    shown = relative(real, context)
    saved = context.data_dir / "saved" if context.data_dir is not None else None
    with file_lock(real):
        before = _existing(real, root, context)
        change = plan(real, shown, before)
        if context.accepted is not None:
            change = _only(change, context.accepted)
        data = change.after.to_bytes(path=shown)
        if data != before:
            with held(real, root, make_parents=before is None) as place:
                replace_file(place, data, before, saved)
        if context.files is not None:
            context.files.remember(real, digest_of(data))
    return _output(change, data, verb)


def _only(change: Change, accepted: Accepted) -> Change:
    """The change with the accepted hunks alone. ToolError kind changed if it was not shown so."""
    diff = visible(change.diff().text)
    if digest_of(diff.encode("utf-8", "replace")) != accepted.shown:
        raise ToolError(
            f"{change.shown} has changed since its diff was shown; nothing was changed.",
            hint="Read it again with read_file, then repeat the change.",
            kind="changed",
        )
    heads = [line.split(" @@")[0] + " @@" for line in diff.split("\n") if line.startswith("@@ ")]
    skipped = [number for number in range(1, len(heads) + 1) if number not in accepted.hunks]
    text = with_hunks(change.before_text or "", change.after.text, accepted.hunks)
    names = ", ".join(f"{number} ({heads[number - 1]})" for number in skipped)
    word = "hunk" if len(skipped) == 1 else "hunks"
    note = (
        f"The person skipped {word} {names} of {len(heads)}: that part was not applied and the "
        "file keeps its old text there."
    )
    return replace(change, after=change.after.with_text(text), notes=(*change.notes, note))


def _existing(real: Path, root: Path, context: ToolContext) -> bytes | None:
    """The bytes that are there now, checked against what the model has read."""
    try:
        if not real.parent.is_dir():
            return None
        with held(real, root) as place:
            status = place.status()
            if status is None:
                return None
            check_writable(place, status)
            data, _ = read_bytes(place, LARGEST_BYTES)
    except OSError as exc:
        raise failure("read", real, exc) from exc
    _check_known(real, data, context)
    return data


def _check_known(real: Path, data: bytes, context: ToolContext) -> None:
    if context.files is None:
        return
    known = context.files.seen(real)
    shown = visible_line(real.name)
    if known is None and context.require_read:
        raise ToolError(
            f"{shown} exists and has not been read in this session; nothing was changed.",
            hint="Read it first with read_file.",
            kind="unread",
        )
    if known is not None and known != digest_of(data):
        raise ToolError(
            f"{shown} has changed on disk since it was read; nothing was changed.",
            hint="Read it again with read_file, then repeat the change.",
            kind="stale",
        )


def _output(change: Change, data: bytes, verb: str) -> ToolOutput:
    if data == change.before:
        text = f"{change.shown} already has exactly this content; it was not written."
        return ToolOutput(text, "unchanged", {"path": change.shown, "paths": []})
    diff = change.diff()
    figures = f"+{diff.added} −{diff.removed}"
    size = f"{len(data):,} bytes"
    text = " ".join([f"{verb} {change.shown} ({figures} lines, now {size}).", *change.notes])
    details = {
        "path": change.shown,
        "paths": [change.shown],
        "diff": diff.text,
        "added": diff.added,
        "removed": diff.removed,
        "created": change.before is None,
        "encoding": change.after.encoding,
    }
    return ToolOutput(text, figures, details)
