"""Saved answers: how far they reach, where they lie, and which are refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kinet.core.approval import Decision
from kinet.core.errors import SettingsError
from kinet.policy.rules import RuleBook, describe
from kinet.policy.simulator import simulate

MAKE = {"command": "make test"}


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    return str(tmp_path / "one"), str(tmp_path / "two")


def test_once_is_not_remembered(tmp_path: Path, folders: tuple[str, str]) -> None:
    book = RuleBook(tmp_path / "data")
    book.remember("shell", MAKE, folders[0], Decision(True, "once"))
    assert book.decision("shell", MAKE, folders[0]) is None


def test_a_session_keeps_its_answers_to_itself(tmp_path: Path, folders: tuple[str, str]) -> None:
    book = RuleBook(tmp_path / "data")
    first, second = book.for_session("1"), book.for_session("2")
    first.remember("shell", MAKE, folders[0], Decision(True, "session"))
    assert first.decision("shell", MAKE, folders[0]) is not None
    assert second.decision("shell", MAKE, folders[0]) is None
    assert not (tmp_path / "data" / "rules.json").exists()


def test_a_folder_rule_survives_a_restart_and_stays_in_its_folder(
    tmp_path: Path, folders: tuple[str, str]
) -> None:
    RuleBook(tmp_path / "data").remember("shell", MAKE, folders[0], Decision(True, "folder"))
    again = RuleBook(tmp_path / "data")
    assert again.decision("shell", MAKE, folders[0]) == Decision(True, "folder")
    assert again.decision("shell", MAKE, folders[1]) is None
    assert again.decision("shell", {"command": "make test x"}, folders[0]) is None
    assert (tmp_path / "data" / "rules.json").stat().st_mode & 0o777 == 0o600


def test_the_strictest_answer_wins(tmp_path: Path, folders: tuple[str, str]) -> None:
    book = RuleBook(tmp_path / "data")
    book.remember("shell", MAKE, folders[0], Decision(True, "folder"))
    book.remember("shell", MAKE, folders[0], Decision(False, "session", "not today"))
    found = book.decision("shell", MAKE, folders[0])
    assert found is not None
    assert (found.allowed, found.reason) == (False, "not today")


def test_a_rule_is_listed_and_revoked(tmp_path: Path, folders: tuple[str, str]) -> None:
    book = RuleBook(tmp_path / "data")
    book.remember("shell", MAKE, folders[0], Decision(True, "folder"))
    (rule,) = book.rules(folders[0])
    assert describe(rule).startswith("allow shell exactly: make test (in ")
    assert book.rules(folders[1]) == ()
    assert book.revoke(rule.id)
    assert not book.revoke(rule.id)
    assert RuleBook(tmp_path / "data").decision("shell", MAKE, folders[0]) is None


@pytest.mark.parametrize(
    "prefix", ["python", "git", "make test && ls", "ls $HOME", "cat", "sudo ls", "npm run", ""]
)
def test_a_beginning_that_would_allow_anything_is_refused(
    prefix: str, tmp_path: Path, folders: tuple[str, str]
) -> None:
    with pytest.raises(SettingsError):
        RuleBook(tmp_path / "data").add_prefix(prefix, folders[0], Decision(True, "folder"))


@pytest.mark.parametrize("prefix", ["A=1 bash -c", "PATH=. make all", "LD_PRELOAD=x ls -l"])
def test_no_rule_begins_with_a_variable(
    prefix: str, tmp_path: Path, folders: tuple[str, str]
) -> None:
    with pytest.raises(SettingsError):
        RuleBook(tmp_path / "data").add_prefix(prefix, folders[0], Decision(True, "folder"))


def test_a_beginning_fits_one_plain_command_only(tmp_path: Path, folders: tuple[str, str]) -> None:
    book = RuleBook(tmp_path / "data")
    book.add_prefix("pytest tests", folders[0], Decision(True, "folder"))

    def known(command: str) -> bool:
        return book.decision("shell", {"command": command}, folders[0]) is not None

    assert known("pytest tests -q")
    assert not known("pytest testsuite")
    assert not known("pytest tests; rm x")
    assert not known("pytest tests $(rm x)")
    assert not known("pytest tests > x")


def test_a_text_of_several_commands_is_known_as_a_whole_or_not_at_all(
    tmp_path: Path, folders: tuple[str, str]
) -> None:
    book = RuleBook(tmp_path / "data")

    def known(command: str) -> bool:
        return book.decision("shell", {"command": command}, folders[0]) is not None

    book.remember("shell", {"command": "mkdir -p a"}, folders[0], Decision(True, "folder"))
    book.add_prefix("mkdir -p", folders[0], Decision(True, "folder"))
    assert known("mkdir -p a")
    assert not known("mkdir -p a && ls"), "though each part alone would not be asked about"
    whole = {"command": "mkdir -p a && ls"}
    book.remember("shell", whole, folders[0], Decision(True, "folder"))
    assert known("mkdir -p a && ls")
    assert not known("mkdir -p a && ls -l")


def test_a_command_is_never_allowed_everywhere(tmp_path: Path, folders: tuple[str, str]) -> None:
    book = RuleBook(tmp_path / "data")
    with pytest.raises(SettingsError):
        book.remember("shell", MAKE, folders[0], Decision(True, "always"))
    book.remember("shell", MAKE, folders[0], Decision(False, "always", "no"))
    assert book.decision("shell", MAKE, folders[1]) == Decision(False, "always", "no")


def test_a_host_is_remembered_for_any_page_of_it(tmp_path: Path, folders: tuple[str, str]) -> None:
    book = RuleBook(tmp_path / "data")
    book.remember("web_fetch", {"url": "https://a.test/x"}, folders[0], Decision(True, "session"))
    assert book.decision("web_fetch", {"url": "https://a.test/y?z"}, folders[0])
    assert not book.decision("web_fetch", {"url": "https://a.test:8443/x"}, folders[0])
    assert not book.decision("web_fetch", {"url": "https://a.test.evil.test/x"}, folders[0])


@pytest.mark.parametrize(
    "damage", ["{", "[]", '{"rules": 3}', "[" * 100_000, '{"rules": [{"id": 1}, 5, null]}']
)
def test_a_damaged_file_allows_nothing(
    damage: str, tmp_path: Path, folders: tuple[str, str]
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "rules.json").write_text(damage)
    book = RuleBook(tmp_path / "data")
    assert book.decision("shell", MAKE, folders[0]) is None
    book.remember("shell", MAKE, folders[0], Decision(True, "folder"))
    assert book.decision("shell", MAKE, folders[0]) == Decision(True, "folder")


def test_a_file_that_cannot_be_read_just_now_is_neither_moved_nor_written_over(
    tmp_path: Path, folders: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    book = RuleBook(tmp_path / "data")
    book.remember("shell", MAKE, folders[0], Decision(False, "folder", "never"))
    assert book.decision("shell", MAKE, folders[0]) == Decision(False, "folder", "never")
    file = tmp_path / "data" / "rules.json"
    before = file.read_bytes()

    def fails(path: Path) -> bytes:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", fails)
        os.utime(file, (1, 1))
        # What was last read still holds: a no must not fall silent.
        assert book.decision("shell", MAKE, folders[0]) == Decision(False, "folder", "never")
        assert "Input/output error" in book.problem
        fresh = RuleBook(tmp_path / "data")
        assert fresh.decision("shell", MAKE, folders[0]) is None
        assert "cannot be read" in fresh.problem
        for unsure in (book, fresh):
            with pytest.raises(SettingsError, match="cannot be read"):
                unsure.remember("shell", {"command": "ls x"}, folders[0], Decision(True, "folder"))
    assert file.read_bytes() == before
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["rules.json"]
    assert fresh.decision("shell", MAKE, folders[0]) == Decision(False, "folder", "never")
    assert fresh.problem == ""


@pytest.mark.parametrize(
    "command",
    [
        "git push origin main",
        "ls && git push origin main",
        "git push origin main | tee log.txt",
        "(cd sub; git push origin main)",
        "X=1 git push origin main",
        "sudo -n git push origin main",
        "if true; then git push origin; fi",
        'git "push" origin',
        "echo $(git push origin)",
        "git push origin main; echo '" + "x" * 5_000 + "'",
        "git push origin 'unclosed",
    ],
)
def test_a_no_holds_wherever_in_a_command_its_words_stand(
    command: str, tmp_path: Path, folders: tuple[str, str]
) -> None:
    book = RuleBook(tmp_path / "data")
    book.add_prefix("git push origin", folders[0], Decision(False, "folder"))
    answer = book.decision("shell", {"command": command}, folders[0])
    assert answer is not None
    assert not answer.allowed
    assert book.decision("shell", {"command": command}, folders[1]) is None


@pytest.mark.parametrize(
    "command", ["git push", "git pull origin", "grep 'git push origin' notes.txt", "ls"]
)
def test_a_no_does_not_meet_what_only_looks_like_it(
    command: str, tmp_path: Path, folders: tuple[str, str]
) -> None:
    book = RuleBook(tmp_path / "data")
    book.add_prefix("git push origin", folders[0], Decision(False, "folder"))
    assert book.decision("shell", {"command": command}, folders[0]) is None


def test_the_simulator_shows_which_part_a_no_meets(
    tmp_path: Path, folders: tuple[str, str]
) -> None:
    book = RuleBook(tmp_path / "data")
    book.add_prefix("git push origin", folders[0], Decision(False, "folder"))
    found = simulate("ls && git push origin main", Path(folders[0]), book, "all")
    assert found.verdict == "deny"
    assert [(part.text, part.verdict) for part in found.parts] == [
        ("ls", "allow"),
        ("git push origin main", "deny"),
    ]
    assert "git push origin" in found.parts[1].rule
