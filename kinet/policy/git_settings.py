"""Reads settings of git as git does, and tells which could make a reading command do more.

They are read here rather than by `git config`: the judge starts no program, least of all one in a
folder that nobody has looked at yet, and a few small files cost it a fraction of a millisecond. A
text that git would refuse or that is not understood asks.

A repository's own settings may come from anywhere, so only settings known to be harmless pass. The
person's and the system's are honest: there only what could start a program for a reading command
asks. Words that no command of `git_forms` can reach (aliases, editors, whatever serves the network
or a terminal) do not count there, and `kinet.tools.processes.environment` takes the effect from
what has a fixed name.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_LARGEST = 64 * 1024
_MOST_FILES = 12
_DEEPEST = 5
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "\\": "\\", '"': '"'}
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_KEY_LETTERS = _LETTERS | frozenset("0123456789-")
_BLANKS = " \t\r\n"
_OFF = re.compile(r"\A(?:false|no|off|0)\Z", re.I)
# What a repository's own settings may say: nothing here names a program, a file or another folder.
_HARMLESS = re.compile(
    r"core\.(?:filemode|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol"
    r"|logallrefupdates|quotepath|abbrev|checkstat|trustctime|protecthfs|protectntfs|longpaths"
    r"|untrackedcache|preloadindex|compression|looseCompression|bigfilethreshold)"
    r"|user\.(?:name|email|useconfigonly)|init\.defaultbranch"
    r"|remote\.[^\n]*\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|gh-resolved"
    r"|skipdefaultupdate|skipfetchall)"
    r"|branch\.[^\n]*\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base"
    r"|gh-merge-base|github-pr-owner-number)"
    r"|pull\.(?:rebase|ff)|push\.(?:default|followtags|autosetupremote)|merge\.(?:ff|conflictstyle)"
    r"|rebase\.(?:autostash|autosquash|updaterefs)|fetch\.(?:prune|prunetags|parallel)"
    r"|branch\.(?:autosetupmerge|autosetuprebase|sort)|tag\.sort|remote\.pushdefault"
    r"|color\.(?:ui|status|diff|branch|interactive)|advice\.[a-z]+|rerere\.(?:enabled|autoupdate)"
    r"|log\.(?:date|decorate|abbrevcommit)|status\.(?:short|branch|showuntrackedfiles)"
    r"|diff\.(?:renames|algorithm|mnemonicprefix|colormoved|context|renamelimit)"
    r"|gui\.[a-z]+|commit\.(?:verbose|gpgsign)|tag\.gpgsign|user\.signingkey"
    r"|submodule\.active|gc\.(?:auto|autodetach)|pack\.(?:threads|windowmemory)"
    r"|lfs\.repositoryformatversion",
    re.I | re.S,
)
# Of the person's and the system's: what could start a program, or turn git to other files.
_NAMES_PROGRAM = re.compile(
    r"filter\..*\.(?:clean|smudge|process)|diff\.external|diff\..*\.(?:textconv|command)",
    re.I | re.S,
)
_TURNS_AWAY = re.compile(
    r"core\.(?:worktree|bare|gitproxy)|extensions\..*|include(?:if)?\..*", re.I | re.S
)
# Words of a format that start a program.
_RUNNING = ("%G", "%(signature", "%(describe")


@dataclass(frozen=True, slots=True)
class GitSettings:
    """What was found. `trouble` asks for every command, the rest only for those it can reach.

    `filters` run where files of the working tree are looked at, `drivers` where contents are
    compared; both are in words. `addresses` are those of remotes.
    """

    trouble: str = ""
    filters: str = ""
    drivers: str = ""
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Entry:
    """One that counts, and in words where it stands."""

    where: str
    key: str
    value: str


def read_settings(own: Path, root: Path, home: Path) -> GitSettings:
    """Looks at the settings that count in the repository with the folder `own` (its `.git`).

    `root` and `home` are real paths. What lies inside `root` is judged like the repository's own.
    """
    found: list[_Entry] = []
    try:
        _gather(own / "config", "the repository's .git/config", found, root, home)
        for place in _personal(home):
            _gather(place, f"git's settings in {place}", found, root, home)
    except ValueError as exc:
        return GitSettings(str(exc))
    filters = [entry for entry in found if entry.key.startswith("filter.")]
    drivers = [entry for entry in found if entry.key.startswith("diff.")]
    addresses = [entry.value for entry in found if entry.key.startswith("remote.")]
    addresses += [entry.key for entry in found if entry.key.startswith("url.")]
    return GitSettings("", _in_words(filters), _in_words(drivers), tuple(addresses))


def _in_words(found: list[_Entry]) -> str:
    return f"{found[0].where} name a program ({found[0].key})" if found else ""


def _personal(home: Path) -> list[Path]:
    """Where git may look for settings of the person and the system; more places do no harm."""
    places = [home / ".gitconfig", home / ".config" / "git" / "config"]
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    if os.path.isabs(folder):
        places.append(Path(folder) / "git" / "config")
    places += [Path(place) for place in _SYSTEM]
    return list(dict.fromkeys(places))


_SYSTEM = (
    "/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig",
    "/Library/Developer/CommandLineTools/usr/share/git-core/gitconfig",
    "/Applications/Xcode.app/Contents/Developer/usr/share/git-core/gitconfig",
)  # fmt: skip


def _gather(place: Path, named: str, found: list[_Entry], root: Path, home: Path) -> None:
    """Adds what counts in this file and in those it includes. ValueError with what is wrong."""
    todo = [(place, 0)]
    count = 0
    while todo:
        file, depth = todo.pop()
        count += 1
        if count > _MOST_FILES or depth > _DEEPEST:
            raise ValueError(f"{named} includes too many other files")
        real = Path(os.path.realpath(file))
        inside = real == root or root in real.parents
        try:
            for key, value in entries(_text(real)):
                if reason := _reason(key, value or "", inside):
                    raise ValueError(reason)
                if _follows(key):
                    todo.append((_included(value or "", real, home), depth + 1))
                elif _counts(key):
                    found.append(_Entry(named, key, value or ""))
        except ValueError as exc:
            raise ValueError(f"{named}: {exc}") from None


def _text(file: Path) -> str:
    """ "" where there is nothing to read. ValueError for what is no plain text of usual size."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as exc:
        raise ValueError(f"it cannot be read ({exc.strerror or exc})") from exc
    try:
        if str(file) == os.devnull:
            return ""
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("it is not a regular file")
        data = os.read(descriptor, _LARGEST + 1)
    finally:
        os.close(descriptor)
    if len(data) > _LARGEST or b"\0" in data:
        raise ValueError("it is very large or no text")
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def _reason(key: str, value: str, inside: bool) -> str:
    """Why the entry asks for every command, "" if it does not."""
    if key.startswith(("format.", "pretty.")) and any(mark in value for mark in _RUNNING):
        return f"its {key} runs a program"
    if not inside:
        if _follows(key):
            return "" if value[:1] not in ("", "%") else f"it includes other files ({key})"
        return f"it sets {key}" if _TURNS_AWAY.fullmatch(key) else ""
    if key in ("core.bare", "core.fsmonitor"):
        return "" if _OFF.match(value) else f"it sets {key}"
    if key == "core.repositoryformatversion":
        return "" if value in ("0", "1") else f"it sets {key}"
    return "" if _HARMLESS.fullmatch(key) else f"it sets {key}"


def _counts(key: str) -> bool:
    return bool(_NAMES_PROGRAM.fullmatch(key)) or key.startswith(("remote.", "url."))


def _follows(key: str) -> bool:
    return key == "include.path" or (key.startswith("includeif.") and key.endswith(".path"))


def _included(value: str, file: Path, home: Path) -> Path:
    """Where an include leads; conditions are not looked at, for more files do no harm."""
    if value.startswith("~/"):
        return home / value[2:]
    if value.startswith("~"):
        raise ValueError("it includes a file of another person")
    return file.parent / value


def entries(text: str) -> Iterator[tuple[str, str | None]]:
    """Each (section.subsection.key, value) of a file, None for a key alone.

    Sections and keys are in small letters. ValueError where git would refuse the file.
    """
    text = text.replace("\r\n", "\n")
    at, end, section = 0, len(text), ""
    while at < end:
        char = text[at]
        if char in _BLANKS:
            at += 1
        elif char in "#;":
            at = _line_end(text, at)
        elif char == "[":
            section, at = _section(text, at + 1)
        elif char in _LETTERS:
            if not section:
                raise ValueError("a word stands before any section")
            begin = at
            while at < end and text[at] in _KEY_LETTERS:
                at += 1
            key = text[begin:at].lower()
            value, at = _value(text, at)
            yield f"{section}.{key}", value
        else:
            raise ValueError(f"it is not understood at character {at + 1:,}")


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _section(text: str, at: int) -> tuple[str, int]:
    """(its name, where the rest begins) of what stands behind `[`."""
    begin = at
    while at < len(text) and (text[at] in _KEY_LETTERS or text[at] == "."):
        at += 1
    name = text[begin:at].lower()
    if text[at : at + 1] == "]" and name:
        return name, at + 1
    blanks = at
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    if at == blanks or text[at : at + 1] != '"' or not name:
        raise ValueError("a section is not understood")
    at += 1
    letters: list[str] = []
    while at < len(text) and text[at] not in '"\n':
        at += text[at] == "\\"
        if text[at : at + 1] in ("", "\n"):
            raise ValueError("a section is not understood")
        letters.append(text[at])
        at += 1
    if text[at : at + 2] != '"]':
        raise ValueError("a section is not understood")
    return f"{name}.{''.join(letters)}", at + 2


def _value(text: str, at: int) -> tuple[str | None, int]:
    """(the value, where the next line begins) of what stands behind a key."""
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    if text[at : at + 1] in ("", "\n"):
        return None, at + 1
    if text[at] != "=":
        raise ValueError("a key is not understood")
    at += 1
    letters: list[str] = []
    blanks = 0
    quoted = False
    while at < len(text) and text[at] != "\n":
        char = text[at]
        at += 1
        if char in _BLANKS and not quoted:
            blanks += bool(letters)
            continue
        if char in "#;" and not quoted:
            at = _line_end(text, at) - 1
            break
        letters.append(" " * blanks)
        blanks = 0
        if char == "\\":
            following = text[at : at + 1]
            at += 1
            if following in ("\n", ""):
                continue
            if following not in _ESCAPES:
                raise ValueError("a value is not understood")
            letters.append(_ESCAPES[following])
        elif char == '"':
            quoted = not quoted
        else:
            letters.append(char)
    if quoted:
        raise ValueError("a value has an open quote")
    return "".join(letters), at + 1
