"""A live key is found nowhere but in its header, wherever a server or a fault puts it."""

from __future__ import annotations

import base64
import json
import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import Kinet, Ran
from tests.support.replies import Reply, asks_for, says
from tests.support.scripted_server import ScriptedServer

KEY = "canary-9f2b7c51e8d046a3/+x=="
FORMS = (
    KEY,
    base64.b64encode(KEY.encode()).decode().rstrip("="),
    json.dumps(KEY)[1:-1],
    KEY.replace("/", "%2F").replace("+", "%2B").replace("=", "%3D"),
)
PROTOCOLS = ("openai", "anthropic", "responses")


def asked(kinet: Kinet, server: ScriptedServer, protocol: str, *more: str) -> Ran:
    base_url = server.base_url.removesuffix("/v1") if protocol == "anthropic" else server.base_url
    endpoint = ("--base-url", base_url, "--model", "scripted", "--protocol", protocol)
    return kinet("run", "Go.", *endpoint, "--api-key-env", "PINE_KEY", *more, env={"PINE_KEY": KEY})


def assert_clean(home: Path, *ran: Ran) -> None:
    """No form of the key in what was printed, nor in any file of the data folder."""
    for one in ran:
        for form in FORMS:
            assert form not in one.out + one.err
    for path in home.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert not [form for form in FORMS if form.encode() in data], path


def refusing(status: int, body: str, **headers: str) -> Reply:
    return Reply(status=status, body=body, headers=headers)


WORDS = (
    f"Incorrect API key provided: {KEY}; bad header Authorization: Bearer {KEY}; "
    f"see https://server.test/help?key={FORMS[3]}; debug {FORMS[1]}"
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_server_that_repeats_the_key_in_its_error(
    kinet: Kinet, home: Path, protocol: str
) -> None:
    body = json.dumps({"error": {"message": WORDS, "type": "invalid_request_error"}})
    with ScriptedServer(refusing(401, body)) as server:
        ran = asked(kinet, server, protocol, "--json")
    assert ran.code == 1
    headers = server.requests[0].headers
    assert KEY in (headers.get("x-api-key") or headers["authorization"])
    assert KEY not in server.requests[0].path
    assert_clean(home, ran)


def test_a_server_that_repeats_the_key_in_plain_words(kinet: Kinet, home: Path) -> None:
    with ScriptedServer(refusing(400, WORDS)) as server:
        ran = asked(kinet, server, "openai")
    assert "The server refused" in ran.err
    assert_clean(home, ran)


def test_an_address_that_holds_the_key(kinet: Kinet, home: Path) -> None:
    ran = kinet(
        "run",
        "Go.",
        *("--base-url", f"http://127.0.0.1:9/v1?key={KEY}", "--model", "m"),
        *("--api-key-env", "PINE_KEY", "--json"),
        env={"PINE_KEY": KEY},
    )
    assert ran.code == 1
    assert_clean(home, ran)


def test_what_a_command_is_given_and_prints(kinet: Kinet, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    command = "env && set"
    with ScriptedServer(asks_for("shell", command=command), says("Done.")) as server:
        ran = asked(
            kinet,
            server,
            "openai",
            "--json",
            "--approve",
            "all",
            "--unsandboxed",
            "--cwd",
            str(folder),
        )
    result = next(e for e in ran.events if e["type"] == "tool_finished")
    assert "PATH=" in result["content"]
    assert "PINE_KEY" not in result["content"]
    assert_clean(home, ran)
    assert KEY not in json.dumps(server.bodies)


def test_no_export_and_no_database_holds_it(kinet: Kinet, home: Path) -> None:
    with ScriptedServer(says("Fine.")) as server:
        ran = asked(kinet, server, "openai", "--json")
    id_ = ran.events[0]["session_id"]
    formats = [
        kinet("sessions", "export", id_, "--format", name)
        for name in ("md", "html", "json", "jsonl")
    ]
    assert [one.code for one in formats] == [0, 0, 0, 0]
    assert_clean(home, ran, *formats)
    database = next(path for path in home.iterdir() if path.suffix in (".db", ".sqlite"))
    with sqlite3.connect(database) as connection:
        assert KEY not in "\n".join(connection.iterdump())


def test_a_bare_call_and_the_doctor(kinet: Kinet, home: Path) -> None:
    body = json.dumps({"error": {"message": f"no such key {KEY}"}})
    with ScriptedServer(refusing(401, body), refusing(401, body), refusing(401, body)) as server:
        endpoint = ("--base-url", server.base_url, "--model", "m", "--api-key-env", "PINE_KEY")
        document = json.dumps({"messages": [{"role": "user", "content": "x"}]})
        given = {"PINE_KEY": KEY}
        call = kinet("complete", *endpoint, given=document, env=given)
        dry = kinet("complete", *endpoint, "--dry-run", given=document, env=given)
        doctor = kinet("doctor", *endpoint, "--json", env=given)
    assert (call.code, dry.code, doctor.code) == (1, 0, 1)
    assert "***" in dry.out
    assert_clean(home, call, dry, doctor)


def test_a_fault_of_our_own_is_written_without_it(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from kinet.cli.main import _report_fault
    from kinet.net.redact import register
    from kinet.net.secret import Secret

    monkeypatch.setenv("KINET_HOME", str(home))
    register(Secret(KEY))
    try:
        raise ValueError(f"cannot use {KEY}")
    except ValueError as fault:
        _report_fault(ValueError, fault, fault.__traceback__)
    said = capsys.readouterr()
    assert list((home / "logs").iterdir())
    assert_clean(home, Ran(1, said.out, said.err))
