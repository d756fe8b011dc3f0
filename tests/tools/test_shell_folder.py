"""The folder a command ends in is where the next one of the session begins, judged and shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tool_calls import Call

from kinet.policy.commands import judge_command
from kinet.tools.base import ToolContext
from kinet.tools.processes import working_folder
from kinet.tools.shell import Shell, ShellArguments

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders as bash keeps them")

SESSION = "folder-test"


@pytest.fixture
def session(context: ToolContext) -> Iterator[ToolContext]:
    yield replace(context, session_id=SESSION)
    working_folder.forget(SESSION)


def now(session: ToolContext) -> ToolContext:
    """The context of the next call, as the engine makes it."""
    assert session.folder is not None
    return replace(session, start=working_folder.current(SESSION, session.folder))


async def test_cd_holds_for_the_next_call_and_is_told(
    call: Call, session: ToolContext, project: Path
) -> None:
    (project / "a b" / "ü").mkdir(parents=True)
    first = await call("shell", now(session), command="cd 'a b'\necho here")
    assert first.content == "here\n[now in a b]"
    second = await call("shell", now(session), command="cd ü && pwd")
    assert second.content == f"{project}/a b/ü\n[now in a b/ü]"
    back = await call("shell", now(session), command=f"cd {project}; ls")
    assert back.content == "a b\n[now in the project folder]"
    assert (await call("shell", now(session), command="pwd")).content == str(project)


@pytest.mark.parametrize(
    "command",
    ["cd sub; exit 3", "cd sub; false", "cd sub; set -x; true", "cd sub; set -eu; nothing_like_it",
     "pushd sub", "cd sub; kill -TERM $$", "cd sub # note", "cd sub; sleep 0 &"],
)  # fmt: skip
async def test_however_the_command_ends_the_folder_counts(
    command: str, call: Call, session: ToolContext, project: Path
) -> None:
    (project / "sub").mkdir()
    output = await call("shell", now(session), command=command)
    assert working_folder.current(SESSION, project) == project / "sub"
    assert "pwd" not in output.content


async def test_lines_of_errors_and_the_code_are_those_of_the_command(call: Call) -> None:
    output = await call("shell", command="true\nnothing_like_it\n")
    assert "line 2: nothing_like_it" in output.content
    assert output.details["exit_code"] == 127
    broken = await call("shell", command="if")
    assert broken.details["exit_code"] == 2


async def test_a_folder_that_is_gone_gives_way_to_the_project(
    call: Call, session: ToolContext, project: Path
) -> None:
    (project / "gone").mkdir()
    await call("shell", now(session), command="cd gone")
    (project / "gone").rmdir()
    output = await call("shell", now(session), command="pwd")
    assert (
        output.content == f"[{project}/gone is gone; this began in the project folder]\n{project}"
    )
    assert (await call("shell", now(session), command="pwd")).content == str(project)


async def test_sessions_and_projects_have_their_own(
    call: Call, session: ToolContext, project: Path, tmp_path: Path
) -> None:
    (project / "sub").mkdir()
    await call("shell", now(session), command="cd sub")
    assert working_folder.current("another", project) == project
    assert working_folder.current(f"{SESSION}:agent", project) == project
    assert working_folder.current(SESSION, tmp_path) == tmp_path
    # A call of no session keeps nothing.
    await call("shell", command="cd sub")
    assert working_folder.current("", project) == project


async def test_outside_the_project_the_rules_of_paths_apply(
    call: Call, session: ToolContext, project: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    output = await call("shell", now(session), command=f"cd {outside}")
    assert output.content.endswith(f"[now in {outside}, outside the project]")
    shown = Shell().question(ShellArguments(command="ls"), now(session))
    assert shown.folder == str(outside)
    assert shown.scopes == ("once",)
    assert judge_command("ls", project, tmp_path).verdict == "allow"
    assert judge_command("ls", project, tmp_path, start=outside).verdict == "ask"
    assert judge_command("cat x", project, tmp_path, start=outside).verdict == "ask"
    assert judge_command("rm -rf *", project, tmp_path, start=tmp_path).verdict == "deny"
    assert judge_command("rm -rf .", project, tmp_path, start=Path("/")).verdict == "deny"
    data = tmp_path / "data"
    touched = judge_command("cat settings.json", project, tmp_path, data_dir=data, start=data)
    assert touched.verdict == "deny"


def test_in_a_folder_of_the_project_names_begin_there(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "sub" / ".ssh").mkdir(parents=True)
    (project / "sub" / "a.txt").touch()
    start = project / "sub"
    assert judge_command("cat a.txt ../b.txt", project, tmp_path, start=start).verdict == "allow"
    assert judge_command("cat ../../b.txt", project, tmp_path, start=start).verdict == "ask"
    assert judge_command("ls", project, tmp_path, start=start / ".ssh").verdict == "ask"
