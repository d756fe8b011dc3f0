"""Skills in a turn: listed in the prompt, loaded by the tool, their files read unasked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kinet.core.approval import Decision
from kinet.engine.base import Section
from kinet.engine.context.prompt import text_of
from kinet.tools.catalog import builtin_tools
from tests.skills.skill_kit import library, ten_skills
from tests.support.approvers import ScriptedApprover
from tests.support.replies import asks_for, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.turns import collect, last, results, turn

pytestmark = pytest.mark.usefixtures("wire")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    return place


async def test_p13_skills_are_listed_by_a_line_and_loaded_by_the_tool(
    tmp_path: Path, folder: Path
) -> None:
    ten_skills(tmp_path)
    shelf = library(tmp_path)
    provider = ScriptedProvider(
        asks_for("skill", name="run-checks", arguments="src"), says("Checked.")
    )
    request = turn(
        provider,
        tools=builtin_tools(),
        folder=folder,
        skills=shelf.sections(folder),
        skill_library=shelf,
        approver=ScriptedApprover(),
    )
    events = await collect(request)
    first, second = provider.requests
    plain = replace(request, skills=(), skill_library=None)
    provider = ScriptedProvider(says("Nothing."))
    await collect(replace(plain, provider=provider))
    bare = provider.requests[0]
    added = len(first.system.encode()) - len(bare.system.encode())
    tools = [len(json.dumps([item.to_dict() for item in made.tools])) for made in (first, bare)]
    assert 0 < (added + tools[0] - tools[1]) / 3 < 1_000, "tokens, counted high"
    assert "- run-checks: Runs all checks" in first.system
    assert "skill" not in {item.name for item in bare.tools}, "without skills there is no tool"
    assert second.system == first.system, "a loaded skill comes as a result"
    (result,) = results(events)
    assert not result.is_error
    assert "with src and read `references/rules.md`" in result.model_content
    assert last(events).reason == "completed"


async def test_files_of_a_skill_are_read_unasked_and_its_scripts_ask(
    tmp_path: Path, folder: Path
) -> None:
    place = ten_skills(tmp_path) / "run-checks"
    shelf = library(tmp_path)
    approver = ScriptedApprover(Decision(False), Decision(False), Decision(False))
    provider = ScriptedProvider(
        asks_for("read_file", path=str(place / "references/rules.md")),
        asks_for("shell", command=f"python3 {place}/scripts/check.py"),
        asks_for("write_file", path=str(place / "references/rules.md"), content="Tabs.\n"),
        asks_for("read_file", path=str(tmp_path / "facts.json")),
        says("Done."),
    )
    (tmp_path / "facts.json").write_text("[]")
    request = turn(
        provider,
        tools=builtin_tools(),
        folder=folder,
        skills=shelf.sections(folder),
        skill_library=shelf,
        readable=shelf.readable(folder),
        approver=approver,
        data_dir=tmp_path,
    )
    read, script, write, facts = results(await collect(request))
    assert "No tabs." in read.model_content
    assert [question.tool for question in approver.asked] == ["shell"]
    assert script.is_error
    assert write.is_error
    assert facts.is_error
    assert "belongs to the app itself" in facts.content, "only the skill's own folder is lent"
    assert (place / "references/rules.md").read_text() == "No tabs.\n"


async def test_u12_personal_rules_end_the_base_part_and_stand_before_all_else(
    folder: Path,
) -> None:
    provider = ScriptedProvider(says("Done."))
    sections = {name: (Section(name, f"{name} text"),) for name in ("personal", "skills", "rules")}
    await collect(turn(provider, tools=builtin_tools(), folder=folder, memory_text="M", **sections))
    (request,) = provider.requests
    base = text_of("base")
    assert request.system.startswith(f"{base}\n\n# personal")
    places = [request.system.index(f"{name} text") for name in sections]
    assert places == sorted(places)
    assert "M" not in request.system.removeprefix(base), "what changes by itself stays out"


@pytest.mark.parametrize("wire", [None], indirect=True)
async def test_a_script_beside_a_skill_runs_when_the_person_says_yes(
    tmp_path: Path, folder: Path
) -> None:
    place = ten_skills(tmp_path) / "run-checks"
    shelf = library(tmp_path)
    approver = ScriptedApprover(Decision(True))
    provider = ScriptedProvider(
        asks_for("skill", name="run-checks"),
        asks_for("shell", command=f"python3 {place}/scripts/check.py"),
        says("Done."),
    )
    request = turn(
        provider,
        tools=builtin_tools(),
        folder=folder,
        skills=shelf.sections(folder),
        skill_library=shelf,
        approver=approver,
        data_dir=tmp_path,
    )
    loaded, ran = results(await collect(request))
    assert f"Skill run-checks in {place}" in loaded.content
    assert "all good" in ran.content
    assert [question.body for question in approver.asked] == [f"python3 {place}/scripts/check.py"]
    assert not (folder / "loaded.txt").exists(), "loading ran nothing"


async def test_without_a_folder_the_tool_gives_the_files_of_a_skill(tmp_path: Path) -> None:
    ten_skills(tmp_path)
    shelf = library(tmp_path)
    provider = ScriptedProvider(
        asks_for("skill", name="run-checks", file="references/rules.md"), says("Read.")
    )
    request = turn(
        provider,
        tools=builtin_tools(),
        folder=None,
        skills=shelf.sections(None),
        skill_library=shelf,
        approver=ScriptedApprover(),
    )
    events = await collect(request)
    assert "read_file" not in {item.name for item in provider.requests[0].tools}
    (result,) = results(events)
    assert not result.is_error
    assert "No tabs." in result.model_content
