"""Rules of a project: where they are found, in which order, and what is kept from the model."""

from __future__ import annotations

import base64
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from kinet.engine.context.prompt import system_prompt
from kinet.policy.hidden import without_hidden
from kinet.policy.project import project_root
from kinet.workspace.rules import check_file, load_rules

CASES = Path(__file__).parents[1] / "attacks" / "cases" / "rules.jsonl"
# What concerns skills, servers, settings and trust is judged in their own rooms.
ELSEWHERE = {"project-settings", "tool-server", "skill-with-script", "skill-escape"}


def _cases() -> list[dict[str, Any]]:
    entries = [json.loads(line) for line in CASES.read_text(encoding="utf-8").split("\n") if line]
    return [entry for entry in entries if entry["technique"] not in ELSEWHERE]


def _lay_out(entry: dict[str, Any], scratch: Path) -> Path:
    """The project of a case; {W} is the project, {H} the home, {O} a folder outside."""
    roots = {"{W}": scratch / "work" / "proj", "{H}": scratch / "home", "{O}": scratch / "outside"}
    for folder in roots.values():
        folder.mkdir(parents=True)

    def filled(text: str) -> Path:
        for mark, folder in roots.items():
            text = text.replace(mark, str(folder))
        return Path(text)

    for step in entry["setup"]:
        path = filled(step["path"])
        path.parent.mkdir(parents=True, exist_ok=True)
        if step["op"] == "symlink":
            target = filled(step["to"])
            os.symlink(target, path)
        elif "b64" in step:
            path.write_bytes(base64.b64decode(step["b64"]))
        else:
            text = step["text"].encode("utf-16", "surrogatepass").decode("utf-16")
            path.write_bytes(text.encode() * step.get("repeat", 1))
    return roots["{W}"]


@pytest.mark.parametrize("entry", _cases(), ids=lambda entry: entry["technique"])
def test_the_attack_cases_on_rules_files(entry: dict[str, Any], tmp_path: Path) -> None:
    folder = _lay_out(entry, tmp_path)
    began = time.monotonic()
    rules = load_rules(folder)
    assert time.monotonic() - began < entry.get("max_seconds", 2)
    if entry["expected"] == "refuse":
        assert rules.sections == ()
        assert rules.warnings
    if entry["expected"] == "load-with-warning":
        assert rules.sections
        assert rules.warnings
    for secret in entry.get("must_not_send", ()):
        assert secret not in rules.text
    assert without_hidden(rules.text)[1] == ()
    assert rules.text.count("</project-rules>") == len(rules.sections)
    assert len(rules.text) < 40_000


def test_k03_the_order_is_agents_kinet_context_from_the_root_down(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    inner = tmp_path / "lib" / "x"
    inner.mkdir(parents=True)
    (tmp_path / "AGENTS.md").write_text("one")
    (tmp_path / "lib" / "CLAUDE.md").write_text("two")
    (inner / "AGENTS.md").write_text("three")
    (inner / "CLAUDE.md").write_text("never")
    (tmp_path / "KINET.md").write_text("four")
    (inner / "KINET-CONTEXT.md").write_text("five")
    text = system_prompt("base", (), load_rules(inner).sections)
    places = [text.index(word) for word in ("base", "one", "two", "three", "four", "five")]
    assert places == sorted(places)
    assert "never" not in text


def test_a_folder_without_git_is_its_own_root(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "AGENTS.md").write_text("outer")
    assert project_root(inner) == inner
    assert load_rules(inner).sections == ()


def test_the_nearest_rules_are_kept_first_when_room_is_short(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "AGENTS.md").write_text("far " * 6_000)
    (inner / "AGENTS.md").write_text("near " * 6_000)
    rules = load_rules(inner)
    near = next(item for item in rules.sections if item.title == "inner/AGENTS.md")
    assert near.text.count("near ") >= 5_999
    assert any("32 KB" in text for text in rules.warnings)
    assert "not shown" in rules.sections[0].text


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "AGENTS.md")
    assert "regular" in load_rules(tmp_path).warnings[0]


def test_no_folder_has_no_rules() -> None:
    assert load_rules(None).text == ""


def test_the_same_files_give_the_same_bytes_and_digest(tmp_path: Path) -> None:
    (tmp_path / "KINET.md").write_text("Use tabs.")
    first = load_rules(tmp_path)
    assert load_rules(tmp_path).text == first.text
    (tmp_path / "KINET.md").write_text("Use spaces.")
    assert load_rules(tmp_path).digest != first.digest


def test_check_names_hidden_characters_with_code_point_and_offset(tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_text("Ru\u200bn\u202e", encoding="utf-8")
    told = check_file(file)
    assert told["files"][0]["hidden"] == [
        {"code_point": "U+200B", "offset": 2},
        {"code_point": "U+202E", "offset": 4},
    ]
    assert "Run" in told["text"]


def test_check_of_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    told = check_file(tmp_path / "none.md")
    assert told["files"] == []
    assert "cannot be read" in told["warnings"][0]


@pytest.mark.parametrize(
    "text",
    [
        "👩‍👩‍👧 family",
        "❤️ heart",
        "می‌خواهم",
        "क्‍ष",
        "naïve café e\u0301",
        "1️⃣",
        "🏳️‍🌈",
    ],
)
def test_joiners_that_belong_to_writing_stay(text: str) -> None:
    assert without_hidden(text) == (text, ())


def test_runs_of_selectors_are_removed() -> None:
    assert without_hidden("a\ufe0f\ufe0f\ufe01b")[0] == "a\ufe0fb"


def test_no_hidden_character_is_passed_over() -> None:
    from kinet.policy import hidden

    letters = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
    missed = [
        f"U+{ord(letter):04X}"
        for letter in letters
        if hidden._is_hidden(letter, 0, letter) and without_hidden(letter)[0]
    ]
    assert missed == []


def test_a_claude_file_brings_the_files_it_asks_for(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "CLAUDE.md").write_text(
        "Read @docs/style.md, and @README.md.\n`@docs/code.md` and me@example.org are no files.\n"
        "```\n@docs/code.md\n```\n@../outside.md\n@~/.ssh/key\n@missing/file.md\n"
    )
    (tmp_path / "docs/style.md").write_text("STYLE\n@more.md\n@../CLAUDE.md\n")
    (tmp_path / "docs/more.md").write_text("MORE\u200b\n")
    (tmp_path / "docs/code.md").write_text("CODE\n")
    (tmp_path / "README.md").write_text("README\n")
    (tmp_path.parent / "outside.md").write_text("OUTSIDE\n")
    rules = load_rules(tmp_path)
    names = [section.title for section in rules.sections]
    assert names == ["CLAUDE.md", "docs/style.md", "docs/more.md", "README.md"]
    assert "OUTSIDE" not in rules.text
    assert "CODE" not in rules.text
    said = " ".join(rules.warnings)
    assert "@" not in said
    assert "../outside.md, outside the project" in said
    assert "~/.ssh/key, outside the project" in said
    assert "more.md: 1 hidden characters" in said
    # With an AGENTS.md the CLAUDE.md is not read, and other files do not ask for any.
    (tmp_path / "AGENTS.md").write_text("See @docs/style.md\n")
    rules = load_rules(tmp_path)
    assert [section.title for section in rules.sections] == ["AGENTS.md"]
    assert "docs/style.md); they are not read" in rules.warnings[0]


def test_files_that_ask_for_each_other_for_ever_end(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("@n0.md\n")
    for number in range(9):
        (tmp_path / f"n{number}.md").write_text(f"N{number}\n@n{number + 1}.md\n@CLAUDE.md\n")
    rules = load_rules(tmp_path)
    assert [section.title for section in rules.sections][-1] == "n4.md"
    assert "too many files" in rules.warnings[0]


def test_a_checked_file_is_read_as_a_session_reads_it(tmp_path: Path):
    root, inner = tmp_path / "p", tmp_path / "p/inner"
    (root / ".git").mkdir(parents=True)
    inner.mkdir()
    (root / "style.md").write_text("STYLE")
    (inner / "CLAUDE.md").write_text("Read @../style.md and @/etc/hosts")
    told = check_file(inner / "CLAUDE.md")
    assert told["text"] == load_rules(inner).text
    assert [Path(item["path"]).name for item in told["files"]] == ["CLAUDE.md", "style.md"]
    assert told["warnings"] == ["CLAUDE.md asks for /etc/hosts, outside the project: not read."]
