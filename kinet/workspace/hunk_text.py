"""The hunks of a change of a file, as they are shown, and the file without some of them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from kinet.policy.paths import is_secret_path
from kinet.tools.files.diff import with_hunks
from kinet.workspace.change_text import LARGEST_SHOWN, diff_of
from kinet.workspace.content_store import ContentStore
from kinet.workspace.file_state import Change, FileState


@dataclass(frozen=True, slots=True)
class Hunks:
    """A change whose hunks can be taken back one by one; `diff` is what a person is shown."""

    before: str
    after: str
    diff: str

    @property
    def count(self) -> int:
        """How many there are; their numbers count from 1."""
        return sum(line.startswith("@@ ") for line in self.diff.split("\n"))

    @property
    def digest(self) -> str:
        """Of the very diff: numbers mean nothing on another one."""
        return digest_of(self.diff)

    def without(self, numbers: Collection[int]) -> bytes:
        """What the change made, but for these hunks."""
        left = set(range(1, self.count + 1)) - set(numbers)
        return with_hunks(self.before, self.after, left).encode("utf-8")


def hunks_of(
    change: Change, root: Path, store: ContentStore, diff: str | None = None
) -> Hunks | None:
    """None where a file has none: it is new or gone, no text, too large, or not to be shown.

    `diff` is that of the change where it was made already.
    """
    if is_secret_path(root / change.path, root):
        return None
    before, after = _text(change.before, store), _text(change.after, store)
    if before is None or after is None or before == after:
        return None
    return Hunks(before, after, diff_of(change, root, store).text if diff is None else diff)


def digest_of(diff: str) -> str:
    """By this a diff is known again."""
    return hashlib.sha256(diff.encode("utf-8", "surrogatepass")).hexdigest()


def _text(state: FileState | None, store: ContentStore) -> str | None:
    if state is None or state.kind != "file" or not state.content or state.size > LARGEST_SHOWN:
        return None
    data = store.get(state.content)
    try:
        return None if data is None or b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError:
        # In the diff several bytes look the same: its hunks are not exact.
        return None
