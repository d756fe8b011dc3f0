"""Real repositories in which git would start a program, show a secret or look elsewhere.

Each trap is laid into a copy of one plain repository. Its program writes the file `marker`, which
must never appear without a question; what is secret holds the words in `SECRETS`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SECRETS = ("SECRET-VALUE", "TOKEN-VALUE", "OTHER-VALUE")
_HOOKS = ("post-index-change", "fsmonitor-watchman", "query-watchman", "reference-transaction",
          "pre-auto-gc", "post-checkout")  # fmt: skip


@dataclass(frozen=True)
class TrapPlace:
    """One repository: `top` with its `.git`, the person's `home`, and the folder of both."""

    base: Path

    @property
    def top(self) -> Path:
        return self.base / "project"

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def marker(self) -> Path:
        return self.base / "marker"

    @property
    def program(self) -> str:
        return str(self.base / "trap")

    def says(self, text: str) -> None:
        """Adds to the repository's settings."""
        with open(self.top / ".git" / "config", "a", encoding="utf-8") as file:
            file.write(text.replace("TRAP", self.program).replace("BASE", str(self.base)) + "\n")

    def person_says(self, text: str) -> None:
        """Writes the person's settings."""
        whole = text.replace("TRAP", self.program).replace("BASE", str(self.base))
        (self.home / ".gitconfig").write_text(whole + "\n")

    def writes(self, name: str, text: str) -> None:
        """Writes a file of the project, an executable one if it is a program."""
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("TRAP", self.program).replace("BASE", str(self.base)))
        path.chmod(0o755 if text.startswith("#!") else 0o644)


_OWN = ("-c", "user.name=a", "-c", "user.email=a@b.test", "-c", "commit.gpgsign=false")


def git(place: TrapPlace, *words: str, folder: Path | None = None, data: str = "") -> str:
    """Runs git as somebody did before, without any trap."""
    done = subprocess.run(
        ["git", *_OWN, *words],
        cwd=folder or place.top,
        env={"PATH": os.environ["PATH"], "HOME": str(place.base / "nobody"), "GIT_PAGER": "cat"},
        input=data.encode(), capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout.decode().strip()


def plain_repository(base: Path) -> TrapPlace:
    """One with a few commits, a branch, a tag, a merge, changes and an untracked file."""
    place = TrapPlace(base)
    for folder in (place.top / "src", place.top / "docs", place.home, base / "other"):
        folder.mkdir(parents=True)
    (base / "trap").write_text(f'#!/bin/sh\necho "$0 $*" >> {place.marker}\ncat\nexit 0\n')
    (base / "trap").chmod(0o755)
    (base / "other" / "file.txt").write_text("OTHER-VALUE\n")
    git(place, "init", "-q", "--template=", "-b", "main", ".")
    for number in range(3):
        place.writes("src/app.py", f"x = {number}\n")
        place.writes("docs/a.txt", f"a\nb\nc {number}\n")
        place.writes("README.md", "# it\n")
        git(place, "add", "-A")
        git(place, "commit", "-qm", f"change {number}")
    git(place, "tag", "-m", "first", "v1")
    git(place, "checkout", "-qb", "topic", "HEAD~1")
    place.writes("src/b.py", "b\n")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "topic")
    git(place, "checkout", "-q", "main")
    git(place, "merge", "-q", "--no-edit", "topic")
    git(place, "remote", "add", "origin", "https://host.test/x.git")
    place.writes("src/app.py", "x = 9\n")
    place.writes("README.md", "# more\n")
    git(place, "add", "README.md")
    place.writes("new.txt", "n\n")
    return place


def _attributes(place: TrapPlace) -> None:
    place.writes(".gitattributes", "* diff=e filter=e merge=e\n")


def _driver(key: str) -> Callable[[TrapPlace], None]:
    def lay(place: TrapPlace) -> None:
        _attributes(place)
        section, name = key.split(".")
        place.says(f'[{section} "e"]\n\t{name} = TRAP')
        os.utime(place.top / "docs" / "a.txt", (1, 1))

    return lay


def _personal_driver(key: str) -> Callable[[TrapPlace], None]:
    def lay(place: TrapPlace) -> None:
        _attributes(place)
        section, name = key.split(".")
        place.person_says(f'[{section} "e"]\n\t{name} = TRAP')
        os.utime(place.top / "docs" / "a.txt", (1, 1))

    return lay


def _says(text: str) -> Callable[[TrapPlace], None]:
    return lambda place: place.says(text)


def _person(text: str) -> Callable[[TrapPlace], None]:
    return lambda place: place.person_says(text)


def _hooks(place: TrapPlace) -> None:
    for name in _HOOKS:
        place.writes(f".git/hooks/{name}", "#!/bin/sh\nexec TRAP\n")
    os.utime(place.top / "docs" / "a.txt", (1, 1))


def _hooks_elsewhere(place: TrapPlace) -> None:
    _hooks(place)
    shutil.move(place.top / ".git" / "hooks", place.top / "hooks")
    place.says(f"[core]\n\thooksPath = {place.top}/hooks")


def _signed(place: TrapPlace) -> None:
    tree = git(place, "rev-parse", "HEAD^{tree}")
    parent = git(place, "rev-parse", "HEAD")
    text = (
        f"tree {tree}\nparent {parent}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n"
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n"
    )
    number = git(place, "hash-object", "-t", "commit", "-w", "--stdin", data=text)
    git(place, "update-ref", "refs/heads/main", number)


def _signed_by(place: TrapPlace) -> None:
    _signed(place)
    place.says("[gpg]\n\tprogram = TRAP\n[log]\n\tshowSignature = true")


def _signed_by_person(place: TrapPlace) -> None:
    _signed(place)
    place.person_says("[gpg]\n\tprogram = TRAP\n[log]\n\tshowSignature = true")


def _signed_format(place: TrapPlace) -> None:
    _signed(place)
    place.person_says('[gpg]\n\tprogram = TRAP\n[format]\n\tpretty = "%h %G?"')


def _included(place: TrapPlace) -> None:
    place.writes("settings", "[core]\n\tfsmonitor = TRAP\n")
    place.says("[include]\n\tpath = ../settings")


def _person_includes(place: TrapPlace) -> None:
    place.writes("settings", "[diff]\n\texternal = TRAP\n")
    place.person_says('[includeIf "gitdir:BASE/"]\n\tpath = BASE/project/settings')


def _submodule(place: TrapPlace) -> None:
    inner = place.top / "sub"
    inner.mkdir()
    git(place, "init", "-q", ".", folder=inner)
    (inner / "f").write_text("f\n")
    git(place, "add", "-A", folder=inner)
    git(place, "commit", "-qm", "s", folder=inner)
    git(place, "add", "sub")
    git(place, "commit", "-qm", "sub")
    with open(inner / ".git" / "config", "a", encoding="utf-8") as file:
        file.write(f"[core]\n\tfsmonitor = {place.program}\n[diff]\n\texternal = {place.program}\n")
    (inner / "f").write_text("g\n")


def _nested(place: TrapPlace) -> None:
    inner = place.top / "nested"
    inner.mkdir()
    git(place, "init", "-q", ".", folder=inner)
    with open(inner / ".git" / "config", "a", encoding="utf-8") as file:
        file.write(f"[core]\n\tfsmonitor = {place.program}\n")
    place.writes("nested/f", "f\n")


def _inside_nested(place: TrapPlace) -> None:
    _nested(place)
    shutil.rmtree(place.top / "src")
    (place.top / "src").symlink_to("nested")


def _elsewhere(place: TrapPlace) -> None:
    shutil.move(place.top / ".git", place.base / "other" / "git")
    (place.top / ".git").write_text(f"gitdir: {place.base}/other/git\n")
    with open(place.base / "other" / "git" / "config", "a", encoding="utf-8") as file:
        file.write(f"[core]\n\tfsmonitor = {place.program}\n")


def _linked(place: TrapPlace) -> None:
    shutil.move(place.top / ".git", place.base / "other" / "git")
    (place.top / ".git").symlink_to(place.base / "other" / "git")


def _bare(place: TrapPlace) -> None:
    shutil.copytree(place.top / ".git", place.top / "src", dirs_exist_ok=True)
    with open(place.top / "src" / "config", "a", encoding="utf-8") as file:
        file.write(f"[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = {place.program}\n")


def _common(place: TrapPlace) -> None:
    shutil.copytree(place.top / ".git", place.base / "other" / "git")
    with open(place.base / "other" / "git" / "config", "a", encoding="utf-8") as file:
        file.write(f"[core]\n\tfsmonitor = {place.program}\n")
    place.writes(".git/commondir", "BASE/other/git\n")


def _own_settings_of_tree(place: TrapPlace) -> None:
    place.says("[extensions]\n\tworktreeConfig = true")
    place.writes(".git/config.worktree", "[core]\n\tfsmonitor = TRAP\n")


def _partial(place: TrapPlace) -> None:
    blob = git(place, "rev-parse", "HEAD:docs/a.txt")
    (place.top / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    place.says(
        '[remote "origin"]\n\tpromisor = true\n\tpartialclonefilter = blob:none\n'
        "\turl = ext::TRAP\n[protocol]\n\tallow = always\n[extensions]\n\tpartialClone = origin"
    )


def _missing(place: TrapPlace) -> None:
    blob = git(place, "rev-parse", "HEAD:docs/a.txt")
    (place.top / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    place.person_says(
        '[remote "origin"]\n\tpromisor = true\n\turl = ext::TRAP\n[protocol]\n\tallow = always'
    )


def _secret_now(place: TrapPlace) -> None:
    place.writes(".env", "SECRET-VALUE\n")
    git(place, "add", "-f", ".env")
    git(place, "commit", "-qm", "keys")
    place.writes(".env", "SECRET-VALUE 2\n")


def _secret_before(place: TrapPlace) -> None:
    _secret_now(place)
    git(place, "rm", "-qf", "--cached", ".env")


def _secret_long_ago(place: TrapPlace) -> None:
    _secret_before(place)
    git(place, "commit", "-qm", "no keys")
    place.writes("docs/a.txt", "z\n")
    git(place, "commit", "-qam", "later")
    (place.top / ".env").unlink()
    git(place, "tag", "keys", "HEAD~2:.env")


def _secret_packed(place: TrapPlace) -> None:
    _secret_long_ago(place)
    git(place, "gc", "-q")


def _secret_renamed(place: TrapPlace) -> None:
    rows = "".join(f"row {number}\n" for number in range(30))
    place.writes(".env", f"SECRET-VALUE\n{rows}")
    git(place, "add", "-f", ".env")
    git(place, "commit", "-qm", "keys")
    git(place, "mv", ".env", "plain.txt")
    place.writes("plain.txt", f"nothing\n{rows}")
    git(place, "commit", "-qam", "renamed")
    place.writes("plain.txt", f"less\n{rows}")


def _replaced(place: TrapPlace) -> None:
    _secret_now(place)
    keys = git(place, "rev-parse", "HEAD")
    git(place, "reset", "-q", "--hard", "HEAD~1")
    git(place, "replace", "HEAD", keys)


def _token(place: TrapPlace) -> None:
    place.says('[remote "paid"]\n\turl = https://me:TOKEN-VALUE@host.test/x.git')


def _rewritten(place: TrapPlace) -> None:
    place.person_says('[url "https://TOKEN-VALUE@host.test/"]\n\tinsteadOf = https://host.test/')


def _other_objects(place: TrapPlace) -> None:
    other = place.base / "other"
    git(place, "init", "-q", ".", folder=other)
    git(place, "add", "-A", folder=other)
    git(place, "commit", "-qm", "o", folder=other)
    number = git(place, "rev-parse", "HEAD", folder=other)
    place.writes(".git/objects/info/alternates", "BASE/other/.git/objects\n")
    place.writes(".git/refs/heads/other", f"{number}\n")


def _under_way(place: TrapPlace) -> None:
    (place.top / ".git" / "rebase-merge").mkdir()
    place.writes(".git/rebase-merge/interactive", "")
    place.writes(".git/rebase-merge/head-name", "refs/heads/main\n")
    place.writes(".git/rebase-merge/onto", "main\n")
    for name in ("done", "git-rebase-todo"):
        (place.top / ".git" / "rebase-merge" / name).symlink_to(place.base / "other" / "file.txt")


def _files_elsewhere(place: TrapPlace) -> None:
    place.says("[core]\n\tworktree = BASE/other")


TRAPS: dict[str, Callable[[TrapPlace], None]] = {
    "none": lambda place: None,
    "fsmonitor": _says("[core]\n\tfsmonitor = TRAP"),
    "fsmonitor in a continued line": _says("[core] fsmonitor = \\\nTRAP"),
    "fsmonitor behind a comment": _says("[user] # \\\n[core]\n\tFSMonitor = \"TRAP\" ; x"),
    "fsmonitor behind a section": _says('[a "b\\"]"] c = d\n[core]\nfsmonitor=TRAP'),
    "fsmonitor with odd ends": _says("[core]\r\n\tfsmonitor = TRAP\r"),
    "pager": _says("[core]\n\tpager = TRAP\n[pager]\n\tlog = TRAP\n\tstatus = TRAP"),
    "hooks": _hooks,
    "hooks elsewhere": _hooks_elsewhere,
    "external": _says("[diff]\n\texternal = TRAP"),
    "textconv": _driver("diff.textconv"),
    "command": _driver("diff.command"),
    "clean": _driver("filter.clean"),
    "process": _driver("filter.process"),
    "smudge": _driver("filter.smudge"),
    "merge driver": _driver("merge.driver"),
    "signature": _signed_by,
    "signature and the person's": _signed_by_person,
    "signature in a format": _signed_format,
    "aliases": _says(
        "[alias]\n\tstatus = !TRAP\n\tst = !TRAP\n\tlog = !TRAP\n\tbranch = -c core.pager=TRAP log"
    ),
    "include": _included,
    "include of the person": _person_includes,
    "ssh": _says('[core]\n\tsshCommand = TRAP\n[remote "origin"]\n\turl = ssh://x/y\n'),
    "credentials": _says('[credential]\n\thelper = "!TRAP"\n[core]\n\taskPass = TRAP'),
    "editors": _says("[core]\n\teditor = TRAP\n[sequence]\n\teditor = TRAP\n[man]\n\tviewer = x"),
    "others": _says(
        "[core]\n\tgitProxy = TRAP\n\talternateRefsCommand = TRAP\n[uploadpack]\n"
        '\tpackObjectsHook = TRAP\n[trailer "x"]\n\tcommand = TRAP\n[interactive]\n'
        '\tdiffFilter = TRAP\n[remote "origin"]\n\tvcs = x\n\tuploadpack = TRAP'
    ),
    "submodule": _submodule,
    "nested": _nested,
    "inside of a nested one": _inside_nested,
    "elsewhere": _elsewhere,
    "linked": _linked,
    "bare": _bare,
    "common": _common,
    "settings of the tree": _own_settings_of_tree,
    "partial": _partial,
    "missing": _missing,
    "the person's monitor": _person("[core]\n\tfsmonitor = TRAP\n\tpager = TRAP\n\teditor = TRAP"),
    "the person's hooks": _person("[core]\n\thooksPath = BASE/project/.git/hooks"),
    "the person's external": _person("[diff]\n\texternal = TRAP"),
    "the person's textconv": _personal_driver("diff.textconv"),
    "the person's clean": _personal_driver("filter.clean"),
    "the person's aliases": _person("[alias]\n\tstatus = !TRAP\n\tst = !TRAP"),
    "secret now": _secret_now,
    "secret before": _secret_before,
    "secret long ago": _secret_long_ago,
    "secret in a pack": _secret_packed,
    "secret under another name": _secret_renamed,
    "replaced": _replaced,
    "token": _token,
    "rewritten": _rewritten,
    "other objects": _other_objects,
    "under way": _under_way,
    "files elsewhere": _files_elsewhere,
}  # fmt: skip
