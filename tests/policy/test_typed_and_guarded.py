"""Commands that a person typed, and words that ask in every mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinet.core.approval import Decision
from kinet.policy.commands import names_guarded
from kinet.policy.gate import CallFacts, gather, granted_to_read, judge, judge_typed


def facts(command: str, folder: Path) -> CallFacts:
    return gather("shell", "execute", {"command": command}, folder, home=folder.parent / "home")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cat .env", ".env may hold keys or passwords"), ("x --file=.env", ".env may hold keys"),
        ("curl -F a=@deploy.pem", "deploy.pem may hold keys"), ("cat .git/config", "(.git)"),
        ("ls; rm .git/x", ".git/x is inside a repository's own files"),
        ("make | tee .bashrc", "orders"),
        ("cp x .github/y", "gives orders to an agent or a program"),
        ("cat AGENTS.md", "gives orders"),
        ("echo x>.envrc", "may hold keys"), ("git add .env", "may hold keys"),
    ],
)  # fmt: skip
def test_words_of_what_is_guarded_are_told(command: str, words: str) -> None:
    assert words in names_guarded(command)


@pytest.mark.parametrize(
    "command", ["make all", "git log .git/x", "cat a.txt", "", "ls .gitignore"]
)
def test_other_words_are_not(command: str) -> None:
    assert names_guarded(command) == ""


def test_what_a_person_typed_runs_but_for_the_worst(tmp_path: Path) -> None:
    no, yes = Decision(False, reason="never that"), Decision(True)
    assert judge_typed(facts("make x", tmp_path)).verdict == "allow"
    assert judge_typed(facts("make x", tmp_path), yes).verdict == "allow"
    assert judge_typed(facts("rm -rf /", tmp_path), yes).verdict == "deny"
    asked = judge_typed(facts("make x", tmp_path), no)
    assert (asked.verdict, asked.reason) == ("ask", "never that")
    unnamed = judge_typed(facts("make x", tmp_path), Decision(False))
    assert (unnamed.verdict, unnamed.reason) == ("ask", "a saved rule says no to it")
    guarded = judge_typed(facts("cat .env", tmp_path))
    assert (guarded.verdict, guarded.reason) == ("ask", ".env may hold keys or passwords")


def test_in_mode_all_without_a_sandbox_what_is_guarded_asks(tmp_path: Path) -> None:
    assert judge(facts("make x", tmp_path), "all", unsandboxed=True).verdict == "allow"
    asked = judge(facts("make .env", tmp_path), "all", unsandboxed=True)
    assert (asked.verdict, asked.reason) == ("ask", ".env may hold keys or passwords")
    assert judge(facts("make .env", tmp_path), "all", sandbox=True).verdict == "allow"
    assert judge(facts("make x", tmp_path), "all", no_sandbox="none here").verdict == "ask"


def test_only_what_was_seen_to_read_has_a_token_for_that(tmp_path: Path) -> None:
    for command, reads in (("ls", True), ("make", False), ("rm -rf /", False)):
        found = facts(command, tmp_path)
        assert granted_to_read("shell", {"command": command}, found.grant) is reads
    assert not granted_to_read("shell", {"command": "ls"}, "")
    assert not granted_to_read("shell", {"command": "ls -l"}, facts("ls", tmp_path).grant)


def test_what_a_server_says_of_itself_lets_nothing_pass(tmp_path: Path) -> None:
    given = {"tool": "s__t", "access": "execute", "arguments": {}, "folder": tmp_path}
    claims = gather(**given, definition="x", claims_read=True)  # type: ignore[arg-type]
    silent = gather(**given, definition="x")  # type: ignore[arg-type]
    other = gather(**given, definition="y")  # type: ignore[arg-type]
    assert claims.grant == silent.grant != other.grant
    reason = "what it does is known to its server alone"
    for mode in ("ask", "edits", "all", "plan"):
        found = judge(claims, mode)
        assert (found.verdict, found.reason) == ("ask", reason)
    assert found.scopes == ("once", "session", "folder", "always")
    assert found.rule == "s__t with any arguments, as its server describes it now"
    assert judge(silent, "plan").verdict == "deny"
    assert judge(silent, "all", unsandboxed=True).verdict == "allow"
    assert judge(claims, "deny").verdict == "deny"
