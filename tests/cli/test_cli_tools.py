"""kinet tool and check, and the questions of a run on a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.cli.conftest import Kinet, environment
from tests.support.replies import asks_for, says
from tests.support.scripted_server import ScriptedServer

EDIT = {"path": "notes.md", "old_string": "Monday", "new_string": "Tuesday"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "notes.md").write_bytes(b"Monday\r\n")
    return place


def test_the_list_names_access_and_schema_of_every_tool(kinet: Kinet) -> None:
    rows = {row["name"]: row for row in kinet("tool", "--list").json}
    assert rows["read_file"]["access"] == "read"
    assert rows["shell"]["access"] == "execute"
    assert "path" in rows["edit_file"]["schema"]["properties"]
    assert list(rows) == sorted(rows)


def test_a_lone_edit_needs_no_read_before(kinet: Kinet, folder: Path) -> None:
    ran = kinet("tool", "edit_file", json.dumps(EDIT), "--cwd", folder, "--approve", "edits")
    assert (ran.code, ran.json["is_error"]) == (0, False)
    assert ran.json["details"]["diff"]
    assert (folder / "notes.md").read_bytes() == b"Tuesday\r\n"


@pytest.mark.parametrize("mode", ["all", "deny", "ask"])
def test_a_call_that_nobody_can_be_asked_about_says_why(
    kinet: Kinet, folder: Path, mode: str
) -> None:
    outside = json.dumps({"path": str(folder.parent / "other.md"), "content": "x"})
    ran = kinet("tool", "write_file", outside, "--cwd", folder, "--approve", mode)
    assert ran.code == 5
    said = ran.json["content"]
    assert "other.md is outside the project folder; nobody can be asked" in said
    assert not said.endswith("..")


def test_arguments_may_come_from_stdin(kinet: Kinet, folder: Path) -> None:
    ran = kinet("tool", "read_file", "-", "--cwd", folder, given='{"path": "notes.md"}')
    assert "Monday" in ran.json["content"]


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("edit_file", EDIT, 5),
        ("shell", {"command": "touch made"}, 5),
        ("read_file", {"path": "nowhere.md"}, 1),
        ("read_file", {"way": "notes.md"}, 1),
        ("raed_file", {"path": "notes.md"}, 1),
    ],
)
def test_what_was_not_done_is_told_by_result_and_exit_code(
    kinet: Kinet, folder: Path, name: str, arguments: dict[str, str], code: int
) -> None:
    ran = kinet("tool", name, json.dumps(arguments), "--cwd", folder)
    assert ran.code == code
    assert ran.json["is_error"]
    assert ran.json["content"]
    assert sorted(path.name for path in folder.iterdir()) == ["notes.md"]


def test_check_tells_of_commands_paths_and_addresses(kinet: Kinet, folder: Path) -> None:
    assert kinet("check", "command", "ls", "--cwd", folder).json["verdict"] == "allow"
    assert kinet("check", "command", "touch x", "--cwd", folder).json["verdict"] != "allow"
    path = kinet("check", "path", "notes.md", "--for", "read", "--cwd", folder).json
    assert (path["verdict"], bool(path["reason"])) == ("allow", True)


@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        (("--resolve", "example.org=93.184.215.14"), "ask"),
        (("--permitted", "--resolve", "example.org=93.184.215.14"), "allow"),
        (("--permitted", "--resolve", "example.org=93.184.215.14,127.0.0.1"), "deny"),
        (("--permitted", "--resolve", "example.org=169.254.169.254"), "deny"),
    ],
)
def test_check_url_judges_by_what_the_host_stands_for(
    kinet: Kinet, options: tuple[str, ...], verdict: str
) -> None:
    assert kinet("check", "url", "https://example.org/", *options).json["verdict"] == verdict


def test_check_url_names_a_resolve_it_cannot_read(kinet: Kinet) -> None:
    ran = kinet("check", "url", "https://example.org/", "--resolve", "nonsense")
    assert ran.code == 2
    assert "host=1.2.3.4" in ran.err


def test_check_rules_names_what_a_person_cannot_see(kinet: Kinet, folder: Path) -> None:
    (folder / "AGENTS.md").write_text("Be\u200b kind.\n", encoding="utf-8")
    told = kinet("check", "rules", "AGENTS.md", "--cwd", folder).json
    assert told["files"][0]["hidden"] == [{"code_point": "U+200B", "offset": 2}]
    assert "Be kind." in told["text"]
    assert told["warnings"]


def test_check_rules_of_a_missing_file_fails_in_a_sentence(kinet: Kinet, folder: Path) -> None:
    ran = kinet("check", "rules", "AGENTS.md", "--cwd", folder)
    assert ran.code == 1
    assert ran.err == "AGENTS.md cannot be read: No such file or directory.\n"
    assert json.loads(ran.out)["files"] == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal")
@pytest.mark.parametrize(
    ("typed", "code", "text", "told"),
    [
        ("y\n", 0, b"Tuesday\r\n", "Changed notes.md"),
        ("\n", 0, b"Monday\r\n", "denied"),
        ("keep it as it is\n", 0, b"Monday\r\n", "keep it as it is"),
    ],
)
def test_on_a_terminal_the_person_is_asked_and_the_answer_reaches_the_model(
    home: Path, folder: Path, typed: str, code: int, text: bytes, told: str
) -> None:
    import pty

    script = [asks_for("read_file", path="notes.md"), asks_for("edit_file", **EDIT), says("Ok.")]
    ours, theirs = pty.openpty()
    with ScriptedServer(script) as server:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "kinet", "run", "--base-url", server.base_url),
                *("--model", "scripted", "--cwd", str(folder), "move it"),
            ],
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(home),
        )
        os.close(theirs)
        killer = threading.Timer(30, process.kill)
        killer.start()
        asked = _until(process, "Allow?")
        os.write(ours, typed.encode())
        out, _ = process.communicate()
        killer.cancel()
        os.close(ours)
        said = json.dumps(server.bodies[-1])
    assert "-Monday" in asked
    assert "+Tuesday" in asked
    assert (process.returncode, out) == (code, b"Ok.\n")
    assert (folder / "notes.md").read_bytes() == text
    assert told in said


def _until(process: subprocess.Popen[bytes], word: str) -> str:
    assert process.stderr is not None
    said = b""
    while word.encode() not in said:
        piece = os.read(process.stderr.fileno(), 4096)
        assert piece, said
        said += piece
    return said.decode()


def test_a_folder_is_trusted_as_it_is_now_and_listed(kinet: Kinet, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("Use tabs.\n", encoding="utf-8")
    assert kinet("trust", "--list", "--json").json == []
    told = kinet("trust", str(folder), "--json").json
    assert told["trusted"] == ["AGENTS.md"]
    (row,) = kinet("trust", "--list", "--json").json
    assert row == {"folder": str(folder.resolve()), "trusted": True, "names": ["AGENTS.md"]}
