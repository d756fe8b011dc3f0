"""Shows what became of files: a diff for people, and the lines added and removed."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kinet.policy.paths import is_secret_path
from kinet.policy.visible import visible_line
from kinet.tools.files.diff import Diff, unified_diff
from kinet.workspace.content_store import ContentStore
from kinet.workspace.file_state import Change, FileState

# Bytes of a file.
LARGEST_SHOWN = 400_000
_SECONDS = 2.0
_MOST_TEXT = 400_000


@dataclass(frozen=True, slots=True)
class ChangeText:
    """The diffs of several changes, one below the other. `left_out` changes are not in it."""

    text: str = ""
    added: int = 0
    removed: int = 0
    left_out: int = 0


def text_of_changes(changes: Iterable[Change], root: Path, store: ContentStore) -> ChangeText:
    """The diffs, as many as can be made in two seconds."""
    deadline = time.monotonic() + _SECONDS
    texts: list[str] = []
    added = removed = left_out = size = 0
    for change in changes:
        if time.monotonic() > deadline or size > _MOST_TEXT:
            left_out += 1
            continue
        diff = diff_of(change, root, store)
        texts.append(diff.text)
        size += len(diff.text)
        added, removed = added + diff.added, removed + diff.removed
    if left_out:
        texts.append(f"[{left_out:,} more changes are not shown here]\n")
    return ChangeText("".join(texts), added, removed, left_out)


def diff_of(change: Change, root: Path, store: ContentStore) -> Diff:
    """What a person sees of one change; a line in words where there is no text to compare."""
    shown = visible_line(change.path)
    before, after = change.before, change.after
    if "folder" in (before and before.kind, after and after.kind):
        return Diff(f"{_folder_words(before, after)} {shown}\n", 0, 0)
    notes = _notes(before, after, shown)
    if before is not None and after is not None and before.content == after.content != "":
        return Diff(notes, 0, 0)
    if is_secret_path(root / change.path, root):
        return Diff(f"{notes}{shown}: may hold keys or passwords, so it is not shown\n", 0, 0)
    old, new = _text(before, store), _text(after, store)
    if (before and old is None) or (after and new is None):
        sizes = " → ".join("none" if side is None else f"{side.size:,}" for side in (before, after))
        return Diff(f"{notes}{shown}: no text, or too large to be shown ({sizes} bytes)\n", 0, 0)
    diff = unified_diff(old, new or "", shown)
    text = diff.text
    if after is None:
        text = text.replace(f"\n+++ b/{shown}\n", "\n+++ /dev/null\n", 1)
    return Diff(notes + text, diff.added, diff.removed)


def _text(state: FileState | None, store: ContentStore) -> str | None:
    if state is None:
        return None
    if state.kind == "link":
        return f"link to {visible_line(state.content)}\n"
    if not state.content or state.size > LARGEST_SHOWN:
        return None
    data = store.get(state.content)
    if data is None or b"\0" in data:
        return None
    return data.decode("utf-8", "replace")


def _notes(before: FileState | None, after: FileState | None, shown: str) -> str:
    if before is None or after is None or before.mode == after.mode or before.kind != after.kind:
        return ""
    return f"{shown}: mode {before.mode:o} → {after.mode:o}\n"


def _folder_words(before: FileState | None, after: FileState | None) -> str:
    if before is None:
        return "New folder"
    if after is None:
        return "Removed folder"
    if before.kind == after.kind:
        return f"Mode {before.mode:o} → {after.mode:o} of folder"
    return "Folder and file have changed places:"
