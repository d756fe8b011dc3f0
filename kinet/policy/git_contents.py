"""Tells of which files a command of git would show contents, and whether guarded ones are there.

The names come from the index and from the commits themselves. Where they cannot be told for
certain and in a short time, the command asks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kinet.policy import protected
from kinet.policy.git_forms import GitWords, words_of
from kinet.policy.git_objects import Objects
from kinet.policy.git_place import Index, Repository, read_index
from kinet.policy.operand_paths import Place

_MAGIC = frozenset("*?[\\")
_RANGE = re.compile(r"\A([^.^][^:]*?)(\.\.\.?)([^.][^:]*)\Z")
_DOTS = re.compile(r"\.\.\.?")
# Options that choose no other commits than the first ones.
_FIRST_ONES = words_of(
    "n max-count p u patch U unified s no-patch raw oneline pretty format stat shortstat numstat "
    "name-only name-status summary compact-summary graph decorate no-decorate no-color color date "
    "abbrev-commit no-abbrev-commit abbrev no-ext-diff no-textconv w b ignore-all-space M "
    "ignore-space-change word-diff color-words minimal patience histogram first-parent W "
    "function-context no-renames find-renames no-notes"
)
_MOST_COMMITS = 20
_NUMBERS = frozenset({"n", "max-count"})


def contents_objection(
    found: GitWords, commits: list[str], paths: list[str], repository: Repository, place: Place
) -> str:
    """Why its output may hold what is guarded, "" if it does not.

    `commits` and `paths` are its words by what they are; each of them alone was found harmless.
    """
    if found.name == "show" and commits and all(":" in word for word in commits):
        # A file's contents, or the names in a folder.
        return ""
    if found.name == "blame":
        return "" if paths else "git blame lacks its file"
    exact = not any(_MAGIC.intersection(word) for word in paths)
    # That a name stood for a folder once is not looked for.
    files = bool(paths) and all(os.path.isfile(place.start / word) for word in paths)
    try:
        # What is followed may have had a guarded name before.
        files = files and "follow" not in found.options
        if not found.contents or (exact and files):
            # What is named may be no commit but a file's own contents.
            _all_commits(found, commits, repository)
            return ""
        below = [_parts(word, repository, place) for word in paths] if exact else []
        look = _Look(repository, repository.top.relative_to(place.root).parts, below)
        for parts in _shown(found, commits, look):
            return f"{'/'.join(parts)} in the repository may hold keys or passwords"
    except (ValueError, IndexError, OSError) as exc:
        return (
            "it may show earlier contents of files that hold keys or passwords, for the repository "
            f"cannot be looked through: {exc}"
        )
    return ""


@dataclass(frozen=True, slots=True)
class _Look:
    """Where is looked: in these folders `below` the top, or everywhere if there is none.

    `inside` are the parts of the way from the project to the top.
    """

    repository: Repository
    inside: tuple[str, ...]
    below: list[tuple[str, ...]]

    def index(self) -> Index:
        """That of the repository. ValueError where it cannot be read."""
        index = read_index(self.repository.own)
        if index.trouble:
            raise ValueError(index.trouble)
        return index

    def wanted(self, parts: tuple[str, ...]) -> bool:
        """True for what lies in one of the folders, and for what leads there."""
        return not self.below or any(parts[: len(one)] == one[: len(parts)] for one in self.below)

    def guarded(self, parts: tuple[str, ...]) -> bool:
        """True for a name whose contents must not be shown."""
        return protected.is_secret((*self.inside, *parts)) and self.wanted(parts)


def _all_commits(found: GitWords, commits: list[str], repository: Repository) -> None:
    """ValueError if a word may stand for contents by itself."""
    if found.name in ("show", "diff", "grep") and commits:
        objects = Objects(repository.own)
        for word in commits:
            for end in filter(None, _DOTS.split(word)):
                objects.commit(end.removeprefix("^"))


def _parts(word: str, repository: Repository, place: Place) -> tuple[str, ...]:
    real = os.path.realpath(place.start / word)
    if real != os.path.normpath(place.start / word):
        # It may have been a folder of this name in an earlier commit.
        raise ValueError(f"{word} is a link")
    return Path(real).relative_to(repository.top).parts


def _shown(found: GitWords, commits: list[str], look: _Look) -> Iterator[tuple[str, ...]]:
    """The parts of each guarded name that may be shown. ValueError where it is not known."""
    objects = Objects(look.repository.own)
    if found.name == "grep":
        if not commits and "cached" not in found.options:
            _no_links(look)
        yield from _searched(objects, commits, look)
        return
    pairs: list[tuple[str | None, str]] = []
    if found.name == "diff":
        pairs += _pairs(objects, commits)
        if not pairs:
            yield from _different_here(objects, found, commits, look)
    else:
        if _walks(found) and (found.after or len(found.before) > len(commits)):
            # With names of files the first commits are others.
            raise ValueError("it is not known which commits are shown")
        for number in _first_commits(objects, found, commits):
            parents = objects.parents(number)
            pairs += [(parent, number) for parent in parents] or [(None, number)]
    for first, second in pairs:
        yield from filter(look.guarded, objects.changed(first, second, look.wanted))


def _searched(objects: Objects, commits: list[str], look: _Look) -> Iterator[tuple[str, ...]]:
    yield from (parts for parts, _ in _indexed(look).items())
    for word in commits:
        files = objects.files(objects.commit(word), look.wanted, {})
        yield from (parts for parts, _ in files if look.guarded(parts))


def _no_links(look: _Look) -> None:
    """ValueError where a link took the place of a folder: files behind it would be searched."""
    folders: set[str] = set()
    for file in look.index().files():
        folder = os.path.dirname(file.name) if look.wanted(tuple(file.name.split("/"))) else ""
        while folder and folder not in folders:
            folders.add(folder)
            folder = os.path.dirname(folder)
    for folder in folders:
        if os.path.islink(look.repository.top / folder):
            raise ValueError(f"{folder} is a link now")


def _indexed(look: _Look) -> dict[tuple[str, ...], tuple[str, bool]]:
    """Each guarded name of the index, its number, and whether the file here is surely the same."""
    index = look.index()
    found = {}
    for file in index.files():
        parts = tuple(file.name.split("/"))
        if look.guarded(parts):
            same = file.is_as_noted(look.repository.top, index.written_ns)
            found[parts] = (file.number, same)
    return found


def _different_here(
    objects: Objects, found: GitWords, commits: list[str], look: _Look
) -> Iterator[tuple[str, ...]]:
    """What is different between the index, or a commit, and the index or what is here."""
    staged = bool({"cached", "staged"} & set(found.options))
    here = _indexed(look)
    if not staged:
        yield from (parts for parts, (_, same) in here.items() if not same)
    if not commits and not staged:
        return
    known = look.index().folders()
    end = objects.commit(commits[0] if commits else "HEAD")
    there = dict(objects.files(end, look.wanted, known))
    # What lies in a folder that both know by the same number is the same.
    equal = {parts for parts, number in there.items() if known.get(parts) == number}
    for parts in filter(look.guarded, here.keys() | there.keys()):
        within = any(parts[:length] in equal for length in range(len(parts) + 1))
        if not within and (parts not in here or here[parts][0] != there.get(parts)):
            yield parts


def _pairs(objects: Objects, commits: list[str]) -> list[tuple[str, str]]:
    """The numbers of each two commits that may be compared; none where one is with what is here."""
    between = _RANGE.match(commits[0]) if len(commits) == 1 else None
    if between is None:
        if len(commits) > 2:
            raise ValueError("more than two commits are compared")
        numbers = [objects.commit(word) for word in commits]
        return [(numbers[0], numbers[1])] if len(numbers) == 2 else []
    first, second = (objects.commit(between.group(at)) for at in (1, 3))
    if between.group(2) == "..":
        return [(first, second)]
    bases = objects.merge_bases(first, second)
    if not bases:
        raise ValueError("the commits have no common one")
    return [(base, second) for base in bases]


def _walks(found: GitWords) -> bool:
    """True if it goes on from commit to commit: git show does so where it is told a number."""
    return found.name == "log" or found.number > 0 or bool(_NUMBERS.intersection(found.options))


def _first_commits(objects: Objects, found: GitWords, commits: list[str]) -> list[str]:
    """The numbers of the commits that are shown, and of more."""
    for option in found.options:
        if option not in _FIRST_ONES:
            raise ValueError(f"{option} may choose other commits")
    numbers = [objects.commit(word) for word in commits or ["HEAD"]]
    if not _walks(found):
        return numbers
    if not 0 < found.number <= _MOST_COMMITS:
        raise ValueError("it is not known which commits are shown (git log -p -3)")
    all_of_them = list(numbers)
    # The second one shown is a parent of the first at the farthest, and so on.
    for _ in range(found.number - 1):
        numbers = [one for number in numbers for one in objects.parents(number)]
        numbers = [one for one in dict.fromkeys(numbers) if one not in all_of_them]
        all_of_them += numbers
    return all_of_them
