"""kinet serve: however its client ends, turns stop, everything is stored, no child is left."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, environment
from tests.serve.conftest import Serve, new
from tests.support.rpc_client import PATIENCE, RpcClient
from tests.support.scripted_server import Gate, ScriptedServer, asks_for, hangs, says

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")


def _until(holds: Callable[[], bool], what: str) -> None:
    """Other processes tell nobody when they end: they are looked at."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"not in time: {what}"
        time.sleep(0.02)


def _sleepers(seconds: str) -> list[str]:
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (place / "cmdline").read_bytes().split(b"\0")
            if words[:2] == [b"sleep", seconds.encode()]:
                found.append(place.name)
    return found


def _working(client: RpcClient, seconds: str) -> tuple[str, int]:
    """A session whose command sleeps, and the id of the request of its turn."""
    session = new(client)
    turn = client.ask("session/send", session_id=session, text="sleep")
    _until(lambda: bool(_sleepers(seconds)), "the command runs")
    return session, turn


def test_the_end_of_stdin_stops_turns_stores_them_and_ends_children(
    serve: Serve, model: ScriptedServer
) -> None:
    model.replies(asks_for("shell", command="sleep 71234"), says("Then that."))
    client = serve(answering=lambda *_: {"decision": "allow"})
    session, turn = _working(client, "71234")
    client.close_stdin()
    # Whoever still reads gets the last answers.
    assert client.answer(turn)["reason"] == "stopped"
    assert client.end() == 0
    assert _sleepers("71234") == []
    client = serve()
    client.call("session/open", session_id=session)
    events = client.call("session/events", session_id=session)["events"]
    assert (events[-1]["type"], events[-1]["reason"]) == ("turn_finished", "stopped")
    assert client.call("session/send", session_id=session, text="go on")["text"] == "Then that."


@pytest.mark.parametrize("word", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order_with_exit_code_3(
    serve: Serve, model: ScriptedServer, word: signal.Signals
) -> None:
    number = f"7230{int(word)}"
    model.replies(asks_for("shell", command=f"sleep {number}"), hangs())
    client = serve(answering=lambda *_: {"decision": "allow"})
    _, turn = _working(client, number)
    client.process.send_signal(word)
    assert client.answer(turn)["exit_code"] == 3
    assert client.end() == 3
    assert _sleepers(number) == []


def test_a_question_that_is_open_is_closed_by_the_end(
    serve: Serve, model: ScriptedServer, folder: Path
) -> None:
    from tests.support.rpc_client import SILENT

    model.replies(asks_for("write_file", path="made.txt", content="x"), hangs())
    client = serve(answering=lambda *_: SILENT)
    session = new(client)
    turn = client.ask("session/send", session_id=session, text="make it")
    client.wait(lambda: bool(client.asked))
    client.close_stdin()
    assert client.answer(turn)["reason"] == "stopped"
    assert client.end() == 0
    assert not (folder / "made.txt").exists()


KILLED = """
import json, subprocess, sys
served = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(served.pid, flush=True)
def call(id, method, **params):
    line = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    served.stdin.write(json.dumps(line).encode() + b"\\n")
    served.stdin.flush()
def heard():
    return json.loads(served.stdout.readline())
call(1, "initialize", capabilities={"approvals": True})
heard()
call(2, "session/new")
session = heard()["result"]["session_id"]
print(session, flush=True)
call(3, "session/send", session_id=session, text="sleep")
while True:
    message = heard()
    if message.get("method") == "approval/ask":
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": {"decision": "allow"}}
        served.stdin.write(json.dumps(answer).encode() + b"\\n")
        served.stdin.flush()
"""


def test_a_client_that_is_killed_leaves_nothing_running_and_all_stored(
    serve: Serve, model: ScriptedServer, home: Path, folder: Path
) -> None:
    model.replies(asks_for("shell", command="sleep 73456"), hangs())
    command = [sys.executable, "-m", "kinet", "serve", "--stdio"]
    client = subprocess.Popen(
        [
            *(sys.executable, "-c", KILLED, *command),
            *("--base-url", model.base_url, "--model", "scripted"),
        ],
        env=environment(home),
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert client.stdout is not None
    served = int(client.stdout.readline())
    session = client.stdout.readline().strip()
    _until(lambda: bool(_sleepers("73456")), "the command runs")
    client.kill()
    client.wait()
    _until(lambda: not _alive(served), "kinet serve ends")
    _until(lambda: not _sleepers("73456"), "the command ends")
    after = serve()
    after.call("session/open", session_id=session)
    events = after.call("session/events", session_id=session)["events"]
    assert (events[-1]["type"], events[-1]["reason"]) == ("turn_finished", "stopped")


def _alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _deaf(client: RpcClient, text: str) -> str:
    """A session with a turn, of a client that reads no more than it must; its id."""
    for number, method in enumerate(("initialize", "session/new")):
        client.write({"jsonrpc": "2.0", "id": number, "method": method})
    assert client.process.stdout is not None
    client.process.stdout.readline()
    session: str = json.loads(client.process.stdout.readline())["result"]["session_id"]
    send = {"session_id": session, "text": text}
    client.write({"jsonrpc": "2.0", "id": "s", "method": "session/send", "params": send})
    return session


def _hung_up(model: ScriptedServer, number: int = 0) -> bool:
    """Also in the middle of what the model says, or before its first word."""
    request = model.requests[number]
    return request.closed.is_set() or request.answered_at is not None


def test_a_turn_goes_on_and_is_stored_while_nobody_reads_and_can_still_be_stopped(
    serve: Serve, model: ScriptedServer
) -> None:
    # More than a pipe holds, as events; little for a model.
    much = [f"word {number}, " for number in range(1_000)]
    model.replies(
        says(*much).with_call("read_file", path="notes.md"), says(*much[:1]), hangs("And then")
    )
    client = serve(reads=False)
    session = _deaf(client, "tell me all")
    assert model.wait_for_requests(2)
    add = {"session_id": session, "text": "more"}
    client.write({"jsonrpc": "2.0", "id": "q", "method": "queue/add", "params": add})
    assert model.wait_for_requests(3)
    stop = {"session_id": session}
    client.write({"jsonrpc": "2.0", "id": "x", "method": "session/stop", "params": stop})
    _until(lambda: _hung_up(model, 2), "the model's server hears of it")
    client.start_reading()
    assert client.answer("x") == {"was_running": True}
    assert client.answer("s")["reason"] == "completed"
    # Nothing was left out, and all in its order.
    told = "".join(e["text"] for e in client.events(session) if e["type"] == "text_delta")
    assert told.startswith("".join(much))
    assert client.types(session).count("turn_finished") == 2


def test_a_turn_that_waits_for_its_client_is_stopped_at_once(
    serve: Serve, model: ScriptedServer, home: Path
) -> None:
    home.mkdir()
    (home / "settings.json").write_text(json.dumps({"limits": {"screen_kb": 0}}))
    # Far more than pipe, sockets and Kinet may hold of it.
    pieces = [f"{number} " + "words " * 10_000 for number in range(600)]
    model.replies(says(*pieces))
    client = serve(reads=False)
    session = _deaf(client, "tell me all")
    assert model.wait_for_requests(1)
    _until(lambda: _resting(client.process.pid), "it waits")
    assert not _hung_up(model)
    stop = {"session_id": session}
    client.write({"jsonrpc": "2.0", "id": "x", "method": "session/stop", "params": stop})
    _until(lambda: _hung_up(model), "the model's server hears of it")
    client.start_reading()
    assert client.answer("x") == {"was_running": True}
    assert client.answer("s")["reason"] == "stopped"
    told = "".join(e["text"] for e in client.events(session) if e["type"] == "text_delta")
    page = client.call("session/events", session_id=session)
    (kept,) = [e["message"] for e in page["events"] if e.get("partial")]
    assert kept["content"] == told
    assert "".join(pieces).startswith(told)


def _resting(process: int) -> bool:
    """True if it uses no time any more, after it used some."""

    def used() -> int:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    before = used()
    time.sleep(0.2)
    return used() <= before + 1


def test_a_client_that_never_reads_and_goes_ends_it_too(
    serve: Serve, model: ScriptedServer
) -> None:
    model.replies(hangs("so many words " * 10_000))
    client = serve(reads=False)
    _deaf(client, "tell me all")
    assert model.wait_for_requests(1)
    client.close_stdin()
    assert client.process.wait(PATIENCE) == 0
    _until(lambda: _hung_up(model), "the model's server hears of it")


def test_a_closed_stdout_ends_it(serve: Serve, model: ScriptedServer) -> None:
    gate = Gate()
    model.replies(says("One", gate, "two"))
    client = serve(reads=False)
    _deaf(client, "tell me")
    assert gate.reached.wait(PATIENCE)
    assert client.process.stdout is not None
    client.process.stdout.close()
    gate.open()
    assert client.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("closed", ["0<&-", "1>&-"])
def test_without_stdin_or_stdout_it_says_what_it_needs(
    home: Path, folder: Path, closed: str
) -> None:
    ran = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m kinet serve --stdio {closed}', sys.executable],
        env=environment(home),
        cwd=folder,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr.decode().strip() == "kinet serve --stdio needs an open stdin and stdout."


def test_files_serve_as_stdin_and_stdout(
    home: Path, folder: Path, model: ScriptedServer, tmp_path: Path
) -> None:
    asked, told = tmp_path / "asked.jsonl", tmp_path / "told.jsonl"
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize"},
        {"jsonrpc": "2.0", "id": 2, "method": "session/list"},
    ]
    # The last line has no end.
    asked.write_text("\n".join(json.dumps(line) for line in lines))
    with asked.open("rb") as source, told.open("wb") as target:
        ran = subprocess.run(
            [sys.executable, "-m", "kinet", "serve", "--stdio"],
            env=environment(home),
            cwd=folder,
            stdin=source,
            stdout=target,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert (ran.returncode, ran.stderr) == (0, b"")
    answers = [json.loads(line) for line in told.read_text().splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2]


def test_what_else_prints_goes_to_stderr(home: Path, folder: Path) -> None:
    program = (
        "import os, sys, threading\n"
        "from kinet.serve.stdio import own_stdio\n"
        "lines = own_stdio()\n"
        "print('a stray word')\n"
        "os.system('echo a stray child; cat')\n"
        "import asyncio\n"
        "print(asyncio.run(lines.hear()).text, flush=True)\n"
        "asyncio.run(lines.tell('a message'))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(home),
        cwd=ROOT,
        input=b"a request\n",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.stdout == b"a message\n"
    assert b"a stray word" in ran.stderr
    assert b"a stray child" in ran.stderr
    # A child does not eat what the client says.
    assert b"a request" in ran.stderr


def test_the_protocol_is_described_by_the_tables_that_serve_it(home: Path, folder: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "kinet", "serve", "--describe"],
        env=environment(home),
        cwd=folder,
        capture_output=True,
        timeout=60,
        check=False,
    )
    told = json.loads(ran.stdout)
    assert ran.returncode == 0
    assert told["methods"]["session/send"]["params"]["required"] == ["session_id", "text"]
    assert told["events"]["text_delta"] == ["text"]
    assert set(told["asked_of_the_client"]) == {"approval/ask", "question/ask"}
    assert not home.joinpath("kinet.db").exists()
    assert os.listdir(folder) == ["notes.md"]
