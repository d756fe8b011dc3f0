"""Tool servers on the command line: set, listed, called, used in a run, trusted."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.replies import asks_for, says
from tests.support.scripted_server import ScriptedServer

ODD = Path(__file__).parents[1] / "mcp" / "odd_server.py"
ENTRY = {"command": sys.executable, "args": [str(ODD)]}


def as_text(**servers: Any) -> str:
    return json.dumps(servers)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    return place


def test_servers_are_kept_as_they_were_given(kinet) -> None:  # type: ignore[no-untyped-def]
    assert kinet("config", "set", "mcp.servers", as_text(odd=ENTRY)).code == 0
    assert kinet("config", "get", "mcp.servers").json == {"odd": ENTRY}
    # The form in which other programs keep their lists is understood too.
    other = json.dumps({"mcpServers": {"two": {"url": "https://a.example/mcp"}}})
    assert kinet("config", "set", "mcp.servers", other).code == 0
    assert list(kinet("config", "get", "mcp.servers").json) == ["two"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("{", "not JSON"),
        ("[]", "holds names with their entries"),
        ('{"a b": {"command": "x"}}', "cannot be the name of a server"),
        ('{"a": {"cmd": "x"}}', "has neither command nor url"),
        ('{"a": {"command": "x", "args": "y"}}', "args has to be a list"),
        ('{"a": {"command": "x", "env": {"API_KEY": "abcdefgh"}}}', "no keychain"),
        ('{"a": {"command": "x", "args": ["--token", "abcdefgh"]}}', "looks like a key"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_changed(  # type: ignore[no-untyped-def]
    kinet, value: str, words: str
) -> None:
    kinet("config", "set", "mcp.servers", as_text(odd=ENTRY))
    ran = kinet("config", "set", "mcp.servers", value)
    assert ran.code != 0
    assert words in ran.err
    assert "abcdefgh" not in ran.err
    assert kinet("config", "get", "mcp.servers").json == {"odd": ENTRY}


def test_a_secret_goes_to_the_keychain(kinet, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    kept = tmp_path / "keychain.json"
    env = {
        "PYTHON_KEYRING_BACKEND": "tests.support.file_keyring.Keyring",
        "KINET_TEST_KEYCHAIN": str(kept),
    }
    entry = {"command": sys.executable, "args": [str(ODD)], "env": {"API_KEY": "very secret value"}}
    assert kinet("config", "set", "mcp.servers", as_text(odd=entry), env=env).code == 0
    told = kinet("config", "get", "mcp.servers", env=env)
    assert told.json["odd"]["env"] == {"API_KEY": "${keychain}"}
    assert "secret" in kept.read_text()
    ran = kinet("tool", "odd__echo", '{"text": "hi"}', "--approve", "all", "--unsandboxed", env=env)
    assert ran.json["content"] == "hi"
    # What the server is given is what was kept.
    lost = kinet("tool", "odd__echo", '{"text": "hi"}', "--approve", "all", "--unsandboxed")
    assert "The value of API_KEY is not in the keychain" in lost.err


def test_tools_of_servers_are_listed_and_called(kinet, folder: Path) -> None:  # type: ignore[no-untyped-def]
    kinet("config", "set", "mcp.servers", as_text(odd=ENTRY, bad={"command": "not-there-at-all"}))
    listed = kinet("tool", "--list", "--cwd", folder)
    assert listed.code == 0
    names = [row["name"] for row in listed.json]
    assert "odd__echo" in names
    assert names == sorted(names)
    assert "The server bad cannot be used: There is no program not-there-at-all." in listed.err
    allowed = ("--approve", "all", "--unsandboxed", "--cwd", folder)
    ran = kinet("tool", "odd__echo", '{"text": "grüß"}', *allowed)
    assert (ran.code, ran.json["content"]) == (0, "grüß")
    # Another server is not started for it.
    assert ran.err == ""
    assert kinet("tool", "odd__echo", '{"text": "x"}', "--cwd", folder).code == 5
    wrong = kinet("tool", "odd__echo", '{"txt": "x"}', *allowed)
    assert (wrong.code, wrong.json["is_error"]) == (1, True)
    assert "text is missing" in wrong.json["content"]
    missing = kinet("tool", "odd__nothing", "{}", *allowed)
    assert missing.code == 1
    assert "There is no tool 'odd__nothing'" in missing.json["content"]
    dead = kinet("tool", "odd__die", "{}", *allowed)
    assert "exit code 7" in dead.json["content"]


def test_a_run_has_the_tools_in_its_first_request(kinet, folder: Path) -> None:  # type: ignore[no-untyped-def]
    kinet("config", "set", "mcp.servers", as_text(odd=ENTRY))
    with ScriptedServer(asks_for("odd__echo", text="hi"), says("Done.")) as model:
        base = ("--base-url", model.base_url, "--model", "m", "--json", "--cwd", folder)
        ran = kinet("run", "x", *base, "--approve", "all", "--unsandboxed")
        model.replies(asks_for("odd__echo", text="hi"), says("Done."))
        denied = kinet("run", "x", *base)
    (done,) = [event for event in ran.events if event["type"] == "tool_finished"]
    assert (ran.code, done["content"], done["name"]) == (0, "hi", "odd__echo")
    assert denied.code == 5


def test_a_folders_servers_run_only_when_trusted(kinet, folder: Path) -> None:  # type: ignore[no-untyped-def]
    listing = {"mcpServers": {"brought": {**ENTRY, "env": {"MY": "${HOME}", "A": "b"}}}}
    (folder / ".mcp.json").write_text(json.dumps(listing))

    def names(*options: str) -> list[str]:
        ran = kinet("tool", "--list", "--cwd", folder, *options)
        return [row["name"] for row in ran.json if "__" in row["name"]]

    assert names() == []
    assert "brought__echo" in names("--trust")
    shown = kinet("trust", folder)
    assert str(ODD) in shown.out
    assert "MY from your HOME" in shown.out
    assert "brought__echo" in names()
    listing["mcpServers"]["more"] = {"command": "x"}
    (folder / ".mcp.json").write_text(json.dumps(listing))
    assert names() == []
    with ScriptedServer(says("Done.")) as model:
        kinet("run", "x", "--base-url", model.base_url, "--model", "m", "--cwd", folder)
        tools = [tool["function"]["name"] for tool in model.bodies[0]["tools"]]
    assert not [name for name in tools if "__" in name]
