"""kinet serve: turns of sessions, as a client asks for them and hears of them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kinet.serve.methods import METHODS
from tests.cli.conftest import environment
from tests.serve.conftest import Serve, new
from tests.support.rpc_client import Error
from tests.support.scripted_server import Gate, ScriptedServer, asks_for, fails, hangs, says

# What differs between two runs of one script: ids, times, and the session that tells of itself.
_VARYING = (
    "id",
    "_id",
    "turn_id",
    "session_id",
    "call_id",
    "at",
    "duration_s",
    "thought_s",
    "segments",
)


def _script() -> list[Any]:
    return [
        asks_for("read_file", path="notes.md").thinking("First I look."),
        asks_for("edit_file", path="notes.md", old_string="Monday", new_string="Tuesday"),
        asks_for("shell", command="touch made.txt"),
        says("It is ", "Tuesday – 火曜日."),
    ]


def test_a_served_turn_tells_the_same_events_as_kinet_run(
    serve: Serve, model: ScriptedServer, folder: Path, tmp_path: Path
) -> None:
    model.replies(*_script())
    (tmp_path / "person2").mkdir()
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "kinet", "run", "--json", "--approve", "edits"),
            *("--base-url", model.base_url, "--model", "scripted", "move it"),
        ],
        env=environment(tmp_path / "person2" / "home"),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 5, ran.stderr
    told = [json.loads(line) for line in ran.stdout.decode().splitlines()]
    (folder / "notes.md").write_bytes(b"# Notes\n\nMonday: bank\n")
    requests = len(model.requests)
    model.replies(*_script())
    client = serve("--approve", "edits", greeted=False)
    client.greet(approvals=False, questions=False)
    session = new(client)
    result = client.call("session/send", session_id=session, text="move it")
    assert _alike(client.events(session)) == _alike(told)
    first, second = model.bodies[:requests], model.bodies[requests:]
    assert [body["tools"] for body in first] == [body["tools"] for body in second]
    assert (result["reason"], result["exit_code"]) == ("completed", ran.returncode)
    assert result["text"] == "It is Tuesday – 火曜日."


def _alike(events: list[dict[str, Any]]) -> list[Any]:
    """The events without what differs between two runs of one script."""

    def plain(value: Any) -> Any:
        match value:
            case dict():
                return {k: plain(v) for k, v in value.items() if k not in _VARYING}
            case list():
                return [plain(item) for item in value]
            case str():
                return re.sub(r"call_\d+|T?\d\d:\d\d\S*", "", value)
            case _:
                return value

    kept = [event for event in events if event["type"] != "tool_progress"]
    for event in kept:
        if event["type"] in ("message_completed", "step_finished"):
            # Made of ids and times too.
            event["usage"] = None
            event["cost"] = event["cached"] = None
    return [plain(event) for event in kept]


def test_a_turn_is_answered_when_it_has_ended_with_reason_and_figures(
    serve: Serve, model: ScriptedServer
) -> None:
    model.replies(
        asks_for("read_file", path="notes.md").counting(1000, 20), says("Read.").counting(1100, 5)
    )
    client = serve()
    session = new(client)
    result = client.call("session/send", session_id=session, text="read")
    assert (result["reason"], result["error"], result["exit_code"]) == ("completed", None, 0)
    assert (result["text"], result["steps"]) == ("Read.", 2)
    assert (result["usage"]["tokens_in"], result["usage"]["tokens_out"]) == (2100, 25)
    assert result["cost"] > 0
    events = client.events(session)
    assert events[0]["type"] == "turn_started"
    assert (events[0]["session_id"], events[0]["turn_id"]) == (session, result["turn_id"])
    # The answer came behind the last event.
    assert events[-1]["type"] == "turn_finished"


def test_a_failed_turn_is_a_result_with_the_reason(serve: Serve, model: ScriptedServer) -> None:
    model.replies(fails(401))
    client = serve()
    result = client.call("session/send", session_id=new(client), text="hello")
    assert (result["reason"], result["exit_code"]) == ("failed", 1)
    assert result["error"]["kind"] == "auth"
    assert result["error"]["message"]


def test_stop_ends_a_stream_and_the_socket_at_the_server(
    serve: Serve, model: ScriptedServer
) -> None:
    model.replies(hangs("Once upon"))
    client = serve()
    session = new(client)
    turn = client.ask("session/send", session_id=session, text="tell me")
    client.wait(lambda: "text_delta" in client.types(session))
    assert client.call("session/stop", session_id=session) == {"was_running": True}
    assert model.requests[0].closed.wait(10)
    result = client.answer(turn)
    assert (result["reason"], result["exit_code"]) == ("stopped", 3)
    assert client.types(session)[-1] == "turn_finished"
    kept = [event["message"] for event in client.events(session) if "message" in event]
    assert kept[-1]["content"] == "Once upon"
    assert client.call("session/stop", session_id=session) == {"was_running": False}
    assert client.call("session/send", session_id=session, text="go on")["reason"] == "completed"


def test_a_cancelled_request_stops_its_turn_and_is_answered_as_cancelled(
    serve: Serve, model: ScriptedServer
) -> None:
    model.replies(hangs("Once upon"))
    client = serve()
    session = new(client)
    turn = client.ask("session/send", session_id=session, text="tell me")
    client.wait(lambda: "text_delta" in client.types(session))
    client.notify("$/cancelRequest", id=turn)
    with pytest.raises(Error) as told:
        client.answer(turn)
    assert told.value.code == -32800
    # It was stored before it was answered.
    assert client.events(session)[-1]["reason"] == "stopped"
    assert model.requests[0].closed.wait(10)


def test_a_second_message_is_refused_with_a_way_out_and_the_first_goes_on(
    serve: Serve, model: ScriptedServer
) -> None:
    gate = Gate()
    model.replies(says("One", gate, "."))
    client = serve()
    session = new(client)
    turn = client.ask("session/send", session_id=session, text="one")
    client.wait(lambda: "text_delta" in client.types(session))
    second = client.ask("session/send", session_id=session, text="two")
    with pytest.raises(Error, match="queue/add") as told:
        client.answer(second)
    assert told.value.data == {"kind": "busy"}
    client.notify("$/cancelRequest", id=second)
    gate.open()
    assert client.answer(turn)["text"] == "One."


def test_the_queue_goes_on_by_itself_and_steering_reaches_the_next_step(
    serve: Serve, model: ScriptedServer
) -> None:
    gate = Gate()
    model.replies(
        says(gate).with_call("read_file", path="notes.md"),
        says("First."),
        says("Second."),
        says("Third."),
    )
    client = serve()
    session = new(client)
    turn = client.ask("session/send", session_id=session, text="one")
    assert model.wait_for_requests(1)
    waiting = client.call("queue/add", session_id=session, text="two")
    gone = client.call("queue/add", session_id=session, text="never")
    client.call("queue/add", session_id=session, text="three")
    steering = client.call("session/steer", session_id=session, text="and be short")
    assert steering["steering"]
    stands = client.call("session/get", session_id=session)
    assert stands["state"] == "running"
    assert [item["text"] for item in stands["queue"]] == ["and be short", "two", "never", "three"]
    assert stands["queue"][1]["message_id"] == waiting["message_id"]
    assert client.call("queue/remove", session_id=session, message_id=gone["message_id"])["removed"]
    gate.open()
    assert client.answer(turn)["text"] == "First."
    client.wait(lambda: client.types(session).count("turn_finished") == 3)
    said = [
        event["message"]["content"]
        for event in client.events(session)
        if event["type"] == "message_completed" and event["message"]["role"] == "assistant"
    ]
    assert said[-3:] == ["First.", "Second.", "Third."]
    assert "and be short" in json.dumps(model.bodies[1]["messages"])
    with pytest.raises(Error, match="No turn is running"):
        client.call("session/steer", session_id=session, text="late")


def test_the_queue_rests_after_a_stop_until_it_is_told_to_go_on(
    serve: Serve, model: ScriptedServer
) -> None:
    model.replies(hangs("One"), says("Two."), says("Three."))
    client = serve()
    session = new(client)
    turn = client.ask("session/send", session_id=session, text="one")
    client.wait(lambda: "text_delta" in client.types(session))
    first = client.call("queue/add", session_id=session, text="two")
    client.call("queue/add", session_id=session, text="three")
    client.call("session/stop", session_id=session)
    assert client.answer(turn)["reason"] == "stopped"
    stands = client.call("session/get", session_id=session)
    assert (stands["state"], len(stands["queue"])) == ("paused", 2)
    begun = client.call("queue/run", session_id=session, message_id=first["message_id"])
    assert begun == {"begun": True}
    assert client.call("queue/run", session_id=session, message_id="nowhere") == {"begun": False}
    client.wait(lambda: client.types(session).count("turn_finished") == 2)


def test_a_message_that_waits_for_nothing_is_sent_at_once(
    serve: Serve, model: ScriptedServer
) -> None:
    client = serve()
    session = new(client)
    client.call("queue/add", session_id=session, text="now")
    client.wait(lambda: "turn_finished" in client.types(session))


def test_file_changes_are_shown_taken_back_and_made_again(
    serve: Serve, model: ScriptedServer, folder: Path
) -> None:
    model.replies(
        asks_for("read_file", path="notes.md"),
        asks_for("edit_file", path="notes.md", old_string="Monday", new_string="Tuesday"),
        says("Done."),
    )
    client = serve("--approve", "edits")
    session = new(client)
    turn = client.call("session/send", session_id=session, text="move")["turn_id"]
    assert "Tuesday" in (folder / "notes.md").read_text()
    shown = client.call("session/undo", session_id=session, dry_run=True)
    assert (shown["turn_id"], shown["files"][0]["path"]) == (turn, "notes.md")
    assert "+Monday" in shown["diff"]
    done = client.call("session/undo", session_id=session, turn_id=turn)
    assert (done["done"], done["changed"]) == (["notes.md"], [])
    assert "Monday" in (folder / "notes.md").read_text()
    assert client.call("session/redo", session_id=session)["done"] == ["notes.md"]
    (folder / "notes.md").write_text("mine\n")
    asked = client.call("session/undo", session_id=session)
    assert asked["done"] == []
    assert asked["changed"][0]["path"] == "notes.md"
    assert "keep" in asked["changed"][0]["answers"]
    assert asked["changed"][0]["answers"] == ["keep", "restore"]
    # What is not offered is no answer.
    again = client.call("session/undo", session_id=session, changed={"notes.md": "merge"})
    assert (again["done"], again["failed"]) == ([], {})
    assert again["changed"] == asked["changed"]
    changed = {"notes.md": "keep"}
    assert client.call("session/undo", session_id=session, changed=changed)["kept"] == ["notes.md"]
    assert (folder / "notes.md").read_text() == "mine\n"


def test_every_result_has_the_fields_that_are_described(
    serve: Serve, model: ScriptedServer, folder: Path
) -> None:
    model.replies(
        asks_for("read_file", path="notes.md"),
        asks_for("edit_file", path="notes.md", old_string="Monday", new_string="Tuesday"),
        says("Done."),
        hangs("On"),
    )
    client = serve("--approve", "edits")
    described = {method.name: set(method.gives) for method in METHODS}
    found: dict[str, set[str]] = {}

    def called(method: str, **given: Any) -> Any:
        result = client.call(method, **given)
        found[method] = set(result)
        return result

    of = {"session_id": called("session/new")["session_id"]}
    turn = called("session/send", **of, text="move it")["turn_id"]
    for method in ("session/undo", "session/redo", "session/get", "session/open", "session/events"):
        called(method, **of)
    called("session/set", **of, title="Moved")
    called("session/list")
    client.ask("session/send", **of, text="go on")
    client.wait(lambda: client.types(of["session_id"])[-1] == "text_delta")
    called("session/steer", **of, text="shortly")
    called("queue/add", **of, text="later")
    waiting = called("queue/add", **of, text="never")
    called("queue/remove", **of, message_id=waiting["message_id"])
    called("session/stop", **of)
    head = client.call("session/get", **of)["queue"][0]["message_id"]
    called("queue/run", **of, message_id=head)
    client.wait(lambda: client.types(of["session_id"]).count("turn_finished") == 4)
    called("session/back", **of, turn_id=turn)
    called("session/close", **of)
    assert found == described


def test_a_session_goes_on_in_the_next_kinet_serve(
    serve: Serve, model: ScriptedServer, folder: Path
) -> None:
    model.replies(says("The first."), says("The second."), says("Another."))
    client = serve()
    session = new(client, cwd=str(folder), title="Weekdays", effort="low", preset="chat")
    client.call("session/send", session_id=session, text="one")
    assert client.end() == 0
    client = serve()
    rows = client.call("session/list")["sessions"]
    assert [(row["id"], row["title"], row["folder"]) for row in rows] == [
        (session, "Weekdays", str(folder))
    ]
    opened = client.call("session/open", session_id=session)
    assert (opened["effort"], opened["preset"], opened["cwd"]) == ("low", "chat", str(folder))
    page = client.call("session/events", session_id=session, limit=2)
    types = [event["type"] for event in page["events"]]
    assert (len(types), page["next"]) == (2, 2)
    rest = client.call("session/events", session_id=session, offset=2)
    assert (page["total"], rest["next"]) == (2 + len(rest["events"]), None)
    assert "The first." in json.dumps(rest["events"])
    turn = client.call("session/send", session_id=session, text="two")["turn_id"]
    assert "The first." in json.dumps(model.bodies[1]["messages"])
    client.call("session/back", session_id=session, turn_id=turn)
    client.call("session/send", session_id=session, text="two again")
    assert "The second." not in json.dumps(model.bodies[2]["messages"])


def test_a_closed_session_can_be_opened_again(serve: Serve, model: ScriptedServer) -> None:
    model.replies(hangs("One"))
    client = serve()
    session = new(client)
    turn = client.ask("session/send", session_id=session, text="one")
    client.wait(lambda: "text_delta" in client.types(session))
    assert client.call("session/close", session_id=session) == {}
    assert client.answer(turn)["reason"] == "stopped"
    with pytest.raises(Error, match="is not open"):
        client.call("session/send", session_id=session, text="two")
    assert client.call("session/open", session_id=session)["state"] == "idle"
    assert client.call("session/send", session_id=session, text="two")["reason"] == "completed"


def test_twenty_sessions_side_by_side_keep_apart(
    serve: Serve, model: ScriptedServer, folder: Path
) -> None:
    gate = Gate()
    model.replies(*[says("A", gate, "nd.") for _ in range(20)])
    client = serve()
    sessions = [new(client) for _ in range(20)]
    turns = [
        client.ask("session/send", session_id=session, text=f"number {number}")
        for number, session in enumerate(sessions)
    ]
    # All of them are under way before the first may end.
    assert model.wait_for_requests(20)
    gate.open()
    results = [client.answer(turn) for turn in turns]
    assert {result["reason"] for result in results} == {"completed"}
    assert len({result["turn_id"] for result in results}) == 20
    for number, session in enumerate(sessions):
        events = client.events(session)
        assert events[0]["session_id"] == session
        assert f"number {number}" in json.dumps(events)
        assert [event["type"] for event in events].count("turn_finished") == 1


def test_files_are_attached_by_their_absolute_paths(
    serve: Serve, model: ScriptedServer, folder: Path
) -> None:
    client = serve()
    session = new(client)
    notes = str(folder / "notes.md")
    client.call("session/send", session_id=session, text="see", attachments=[notes])
    assert "Monday: bank" in json.dumps(model.bodies[0]["messages"])
    client.call("queue/add", session_id=session, text="see again", attachments=[notes])
    client.wait(lambda: client.types(session).count("turn_finished") == 2)
    assert "Monday: bank" in json.dumps(model.bodies[1]["messages"][-1])
    gate = Gate()
    model.replies(says("I look", gate).with_call("read_file", path="notes.md"))
    (folder / "plan.md").write_text("Tuesday: rest")
    client.ask("session/send", session_id=session, text="a third time")
    assert model.wait_for_requests(3)
    plan = str(folder / "plan.md")
    waiting = client.call("session/steer", session_id=session, text="this too", attachments=[plan])
    assert waiting["attachments"] == ["plan.md"]
    gate.open()
    client.wait(lambda: client.types(session).count("turn_finished") == 3)
    assert "Tuesday: rest" in json.dumps(model.bodies[3]["messages"][-1])
    for name, said in (("notes.md", "absolute"), (str(folder / "none"), "No such file")):
        with pytest.raises(Error, match=said):
            client.call("session/send", session_id=session, text="see", attachments=[name])
    assert len(model.requests) == 4


def test_nothing_is_kept_without_saving(serve: Serve, model: ScriptedServer, home: Path) -> None:
    client = serve("--no-save")
    session = new(client)
    assert client.call("session/send", session_id=session, text="one")["reason"] == "completed"
    # Another one on the same folder is not in its way.
    assert serve("--no-save").call("session/list") == {"sessions": []}
    assert client.end() == 0
    assert not list(home.rglob("*.db"))
    assert not (home / "owner.json").exists()
