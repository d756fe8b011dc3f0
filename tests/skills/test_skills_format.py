"""Skills as people write them: heads of every kind, texts in every script, files beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinet.markup.front_matter import front_matter
from kinet.skills.arguments import filled
from kinet.skills.catalog import read_places
from kinet.skills.places import Place
from kinet.skills.skill import Skill, skill_of
from tests.skills.skill_kit import BROKEN, CASES, TEN


@pytest.fixture(scope="module")
def skills() -> dict[str, Skill]:
    found, left_out = read_places([Place(CASES, "kinet")])
    assert left_out == []
    return {skill.name: skill for skill in found}


def test_ten_skills_in_the_open_format_are_read_whole(skills: dict[str, Skill]) -> None:
    assert tuple(sorted(skills)) == TEN
    assert [skill.name for skill in skills.values() if skill.problem] == []
    assert all("\n" not in skill.description and skill.description for skill in skills.values())
    assert skills["run-checks"].files == (
        "assets/mark.bin", "references/rules.md", "scripts/check.py",
    )  # fmt: skip
    assert skills["hanyu"].description.startswith("把英文说明翻译成简体中文")
    assert skills["nihongo"].folder.name == "日本語"
    assert skills["review-change"].hint == "[branch] [--deep]"
    assert not skills["old-name"].by_model
    assert not skills["by-model"].by_person


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("review-change", "not valid YAML (line 3)"),
        ("no-head", "its name is that of its folder"),
        ("tidy-notes", "grants no permission"),
        ("run-checks", "they are not run"),
        ("nihongo", "another name"),
    ],
)
def test_what_is_odd_is_said_and_used_all_the_same(
    skills: dict[str, Skill], name: str, said: str
) -> None:
    assert said in " ".join(skills[name].notes)


@pytest.mark.parametrize(
    ("folder", "why"),
    [
        ("no-text", "There is no text below its head"),
        ("open-head", "does not end"),
        ("shell", "the name of a tool"),
        ("Bad_Name!", "small letters, digits and hyphens"),
        ("not-text", "not a text file"),
        ("empty-folder", "There is no SKILL.md in this folder"),
    ],
)
def test_a_broken_skill_says_why_and_disturbs_no_other(folder: str, why: str) -> None:
    found, _ = read_places([Place(BROKEN, "kinet"), Place(CASES, "kinet")])
    broken = {skill.folder.name: skill for skill in found if skill.problem}
    assert why in broken[folder].problem
    assert len(found) - len(broken) == 10


def test_loading_a_skill_runs_nothing(skills: dict[str, Skill], tmp_path: Path) -> None:
    assert "!`touch loaded.txt`" in skills["run-checks"].body
    assert not Path("loaded.txt").exists()


def test_hidden_characters_are_taken_out_and_told(tmp_path: Path) -> None:
    place = tmp_path / "quiet"
    place.mkdir()
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    text = f"---\nname: quiet\ndescription: Plain{hidden}\n---\nRead\u200b it.{hidden}\n"
    (place / "SKILL.md").write_text(text, encoding="utf-8")
    ((skill,), _) = read_places([Place(tmp_path, "kinet")])
    assert (skill.description, skill.body) == ("Plain", "Read it.")
    assert len(skill.hidden) == 9
    assert "9 hidden characters were removed" in skill.notes[0]


@pytest.mark.parametrize(
    ("head", "values"),
    [
        ("name: yes\nn: 2024-01-01", {"name": "yes", "n": "2024-01-01"}),
        ("Name:  a \nuser_invocable: No", {"name": "a", "user-invocable": "No"}),
        ("d: >\n  one\n  two", {"d": "one two"}),
        ("d: Use when: asked\ne: 1", {"d": "Use when: asked", "e": "1"}),
        ("a: &x [1, 2]\nb: *x", {"a": "&x [1, 2]", "b": "*x"}),
        ("x: !!python/object/apply:os.system [ls]\nname: b",
         {"x": "!!python/object/apply:os.system [ls]", "name": "b"}),
        ("", {}),
        ("[" * 9_000, {}),
    ],
)  # fmt: skip
def test_heads_are_read_as_they_are_meant(head: str, values: dict[str, object]) -> None:
    read = front_matter(f"---\n{head}\n---\nBody\n")
    assert read.body == "Body\n"
    assert {key: str(value).strip() for key, value in read.values.items()} == values


@pytest.mark.parametrize(
    ("body", "arguments", "wanted"),
    [
        ("Fix $ARGUMENTS now", "issue 7", "Fix issue 7 now"),
        ("$0 then $1 then $ARGUMENTS[2]", 'a "b c" d', "a then b c then d"),
        ("$branch", "main", "main"),
        ("awk '{print $1}'", "", "awk '{print $1}'"),
        ("awk '{print $9}' of $0", "x", "awk '{print $9}' of x"),
        (r"keep \$0 and $0", "x", "keep $0 and x"),
        ("nothing to fill", "x y", "nothing to fill\n\nARGUMENTS: x y"),
        ("$HOME and $10", "x", "$HOME and $10\n\nARGUMENTS: x"),
        ("say $ARGUMENTS", "$ARGUMENTS $0", "say $ARGUMENTS $0"),
        ("an open quote: $1", "it's here", "an open quote: here"),
        ("in ${CLAUDE_SKILL_DIR}/x", "", "in /s/x"),
        ("none: $ARGUMENTS.", "", "none: ."),
    ],
)
def test_arguments_go_where_the_format_has_them(body: str, arguments: str, wanted: str) -> None:
    assert filled(body, arguments, ["branch"], folder=Path("/s")) == wanted


def test_a_very_long_description_is_cut_and_told() -> None:
    skill = skill_of(f"---\nname: a\ndescription: {'word ' * 400}\n---\nDo.\n", "a")
    assert len(skill.description) == 1_024
    assert "cut at 1,024" in skill.notes[0]


def test_names_of_commands_stay_commands() -> None:
    skill = skill_of("---\nname: memory\ndescription: x\n---\nDo.\n", "memory")
    assert not skill.by_person
    assert skill.by_model
    assert "is a command of Kinet" in skill.notes[0]
