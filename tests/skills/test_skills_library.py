"""Which skills count where, what the model is told of them, and what a call gives."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kinet.core.errors import ToolError
from kinet.policy.paths import judge_path
from kinet.skills.brought import brought_skills
from kinet.skills.catalog import Choice
from kinet.skills.skill import COMMANDS, TOOLS
from kinet.tools.catalog import builtin_tools
from kinet.workspace.folder_content import look
from tests.skills.skill_kit import TEN, library, ten_skills, write_skill


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    (place / ".git").mkdir(parents=True)
    return place


def test_p13_ten_skills_of_five_thousand_tokens_add_less_than_a_thousand(tmp_path: Path) -> None:
    ten_skills(tmp_path)
    shelf = library(tmp_path)
    whole = sum(len(skill.text.encode()) for skill in shelf.catalog(None).used)
    assert whole / 3 > 45_000, "their texts are long"
    (section,) = shelf.sections(None)
    assert len(section.text.encode()) / 3 < 1_000
    told = [line for line in section.text.split("\n") if line.startswith("- ")]
    # One of them is for the person alone to call.
    assert len(told) == 9
    assert all(": " in line for line in told)
    assert shelf.sections(None) == shelf.sections(None), "the same bytes each time"


def test_long_descriptions_are_shortened_in_the_list(tmp_path: Path) -> None:
    for number in range(10):
        write_skill(tmp_path / "skills", f"skill-{number}", description="long words " * 90)
    (section,) = library(tmp_path).sections(None)
    assert len(section.text) / 3 < 1_000
    assert section.text.count("…") == 10


def test_what_is_lent_is_lent_for_reading_alone(tmp_path: Path, folder: Path) -> None:
    file = write_skill(tmp_path / "data/skills", "fmt")
    verdicts = {
        purpose: judge_path(
            str(file), purpose, folder, data_dir=tmp_path / "data", readable=[file.parent]
        ).verdict
        for purpose in ("read", "write", "search")
    }
    assert verdicts == {"read": "allow", "write": "deny", "search": "deny"}
    (file.parent / ".env").write_text("KEY=1")
    lent = judge_path(str(file.parent / ".env"), "read", folder, readable=[file.parent])
    assert lent.verdict == "ask", "what may hold keys asks wherever it lies"


def test_skills_of_many_places_are_found_nearest_first(tmp_path: Path, folder: Path) -> None:
    home, data, inner = tmp_path / "home", tmp_path / "data", folder / "app"
    inner.mkdir()
    places = {
        "one": inner / ".kinet/skills", "two": inner / ".agents/skills",
        "three": folder / ".claude/skills", "four": folder / ".codex/skills",
        "five": data / "skills", "six": home / ".agents/skills",
        "seven": home / ".claude/skills", "eight": home / ".codex/skills",
    }  # fmt: skip
    for name, place in places.items():
        write_skill(place, name)
    write_skill(home / ".codex/skills/.system", "built-in")
    found = library(data, home).catalog(inner)
    assert [item.skill.name for item in found.skills] == list(places)
    assert all(item.state == "used" for item in found.skills)
    without = library(data, home, choice=Choice(others=frozenset())).catalog(None)
    assert [item.skill.name for item in without.skills] == ["five"]


def test_of_one_name_the_nearest_is_used_and_both_say_so(tmp_path: Path, folder: Path) -> None:
    data = tmp_path / "data"
    near = write_skill(folder / ".kinet/skills", "fmt", "Near.")
    far = write_skill(data / "skills", "fmt", "Far.")
    found = library(data).catalog(folder)
    assert [(item.skill.body, item.state) for item in found.skills] == [
        ("Near.", "used"),
        ("Far.", "hidden"),
    ]
    assert str(far.parent) in found.skills[0].why
    assert str(near.parent) in found.skills[1].why
    off = Choice(off=frozenset({str(near.parent)}))
    found = library(data, choice=off).catalog(folder)
    assert [item.state for item in found.skills] == ["off", "used"]


def test_a_folder_that_is_not_trusted_lends_no_skill(tmp_path: Path, folder: Path) -> None:
    write_skill(folder / ".claude/skills", "fmt")
    shelf = library(tmp_path / "data", trusted=False)
    (only,) = shelf.catalog(folder).skills
    assert only.state == "untrusted"
    assert shelf.sections(folder) == ()
    assert shelf.readable(folder) == ()
    called = shelf.called(folder, "/fmt now")
    assert called is not None
    assert called.section is None
    assert "not trusted" in called.problem


def test_links_out_of_a_project_are_not_followed(tmp_path: Path, folder: Path) -> None:
    outside = write_skill(tmp_path / "elsewhere", "fmt")
    place = folder / ".kinet/skills"
    place.mkdir(parents=True)
    (place / "fmt").symlink_to(outside.parent)
    (only,) = library(tmp_path / "data").catalog(folder).skills
    assert only.state == "broken"
    assert "outside the project" in only.why
    # The person's own places may hold links: many keep their skills elsewhere.
    home = tmp_path / "home"
    (home / ".claude/skills").mkdir(parents=True)
    (home / ".claude/skills/fmt").symlink_to(outside.parent)
    assert library(tmp_path / "data", home).catalog(None).skills[0].state == "used"


def test_one_folder_under_two_names_is_one_skill(tmp_path: Path, folder: Path) -> None:
    write_skill(folder / ".agents/skills", "fmt")
    (folder / ".claude").mkdir()
    (folder / ".claude/skills").symlink_to("../.agents/skills")
    assert len(library(tmp_path / "data").catalog(folder).skills) == 1


def test_a_called_skill_comes_whole_in_a_wrapper_it_cannot_close(tmp_path: Path) -> None:
    ten_skills(tmp_path)
    called = library(tmp_path).called(None, "/inner-skill  with this ")
    assert called is not None
    assert called.section is not None
    text = called.section.text
    assert text.count("</skill>") == 1
    assert text.endswith("</skill>")
    assert "ARGUMENTS: with this" in text


@pytest.mark.parametrize("text", ["hello", "/nothing-there", "/usr/bin is full", "/", "a /hanyu"])
def test_other_messages_call_nothing(text: str, tmp_path: Path) -> None:
    ten_skills(tmp_path)
    assert library(tmp_path).called(None, text) is None


def test_what_cannot_be_called_says_why(tmp_path: Path) -> None:
    ten_skills(tmp_path)
    write_skill(tmp_path / "skills", "empty", body="")
    shelf = library(tmp_path)
    model_only, empty = shelf.called(None, "/by-model"), shelf.called(None, "/empty")
    assert model_only is not None
    assert "only the model" in model_only.problem
    assert empty is not None
    assert "no text below its head" in empty.problem


async def test_the_tool_gives_text_place_and_files(tmp_path: Path) -> None:
    ten_skills(tmp_path)
    shelf = library(tmp_path)
    bodies = {skill.name: skill.body for skill in shelf.catalog(None).used}
    for name in set(TEN) - {"old-name"}:
        output = await shelf.load(name, "", None)
        assert bodies[name][-600:] in output.content
        assert output.model_content == output.content
    output = await shelf.load("run-checks", "src", None)
    assert str(tmp_path / "skills" / "run-checks") in output.content
    assert "- scripts/check.py" in output.content
    assert "with src and read" in output.content
    assert output.preview == "run-checks, 3 files"


async def test_a_wrong_name_is_answered_with_the_right_ones(tmp_path: Path) -> None:
    ten_skills(tmp_path)
    shelf = library(tmp_path)
    with pytest.raises(ToolError) as caught:
        await shelf.load("tidy-note", "", None)
    assert "Did you mean tidy-notes" in caught.value.sentence()
    with pytest.raises(ToolError, match="for the person to call"):
        await shelf.load("old-name", "", None)


async def test_a_file_beside_a_skill_is_given_by_name_also_without_a_folder(tmp_path: Path) -> None:
    place = ten_skills(tmp_path) / "run-checks"
    shelf = library(tmp_path)
    whole = (place / "references/rules.md").read_text(encoding="utf-8")
    for name in (
        "references/rules.md",
        "./references/rules.md",
        str(place / "references/rules.md"),
    ):
        given = await shelf.file("run-checks", name, None)
        assert given.content.startswith("File references/rules.md of the skill run-checks\n")
        assert given.content.endswith(whole)
    (place / "long.txt").write_text("é" * 40_000, encoding="utf-8")
    long = (await shelf.file("run-checks", "long.txt", None)).content
    assert "Only its first 64 KB of 80,000 bytes are here" in long


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("references/rule.md", "Did you mean references/rules.md?"),
        ("nothing", "Its files: "),
        ("references", "has no file"),
        ("../hanyu/SKILL.md", "leads out of the skill's folder"),
        ("references/../../hanyu/SKILL.md", "leads out of the skill's folder"),
        ("/etc/passwd", "outside the skill's folder"),
        (".hidden", "hidden"),
        ("link.md", "link to a file outside"),
        ("id_rsa", "may hold secrets"),
        ("picture.png", "not a text file"),
        ("pipe", "not a regular file"),
    ],
)
async def test_a_file_that_is_not_given_says_why(tmp_path: Path, name: str, why: str) -> None:
    place = ten_skills(tmp_path) / "run-checks"
    (place / ".hidden").write_text("x")
    (place / "id_rsa").write_text("x")
    (place / "picture.png").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "out.md").write_text("outside")
    (place / "link.md").symlink_to(tmp_path / "out.md")
    os.mkfifo(place / "pipe")
    with pytest.raises(ToolError) as told:
        await library(tmp_path).file("run-checks", name, None)
    assert why in told.value.sentence()


def test_very_many_skills_stay_within_their_room(tmp_path: Path) -> None:
    for number in range(120):
        write_skill(tmp_path / "skills", f"skill-{number:03}", description="long words " * 30)
    shelf = library(tmp_path)
    found = shelf.catalog(None)
    assert len(found.used) == 100
    assert "the first 100" in found.problems[0]
    (section,) = shelf.sections(None)
    assert len(section.text) < 13_000
    assert "skill-099" in section.text


def test_trust_is_bound_to_the_text_of_skills_and_to_their_files(
    tmp_path: Path, folder: Path
) -> None:
    file = write_skill(folder / ".claude/skills", "fmt")
    script = file.parent / "scripts" / "run.sh"
    before = look(folder, brought_skills).digest
    script.parent.mkdir()
    script.write_text("echo one\n")
    with_script = look(folder, brought_skills)
    script.write_text("echo two\n")
    changed = look(folder, brought_skills)
    assert len({before, with_script.digest, changed.digest}) == 3
    assert changed.skills == ("fmt: “Does fmt.”",)


def test_large_files_beside_a_skill_are_told_apart_without_being_read(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_skill(folder / ".claude/skills", "fmt")
    large = file.parent / "model.bin"
    with large.open("wb") as writing:
        writing.truncate(3 * 1024**3)
    began = look(folder, brought_skills).digest
    os.utime(large, ns=(1, 1))
    assert look(folder, brought_skills).digest != began
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was read"))
    assert "model.bin  3,221,225,472 bytes" in str(look(folder, brought_skills).texts)


def test_the_names_that_are_taken_are_those_that_exist() -> None:
    from kinet.ui.desks.slash_commands import _ACTIONS

    assert {tool.name for tool in builtin_tools() if "_" not in tool.name} == TOOLS
    assert set(_ACTIONS) <= COMMANDS
