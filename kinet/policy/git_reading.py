"""Says why a command of git may not run unasked: what it is, where it would work, what it shows.

Three things are proved, each time anew. The words are a form that only reads (`git_forms`). The
repository is a plain one of the project, and no settings that count there name a program for it
(`git_place`, `git_settings`). Where contents of files are shown, none of a guarded name is among
them: by the index, or by the commits themselves (`git_objects`).

What remains is the moment between this look and the command's own: what runs beside may write a
setting meanwhile. A guarded place is not written unasked in any mode that asks, and what has a
fixed name (a monitor, hooks, signatures, the network) is switched off in the environment of every
command that passes (`kinet.tools.processes.environment`), which no setting of a repository undoes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kinet.policy import protected
from kinet.policy.git_contents import contents_objection
from kinet.policy.git_forms import GitWords, take_apart
from kinet.policy.git_place import Repository, find_repository, read_index
from kinet.policy.git_settings import GitSettings, read_settings
from kinet.policy.operand_paths import Place, path_objection

# A commit as people write it, two of them with dots between, and perhaps the name of a file in it.
_COMMIT = re.compile(r"\A\^?[A-Za-z0-9_@.][A-Za-z0-9_./@{}^~+-]*(?::[A-Za-z0-9_./@+ -]*)?\Z")
_HOOK = "hooks/post-index-change"
_OLD_REMOTES = ("remotes", "branches")
_SECRET_ADDRESS = re.compile(r"(?:https?|ftps?)://[^/\s]*@", re.I)


def git_objection(words: Sequence[str], place: Place) -> str:
    """Why this command, which begins with `git`, may not run unasked; "" if it may."""
    found = take_apart(words)
    if isinstance(found, str):
        return found
    if found.name == "version":
        return ""
    if found.folder:
        trouble = path_objection(found.folder, place)
        plain = os.path.normpath(place.start / found.folder)
        if trouble or plain != os.path.realpath(plain) or not os.path.isdir(plain):
            return trouble or f"{found.folder} is a link or no folder"
        place = replace(place, start=Path(plain))
    repository = find_repository(place.start, place.root)
    if isinstance(repository, str):
        return f"git {found.name}: {repository}"
    settings = read_settings(repository.own, place.root, place.home)
    return _by_settings(found, settings, repository) or _by_words(found, repository, place)


def _by_settings(found: GitWords, settings: GitSettings, repository: Repository) -> str:
    if settings.trouble:
        return f"git may run what its settings name: {settings.trouble}"
    if found.form.looks and settings.filters:
        return f"git may run what its settings name: {settings.filters}"
    if found.compares and settings.drivers:
        return f"git may run what its settings name: {settings.drivers}"
    if found.name.startswith("remote"):
        if any(map(_SECRET_ADDRESS.search, settings.addresses)):
            return "the address of a remote holds a password"
        if any(_is_filled(repository.own / name) for name in _OLD_REMOTES):
            return "the repository notes remotes in an old way (.git/remotes, .git/branches)"
    if found.form.looks and os.path.lexists(repository.own / _HOOK):
        # Older ones do not hear that hooks are switched off.
        return f"the repository has a hook for when git looks at files (.git/{_HOOK})"
    if found.name in ("status", "diff"):
        index = read_index(repository.own)
        if index.trouble or index.may_hold_repositories:
            return index.trouble or "the repository holds others (submodules), with their settings"
    return ""


def _is_filled(folder: Path) -> bool:
    return os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir()))


def _by_words(found: GitWords, repository: Repository, place: Place) -> str:
    commits: list[str] = []
    paths = list(found.after)
    before = list(found.before)
    if found.form.operands == "patterns":
        return ""
    if found.name == "grep" and "e" not in found.options and not before:
        return "git grep lacks a pattern"
    if found.name == "grep" and "e" not in found.options:
        before.pop(0)
    for word in before:
        file = os.path.lexists(place.start / word) and not found.parted
        if file or found.form.operands == "paths":
            # Where it could be a commit as well git refuses it.
            paths.append(word)
            continue
        if not _COMMIT.match(word):
            return f"git {found.name}: {word} is not plainly a commit or a file"
        commits.append(word)
    for word in (*paths, *(word for word in commits if found.form.operands == "mixed")):
        if trouble := _path(word, place):
            return trouble
    for word in commits:
        if trouble := _inner_path(word, place, repository):
            return trouble
    return contents_objection(found, commits, paths, repository, place)


def _path(word: str, place: Place) -> str:
    if word.startswith(":"):
        return f"git may take {word} for more than the name of a file"
    return path_objection(word, place)


def _inner_path(word: str, place: Place, repository: Repository) -> str:
    """The same for the file in `COMMIT:FILE`."""
    _, colon, inner = word.partition(":")
    if not colon or not inner:
        return ""
    parts = Path(os.path.normpath(inner)).parts
    if protected.is_secret(parts) or ".." in parts:
        return f"{inner} may hold keys or passwords" if ".." not in parts else f"{inner} is unclear"
    return ""
