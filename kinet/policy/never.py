"""Recognises commands that are refused in every mode: they destroy a machine or turn the app."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kinet.policy import protected

_SYSTEM = frozenset({
    "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib32", "/lib64", "/opt", "/proc", "/root",
    "/sbin", "/srv", "/sys", "/usr", "/var", "/Users", "/System", "/Library", "/Applications",
    "/private", "/Volumes", "/mnt", "/media", "/run", "/usr/bin", "/usr/lib", "/usr/local",
    "/usr/sbin", "/usr/share", "/var/lib", "/var/log",
})  # fmt: skip
_DISK = re.compile(
    r"\A/dev/(?:[shv]d[a-z]|xvd|nvme|mmcblk|disk|rdisk|mapper/|dm-|loop\d|md\d|mem|kmem|port|sr\d)"
)
_FORK_BOMB = re.compile(r"([\w:.-]{1,64})\(\)\{\1\|\1&\};?\1")
_WINDOWS_ROOT = re.compile(r"\A[A-Za-z]:[\\/]?\*?\Z")
_POWER = frozenset({"shutdown", "reboot", "halt", "poweroff"})
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "ash"})
_WRAPPERS = frozenset({
    "sudo", "doas", "su", "env", "nohup", "setsid", "nice", "ionice", "timeout", "time", "stdbuf",
    "command", "builtin", "exec", "eval", "xargs", "busybox", "chroot", "unshare", "runuser",
    "pkexec", "coproc", "watch", "strace", "!",
})  # fmt: skip
_DISK_TOOLS = frozenset({
    "fdisk", "sfdisk", "gdisk", "sgdisk", "cfdisk", "parted", "cryptsetup", "blkdiscard", "shred",
    "hdparm", "badblocks", "mdadm", "pvcreate", "lvremove", "vgremove", "zpool", "tee", "cp", "mv",
    "cat", "install", "truncate",
})  # fmt: skip
_KEYCHAIN_TOOLS = frozenset({
    "secret-tool", "security", "keyring", "kwallet-query", "kwalletcli", "cmdkey", "lssecret",
})  # fmt: skip
_DEEPEST = 3
_FARTHEST = 24


@dataclass(frozen=True, slots=True)
class Machine:
    """What is to be spared: real paths. `start` is where the command begins, None for `root`."""

    root: Path
    home: Path
    data_dir: Path | None = None
    start: Path | None = None

    @property
    def begins(self) -> Path:
        """Where relative paths begin."""
        return self.start or self.root

    @property
    def is_away(self) -> bool:
        """True if the command begins outside the project."""
        return self.begins != self.root and self.root not in self.begins.parents

    @property
    def holds_own(self) -> bool:
        """True if the project is so wide that the app's own folders lie in it."""
        parts = [protected.folded(part) for part in self.root.parts]
        return any(own[: len(parts)] == parts for own in _own_parts(self.home, self.data_dir))

    def after(self, words: Sequence[str]) -> Machine:
        """The same for what follows this command, which may go to another folder."""
        if len(words) != 2 or words[0] not in ("cd", "pushd"):
            return self
        folder = os.path.join(self.begins, _expanded(words[1], self.home))
        return replace(self, start=Path(os.path.normpath(folder)))


def never_by_text(text: str) -> str:
    """Why the text as a whole is refused, "" if it is not."""
    squeezed = re.sub(r"\s+", "", text[:4_000])
    return "it starts itself without end (a fork bomb)" if _FORK_BOMB.search(squeezed) else ""


def never_by_redirection(target: str, machine: Machine) -> str:
    """Why writing to `target` is refused, "" if it is not."""
    return _disk(target) or _own(target, machine)


def never_by_words(words: Sequence[str], machine: Machine, depth: int = 0) -> str:
    """Why a command of these words is refused, "" if it is not."""
    if not words:
        return ""
    for word in dict.fromkeys(words):
        own = _own(word, machine)
        if own:
            return own
    reason = _alone(words, machine, depth)
    if reason or _name(words) not in _WRAPPERS | _SHELLS:
        return reason
    # Whatever a wrapper runs begins at one of its next words, behind further wrappers too; a shell
    # in a shell's text lost its quotes on the way here.
    starts = range(1, min(len(words), _FARTHEST))
    return next(filter(None, (_alone(words[start:], machine, depth) for start in starts)), "")


def _alone(words: Sequence[str], machine: Machine, depth: int) -> str:
    """The same for the program that these words begin with, and what a shell would run."""
    name = _name(words)
    reason = _by_program(name, words[1:], machine)
    if reason or depth >= _DEEPEST or not (name in _SHELLS or name == "eval"):
        return reason
    for text in words[1:]:
        for part in re.split(r"&&|\|\||[;|&\n]", text[:4_000]):
            inner = [word.strip("'\"") for word in part.split()]
            reason = never_by_words(inner, machine, depth + 1) if len(inner) > 1 else ""
            if reason:
                return reason
    return ""


def _name(words: Sequence[str]) -> str:
    return words[0].replace("\\", "").rpartition("/")[2]


def _by_program(name: str, words: Sequence[str], machine: Machine) -> str:
    if name in _POWER or (name in ("init", "telinit") and any(w in ("0", "6") for w in words)):
        return "it turns the machine off"
    if name == "systemctl" and any(
        word in ("poweroff", "reboot", "halt", "kexec") for word in words
    ):
        return "it turns the machine off"
    if name.startswith("mkfs") or name in ("wipefs", "mke2fs", "mkswap", "diskpart"):
        return "it makes or wipes a file system"
    if name == "format" and any(_WINDOWS_ROOT.match(word) for word in words):
        return "it makes or wipes a file system"
    if name == "dd" and any(word.startswith("of=") and _disk(word[3:]) for word in words):
        return "it writes over a disk"
    if name in _DISK_TOOLS and any(_disk(word) for word in words):
        return "it writes to a disk itself"
    if name in ("kill", "pkill", "killall") and "-1" in words[1:]:
        return "it ends every process of this user"
    if name in _KEYCHAIN_TOOLS or (name.startswith("python") and "keyring" in words):
        return _keychain(words)
    # What is moved goes away; where it goes to does not.
    taken = words[:-1] if name == "mv" else words
    if _removes(name, words) and any(_critical(word, machine) for word in taken):
        return "it would destroy files far outside the project"
    return ""


def _removes(name: str, words: Sequence[str]) -> bool:
    """True if the program, given a folder, would take or change all below it."""
    letters = "".join(word[1:] for word in words if re.match(r"\A-[A-Za-z]+\Z", word))
    if name == "rm":
        return "r" in letters.lower() or "--recursive" in words or "--no-preserve-root" in words
    if name in ("chmod", "chown", "chgrp", "setfacl"):
        return "R" in letters or "--recursive" in words
    if name == "find":
        return "-delete" in words or ("-exec" in words and "rm" in words)
    if name in ("rd", "rmdir", "del", "erase", "Remove-Item", "ri"):
        return any(word.lower() in ("/s", "-recurse", "-r", "-rf") for word in words)
    return name in ("mv", "rsync") and (name == "mv" or "--delete" in words)


def _critical(word: str, machine: Machine) -> bool:
    """True for the root, a system folder, the home folder or anything above home or project."""
    if _WINDOWS_ROOT.match(word):
        return True
    path = _expanded(word, machine.home)
    if not path.startswith(("/", "-")) and (machine.is_away or ".." in path.split("/")):
        path = os.path.join(machine.begins, path)
    while path.endswith(("/*", "/.*", "/.[!.]*")):
        path = path.rpartition("/")[0] or "/"
    if not path.startswith("/"):
        return False
    plain = os.path.normpath(path).replace("//", "/")
    if plain == "/" or plain in _SYSTEM:
        return True
    here = Path(plain)
    return here == machine.home or here in machine.home.parents or here in machine.root.parents


def _expanded(word: str, home: Path) -> str:
    for prefix in ("~", "$HOME", "${HOME}"):
        if word == prefix or word.startswith(f"{prefix}/"):
            return str(home) + word[len(prefix) :]
    return word


def _disk(word: str) -> str:
    return "it writes over a disk" if _DISK.match(word) else ""


def _own(word: str, machine: Machine) -> str:
    """Refuses whatever names the app's own settings or data."""
    _, equals, value = word.partition("=")
    for text in (word, value) if equals else (word,):
        path = _expanded(text, machine.home)
        near = not path.startswith("/") and ".." not in path and not machine.is_away
        if near and not machine.holds_own:
            continue
        plain = os.path.normpath(os.path.join(machine.begins, path))
        parts = [protected.folded(part) for part in Path(plain).parts]
        for own in _own_parts(machine.home, machine.data_dir):
            # A script of one's own skill is no setting: running it asks, like any other.
            in_skill = len(parts) > len(own) + 1 and parts[len(own)] == protected.OWN_SKILLS
            if parts[: len(own)] == own and not in_skill:
                return "it touches the app's own settings or data"
    return ""


@functools.lru_cache(maxsize=8)
def _own_parts(home: Path, data_dir: Path | None) -> list[list[str]]:
    folders = protected.own_folders(home, data_dir)
    return [[protected.folded(part) for part in folder.parts] for folder in folders]


def _keychain(words: Sequence[str]) -> str:
    about_app = any("kinet" in word.lower() for word in words)
    dumps = any(word in ("dump-keychain", "export", "unlock-keychain") for word in words)
    return "it reads keys from the keychain" if about_app or dumps else ""
