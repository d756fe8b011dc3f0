"""kinet run: the same engine without a window, against a strict server in both protocols."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Kinet, environment
from tests.support.replies import Cut, Gate, Reply, asks_for, says
from tests.support.scripted_server import ScriptedServer

PROTOCOLS = ("openai", "anthropic")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "notes.md").write_bytes(b"# Notes\r\n\r\nMonday: bank\r\n")
    (place / "AGENTS.md").write_text("Write short sentences.\n")
    return place


def endpoint(server: ScriptedServer, protocol: str = "openai") -> list[str]:
    base_url = server.base_url.removesuffix("/v1") if protocol == "anthropic" else server.base_url
    return ["--base-url", base_url, "--model", "scripted", "--protocol", protocol]


def two_rounds() -> list[Reply]:
    return [
        asks_for("read_file", path="notes.md"),
        asks_for("edit_file", path="notes.md", old_string="Monday", new_string="Tuesday"),
        says("Done: ", "it is Tuesday."),
    ]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_two_rounds_of_tools_and_a_text_make_three_requests(
    kinet: Kinet, folder: Path, protocol: str
) -> None:
    kinet("memory", "add", "Speaks German")
    with ScriptedServer(*two_rounds()) as server:
        ran = kinet(
            "run", *endpoint(server, protocol), "--cwd", folder, "--approve", "edits", "move it"
        )
        bodies, problems = server.bodies, server.problems
    assert (ran.code, ran.out) == (0, "Done: it is Tuesday.\n")
    assert problems == []
    assert len(bodies) == 3
    assert (folder / "notes.md").read_bytes() == b"# Notes\r\n\r\nTuesday: bank\r\n"
    assert '"_memory"' not in json.dumps(bodies)
    first = json.dumps(bodies[0]["messages"])
    assert first.index("Speaks German") < first.index("move it")
    systems = [_system(body, protocol) for body in bodies]
    assert len(set(systems)) == 1
    assert "Write short sentences." in systems[0]
    assert "Speaks German" not in systems[0]


def _system(body: dict[str, object], protocol: str) -> str:
    if protocol == "anthropic":
        return json.dumps(body["system"])
    messages = body["messages"]
    assert isinstance(messages, list)
    assert messages[0]["role"] == "system"
    return json.dumps(messages[0])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_system_bytes_stay_while_memory_changes_between_turns(
    kinet: Kinet, folder: Path, protocol: str
) -> None:
    kinet("memory", "add", "Lives in Oslo")
    script = [*two_rounds()[:1], says("One."), says("Two.")]
    with ScriptedServer(*script) as server:
        kinet("run", *endpoint(server, protocol), "--cwd", folder, "the first")
        kinet("memory", "add", "Speaks German")
        kinet("run", *endpoint(server, protocol), "--cwd", folder, "--continue", "the second")
        bodies, problems = server.bodies, server.problems
    assert problems == []
    assert len({_system(body, protocol) for body in bodies}) == 1
    for body in bodies:
        words = json.dumps(body["messages"])
        assert words.count("Lives in Oslo") == 1
        assert words.index("Lives in Oslo") < words.index("the first")
        assert '"_memory"' not in json.dumps(body)
    assert "Speaks German" not in json.dumps(bodies[1])
    words = json.dumps(bodies[2]["messages"])
    places = [words.index(word) for word in ("Speaks German", "the first", "One.", "the second")]
    assert places == sorted(places)
    if protocol == "openai":
        roles = [message["role"] for message in bodies[2]["messages"]]
        assert roles == ["system", "user", "user", "assistant", "tool", "assistant", "user"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_prompt_that_begins_with_a_mark_is_text_and_runs_nothing(
    kinet: Kinet, folder: Path, protocol: str
) -> None:
    with ScriptedServer(says("I see.")) as server:
        ran = kinet("run", *endpoint(server, protocol), "--cwd", folder, "!touch made.txt")
        bodies = server.bodies
    assert (ran.code, ran.out) == (0, "I see.\n")
    assert "!touch made.txt" in json.dumps(bodies[0])
    assert not (folder / "made.txt").exists()


def test_json_gives_an_event_a_line_from_turn_started_to_turn_finished(
    kinet: Kinet, folder: Path
) -> None:
    with ScriptedServer(*two_rounds()) as server:
        ran = kinet(
            "run", *endpoint(server), "--cwd", folder, "--approve", "all", "--json", "move it"
        )
    kinds = [event["type"] for event in ran.events]
    assert kinds[0] == "turn_started"
    assert ran.events[0]["session_id"]
    assert kinds.count("step_started") == kinds.count("step_finished") == 3
    assert "files_changed" in kinds
    assert ran.events[-1]["type"] == "turn_finished"
    assert ran.events[-1]["reason"] == "completed"


def test_text_and_json_and_both_protocols_leave_equal_histories(kinet: Kinet, folder: Path) -> None:
    exports = []
    for protocol in PROTOCOLS:
        for extra in ([], ["--json"]):
            (folder / "notes.md").write_text("Monday: bank\n")
            with ScriptedServer(*two_rounds()) as server:
                kinet(
                    *("run", *endpoint(server, protocol), "--cwd", folder, "--approve", "edits"),
                    *(*extra, "move it"),
                )
            newest = kinet("sessions", "list", "--json").json[0]["id"]
            rows = kinet("sessions", "export", newest, "--format", "jsonl").events
            exports.append([_without_ids(row) for row in rows])
    assert len(exports[0]) == 6
    assert all(export == exports[0] for export in exports[1:])


def _without_ids(row: dict[str, object]) -> dict[str, object]:
    text = json.dumps({key: value for key, value in row.items() if not key.startswith("_")})
    row = json.loads(text)
    row.pop("tool_call_id", None)
    for call in row.get("tool_calls", []):  # type: ignore[attr-defined]
        call.pop("id")
        call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return row


def test_a_call_that_nobody_can_allow_ends_in_exit_5_and_the_turn_goes_on(
    kinet: Kinet, folder: Path
) -> None:
    before = (folder / "notes.md").read_bytes()
    with ScriptedServer(*two_rounds()) as server:
        ran = kinet("run", *endpoint(server), "--cwd", folder, "move it")
        told = json.dumps(server.bodies[-1])
    assert ran.code == 5
    assert "Done" in ran.out
    assert "nobody could be asked" in told
    assert (folder / "notes.md").read_bytes() == before


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_l07_without_anyone_to_ask_a_turn_that_goes_in_circles_stops_with_exit_4(
    kinet: Kinet, folder: Path, protocol: str
) -> None:
    with ScriptedServer(asks_for("read_file", path="notes.md") for _ in range(30)) as server:
        ran = kinet("run", *endpoint(server, protocol), "--cwd", folder, "--json", "Go on.")
        requests = len(server.bodies)
    last = json.loads(ran.out.splitlines()[-1])
    assert (last["type"], last["reason"]) == ("turn_finished", "no_progress")
    assert ran.code == 4
    assert requests == 6


def test_the_step_limit_ends_in_exit_4(kinet: Kinet, folder: Path) -> None:
    def endless() -> Iterator[Reply]:
        for number in range(1000):
            yield asks_for("read_file", path="notes.md", offset=1, limit=number + 1)

    with ScriptedServer(endless()) as server:
        ran = kinet("run", *endpoint(server), "--cwd", folder, "--max-steps", "3", "look")
        assert len(server.bodies) <= 5
    assert ran.code == 4
    # Said once, though it is a notice and the end.
    assert ran.err.count("limit") == 1
    assert "The limit of 3 steps was reached" in ran.err


def test_the_task_comes_from_stdin_and_may_hold_anything(kinet: Kinet, folder: Path) -> None:
    with ScriptedServer(says("Ja.")) as server:
        ran = kinet("run", *endpoint(server), "--cwd", folder, given="Grüße ".encode() + b"\xff")
        sent = json.dumps(server.bodies[0], ensure_ascii=False)
    assert ran.code == 0
    assert "Grüße \ufffd" in sent


def test_an_attached_text_reaches_the_model(kinet: Kinet, folder: Path) -> None:
    with ScriptedServer(says("Seen.")) as server:
        kinet("run", *endpoint(server), "--attach", folder / "notes.md", "--", "what is it")
        assert "Monday: bank" in json.dumps(server.bodies[0])


def test_no_memory_no_rules_and_no_save_leave_nothing(
    kinet: Kinet, folder: Path, home: Path
) -> None:
    kinet("memory", "add", "Speaks German")
    with ScriptedServer(says("Ok.")) as server:
        ran = kinet(
            *("run", *endpoint(server), "--cwd", folder),
            *("--no-memory", "--no-rules", "--no-save", "hello there"),
        )
        sent = json.dumps(server.bodies[0])
    assert ran.code == 0
    assert "Speaks German" not in sent
    assert "short sentences" not in sent
    assert kinet("sessions", "list", "--json").json == []
    assert not any(b"hello there" in path.read_bytes() for path in home.rglob("*.*"))


def test_ctrl_c_stops_the_turn_keeps_the_text_and_gives_exit_3(folder: Path, home: Path) -> None:
    gate = Gate()
    with ScriptedServer(says("Half a thought", gate, " and the rest.")) as server:
        process = subprocess.Popen(
            [sys.executable, "-m", "kinet", "run", *endpoint(server), "--cwd", folder, "go"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(home),
        )
        assert process.stdout is not None
        assert process.stdout.read(len("Half a thought")) == b"Half a thought"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert server.requests[0].closed.wait(5)
    assert process.returncode == 3, err
    assert b"Traceback" not in err
    kept = subprocess.run(
        [sys.executable, "-m", "kinet", "run", "--continue", "--json", "x"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(home),
        cwd=folder,
        check=False,
    )
    assert kept.returncode == 1
    listed = subprocess.run(
        [sys.executable, "-m", "kinet", "sessions", "search", "Half", "--json"],
        capture_output=True,
        env=environment(home),
        cwd=ROOT,
        check=True,
    )
    assert "Half a thought" in listed.stdout.decode()


@contextmanager
def raw_server(answer: bytes) -> Iterator[str]:
    """Answers every request with these bytes as an HTML page."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()


def refusal(kind: str, message: str) -> str:
    return json.dumps({"error": {"type": kind, "message": message}})


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(status=401, body=refusal("auth", "Incorrect API key provided")), "auth"),
        (Reply(status=404, body=refusal("nf", "The model `scripted` does not exist")), ""),
        (says("Half", Cut()), ""),
    ],
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_a_server_does_wrong_is_told_with_what_to_do(
    kinet: Kinet, folder: Path, reply: Reply, kind: str, protocol: str
) -> None:
    with ScriptedServer(reply, reply) as server:
        ran = kinet("run", *endpoint(server, protocol), "--cwd", folder, "--json", "keep me")
    end = ran.events[-1]
    assert ran.code == 1
    assert (end["type"], end["reason"]) == ("turn_finished", "failed")
    assert end["error"]["message"]
    assert end["error"]["hint"]
    assert kind in end["error"]["kind"]
    assert ran.err == ""
    session = kinet("sessions", "list", "--json").json[0]["id"]
    assert "keep me" in kinet("sessions", "show", session).out


def test_a_page_instead_of_an_answer_is_named(kinet: Kinet, folder: Path) -> None:
    with raw_server(b"<html><title>Sign in to Wi-Fi</title></html>") as base_url:
        ran = kinet("run", "--base-url", base_url, "--model", "m", "--cwd", folder, "hello")
    assert ran.code == 1
    assert ran.err.strip()
    assert "<html" not in ran.err


def test_an_address_where_nobody_listens_is_named(kinet: Kinet, folder: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kinet("config", "set", "network.retries", "0")
    base_url = f"http://127.0.0.1:{port}/v1"
    ran = kinet("run", "--base-url", base_url, "--model", "m", "--cwd", folder, "hello")
    assert ran.code == 1
    assert str(port) in ran.err


def test_arguments_that_are_no_json_are_told_to_the_model(kinet: Kinet, folder: Path) -> None:
    from tests.support.replies import Call

    broken = Reply(calls=(Call("read_file", '{"path": "notes', "c1"),))
    with ScriptedServer(broken, says("Sorry.")) as server:
        ran = kinet("run", *endpoint(server), "--cwd", folder, "read it")
        told = json.dumps(server.bodies[-1]["messages"][-1])
    assert (ran.code, server.problems) == (0, [])
    assert "not one whole JSON object" in told


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--model", "m", "hi"), 1, "No model is chosen"),
        (("--base-url", "http://127.0.0.1:1/v1", "hi"), 1, "needs a model"),
        (("--profile", "nobody", "hi"), 1, "There is no profile 'nobody'"),
        (("--profile", "Guided tour", "--preset", "nope", "hi"), 1, "Presets: default"),
        (("--profile", "Guided tour", "--cwd", "/nowhere/at/all", "hi"), 1, "/nowhere/at/all"),
        (("--profile", "Guided tour", "--session", "nope", "hi"), 1, "There is no session"),
        (("--profile", "Guided tour", "hi", "--attach", "/nowhere/x.txt"), 1, "/nowhere/x.txt"),
        (("--profile", "Guided tour"), 2, "what is to be done"),
        (("--approve", "sometimes", "hi"), 2, "--approve"),
    ],
)
def test_what_cannot_begin_is_said_in_a_sentence(
    kinet: Kinet, arguments: tuple[str, ...], code: int, said: str
) -> None:
    ran = kinet("run", *arguments)
    assert ran.code == code
    assert said in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_with_json_the_failure_is_the_last_event_too(kinet: Kinet) -> None:
    ran = kinet("run", "--json", "--profile", "nobody", "hi")
    assert ran.code == 1
    assert ran.events[-1]["type"] == "turn_finished"
    assert "nobody" in ran.events[-1]["error"]["message"]
    assert "nobody" in ran.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_read_permission_is_named(kinet: Kinet, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    ran = kinet("run", "--profile", "Guided tour", "--cwd", closed, "hi")
    assert ran.code == 1
    assert str(closed) in ran.err


def test_a_data_folder_that_cannot_be_made_is_named(kinet: Kinet, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = str(tmp_path / "file" / "home")
    ran = kinet("run", "--profile", "Guided tour", "hi", env={"KINET_HOME": place})
    assert ran.code == 1
    assert place in ran.err


def test_a_data_folder_in_use_is_named_and_reading_still_works(
    kinet: Kinet, home: Path, folder: Path
) -> None:
    gate = Gate()
    with ScriptedServer(says("First", gate)) as server:
        process = subprocess.Popen(
            [sys.executable, "-m", "kinet", "run", *endpoint(server), "--cwd", folder, "go"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=environment(home),
        )
        assert server.wait_for_requests(1)
        ran = kinet("run", *endpoint(server), "--cwd", folder, "me too")
        listed = kinet("sessions", "list", "--json")
        gate.open()
        assert process.wait(20) == 0
    assert ran.code == 1
    assert "uses the data folder" in ran.err
    assert listed.code == 0
    assert len(listed.json) == 1


def test_the_guided_tour_runs_here_too(kinet: Kinet, folder: Path) -> None:
    ran = kinet("run", "--profile", "Guided tour", "--cwd", folder, "Read notes.md")
    assert ran.code == 0
    assert "Monday: bank" in ran.out
    assert "the steps were real" in ran.out


def test_a_terminal_is_told_question_place_change_and_reason() -> None:
    from kinet.core.approval import ApprovalRequest
    from kinet.headless import _question

    edit = ApprovalRequest(
        *("1", "c", "edit_file", "edit", "Edit this file?"),
        body="@@ -1 +1 @@\n-a\n+b",
        folder="/work",
        targets=("/work/notes.md",),
        reason="it gives orders to programs",
    )
    lines = _question(edit).strip().splitlines()
    assert lines[0] == "Edit this file?"
    assert "  /work/notes.md" in lines
    assert "  +b" in lines
    assert "  It gives orders to programs" in lines
