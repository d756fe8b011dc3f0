"""Names that need more than a usual question, and their brothers that do not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kinet.policy import protected
from kinet.policy.paths import SecretNames, is_inside, is_secret_path, judge_path, resolve


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        (".GIT", ".git"), (".git.", ".git"), (".git ", ".git"), (".git . .", ".git"),
        (".git::$INDEX_ALLOCATION", ".git"), (".git:a:b", ".git"), (".gi\u200dt", ".git"),
        (".ｇｉｔ", ".git"), (".gIt\u200b:x:y ", ".git"), ("Straße", "strasse"), ("a.b", "a.b"),
        ("a:b:c", "a"), ("é:b:c", "é"), ("é. .", "é"), ("", ""), (".", ""),
    ],
)  # fmt: skip
def test_a_name_is_compared_as_the_most_forgiving_disk_would(name: str, plain: str) -> None:
    assert protected.folded(name) == plain


@pytest.mark.parametrize("name", [".git", "GIT~1", "git~12", ".Git", "x/.git/config"])
def test_a_repository_is_known(name: str) -> None:
    assert protected.is_repository(name.split("/"))


@pytest.mark.parametrize("name", ["git", ".github", "git~", "git~x", ".gitignore", "a.git", ""])
def test_what_only_sounds_like_a_repository_is_none(name: str) -> None:
    assert not protected.is_repository(name.split("/"))
    assert not protected.is_repository([])


SECRET = [
    ".env", ".ENV", ".env.local", ".env-prod", "prod.env", "a/b/.env", "server.pem", "x.key",
    "id_rsa", "id_ed25519", "id_work-laptop", ".ssh/config", "a/.aws/x", ".gnupg", ".netrc",
    ".npmrc", ".git-credentials", "credentials", "secrets.yml", "service-account-x.json",
    "client_secret_1.json", "terraform.tfstate", "my.tfvars", ".bash_history", "shadow",
    "Login Data", ".config/gh/hosts.yml", ".local/share/keyrings/x", "Library/Keychains/x",
    "AppData/Local/Google/x", ".config/x/op/y", "docs/.kube/y/z",
]  # fmt: skip
OPEN = [
    "env", "environment", "a.envx", "key", "keys.py", "pem", "id_", "id_.pub", "ids", "ssh/config",
    "aws/x", "gh/hosts.yml", "google/x", ".config/x/y", "credentials.py", "secrets.py",
    "secret.json", "shadow.css", "README.md", "src/firefox/x", ".env_dir/../x", "tfstate",
]  # fmt: skip


@pytest.mark.parametrize("path", SECRET)
def test_keys_and_passwords_are_known_by_their_names(path: str) -> None:
    parts = path.split("/")
    assert protected.is_secret(parts)
    root = Path("/project")
    assert is_secret_path(root / path, root)
    assert SecretNames().holds(path)


@pytest.mark.parametrize("path", OPEN)
def test_other_names_are_open(path: str) -> None:
    assert not protected.is_secret(path.split("/"))
    assert not SecretNames().holds(path)
    assert not protected.is_secret([])


def test_names_of_one_folder_are_told_apart_also_when_asked_again() -> None:
    names = SecretNames()
    for _ in range(2):
        assert names.holds("a/.env")
        assert not names.holds("a/x")
        assert names.holds(".ssh/x")
        assert not names.holds("x")
        assert names.holds("deep/.ssh/more/x")


def test_the_last_name_alone_decides_for_a_file() -> None:
    assert all(map(protected.is_secret_name, [".ssh", ".env", "id_rsa", "x.pem", "ID_RSA"]))
    assert not any(map(protected.is_secret_name, ["x", "ssh", "id_", "pem.txt", "keyrings"]))


def test_a_secret_folder_outside_counts_and_the_projects_own_place_does_not() -> None:
    assert is_secret_path(Path("/home/me/.ssh/x"), Path("/project"))
    assert is_secret_path(Path("/home/me/.ssh/x"))
    assert is_secret_path(Path("/.ssh/x"), Path("/project"))
    assert not is_secret_path(Path("/home/me/.ssh/project/x"), Path("/home/me/.ssh/project"))


@pytest.mark.parametrize(
    "path", [".bashrc", ".ZSHRC", "x/autostart/y", ".config/systemd/u", "a/.profile"]
)
def test_what_runs_at_login_is_known(path: str) -> None:
    assert protected.is_start_up(path.split("/"))
    assert not protected.is_start_up(["bashrc", "profile", "startx"])


@pytest.mark.parametrize(
    "path",
    [
        "AGENTS.md", "agents.MD", "sub/CLAUDE.md", "agents.x.md", ".mcp.json", ".kinet/x",
        ".vscode/a/b", "a/.github/workflows/x", ".gitattributes", "x.code-workspace", "x.pth",
        "Jenkinsfile", ".envrc",
    ],
)  # fmt: skip
def test_what_orders_an_agent_about_is_always_asked(path: str) -> None:
    assert protected.is_always_asked(path.split("/"))


def test_ordinary_files_are_not_always_asked() -> None:
    for path in ("README.md", "agents.py", "vscode/x", "AGENTS.md/x", "a.pthx", "kinet/x"):
        assert not protected.is_always_asked(path.split("/")), path
    assert not protected.is_always_asked([])


def test_a_guarded_folder_in_disguise_is_told_from_its_plain_spelling() -> None:
    for path in (".VSCODE/x", "a/.Kinet/x", ".github./x", ".g\u200bithub"):
        assert protected.is_disguised(path.split("/")), path
    for path in (".vscode/x", ".kinet", "README", "A/B"):
        assert not protected.is_disguised(path.split("/")), path


def test_a_folder_holds_itself_and_what_is_below_by_whole_names() -> None:
    folder = Path("/a/project")
    assert is_inside(folder, folder)
    assert is_inside(folder / "x" / "y", folder)
    assert not is_inside(Path("/a/project2/x"), folder)
    assert not is_inside(Path("/a"), folder)


def test_only_a_leading_tilde_is_the_home_folder(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    assert resolve("~", folder, home) == home
    assert resolve("~/x", folder, home) == home / "x"
    assert resolve("~me/x", folder, home) == folder / "~me" / "x"
    assert resolve("a/~/x", folder, home) == folder / "a" / "~" / "x"
    assert resolve("$HOME/%41", folder, home) == folder / "$HOME" / "%41"
    assert resolve("/x", folder, home) == Path("/x").resolve()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.txt").write_text("x")
    (folder / "src").mkdir()
    (tmp_path / "other.txt").write_text("x")
    (tmp_path / "home" / ".ssh").mkdir(parents=True)
    (tmp_path / "home" / ".ssh" / "id_rsa").write_text("k")
    (tmp_path / "home" / ".bashrc").write_text("k")
    return folder


@pytest.mark.parametrize(
    ("path", "purpose", "verdict", "rule"),
    [
        ("a.txt", "read", "allow", "inside"), ("a.txt", "write", "allow", "inside"),
        ("a.txt", "search", "allow", "inside"), ("src", "search", "allow", "inside"),
        ("src", "read", "deny", "folder"), ("src", "write", "deny", "folder"),
        ("new.txt", "write", "allow", "inside"), ("new/deep/x.txt", "write", "allow", "inside"),
        ("new.txt", "read", "deny", "missing"), ("new", "search", "deny", "missing"),
        ("a.txt/x", "write", "deny", "into-a-file"), ("a.txt/x", "read", "deny", "missing"),
        ("", "read", "deny", "malformed"), ("  ", "read", "deny", "malformed"),
        ("a\x00b", "read", "deny", "malformed"), ("\ud800", "read", "deny", "malformed"),
        ("a\ud800b", "read", "deny", "malformed"), ("x\udd00", "read", "deny", "malformed"),
        ("\udcff", "write", "allow", "inside"), ("\udc80x", "write", "allow", "inside"),
        ("x" * 256, "read", "deny", "malformed"),
        ("x" * 255, "write", "allow", "inside"), ("ü" * 128, "read", "deny", "malformed"),
        ("../other.txt", "read", "ask", "outside"), ("../other.txt", "write", "ask", "outside"),
        ("..", "search", "ask", "outside"), ("../new.txt", "write", "ask", "outside"),
        ("~/.ssh/id_rsa", "read", "ask", "secret"), ("~/.bashrc", "read", "ask", "start-up"),
        ("~/.bashrc", "write", "ask", "start-up"), (".bashrc", "write", "allow", "inside"),
        (".env", "write", "ask", "secret"), (".git/config", "write", "deny", "repository"),
        ("AGENTS.md", "write", "ask", "instructions"),
        (".vscode/x", "write", "ask", "instructions"),
        (".VSCODE/x", "write", "deny", "disguised"),
        ("/proc/self/x", "read", "deny", "system-files"),
        ("/dev/null", "write", "deny", "system-files"), ("/dev", "search", "deny", "system-files"),
        ("~/.config/kinet/x", "read", "deny", "app-own-files"),
        ("~/.CONFIG/Kinet/x", "write", "deny", "app-own-files"),
        ("~/.config/kinet", "search", "deny", "app-own-files"),
        ("~/.config/kinetic", "write", "ask", "outside"),
        ("../data/x", "write", "deny", "app-own-files"),
    ],
)  # fmt: skip
def test_each_path_has_its_verdict_and_rule(
    path: str, purpose: str, verdict: str, rule: str, project: Path, tmp_path: Path
) -> None:
    found = judge_path(
        path,
        purpose,
        project,
        home=tmp_path / "home",
        data_dir=tmp_path / "data",  # type: ignore[arg-type]
    )
    assert (found.verdict, found.parts[0].rule) == (verdict, rule)
    assert found.memorable is (verdict == "allow")


def test_what_exists_in_a_repository_is_read_with_a_question(project: Path) -> None:
    (project / ".git").mkdir()
    (project / ".git" / "config").write_text("x")
    found = judge_path(".git/config", "read", project)
    assert (found.verdict, found.parts[0].rule) == ("ask", "repository")
    assert judge_path("AGENTS.md", "read", project).parts[0].rule == "missing"
    (project / "AGENTS.md").write_text("x")
    assert judge_path("AGENTS.md", "read", project).verdict == "allow"
    (project / ".env").write_text("x")
    assert judge_path(".env", "read", project).parts[0].rule == "secret"


def test_pipes_rings_and_long_paths_are_refused(project: Path) -> None:
    os.mkfifo(project / "pipe")
    (project / "ring").symlink_to("ring")
    for purpose in ("read", "write", "search"):
        assert judge_path("pipe", purpose, project).parts[0].rule == "special", purpose  # type: ignore[arg-type]
        assert judge_path("ring", purpose, project).parts[0].rule == "link-ring", purpose  # type: ignore[arg-type]
    assert judge_path("ring/x", "write", project).parts[0].rule == "link-ring"
    long = "/".join(["ab"] * 1_365)
    assert len(long) == 4_094
    assert judge_path(f"{long}/x", "write", project).parts[0].rule != "malformed"
    assert judge_path(f"{long}/xy", "write", project).parts[0].rule == "malformed"
    assert judge_path("a.txt", "read", None).parts[0].rule == "no-folder"


def test_a_target_is_named_as_it_really_is(project: Path) -> None:
    (project / "link").symlink_to("a.txt")
    found = judge_path("link", "write", project)
    assert found.targets == (str((project / "a.txt").resolve()),)
    assert judge_path("bad\x00", "read", project).targets == ()


def test_what_this_user_may_not_touch_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The one who runs the tests may be allowed everything.
    monkeypatch.setattr(os, "access", lambda path, mode: not (mode & (os.R_OK | os.W_OK)))
    for path, purpose in (("a.txt", "read"), ("new/x.txt", "write"), ("a.txt", "search")):
        found = judge_path(path, purpose, project)  # type: ignore[arg-type]
        assert (found.verdict, found.parts[0].rule) == ("deny", "permission"), path
    assert "read-only" in judge_path("new/x.txt", "write", project).reason
    assert judge_path("a.txt", "write", project).verdict == "allow", "writing is tried later"


def test_a_folder_lent_for_reading_is_judged_like_a_project(project: Path, tmp_path: Path) -> None:
    lent = tmp_path / "home" / ".local" / "share" / "kinet" / "skills"
    lent.mkdir(parents=True)
    for name in ("x.md", ".env"):
        (lent / name).write_text("x")

    def word(path: Path, purpose: str = "read") -> str:
        found = judge_path(
            str(path),
            purpose,
            project,
            home=tmp_path / "home",
            readable=(lent,),  # type: ignore[arg-type]
        )
        return found.verdict

    assert word(lent / "x.md") == "allow"
    assert word(lent / ".env") == "ask"
    assert word(lent / "x.md", "write") == word(lent, "search") == "deny"
    assert word(lent.parent / "rules.json") == "deny"


def test_an_error_of_the_disk_is_a_refusal(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "lstat", fails)
    found = judge_path("a.txt", "read", project)
    assert (found.verdict, found.parts[0].rule) == ("deny", "unreadable")
