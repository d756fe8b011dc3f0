"""Reads commits and folders out of a repository's objects, to tell which names a comparison shows.

Only what a plain repository of today holds is understood: loose objects and packs of version 2 with
names of SHA-1. Whatever else, and whatever takes more than the budget, is a ValueError, which asks.
"""

from __future__ import annotations

import heapq
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from kinet.policy.git_packs import LONGEST, Pack, inflated, patched

_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_FULL = re.compile(r"\A[0-9a-f]{40}\Z")
_HEX = re.compile(r"\A[0-9a-f]{4,40}\Z")
_STEP = re.compile(r"~(\d*)|\^(\d*)")
_BASE = re.compile(r"\A[A-Za-z0-9_./-]+\Z|\A@\Z")
_MOST_OBJECTS = 400
_MOST_BYTES = 4 << 20
_MOST_STEPS = 50
_MOST_PACKS = 40
_DEEPEST = 60
# Marks of a commit: reached from both, and lying behind one that is.
_BOTH, _OLD = 3, 4
Wanted = Callable[[tuple[str, ...]], bool]


class Objects:
    """The objects of one plain repository. Each method raises ValueError where it cannot tell."""

    def __init__(self, own: Path) -> None:
        self._own = own
        if os.path.lexists(own / "refs" / "replace") or os.path.lexists(own / "info" / "grafts"):
            raise ValueError("the repository replaces objects by others")
        self._count = 0
        self._bytes = 0
        self._packs: list[Pack] | None = None
        # Commits that git takes for the first ones, whatever they say themselves.
        self._first = _lines(own / "shallow")

    def commit(self, text: str) -> str:
        """The number of the commit that `text` names, like `HEAD~2`, `main` or `4f2a`."""
        base, rest = re.match(r"([^~^]*)(.*)\Z", text, re.S).groups()  # type: ignore[union-attr]
        number = self._peeled(self._named(base))
        while rest:
            step = _STEP.match(rest)
            if step is None:
                raise ValueError(f"{text} is not understood")
            rest = rest[step.end() :]
            number = self._stepped(number, step)
        return number

    def parents(self, number: str) -> list[str]:
        """The numbers of a commit's parents."""
        return self._commit(number)[1]

    def merge_bases(self, one: str, other: str) -> list[str]:
        """The commits that both come from, nearest first; git takes one of them."""
        reached = {one: 1, other: 2} if one != other else {one: 3}
        waiting = [(-self._date(number), number) for number in reached]
        heapq.heapify(waiting)
        found: list[str] = []
        while any(reached[number] < _OLD for _, number in waiting):
            _, number = heapq.heappop(waiting)
            marks = reached[number]
            if marks == _BOTH and number not in found:
                found.append(number)
            # What lies behind one that was found is no nearer.
            marks |= _OLD if marks & _BOTH == _BOTH else 0
            for parent in self.parents(number):
                if reached.get(parent, 0) & marks != marks:
                    reached[parent] = reached.get(parent, 0) | marks
                    heapq.heappush(waiting, (-self._date(parent), parent))
        return found

    def changed(
        self, first: str | None, second: str | None, wanted: Wanted = lambda parts: True
    ) -> Iterator[tuple[str, ...]]:
        """The parts of each name that is not the same in both commits; None is an empty one.

        What is not `wanted` is left out with all below it.
        """
        todo: list[tuple[tuple[str, ...], str | None, str | None]] = [
            ((), first and self._commit(first)[0], second and self._commit(second)[0])
        ]
        while todo:
            parts, one, other = todo.pop()
            old, new = self._tree(one), self._tree(other)
            for name in old.keys() | new.keys():
                before, after = old.get(name), new.get(name)
                if before == after or not wanted((*parts, name)):
                    continue
                yield (*parts, name)
                folders = [item[1] if item and item[0] else None for item in (before, after)]
                if any(folders):
                    todo.append(((*parts, name), folders[0], folders[1]))

    def files(
        self, commit: str, wanted: Wanted, known: dict[tuple[str, ...], str]
    ) -> Iterator[tuple[tuple[str, ...], str]]:
        """(the parts of its name, the number of its contents) of each file that is wanted.

        A folder that is `known` by its number is not looked into: it is given itself.
        """
        todo: list[tuple[tuple[str, ...], str]] = [((), self._commit(commit)[0])]
        while todo:
            parts, number = todo.pop()
            if known.get(parts) == number:
                yield parts, number
                continue
            for name, (folder, inner) in self._tree(number).items():
                if not wanted((*parts, name)):
                    continue
                if folder:
                    todo.append(((*parts, name), inner))
                else:
                    yield (*parts, name), inner

    def _stepped(self, number: str, step: re.Match[str]) -> str:
        back, which = step.group(1), step.group(2)
        for _ in range(int(back or 1) if back is not None else 1):
            at = int(which or 1) if which is not None else 1
            parents = self.parents(number)
            if at < 1 or at > len(parents) or int(back or 1) > _MOST_STEPS:
                raise ValueError("that commit is not found")
            number = parents[at - 1]
        return number

    def _named(self, base: str) -> str:
        if not _BASE.match(base) or ".." in base:
            raise ValueError(f"{base} is not understood")
        name = "HEAD" if base in ("@", "") else base
        places = [name, f"refs/{name}", f"refs/tags/{name}", f"refs/heads/{name}",
                  f"refs/remotes/{name}", f"refs/remotes/{name}/HEAD"]  # fmt: skip
        if _FULL.match(base):
            return base
        packed = self._packed_names()
        if any(row.startswith("refs/replace/") for row in packed):
            raise ValueError("the repository replaces objects by others")
        if name != "HEAD" and os.path.lexists(self._own / name) and not name.startswith("refs/"):
            raise ValueError(f"{base} is understood in several ways")
        for place in places:
            number = self._followed(place, packed)
            if number:
                return number
        if _HEX.match(base):
            return self._abbreviated(base)
        raise ValueError(f"{base} is not found")

    def _followed(self, place: str, packed: dict[str, str]) -> str:
        """The number that a name stands for, "" if there is none."""
        for _ in range(5):
            file = self._own / place
            if os.path.isfile(file) and (place == "HEAD" or place.startswith("refs/")):
                text = file.read_text("ascii", "replace")[:200].strip()
            else:
                text = packed.get(place, "")
            if not text.startswith("ref: "):
                if text and not _FULL.match(text):
                    raise ValueError(f"{place} is not understood")
                return text
            place = text[5:].strip()
        raise ValueError(f"{place} leads on without end")

    def _packed_names(self) -> dict[str, str]:
        lines = _lines(self._own / "packed-refs")
        rows = (line.split(" ", 1) for line in lines if line[:1] not in ("#", "^", ""))
        return {row[1]: row[0] for row in rows if len(row) == 2}

    def _abbreviated(self, digits: str) -> str:
        folder = self._own / "objects" / digits[:2]
        found = set()
        if folder.is_dir():
            names = os.listdir(folder)
            found = {digits[:2] + name for name in names if name.startswith(digits[2:])}
        for pack in self._all_packs():
            found.update(pack.beginning_with(digits))
        if len(found) != 1:
            raise ValueError(f"{digits} is not the beginning of one number alone")
        return found.pop()

    def _peeled(self, number: str) -> str:
        for _ in range(5):
            kind, data = self._object(number)
            if kind == "commit":
                return number
            if kind != "tag":
                raise ValueError("it is a file or a folder, no commit")
            number = data[7:47].decode("ascii", "replace")
        raise ValueError("a tag leads on without end")

    def _commit(self, number: str) -> tuple[str, list[str]]:
        kind, data = self._object(number)
        if kind != "commit" or not data.startswith(b"tree "):
            raise ValueError("it is no commit")
        head = data.partition(b"\n\n")[0].decode("ascii", "replace").split("\n")
        parents = [line[7:] for line in head if line.startswith("parent ")]
        return head[0][5:], [] if number in self._first else parents

    def _date(self, number: str) -> int:
        found = re.search(rb"^committer [^\n]*> (\d+) [+-]", self._object(number)[1], re.M)
        if found is None:
            raise ValueError("a commit has no date")
        return int(found.group(1))

    def _tree(self, number: str | None) -> dict[str, tuple[bool, str]]:
        """Name to (whether it is a folder, its mode and number) of what lies in a folder."""
        if not number:
            return {}
        kind, data = self._object(number)
        if kind != "tree":
            raise ValueError("it is no folder")
        found: dict[str, tuple[bool, str]] = {}
        at = 0
        while at < len(data):
            blank, end = data.index(b" ", at), data.index(b"\0", at)
            mode = data[at:blank]
            found[os.fsdecode(data[blank + 1 : end])] = (
                mode in (b"40000", b"040000"), data[end + 1 : end + 21].hex()
            )  # fmt: skip
            at = end + 21
        return found

    def _object(self, number: str) -> tuple[str, bytes]:
        if not _FULL.match(number):
            raise ValueError("an object's number is not understood")
        self._count += 1
        if self._count > _MOST_OBJECTS or self._bytes > _MOST_BYTES:
            raise ValueError("it is too much to look through")
        kind, data = self._loose(number) or self._packed(number)
        self._bytes += len(data)
        return kind, data

    def _loose(self, number: str) -> tuple[str, bytes] | None:
        file = self._own / "objects" / number[:2] / number[2:]
        try:
            with open(file, "rb") as opened:
                packed = opened.read(LONGEST)
        except FileNotFoundError:
            return None
        head, _, data = inflated(packed).partition(b"\0")
        return head.partition(b" ")[0].decode("ascii", "replace"), data

    def _all_packs(self) -> list[Pack]:
        if self._packs is None:
            folder = self._own / "objects" / "pack"
            names = [name for name in os.listdir(folder) if name.endswith(".idx")] if (
                folder.is_dir()) else []  # fmt: skip
            if len(names) > _MOST_PACKS:
                raise ValueError("the repository has very many packs")
            self._packs = [Pack(folder / name) for name in sorted(names)]
        return self._packs

    def _packed(self, number: str) -> tuple[str, bytes]:
        for pack in self._all_packs():
            at = pack.place_of(number)
            if at is not None:
                return self._unpacked(pack, at, 0)
        raise ValueError("an object is not found")

    def _unpacked(self, pack: Pack, at: int, depth: int) -> tuple[str, bytes]:
        if depth > _DEEPEST:
            raise ValueError("an object is packed too deeply")
        kind, head, data = pack.read(at)
        if kind in _KINDS:
            return _KINDS[kind], data
        if kind == 6:
            base = self._unpacked(pack, at - int.from_bytes(head, "big"), depth + 1)
        elif kind == 7:
            base_at = pack.place_of(head.hex())
            if base_at is None:
                raise ValueError("an object is not found")
            base = self._unpacked(pack, base_at, depth + 1)
        else:
            raise ValueError("an object is of an unknown kind")
        return base[0], patched(base[1], data)


def _lines(file: Path) -> list[str]:
    """Those of one file of a repository, none where it is missing."""
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            text = opened.read(LONGEST + 1)
    except FileNotFoundError:
        return []
    if len(text) > LONGEST:
        raise ValueError("the repository has very many branches and tags")
    return text.splitlines()
