"""Tool servers on the command line: set, listed, called, used in a run, trusted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from kinet.settings.store import SettingsStore
from tests.cli.conftest import environment
from tests.mcp.signing_server import Authority, signing_server
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


KEYCHAIN = "tests.support.file_keyring.Keyring"


@pytest.fixture(scope="module")
def guarded() -> Iterator[tuple[Authority, str]]:
    authority = Authority()
    with signing_server(authority) as port:
        yield authority, f"http://127.0.0.1:{port}/mcp"


def test_a_person_signs_in_from_a_terminal(  # type: ignore[no-untyped-def]
    kinet, home: Path, tmp_path: Path, guarded: tuple[Authority, str]
) -> None:
    authority, url = guarded
    env = {
        "PYTHON_KEYRING_BACKEND": KEYCHAIN,
        "KINET_TEST_KEYCHAIN": str(tmp_path / "keychain.json"),
    }
    SettingsStore(home).set("mcp.servers", {"docs": {"url": url}})
    call = ("tool", "docs__add", '{"a": 1, "b": 2}', "--approve", "all", "--unsandboxed")
    ran = kinet(*call, env=env)
    assert ran.code == 1
    assert "wants you to sign in first" in ran.err
    assert "kinet servers sign-in docs" in ran.err
    assert authority.clients == {}, "nobody asked for it"
    with subprocess.Popen(
        [sys.executable, "-m", "kinet", "servers", "sign-in", "docs"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(home, **env),
        text=True,
    ) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        link = next(line.strip() for line in lines if line.startswith("http"))
        httpx.get(link, follow_redirects=True, trust_env=False)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert out.strip().startswith("Signed in to docs at 127.0.0.1:")
    said = out + err
    secrets = [*authority.access, *authority.refresh]
    assert secrets
    assert not any(secret in said for secret in secrets)
    ran = kinet(*call, env=env)
    assert (ran.code, ran.json["content"]) == (0, "3")
    listed = kinet("servers", "list", env=env).out
    assert listed.startswith("docs  (signed in at 127.0.0.1:")
    ended = kinet("servers", "sign-out", "docs", env=env)
    assert ended.out == "Signed out of docs.\n"
    assert authority.revoked
    assert "sign-in" not in (tmp_path / "keychain.json").read_text()
    written = "".join(
        path.read_text(errors="replace") for path in home.rglob("*") if path.is_file()
    )
    assert not any(secret in written for secret in secrets)


def test_a_sign_in_without_a_keychain_is_refused_in_words(  # type: ignore[no-untyped-def]
    kinet, home: Path
) -> None:
    SettingsStore(home).set("mcp.servers", {"docs": {"url": "http://127.0.0.1:9999/mcp"}})
    ran = kinet("servers", "sign-in", "docs")
    assert ran.code == 1
    assert "no keychain that answers. A sign-in is kept nowhere else." in ran.err
