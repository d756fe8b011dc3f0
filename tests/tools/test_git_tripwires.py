"""Real repositories that try, each its own way, to have a program run by looking at them."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tool_calls import Call

from kinet.core.errors import ToolError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("git_status", {}),
    ("git_diff", {}),
    ("git_diff", {"staged": True}),
    ("git_diff", {"ref": "HEAD~1"}),
    ("git_log", {"search": "s"}),
    ("git_log", {"path": "a.txt"}),
    ("git_show", {}),
    ("git_show", {"ref": "HEAD~1", "path": "a.txt", "whole_file": True}),
)


class Trap:
    """A repository with two commits and an open change, and a script that leaves a mark."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = folder.parent / "RAN"
        self.script = folder.parent / "evil.sh"
        self.script.write_text(f"#!/bin/sh\necho $0 $* >> {self.mark}\ntimeout 1 cat\n")
        self.script.chmod(0o755)
        self.git("init", "-q", "-b", "main", ".")
        for number in (1, 2):
            (folder / "a.txt").write_text(f"{number}\n" * 50)
            self.git("add", "-A")
            self.git("commit", "-qm", f"step {number}")
        (folder / "a.txt").write_text("3\n" * 50)

    def git(self, *arguments: str, folder: Path | None = None) -> str:
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder.parent),
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "N", "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "N", "GIT_COMMITTER_EMAIL": "a@b", "GIT_ALLOW_PROTOCOL": "file",
        }  # fmt: skip
        done = subprocess.run(
            ["git", *arguments], cwd=folder or self.folder, env=environment, check=True,
            capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout.strip()

    def config(self, **values: str) -> None:
        """`core__sshCommand="…"` is core.sshCommand."""
        for key, value in values.items():
            self.git("config", key.replace("__", "."), value)

    def lose_objects(self) -> None:
        """What the commits hold is gone, so that git would have it fetched."""
        for name in self.git("rev-list", "--objects", "--all").split("\n"):
            digest = name.split()[0]
            kind = self.git("cat-file", "-t", digest)
            if kind == "blob":
                (self.folder / ".git" / "objects" / digest[:2] / digest[2:]).unlink()


def _lazy(trap: Trap, url: str, **more: str) -> None:
    trap.git("config", "core.repositoryformatversion", "1")
    trap.config(
        extensions__partialClone="evil", remote__evil__url=url, remote__evil__promisor="true",
        remote__evil__partialclonefilter="blob:none", **more,
    )  # fmt: skip
    trap.lose_objects()


def _lazy_ext(trap: Trap) -> None:
    _lazy(trap, f"ext::{trap.script} %S", protocol__ext__allow="always", protocol__allow="always")


def _lazy_ssh(trap: Trap) -> None:
    _lazy(trap, "ssh://host/x", core__sshCommand=str(trap.script), protocol__ssh__allow="always")


def _lazy_file(trap: Trap) -> None:
    _lazy(
        trap, str(trap.folder.parent), remote__evil__uploadpack=str(trap.script),
        protocol__file__allow="always",
    )  # fmt: skip


def _lazy_git(trap: Trap) -> None:
    _lazy(trap, "git://host/x", core__gitProxy=str(trap.script), protocol__git__allow="always")


def _lazy_helper(trap: Trap) -> None:
    bin_ = trap.folder / "bin"
    bin_.mkdir()
    shutil.copy(trap.script, bin_ / "git-remote-evil")
    _lazy(trap, "evil://x", remote__evil__vcs="evil", protocol__evil__allow="always")


def _drivers(trap: Trap) -> None:
    trap.git("config", "filter.x.clean", str(trap.script))
    trap.git("config", "filter.x.process", str(trap.script))
    trap.git("config", "diff.x.textconv", str(trap.script))
    trap.git("config", "diff.x.command", str(trap.script))
    (trap.folder / ".gitattributes").write_text("* filter=x diff=x\n")


def _included(trap: Trap) -> None:
    other = trap.folder / "other.ini"
    other.write_text(
        f'[filter "y"]\n\tclean = {trap.script}\n\tprocess = {trap.script}\n'
        f'[diff "y"]\n\ttextconv = {trap.script}\n[core]\n\tfsmonitor = {trap.script}\n'
    )
    trap.git("config", "includeIf.onbranch:main.path", str(other))
    trap.git("config", "include.path", str(other))
    (trap.folder / ".gitattributes").write_text("* filter=y diff=y\n")


def _far_behind(trap: Trap) -> None:
    """More configuration than is read stands before the driver."""
    with (trap.folder / ".git" / "config").open("a") as file:
        file.write("[pad]\n")
        for number in range(9_000):
            file.write(f"\tk{number} = {'x' * 1_000}\n")
    _drivers(trap)


def _many(trap: Trap) -> None:
    """More drivers than can be named in an environment."""
    with (trap.folder / ".git" / "config").open("a") as file:
        for number in range(20_000):
            file.write(f'[filter "f{number}"]\n\tclean = {trap.script}\n')
    (trap.folder / ".gitattributes").write_text("* filter=f19999\n")


def _of_the_worktree(trap: Trap) -> None:
    trap.config(extensions__worktreeConfig="true")
    (trap.folder / ".git" / "config.worktree").write_text(
        f'[filter "z"]\n\tclean = {trap.script}\n[diff]\n\texternal = {trap.script}\n'
    )
    (trap.folder / ".git" / "info" / "attributes").write_text("* filter=z\n")


def _elsewhere(trap: Trap) -> None:
    """`.git` is a file that points to a repository with orders of its own."""
    _drivers(trap)
    shutil.move(trap.folder / ".git", trap.folder / "inner")
    (trap.folder / ".git").write_text("gitdir: inner\n")


def _linked(trap: Trap) -> None:
    _drivers(trap)
    shutil.move(trap.folder / ".git", trap.folder.parent / "outer")
    (trap.folder / ".git").symlink_to(trap.folder.parent / "outer")


def _signed(trap: Trap) -> None:
    trap.config(
        log__showSignature="true", gpg__program=str(trap.script), gpg__format="ssh",
        gpg__ssh__program=str(trap.script), gpg__x509__program=str(trap.script),
        gpg__openpgp__program=str(trap.script), gpg__ssh__defaultKeyCommand=str(trap.script),
        gpg__ssh__allowedSignersFile=str(trap.script), format__pretty="%G? %GG %H",
        pretty__mine="%GG",
    )  # fmt: skip
    raw = trap.git("cat-file", "commit", "HEAD")
    head, _, text = raw.partition("\n\n")
    signature = "gpgsig -----BEGIN SSH SIGNATURE-----\n U1NIU0lH\n -----END SSH SIGNATURE-----"
    file = trap.folder.parent / "commit"
    file.write_text(f"{head}\n{signature}\n\n{text}\n")
    made = trap.git("hash-object", "-t", "commit", "-w", "--literally", str(file))
    trap.git("update-ref", "refs/heads/main", made)


def _hooks(trap: Trap) -> None:
    hooks = trap.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc",
                 "post-checkout", "query-watchman"):  # fmt: skip
        shutil.copy(trap.script, hooks / name)
    trap.config(core__fsmonitor="true", core__fsmonitorHookVersion="2", gc__auto="1")


def _words(trap: Trap) -> None:
    """Every other key whose value git runs somewhere."""
    for key in (
        "core.editor", "core.pager", "core.askPass", "core.alternateRefsCommand", "pager.log",
        "pager.diff", "pager.show", "pager.status", "alias.log", "alias.status", "alias.diff",
        "alias.show", "sequence.editor", "interactive.diffFilter", "credential.helper",
        "credential.https://host.helper", "merge.x.driver", "mergetool.x.cmd", "difftool.x.cmd",
        "diff.guitool", "browser.x.cmd", "man.x.cmd", "tar.x.command", "trailer.x.command",
        "trailer.x.cmd", "uploadpack.packObjectsHook", "receive.procReceiveRefs",
        "submodule.x.update", "imap.tunnel", "sendemail.smtpServer", "web.browser",
        "diff.external", "core.hooksPath",
    ):  # fmt: skip
        value = f"!{trap.script}" if key.startswith(("alias.", "submodule.")) else str(trap.script)
        trap.git("config", key, value)
    trap.config(status__submoduleSummary="true", diff__submodule="log", diff__tool="x")


TRAPS: dict[str, Callable[[Trap], None]] = {
    "ext transport for a missing object": _lazy_ext,
    "ssh for a missing object": _lazy_ssh,
    "local upload-pack for a missing object": _lazy_file,
    "proxy for a missing object": _lazy_git,
    "helper for a missing object": _lazy_helper,
    "drivers": _drivers,
    "included configuration": _included,
    "behind a long configuration": _far_behind,
    "too many drivers": _many,
    "configuration of the worktree": _of_the_worktree,
    "git file that points elsewhere": _elsewhere,
    "git link that points elsewhere": _linked,
    "signatures": _signed,
    "hooks": _hooks,
    "all other words": _words,
}


@pytest.mark.parametrize("kind", TRAPS)
async def test_looking_at_a_repository_runs_nothing_of_it(
    kind: str, project: Path, call: Call
) -> None:
    trap = Trap(project)
    TRAPS[kind](trap)
    for name, arguments in CALLS:
        # Some of them cannot be shown at all; that is said in words, and nothing is run either.
        with contextlib.suppress(ToolError):
            await call(name, **arguments)
    assert not trap.mark.exists(), trap.mark.read_text()


# What git itself runs when it looks at such a repository: a trap that never goes off shows nothing.
SHARP: dict[str, tuple[str, ...]] = {
    "ext transport for a missing object": ("-c", "safe.directory=*", "log", "-p"),
    "ssh for a missing object": ("log", "-p"),
    "local upload-pack for a missing object": ("log", "-p"),
    "drivers": ("diff",),
    "included configuration": ("diff",),
    "configuration of the worktree": ("diff",),
    "git file that points elsewhere": ("diff",),
    "git link that points elsewhere": ("diff",),
    "signatures": ("log", "--format=%G?"),
    "hooks": ("status",),
    "all other words": ("diff",),
}


@pytest.mark.parametrize("kind", SHARP)
def test_the_traps_are_sharp(kind: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = Trap(project)
    TRAPS[kind](trap)
    (project / "a.txt").touch()
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            ["git", "--no-pager", *SHARP[kind]], cwd=project, check=False, timeout=1,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    assert trap.mark.exists()
