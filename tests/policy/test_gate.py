"""The gate's table of modes, and what nothing can lift."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinet.core.approval import Decision
from kinet.policy.gate import CallFacts, gather, judge

READ = ("read_file", "read", {"path": "a.txt"})
WRITE = ("write_file", "write", {"path": "a.txt", "content": "x"})
PLAIN = ("shell", "execute", {"command": "ls"})
COMMAND = ("shell", "execute", {"command": "make test"})
FETCH = ("web_fetch", "network", {"url": "https://site.test/"})
OUTSIDE = ("read_file", "read", {"path": "../outside.txt"})
RULES = ("write_file", "write", {"path": "AGENTS.md", "content": "x"})
GIT = ("write_file", "write", {"path": ".git/config", "content": "x"})
NEVER = ("shell", "execute", {"command": "rm -rf /"})
SERVER = ("server_tool", "execute", {})

TABLE = {
    #              ask      edits    plan     deny     all
    "READ": (READ, "allow", "allow", "allow", "allow", "allow"),
    "WRITE": (WRITE, "ask", "allow", "deny", "deny", "allow"),
    "PLAIN": (PLAIN, "allow", "allow", "allow", "allow", "allow"),
    "COMMAND": (COMMAND, "ask", "ask", "deny", "deny", "ask"),
    "FETCH": (FETCH, "ask", "ask", "ask", "deny", "ask"),
    "OUTSIDE": (OUTSIDE, "ask", "ask", "ask", "deny", "ask"),
    "RULES": (RULES, "ask", "ask", "deny", "deny", "ask"),
    "GIT": (GIT, "deny", "deny", "deny", "deny", "deny"),
    "NEVER": (NEVER, "deny", "deny", "deny", "deny", "deny"),
    "SERVER": (SERVER, "ask", "ask", "deny", "deny", "ask"),
}
MODES = ("ask", "edits", "plan", "deny", "all")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.txt").write_text("x")
    (tmp_path / "outside.txt").write_text("x")
    return folder


def facts_of(call: tuple[str, str, dict[str, str]], folder: Path) -> CallFacts:
    tool, access, arguments = call
    return gather(tool, access, arguments, folder, home=folder.parent / "home")


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("mode", MODES)
def test_each_mode_allows_what_the_table_says(name: str, mode: str, project: Path) -> None:
    call, *words = TABLE[name]
    assert judge(facts_of(call, project), mode).verdict == words[MODES.index(mode)]


def test_everything_is_allowed_only_by_word_and_never_the_worst(project: Path) -> None:
    def word(call: tuple[str, str, dict[str, str]], **more: bool) -> str:
        return judge(facts_of(call, project), "all", **more).verdict

    assert word(COMMAND, unsandboxed=True) == word(COMMAND, sandbox=True) == "allow"
    assert word(SERVER, unsandboxed=True) == "allow"
    assert word(NEVER, unsandboxed=True) == word(GIT, unsandboxed=True) == "deny"
    assert word(RULES, unsandboxed=True) == word(OUTSIDE, unsandboxed=True) == "ask"


def test_a_remembered_yes_stands_for_an_ordinary_question_only(project: Path) -> None:
    yes = Decision(True, "folder")

    def word(call: tuple[str, str, dict[str, str]], mode: str = "ask") -> str:
        return judge(facts_of(call, project), mode, remembered=yes).verdict

    assert word(COMMAND) == word(WRITE) == "allow"
    assert word(RULES) == word(OUTSIDE) == "ask"
    assert word(NEVER) == word(GIT) == "deny"
    assert word(WRITE, "plan") == word(COMMAND, "plan") == "deny"


def test_a_remembered_no_is_stronger_than_any_mode(project: Path) -> None:
    no = Decision(False, "folder", "never here")
    verdict = judge(facts_of(COMMAND, project), "all", remembered=no, unsandboxed=True)
    assert (verdict.verdict, verdict.reason) == ("deny", "never here")


def test_an_unknown_mode_asks(project: Path) -> None:
    assert judge(facts_of(WRITE, project), "whatever").verdict == "ask"


def test_what_cannot_be_remembered_is_not_offered(project: Path) -> None:
    assert judge(facts_of(COMMAND, project), "ask").scopes == ("once", "session", "folder")
    assert judge(facts_of(WRITE, project), "ask").scopes == ("once", "session")
    assert judge(facts_of(RULES, project), "ask").scopes == ("once",)


def test_a_grant_belongs_to_one_call_and_its_real_target(project: Path) -> None:
    first = facts_of(WRITE, project)
    assert first.grant == facts_of(WRITE, project).grant
    assert first.grant != facts_of(RULES, project).grant
    (project / "a.txt").unlink()
    (project / "a.txt").symlink_to("b.txt")
    assert first.grant != facts_of(WRITE, project).grant


def test_without_a_folder_nothing_touches_files() -> None:
    for call in (READ, WRITE, PLAIN):
        tool, access, arguments = call
        assert judge(gather(tool, access, arguments, None), "all").verdict == "deny"


def test_a_question_offers_exactly_what_was_asked(project: Path) -> None:
    def offered(call: tuple[str, str, dict[str, str]]) -> tuple[tuple[str, ...], str]:
        verdict = judge(facts_of(call, project), "ask")
        return verdict.scopes, verdict.rule

    target = str((project / "a.txt").resolve())
    assert offered(COMMAND) == (("once", "session", "folder"), "exactly: make test")
    assert offered(FETCH) == (("once", "session"), "fetch from site.test")
    assert offered(WRITE) == (("once", "session"), f"changes to {target}")
    exactly = (("once", "session"), "server_tool with exactly these arguments")
    assert offered(SERVER) == exactly
    assert offered(("server_tool", "write", {"path": "a.txt"})) == exactly
    assert offered(("server_tool", "network", {"url": "https://site.test/"})) == exactly
    assert offered(OUTSIDE) == (("once",), "")


def test_the_reason_of_a_question_says_what_is_missing(project: Path) -> None:
    assert judge(facts_of(COMMAND, project), "all").reason.startswith("no sandbox works here: make")
    assert judge(facts_of(COMMAND, project), "ask").reason.startswith("make is not on the list")
    assert judge(facts_of(COMMAND, project), "deny").reason.endswith(
        "nobody can be asked in this run"
    )
    assert (
        judge(facts_of(SERVER, project), "ask").reason
        == "what this tool does is not known beforehand"
    )
    assert judge(facts_of(WRITE, project), "ask").reason == "it changes a file"


def test_fetching_anywhere_is_allowed_only_without_a_sandbox_and_for_usual_addresses(
    project: Path,
) -> None:
    def word(url: str, mode: str = "all", *, unsandboxed: bool = True) -> str:
        facts = facts_of(("web_fetch", "network", {"url": url}), project)
        return judge(facts, mode, unsandboxed=unsandboxed).verdict

    assert word("https://site.test/") == "allow"
    assert word("https://site.test/", unsandboxed=False) == "ask"
    assert word("https://site.test/", "edits") == "ask"
    assert word("https://site.test/?token=abcdefgh") == "ask"
    assert word("http://127.0.0.1/") == "deny"


def test_an_unknown_tool_is_looked_at_by_what_it_may_do(project: Path) -> None:
    assert gather("server_tool", "read", {}, project).judgement.verdict == "allow"
    for access in ("write", "execute", "network", "whatever"):
        facts = gather("server_tool", access, {}, project)
        assert facts.judgement.verdict == "ask", access
        assert judge(facts, "ask").verdict == "ask", access
        assert judge(facts, "deny").verdict == "deny", access


def test_a_folder_is_searched_and_not_read(project: Path) -> None:
    def word(tool: str, path: str | None) -> str:
        return gather(tool, "read", {"path": path}, project).judgement.verdict

    assert word("grep", ".") == word("glob", None) == word("grep", "") == "allow"
    assert word("read_file", ".") == "deny"
    assert word("grep", "..") == "ask"


def test_the_persons_home_is_guarded_whether_or_not_it_is_named(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    call = {"command": f"cat {home}/.config/kinet/settings.json"}
    monkeypatch.setenv("HOME", str(home))
    assert gather("shell", "execute", call, project).judgement.verdict == "deny"
    assert gather("shell", "execute", call, project, home=other).judgement.verdict == "ask"
    monkeypatch.setenv("HOME", str(other))
    assert gather("shell", "execute", call, project, home=home).judgement.verdict == "deny"


def test_a_grant_does_not_depend_on_the_order_of_arguments(project: Path) -> None:
    first = gather("write_file", "write", {"path": "a.txt", "content": "x"}, project)
    second = gather("write_file", "write", {"content": "x", "path": "a.txt"}, project)
    other = gather("write_file", "write", {"content": "y", "path": "a.txt"}, project)
    assert first.grant == second.grant != other.grant


def test_a_no_without_words_says_that_a_rule_said_no(project: Path) -> None:
    verdict = judge(facts_of(COMMAND, project), "ask", remembered=Decision(False, "folder"))
    assert (verdict.verdict, verdict.reason) == ("deny", "a saved rule says no to this call")


def test_leaving_the_sandbox_is_a_question_of_its_own(project: Path) -> None:
    call = ("shell", "execute", {"command": "make test", "outside_sandbox": True})

    def judged(**more: object) -> tuple[str, str]:
        verdict = judge(facts_of(call, project), "all", **more)  # type: ignore[arg-type]
        return verdict.verdict, verdict.reason

    assert judged(sandbox=True) == ("ask", "it asks to run outside the sandbox")
    assert judged(sandbox=True, unsandboxed=True)[0] == "allow"
    assert judged(no_sandbox="bubblewrap is missing")[1].startswith("bubblewrap is missing: make")
    assert judge(facts_of(COMMAND, project), "all", sandbox=True).reason.startswith("commands are")
