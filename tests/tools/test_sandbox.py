"""Commands in the sandbox: no network, only the project is written, secrets are not there."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tool_calls import Call, until

from kinet.core.errors import ToolError
from kinet.engine.base import JournalCall
from kinet.runtime import create_runtime
from kinet.tools.base import ToolContext
from kinet.tools.processes import guarded_places, jobs, sandbox
from kinet.workspace.journal import Journal
from kinet.workspace.rules import load_rules
from tests.support.tree_shapes import alive, new_mark

WORKS = sandbox.state().problem == ""
real = pytest.mark.skipif(not WORKS, reason=sandbox.state().sentence())


@pytest.fixture
def boxed(context: ToolContext, project: Path, tmp_path: Path) -> ToolContext:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "settings.json").write_text("{}")
    return replace(context, session_id="sandbox-test", call_id="c1", boxed=True)


@real
async def test_the_project_can_be_written_and_nothing_else(
    call: Call, boxed: ToolContext, project: Path, tmp_path: Path
) -> None:
    command = f"echo new > a.txt; echo x > {tmp_path}/b.txt; echo x > /etc/c.txt; cat a.txt"
    output = await call("shell", boxed, command=command)
    assert (project / "a.txt").read_text() == "new\n"
    assert not (tmp_path / "b.txt").exists()
    assert "Read-only file system" in output.content
    assert output.content.rstrip().endswith("new")
    assert output.details["sandbox"] is True


@real
async def test_home_data_and_private_folders_are_not_those_of_the_person(
    call: Call, boxed: ToolContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_rsa").write_text("KEY")
    monkeypatch.setenv("HOME", str(home))
    mark = Path("/tmp") / f"kinet-box-{os.getpid()}"
    mark.touch()
    try:
        output = await call(
            "shell",
            boxed,
            # The plain name of the data folder would be refused before it got here.
            command=f"cat ~/.ssh/id_rsa {tmp_path}/d*a/settings.json; ls -A {tmp_path}/d*a "
            f"~ /run /home; ls {mark}; touch ~/note /tmp/note && echo private; echo $TMPDIR",
        )
    finally:
        mark.unlink()
    assert "KEY" not in output.content
    assert "{}" not in output.content
    assert str(mark) in output.content
    assert "No such file" in output.content
    assert output.content.rstrip().endswith("private\n/tmp")
    assert sorted(os.listdir(home)) == [".ssh"]


@real
async def test_there_is_no_network_and_no_process_of_others(call: Call, boxed: ToolContext) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        output = await call(
            "shell", boxed, command=f"echo x > /dev/tcp/127.0.0.1/{port}; ls -d /proc/{os.getpid()}"
        )
    assert "Connection refused" in output.content
    assert "No such file" in output.content
    assert "no network" in output.content


@real
async def test_secrets_of_the_project_are_hidden_and_orders_cannot_be_changed(
    call: Call, boxed: ToolContext, project: Path
) -> None:
    (project / ".env").write_text("TOKEN=1")
    (project / "deep" / ".aws").mkdir(parents=True)
    (project / "deep" / ".aws" / "credentials").write_text("TOKEN=2")
    (project / "deep" / "key.pem").write_text("TOKEN=3")
    (project / "link").symlink_to("deep/key.pem")
    (project / "node_modules").mkdir()
    (project / ".git" / "hooks").mkdir(parents=True)
    (project / "AGENTS.md").write_text("rules")
    output = await call(
        "shell",
        boxed,
        command="cat .env deep/.aws/credentials deep/key.pem link; grep -r TOKEN . ; "
        "echo x > .git/hooks/pre-commit; echo x > AGENTS.md; mkdir .kinet/skills; echo x > "
        ".mcp.json; rm -rf .git AGENTS.md; mv deep other; echo done; false",
    )
    assert "TOKEN" not in output.content
    assert "done" in output.content
    assert (project / "AGENTS.md").read_text() == "rules"
    assert os.listdir(project / ".git" / "hooks") == []
    assert (project / "other" / "key.pem").read_text() == "TOKEN=3"
    # What stood in for missing places is gone again.
    left = {".env", ".git", "AGENTS.md", "link", "node_modules", "other"}
    assert set(os.listdir(project)) == left


def crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a new run of the program knows of stand-ins: nothing."""
    monkeypatch.setattr(guarded_places, "_standing", {})


@real
async def test_stand_ins_that_a_crash_left_go_with_the_next_command(
    call: Call, boxed: ToolContext, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded_places.look(project)
    assert len(os.listdir(project)) == 9
    crash(monkeypatch)
    output = await call("shell", boxed, command="touch .git/config AGENTS.md || echo kept out")
    assert "kept out" in output.content
    assert os.listdir(project) == []


def test_stand_ins_that_a_crash_left_go_at_the_next_start(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    other = tmp_path / "other"
    other.mkdir()
    guarded_places.look(project, data)
    ending = guarded_places.look(other, data)
    ending.release()
    assert os.listdir(other) == []
    assert len(list((data / "stand-ins").iterdir())) == 1
    crash(monkeypatch)
    # Meanwhile a person made some of them their own.
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / ".vscode" / "settings.json").write_text("{}")
    (project / "AGENTS.md").unlink()
    (project / "AGENTS.md").write_text("")
    running = guarded_places.look(other, data)
    guarded_places.clear(data)
    assert sorted(os.listdir(project)) == [".git", ".vscode", "AGENTS.md"]
    assert len(os.listdir(other)) == 9, "a command needs them now"
    running.release()
    assert os.listdir(other) == []
    assert list((data / "stand-ins").iterdir()) == []


async def test_the_start_of_the_program_takes_away_what_a_crash_left(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded_places.look(project, tmp_path / "home")
    crash(monkeypatch)
    runtime = create_runtime(tmp_path / "home")
    try:
        runtime.build()
        await until(lambda: os.listdir(project) == [])
    finally:
        await runtime.close()


def test_a_persons_git_sees_nothing_of_them_and_keeps_what_it_makes(project: Path) -> None:
    def git(*words: str) -> str:
        ran = subprocess.run(["git", *words], cwd=project, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    standing = guarded_places.look(project)
    git("init", "-q")
    assert git("status", "--short") == ""
    git("add", "-A")
    assert git("status", "--short") == ""
    (project / "mine.txt").write_text("mine")
    assert git("status", "--short") == "?? mine.txt\n"
    standing.release()
    assert sorted(os.listdir(project)) == [".git", "mine.txt"]
    assert git("status", "--short") == "?? mine.txt\n"


def test_above_a_project_their_git_goes_on_up_and_rules_are_as_without_them(
    tmp_path: Path,
) -> None:
    sub = tmp_path / "repository" / "sub"
    sub.mkdir(parents=True)
    subprocess.run(["git", "init", "-q"], cwd=sub.parent, check=True)
    (sub.parent / "AGENTS.md").write_text("Rules of all.")
    before = load_rules(sub)
    standing = guarded_places.look(sub)
    assert load_rules(sub) == before
    assert "Rules of all." in before.text
    assert not before.warnings
    (sub / "mine.txt").write_text("mine")
    shown = subprocess.run(
        ["git", "status", "--short", "-uall"], cwd=sub, capture_output=True, text=True, check=True
    )
    assert shown.stdout.splitlines() == ["?? ../AGENTS.md", "?? mine.txt"]
    standing.release()


async def test_no_stand_in_is_taken_for_what_a_command_made(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    journal = Journal(tmp_path / "home")
    ticket = await journal.before(JournalCall("s", "t", "c", "shell", {"command": "x"}, folder))
    standing = guarded_places.look(folder)
    (folder / "made").write_text("made")
    assert (await journal.after(ticket)).paths == ("made",)
    standing.release()


@real
async def test_code_and_folder_come_back_and_the_tree_ends(
    call: Call, boxed: ToolContext, project: Path
) -> None:
    (project / "sub").mkdir()
    output = await call("shell", boxed, command="cd sub; exit 7")
    assert output.details["exit_code"] == 7
    assert "[now in sub]" in output.content
    away = await call("shell", boxed, command="cd /tmp; pwd")
    assert "outside" not in away.content
    mark = new_mark()
    await call("shell", boxed, command=f"setsid sleep {mark} & echo")
    await until(lambda: not alive(mark))
    await call("shell", boxed, command=f"setsid sleep {mark} & sleep {mark}", background=True)
    await until(lambda: bool(alive(mark)))
    jobs.end_all("sandbox-test")
    await until(lambda: not alive(mark))
    assert os.listdir(project) == ["sub"]


@real
async def test_a_stop_ends_the_box_with_all_in_it(
    call: Call, boxed: ToolContext, project: Path
) -> None:
    mark = new_mark()
    command = f"( setsid sleep {mark} & ) ; sleep {mark}"
    output = await call("shell", boxed, command=command, timeout_s=1)
    assert output.details["timed_out"]
    assert alive(mark) == []
    assert os.listdir(project) == []


def test_why_there_is_none_is_said_in_words(tmp_path: Path) -> None:
    assert "not installed" in sandbox.probe("linux", None).sentence()
    assert "for this system" in sandbox.probe("darwin", None).sentence()
    refusing = tmp_path / "bwrap"
    refusing.write_text(
        "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1"
    )
    refusing.chmod(0o755)
    found = sandbox.probe("linux", str(refusing))
    assert "user namespaces are forbidden" in found.problem
    assert found.hint
    odd = tmp_path / "odd"
    odd.write_text("#!/bin/sh\necho 'something else' >&2\nexit 1")
    odd.chmod(0o755)
    assert "something else" in sandbox.probe("linux", str(odd)).problem


@pytest.mark.skipif(sys.platform != "linux", reason="a program for Linux")
def test_an_older_one_without_sizes_is_used_without_them(tmp_path: Path) -> None:
    older = tmp_path / "bwrap"
    older.write_text(
        '#!/bin/sh\ncase "$*" in *--size*) echo "bwrap: Unknown option --size" >&2; exit 1;; esac'
    )
    older.chmod(0o755)
    found = sandbox.probe("linux", str(older))
    assert not found.problem
    assert not found.has_size


def test_a_folder_that_holds_the_home_has_no_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "state", lambda: sandbox.SandboxState("/usr/bin/bwrap"))
    home = tmp_path / "home"
    (home / "project").mkdir(parents=True)
    assert "home folder" in sandbox.problem_for(home, home)
    assert "home folder" in sandbox.problem_for(tmp_path, home)
    assert sandbox.problem_for(home / "project", home) == ""


async def test_what_cannot_be_hidden_is_not_run(
    call: Call, boxed: ToolContext, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded_places, "_MOST_ENTRIES", 3)
    for number in range(5):
        (project / f"{number}.txt").touch()
    with pytest.raises(ToolError, match="too large"):
        await call("shell", boxed, command="touch ran")
    assert not (project / "ran").exists()
    assert len(os.listdir(project)) == 5
