"""Tells what a folder's own .gitignore files, and well-known names, leave out. Runs no git."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

# Made by programs and made again by them; nobody's work lies there.
_ALWAYS = frozenset({
    ".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox",
    ".mypy_cache", ".pytest_cache", ".ruff_cache", ".gradle", ".next", ".nuxt", ".cache", ".eggs",
    ".terraform", ".direnv", ".hypothesis", ".parcel-cache", ".turbo", ".DS_Store",
})  # fmt: skip
# Only where no .gitignore says what is built.
_BUILT = frozenset({"build", "dist", "target"})
_LARGEST = 256 * 1024
_MOST_PATTERNS = 2_000


@dataclass(frozen=True, slots=True)
class _Rule:
    match: re.Pattern[str]
    negated: bool
    folders_only: bool
    by_name: bool


class Ignoring:
    """The rules of one look at a folder. Each .gitignore is read once, when it is first needed."""

    def __init__(self, root: str, also: Ignoring | None = None) -> None:
        """`also` are the rules of an earlier look: what those left out stays left out."""
        self._root = root
        self._also = also
        self._rules: dict[str, tuple[_Rule, ...]] = {}
        # What was decided for a folder stays decided: a later look may ask again.
        self._folders: dict[str, bool] = {}
        self._above = _rules_above(root)
        self._skipped = _ALWAYS
        if not (self._above or self._of("") or os.path.exists(os.path.join(root, ".git"))):
            self._skipped = _ALWAYS | _BUILT

    def leaves_out(self, path: str, *, is_folder: bool) -> bool:
        """True if the relative path is left out; asked from the top down."""
        if self._also is not None and self._also.leaves_out(path, is_folder=is_folder):
            return True
        if not is_folder:
            return self._decide(path, is_folder=False)
        if path not in self._folders:
            # A cache says by this file that nobody's work lies in it.
            tag = os.path.join(self._root, path, "CACHEDIR.TAG")
            self._folders[path] = self._decide(path, is_folder=True) or os.path.exists(tag)
        return self._folders[path]

    def _decide(self, path: str, *, is_folder: bool) -> bool:
        name = path.rpartition("/")[2]
        if name in self._skipped:
            return True
        for base in _bases(path):
            rules = self._of(base)
            if rules:
                inner = path[len(base) + 1 :] if base else path
                found = _last_match(rules, inner, name, is_folder)
                if found is not None:
                    return not found.negated
        for prefix, rules in self._above:
            found = _last_match(rules, f"{prefix}/{path}" if prefix else path, name, is_folder)
            if found is not None:
                return not found.negated
        return False

    def _of(self, folder: str) -> tuple[_Rule, ...]:
        rules = self._rules.get(folder)
        if rules is None:
            rules = _read(os.path.join(self._root, folder, ".gitignore"))
            self._rules[folder] = rules
        return rules


def _bases(path: str) -> Sequence[str]:
    """The folders whose rules speak about a path, the nearest first."""
    found = []
    while "/" in path:
        path = path.rpartition("/")[0]
        found.append(path)
    return [*found, ""]


def _last_match(rules: Sequence[_Rule], path: str, name: str, is_folder: bool) -> _Rule | None:
    for rule in reversed(rules):
        if rule.folders_only and not is_folder:
            continue
        if rule.match.match(name if rule.by_name else path):
            return rule
    return None


def _rules_above(root: str) -> tuple[tuple[str, tuple[_Rule, ...]], ...]:
    """Rules from the repository's root down to, not including, `root`; the nearest first."""
    found = []
    place, prefix = root, ""
    while True:
        if os.path.exists(os.path.join(place, ".git")):
            found.append((prefix, _read(os.path.join(place, ".git", "info", "exclude"))))
            return tuple((prefix, rules) for prefix, rules in found if rules)
        parent = os.path.dirname(place)
        if parent == place:
            # No repository: what lies above has nothing to say.
            return ()
        prefix = f"{os.path.basename(place)}/{prefix}".rstrip("/")
        place = parent
        found.append((prefix, _read(os.path.join(place, ".gitignore"))))


def _read(path: str) -> tuple[_Rule, ...]:
    try:
        descriptor = os.open(
            path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        )
    except OSError:
        return ()
    try:
        data = os.read(descriptor, _LARGEST)
    except OSError:
        return ()
    finally:
        os.close(descriptor)
    lines = data.decode("utf-8", "surrogateescape").split("\n")[:_MOST_PATTERNS]
    return tuple(rule for line in lines if (rule := _rule(line.rstrip("\r"))) is not None)


def _rule(line: str) -> _Rule | None:
    pattern = re.sub(r"(?<!\\) +\Z", "", line)
    if not pattern or pattern.startswith("#"):
        return None
    negated = pattern.startswith("!")
    pattern = pattern[negated:]
    folders_only = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    by_name = "/" not in pattern
    pattern = pattern.removeprefix("/")
    if not pattern:
        return None
    try:
        return _Rule(re.compile(_expression(pattern), re.DOTALL), negated, folders_only, by_name)
    except re.error:
        return None


def _expression(pattern: str) -> str:
    """A regular expression for the whole of a path or name."""
    out: list[str] = []
    place = 0
    while place < len(pattern):
        rest = pattern[place:]
        if rest.startswith("**/") and (place == 0 or pattern[place - 1] == "/"):
            out.append("(?:[^/]+/)*")
            place += 3
        elif rest == "**" and (place == 0 or pattern[place - 1] == "/"):
            out.append(".+")
            place += 2
        elif rest[0] == "*":
            out.append("[^/]*")
            place += len(rest) - len(rest.lstrip("*"))
        elif rest[0] == "?":
            out.append("[^/]")
            place += 1
        elif rest[0] == "[" and (found := re.match(r"\[[!^]?\]?[^\]]*\]", rest)):
            inner = found.group()[1:-1].replace("\\", r"\\").replace("[", r"\[")
            inner = f"^{inner[1:]}" if inner[:1] in ("!", "^") else inner
            out.append(f"(?!/)[{inner}]")
            place += found.end()
        else:
            letter = rest[1:2] if rest[0] == "\\" and len(rest) > 1 else rest[0]
            out.append(re.escape(letter))
            place += 2 if rest[0] == "\\" and len(rest) > 1 else 1
    return "".join(out) + r"\Z"
