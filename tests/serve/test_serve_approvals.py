"""kinet serve: questions reach the client, and every answer means what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.serve.conftest import Serve, new
from tests.support.rpc_client import SILENT, Error
from tests.support.scripted_server import ScriptedServer, asks_for, hangs, says


def _made(folder: Path) -> bool:
    return (folder / "made.txt").exists()


@pytest.mark.parametrize(
    ("answer", "made", "told"),
    [
        ({"decision": "allow"}, True, ""),
        ({"decision": "allow", "scope": "session"}, True, ""),
        ({"decision": "deny"}, False, ""),
        ({"decision": "deny", "reason": "use another name"}, False, "use another name"),
        # Whatever is not a clear yes is a no.
        ({"decision": "allow", "scope": "always"}, False, "could not be understood"),
        ({"decision": "yes"}, False, "could not be understood"),
        ({"decision": "allow", "until": "never"}, False, "could not be understood"),
        ({"choice": "continue"}, False, "could not be understood"),
        ({}, False, "could not be understood"),
        (None, False, "could not be understood"),
        ("allow", False, "could not be understood"),
        ([True], False, "could not be understood"),
        (Error(-32000, "the dialog broke \ud83d"), False, "the dialog broke"),
        (Error(-32601, "what?"), False, "nobody could be asked"),
    ],
)
def test_every_answer_to_a_question(
    serve: Serve, model: ScriptedServer, folder: Path, answer: Any, made: bool, told: str
) -> None:
    def answering(method: str, params: dict[str, Any]) -> Any:
        assert method == "approval/ask"
        if isinstance(answer, Error):
            raise answer
        return answer

    model.replies(asks_for("write_file", path="made.txt", content="x\n"), says("Ok."))
    client = serve(answering=answering)
    session = new(client)
    result = client.call("session/send", session_id=session, text="make it")
    assert _made(folder) is made
    request = client.asked[0]["params"]
    assert request["session_id"] == session
    # The client shows the change itself.
    assert "+x" in request["request"]["body"]
    assert request["request"]["scopes"] == ["once", "session"]
    assert told in json.dumps(model.bodies[1]["messages"][-1])
    unable = isinstance(answer, Error) and answer.code == -32601
    assert (result["reason"], result["exit_code"]) == ("completed", 5 if unable else 0)
    resolved = [e for e in client.events(session) if e["type"] == "approval_resolved"]
    assert [event["decision"] for event in resolved] == ["allow" if made else "deny"]


def test_a_client_that_cannot_answer_gets_denied(
    serve: Serve, model: ScriptedServer, folder: Path
) -> None:
    model.replies(asks_for("write_file", path="made.txt", content="x\n"), says("Then not."))
    client = serve(greeted=False)
    client.greet(approvals=False, questions=False)
    result = client.call("session/send", session_id=new(client), text="make it")
    assert (result["exit_code"], result["text"]) == (5, "Then not.")
    assert not _made(folder)
    assert client.asked == []


def test_mode_deny_asks_nobody_even_a_client_that_could(
    serve: Serve, model: ScriptedServer, folder: Path
) -> None:
    model.replies(asks_for("write_file", path="made.txt", content="x\n"), says("Then not."))
    client = serve(answering=lambda *_: {"decision": "allow"})
    session = new(client, mode="deny")
    assert client.call("session/get", session_id=session)["mode"] == "deny"
    assert client.call("session/send", session_id=session, text="make it")["exit_code"] == 5
    assert client.asked == []
    client.call("session/set", session_id=session, mode="ask")
    model.replies(asks_for("write_file", path="made.txt", content="x\n"))
    assert client.call("session/send", session_id=session, text="now")["exit_code"] == 0
    assert _made(folder)


def test_a_message_never_allows_more_than_the_command_line(serve: Serve, folder: Path) -> None:
    client = serve()
    with pytest.raises(Error, match="--approve edits"):
        client.call("session/new", mode="edits")
    session = new(client, mode="plan")
    with pytest.raises(Error, match="--approve all"):
        client.call("session/set", session_id=session, mode="all")
    wide = serve("--no-save", "--approve", "edits")
    assert wide.call("session/get", session_id=new(wide))["mode"] == "edits"
    assert wide.call("session/get", session_id=new(wide, mode="ask"))["mode"] == "ask"


@pytest.mark.parametrize(
    "field", ["base_url", "api_key_env", "unsandboxed", "trust", "approve", "data_dir"]
)
def test_no_message_names_an_address_a_key_or_trust(serve: Serve, field: str) -> None:
    with pytest.raises(Error, match=f"{field} is not known here") as told:
        serve().call("session/new", **{field: "x"})
    assert told.value.code == -32602


def test_some_hunks_of_an_edit(serve: Serve, model: ScriptedServer, folder: Path) -> None:
    lines = [f"line {number}\n" for number in range(40)]
    (folder / "long.txt").write_text("".join(lines))
    edits = [
        {"old_string": "line 3\n", "new_string": "line three\n"},
        {"old_string": "line 33\n", "new_string": "line thirty-three\n"},
    ]
    model.replies(
        asks_for("read_file", path="long.txt"),
        asks_for("edit_file", path="long.txt", edits=edits),
        says("Ok."),
    )
    client = serve(answering=lambda *_: {"decision": "allow", "hunks": [2]})
    client.call("session/send", session_id=new(client), text="number them")
    written = (folder / "long.txt").read_text()
    assert "line 3\n" in written
    assert "line thirty-three" in written


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"answer": "blue"}, "blue"),
        ({"answer": ""}, "(no answer)"),
        ({}, "(no answer)"),
        ({"answer": 3}, "(no answer)"),
        (Error(-32000, "closed"), "(no answer)"),
    ],
)
def test_a_question_of_the_model_is_answered_in_words(
    serve: Serve, model: ScriptedServer, said: Any, told: str
) -> None:
    def answering(method: str, params: dict[str, Any]) -> Any:
        assert (method, params["question"]) == ("question/ask", "Which colour?")
        assert params["choices"] == ["red", "blue"]
        if isinstance(said, Error):
            raise said
        return said

    model.replies(asks_for("ask_user", question="Which colour?", choices=["red", "blue"]))
    client = serve(answering=answering)
    client.call("session/send", session_id=new(client), text="paint it")
    assert model.bodies[1]["messages"][-1]["content"] == told


def test_no_question_is_offered_to_a_model_whose_client_cannot_answer(
    serve: Serve, model: ScriptedServer
) -> None:
    client = serve(greeted=False)
    client.greet(questions=False)
    client.call("session/send", session_id=new(client), text="hello")
    names = [tool["function"]["name"] for tool in model.bodies[0]["tools"]]
    assert "ask_user" not in names
    assert "read_file" in names


@pytest.mark.parametrize(("choice", "reason"), [("continue", "completed"), ("stop", "budget")])
def test_a_spent_budget_is_asked_about_with_its_choices(
    serve: Serve, model: ScriptedServer, choice: str, reason: str
) -> None:
    model.replies(
        asks_for("read_file", path="notes.md").counting(900_000, 100),
        says("Read.").counting(900_000, 5),
    )
    client = serve("--budget", "0.001", answering=lambda *_: {"choice": choice})
    result = client.call("session/send", session_id=new(client), text="read")
    question = client.asked[0]["params"]["request"]
    assert question["kind"] == "budget"
    assert choice in [item["name"] for item in question["choices"]]
    assert result["reason"] == reason
    assert result["exit_code"] == {"completed": 0, "budget": 4}[reason]


def test_a_plain_yes_to_a_question_with_choices_is_no_answer(
    serve: Serve, model: ScriptedServer
) -> None:
    model.replies(asks_for("read_file", path="notes.md").counting(900_000, 100))
    client = serve("--budget", "0.001", answering=lambda *_: {"decision": "allow"})
    result = client.call("session/send", session_id=new(client), text="read")
    assert result["reason"] == "budget"
    assert "answered by a choice" in client.errors


def test_a_stop_takes_the_open_question_back(
    serve: Serve, model: ScriptedServer, folder: Path
) -> None:
    model.replies(asks_for("write_file", path="made.txt", content="x\n"), hangs())
    client = serve(answering=lambda *_: SILENT)
    session = new(client)
    turn = client.ask("session/send", session_id=session, text="make it")
    client.wait(lambda: bool(client.asked) and "approval_requested" in client.types(session))
    assert client.call("session/get", session_id=session)["state"] == "waiting"
    client.call("session/stop", session_id=session)
    assert client.answer(turn)["reason"] == "stopped"
    taken = [item for item in client.told if item["method"] == "$/cancelRequest"]
    assert [item["params"]["id"] for item in taken] == [client.asked[0]["id"]]
    # An answer that comes too late does nothing.
    client.write({"jsonrpc": "2.0", "id": client.asked[0]["id"], "result": {"decision": "allow"}})
    assert client.call("session/get", session_id=session)["state"] == "idle"
    assert not _made(folder)
