"""kinet serve beside others on one data folder: passed on, taken over, nothing lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kinet.store.lock import InstanceLock
from tests.cli.conftest import environment
from tests.serve.conftest import Serve, new
from tests.support.rpc_client import Error
from tests.support.scripted_server import Gate, ScriptedServer, asks_for, hangs, says


def _run(home: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "kinet", *words],
        env=environment(home, QT_QPA_PLATFORM="offscreen"),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_two_clients_share_a_folder_and_each_keeps_its_own_options(
    serve: Serve, model: ScriptedServer, folder: Path
) -> None:
    model.replies(
        asks_for("write_file", path="made.txt", content="x\n"),
        says("Made."),
        asks_for("write_file", path="other.txt", content="x\n"),
        says("Not made."),
    )
    first = serve("--approve", "edits")
    second = serve(answering=lambda *_: {"decision": "deny"})
    one, two = new(first), new(second)
    assert second.call("session/get", session_id=two)["mode"] == "ask"
    assert first.call("session/send", session_id=one, text="make")["text"] == "Made."
    assert second.call("session/send", session_id=two, text="make")["text"] == "Not made."
    assert (folder / "made.txt").exists()
    assert not (folder / "other.txt").exists()
    # Events go to those who asked for them.
    assert first.events(two) == second.events(one) == []
    assert second.types(two)[-1] == "turn_finished"
    ids = {row["id"] for row in first.call("session/list")["sessions"]}
    assert ids == {one, two}
    for client, theirs in ((first, two), (second, one)):
        with pytest.raises(Error, match=r"works on this session|open in another Kinet"):
            client.call("session/open", session_id=theirs)
    second.call("session/close", session_id=two)
    assert first.call("session/open", session_id=two)["state"] == "idle"
    assert second.end() == 0


def test_many_that_start_at_once_all_serve(serve: Serve, model: ScriptedServer) -> None:
    clients = [serve(greeted=False) for _ in range(5)]
    for client in clients:
        client.greet()
    sessions = [new(client) for client in clients]
    for client, session in zip(clients, sessions, strict=True):
        result = client.call("session/send", session_id=session, text="hello")
        assert result["reason"] == "completed"


def test_a_passed_on_client_speaks_the_same_protocol(serve: Serve, model: ScriptedServer) -> None:
    serve()
    client = serve(greeted=False)
    with pytest.raises(Error, match="initialize"):
        client.call("session/list")
    client.greet()
    client.raw(b"broken\n")
    assert client.next_answer()["error"]["code"] == -32700
    client.raw(b'{"a": "\xff"}\n')
    assert client.next_answer()["error"]["code"] == -32700
    client.raw(b"x" * 17_000_000 + b"\n")
    assert client.next_answer()["error"]["code"] == -32700
    text = 'both "quoted" and 火 \\ '
    client.call("session/send", session_id=new(client), text=text * 1000)
    assert text * 1000 in model.bodies[0]["messages"][-1]["content"]
    model.replies(hangs("One"))
    session = new(client)
    turn = client.ask("session/send", session_id=session, text="one")
    client.wait(lambda: "text_delta" in client.types(session))
    client.close_stdin()
    assert client.answer(turn)["reason"] == "stopped"
    assert client.end() == 0


def test_when_the_holder_ends_the_other_takes_over_with_its_sessions(
    serve: Serve, model: ScriptedServer, folder: Path
) -> None:
    model.replies(says("Stored."), says("Went on."), says("Began."))
    holder = serve()
    client = serve()
    stored = new(client, mode="plan")
    client.call("session/send", session_id=stored, text="one")
    unsent = new(client, title="Not sent yet", cwd=str(folder), effort="low")
    assert holder.end() == 0
    assert client.call("session/get", session_id=stored)["mode"] == "plan"
    kept = client.call("session/get", session_id=unsent)
    assert (kept["title"], kept["effort"], kept["cwd"]) == ("Not sent yet", "low", str(folder))
    assert client.call("session/send", session_id=stored, text="two")["text"] == "Went on."
    assert "Stored." in json.dumps(model.bodies[1]["messages"])
    assert client.call("session/send", session_id=unsent, text="begin")["text"] == "Began."
    with pytest.raises(Error, match="before"):
        client.call("initialize")
    # It holds the folder itself now, and others reach it.
    assert serve().call("session/list")["sessions"]


def test_a_holder_whose_client_has_gone_lets_the_turns_of_others_end(
    serve: Serve, model: ScriptedServer, home: Path, folder: Path
) -> None:
    gate = Gate()
    model.replies(says("One", gate, "."), hangs("Mine"))
    holder, client = serve(), serve()
    session = new(client)
    turn = client.ask("session/send", session_id=session, text="one")
    client.wait(lambda: "text_delta" in client.types(session))
    own = holder.ask("session/send", session_id=new(holder), text="mine")
    assert model.wait_for_requests(2)
    # A window would not get the folder now, nor after this.
    holder.close_stdin()
    assert holder.answer(own)["reason"] == "stopped"
    ran = _run(home, folder)
    assert "is at work" in ran.stderr.decode()
    assert holder.process.poll() is None
    gate.open()
    assert client.answer(turn)["text"] == "One."
    assert holder.end() == 0
    assert client.call("session/get", session_id=session)["state"] == "idle"


def test_a_holder_that_is_killed_is_told_in_one_sentence(
    serve: Serve, model: ScriptedServer
) -> None:
    holder = serve()
    client = serve()
    new(client)
    holder.process.kill()
    assert client.process.wait(30) == 1
    assert client.errors.startswith("The Kinet that held the data folder ended without a word.")


def test_other_commands_are_done_while_it_serves(
    serve: Serve, model: ScriptedServer, home: Path, folder: Path
) -> None:
    model.replies(says("Here."), says("From the command."))
    client = serve()
    session = new(client)
    client.call("session/send", session_id=session, text="one")
    options = ("--base-url", model.base_url, "--model", "scripted")
    ran = _run(home, folder, "run", *options, "two")
    assert (ran.returncode, ran.stdout.decode()) == (0, "From the command.\n")
    assert _run(home, folder, "memory", "add", "Uses tabs").returncode == 0
    refused = _run(home, folder, "run", *options, "--session", session, "three")
    assert refused.returncode == 1
    assert "open in another Kinet" in refused.stderr.decode()
    assert len(client.call("session/list")["sessions"]) == 2


def test_a_window_does_not_take_the_folder_from_a_turn(
    serve: Serve, model: ScriptedServer, home: Path, folder: Path
) -> None:
    model.replies(hangs("One"))
    client = serve()
    session = new(client)
    turn = client.ask("session/send", session_id=session, text="one")
    client.wait(lambda: "text_delta" in client.types(session))
    ran = _run(home, folder)
    said = ran.stderr.decode().strip()
    assert ran.returncode == 1
    assert str(client.process.pid) in said
    assert said.endswith("Open the window when its turn has ended.")
    client.call("session/stop", session_id=session)
    assert client.answer(turn)["reason"] == "stopped"


def test_a_folder_whose_holder_does_not_answer_is_one_sentence(home: Path, folder: Path) -> None:
    home.mkdir()
    lock = InstanceLock(home)
    lock.acquire()
    try:
        (home / "owner.json").write_text('{"port": 9, "token": "old"}', encoding="utf-8")
        ran = _run(home, folder, "serve", "--stdio")
    finally:
        lock.release()
    assert ran.returncode == 1
    assert ran.stderr.decode().startswith("Another Kinet")
    assert len(ran.stderr.decode().strip().splitlines()) == 1
