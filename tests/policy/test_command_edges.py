"""The judge of commands at its borders: lengths, shown texts, and what a question may offer."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinet.policy.commands import judge_command
from kinet.policy.verdicts import Judgement


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "a.txt").write_text("x\n")
    return folder


def judged(command: str, project: Path, *, windows: bool = False) -> Judgement:
    home = project.parent / "home"
    return judge_command(command, project, home, windows=windows)


def test_a_command_of_4000_characters_is_read_and_a_longer_one_asks(project: Path) -> None:
    assert judged("echo " + "a" * 3_995, project).verdict == "allow"
    longer = judged("echo " + "a" * 3_996, project)
    assert (longer.verdict, longer.parts[0].rule) == ("ask", "too-long")
    assert "4,000 characters" in longer.reason
    assert not longer.memorable


@pytest.mark.parametrize("place", ["first", "last"])
def test_the_worst_is_seen_at_both_ends_of_a_long_text(place: str, project: Path) -> None:
    filling = "; ".join(["echo a"] * 1_000)
    text = f"rm -rf /; {filling}" if place == "first" else f"{filling}; rm -rf /"
    assert judged(text, project).verdict == "deny"


def test_a_part_is_shown_whole_up_to_200_characters(project: Path) -> None:
    short = "echo " + "a" * 195
    assert judged(short, project).parts[0].text == short
    assert judged(short + "a", project).parts[0].text == f"{short}… (201 characters)"
    asked = "make " + "a" * 196
    assert judged(f"{asked} > x", project).parts[0].text.endswith("… (205 characters)")


def test_an_empty_command_says_that_it_is_empty(project: Path) -> None:
    for text in ("", "  ", "\n"):
        found = judged(text, project)
        assert (found.verdict, found.reason) == ("ask", "the command is empty")
        assert not found.memorable


def test_on_windows_nothing_is_judged_plain_and_the_worst_is_still_denied(project: Path) -> None:
    assert judged("ls", project, windows=True).verdict == "ask"
    assert not judged("ls", project, windows=True).memorable
    assert judged("rm -rf /", project, windows=True).verdict == "deny"


@pytest.mark.parametrize(
    "command",
    ["ls; rm -rf /", "rm -rf /; ls", "ls > /dev/sda", "ls > out > /dev/sda", "ls | tee x; halt"],
)
def test_the_worst_is_denied_behind_what_is_harmless(command: str, project: Path) -> None:
    found = judged(command, project)
    assert found.verdict == "deny"
    assert not found.memorable


@pytest.mark.parametrize(
    "command",
    [
        "make test", "make src/a", "make ./src", "make src/../a.txt", "ls > /dev/null; make",
        "cc -Isrc -o a a.c", "make --file=src/Makefile", "make -C src all", "make > /dev/null",
        "make > out", "make {project}/src", "make {project}", "make a..b", "make ...",
    ],
)  # fmt: skip
def test_work_inside_the_project_may_be_remembered(command: str, project: Path) -> None:
    found = judged(command.replace("{project}", str(project)), project)
    assert (found.verdict, found.memorable) == ("ask", True)


@pytest.mark.parametrize(
    "command",
    [
        "make /etc", "make /", "make ../x", "make src/../../x", "make ~", "make ~/x",
        "make --file=/etc/x", "make --file=../x", "make --file=~/x", "make .env", "make id_rsa",
        "make --env=.env", "make > ../out", "make > ~/out", "make > .env", "make $HOME",
        'make "$HOME"', "make `pwd`", "make $(pwd)", "ls; make /etc", "make {project}x",
        "echo $X", "make x=$HOME", "make > $OUT", "diff <(make a) b", "make ${HOME}",
        "make > ${OUT}", "make $((1+1))",
    ],
)  # fmt: skip
def test_what_reaches_outside_or_for_a_secret_is_asked_each_time(
    command: str, project: Path
) -> None:
    found = judged(command.replace("{project}", str(project)), project)
    assert (found.verdict, found.memorable) == ("ask", False)


def test_each_part_of_a_plain_command_has_its_own_verdict(project: Path) -> None:
    found = judged("ls src && make all | wc -l", project)
    assert [(part.text, part.verdict) for part in found.parts] == [
        ("ls src", "allow"), ("make all", "ask"), ("wc -l", "allow"),
    ]  # fmt: skip
    assert found.parts[0].rule == "only reads inside the project"
    assert (
        found.reason == found.parts[1].rule == "make is not on the list of programs that only read"
    )


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("cat 中文.md", "letters beyond ASCII"), ("echo é", "letters beyond ASCII"),
        ("ls\u200b src", "hidden characters"), ("ls\u202e src", "hidden characters"),
        ("ls\x07", "hidden characters"), ("ls \x7f", "hidden characters"),
        ("ls\tsrc", "a tab"), ("make \u00e9", "letters beyond ASCII"),
    ],
)  # fmt: skip
def test_what_cannot_be_seen_is_told_from_what_can_be_read(
    command: str, reason: str, project: Path
) -> None:
    found = judged(command, project)
    assert (found.verdict, found.memorable) == ("ask", False)
    assert reason in found.reason
