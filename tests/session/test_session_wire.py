"""A session of the whole program against a strict server, in every protocol."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kinet.core.events import Event, MessageCompleted, ToolFinished, TurnFinished, TurnStarted
from kinet.core.messages import Message, ToolCall
from kinet.core.profile import WireProtocol
from kinet.runtime import Runtime, create_runtime
from kinet.session.session import Session
from tests.session.conftest import collect
from tests.support.approvers import allows_everything
from tests.support.replies import Gate, asks_for, says
from tests.support.scripted_server import Recorded, ScriptedServer
from tests.support.wires import PROTOCOLS

# Models that think as long as they are told.
MODELS = {"openai": "o3", "anthropic": "claude-sonnet-4-5", "responses": "o3"}


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> WireProtocol:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server
        assert server.problems == []


@pytest.fixture
async def runtime(
    server: ScriptedServer, protocol: WireProtocol, tmp_path: Path
) -> AsyncIterator[Runtime]:
    folder = tmp_path / "work"
    folder.mkdir()
    runtime = _program(server, protocol, tmp_path)
    yield runtime
    await runtime.close()


def _program(server: ScriptedServer, protocol: WireProtocol, place: Path) -> Runtime:
    return create_runtime(
        place / "home",
        base_url=server.base_url.removesuffix("/v1" if protocol == "anthropic" else ""),
        protocol=protocol,
        model=MODELS[protocol],
        cwd=place / "work",
    )


def _said(request: Recorded) -> str:
    """All that the messages of a request say."""
    body = request.body
    return json.dumps(body.get("messages") or body["input"])


def _id_of(session: Session, text: str) -> str:
    return next(item.id for item in session.history() if item.text == text)


async def test_p22_p23_p24_an_edited_message_is_asked_without_the_branch_that_was_left(
    server, runtime
):
    server.replies(asks_for("glob", pattern="*"), says("One."), says("Two."), says("Three."))
    session = runtime.open_session()
    await collect(session.send("Ask."))
    await session.go_back(_id_of(session, "Ask."))
    await collect(session.send("Ask better."))
    assert "Ask better." in _said(server.requests[2])
    assert '"Ask."' not in _said(server.requests[2])
    assert "One." not in _said(server.requests[2])
    await session.switch_branch(_id_of(session, "Ask better."), -1)
    await collect(session.send("And then?"))
    assert "One." in _said(server.requests[3])
    assert "Ask better." not in _said(server.requests[3])


async def test_p25_a_chosen_effort_reaches_the_next_request_and_going_back_undoes_it(
    server, runtime
):
    server.replies(says("One."), says("Two."), says("Three."))
    session = runtime.open_session()
    await collect(session.send("First."))
    session.set_effort("high")
    await collect(session.send("Second."))
    await session.go_back(_id_of(session, "First."))
    await collect(session.send("Third."))
    usual, high, back = [_settings(request.body) for request in server.requests]
    assert usual == back
    assert high != usual


async def test_l14_follow_ups_run_one_at_a_time_after_the_turn_and_survive_a_restart(
    server, protocol, runtime, tmp_path
):
    gate = Gate()
    server.replies(says("One", gate, "."), says("Two."), says("Three."))
    session = runtime.open_session()

    async for event in session.send("First."):
        if getattr(event, "text", "") == "One":
            session.enqueue("Second.")
            session.enqueue("Third.")
            gate.open()
    assert [item.text for item in session.queue] == ["Second.", "Third."]
    await runtime.close()
    again = _program(server, protocol, tmp_path)
    session = again.open_session(session.id)
    assert session.state == "paused"
    assert session.take_next() is None
    (second, third) = session.queue
    session.remove_queued(second.id)
    await collect(session.send(second.text))
    assert session.take_next() == third
    await collect(session.send(third.text))
    await again.close()
    said = [_said(request) for request in server.requests]
    assert [("Second." in text, "Third." in text) for text in said] == [
        (False, False),
        (True, False),
        (True, True),
    ]


async def test_u13_a_folder_is_listed_its_symbols_found_and_a_file_deleted_and_brought_back(
    server, runtime, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    file = tmp_path / "work" / "a.py"
    file.write_text("def walk():\n    pass\n")
    server.replies(
        asks_for("list_folder").with_call("symbols", query="walk"),
        asks_for("delete_file", path="a.py"),
        says("Gone."),
    )
    approver = allows_everything()
    session = runtime.open_session()
    await collect(session.send("Tidy up.", approver))
    listed, symbols, deleted = [item.text for item in session.history() if item.role == "tool"]
    assert "a.py (21 bytes)" in listed
    assert "1: function walk" in symbols
    assert deleted == "Moved a.py to the trash."
    assert [item.question for item in approver.asked] == ["Move this file to the trash?"]
    assert not file.exists()
    assert (tmp_path / "share" / "Trash" / "files" / "a.py").is_file()
    await session.changes.undo()
    assert file.read_text() == "def walk():\n    pass\n"
    told = json.dumps(server.requests[0].body["tools"])
    for name in (
        *("read_file", "list_folder", "write_file", "edit_file", "delete_file", "shell", "glob"),
        *("shell_output", "shell_stop", "grep", "symbols", "web_fetch", "web_search", "todo"),
        *("recall_memory", "git_diff", "read_output", "dispatch_agent"),
    ):
        assert f'"{name}"' in told


def _settings(body: dict[str, object]) -> str:
    """What is asked beside the conversation."""
    keys = ("messages", "input", "system", "instructions", "tools", "prompt_cache_key")
    return json.dumps({name: value for name, value in body.items() if name not in keys})


_LOOK = ToolCall("c1", "look", '{"word": "a"}')
_BROKEN: dict[str, list[Event]] = {
    "a call without a result": [MessageCompleted(Message("assistant", "I look.", (_LOOK,)))],
    "a result without a call": [ToolFinished("c9", "look", content="x", model_content="x")],
    "a result before its call": [
        ToolFinished("c1", "look", content="x", model_content="x"),
        MessageCompleted(Message("assistant", "I look.", (_LOOK,))),
    ],
    "two results of one call": [
        MessageCompleted(Message("assistant", "I look.", (_LOOK,))),
        ToolFinished("c1", "look", content="x", model_content="x"),
        ToolFinished("c1", "look", content="y", model_content="y"),
    ],
    "one of two answered": [
        MessageCompleted(Message("assistant", "", (_LOOK, replace(_LOOK, id="c2")))),
        ToolFinished("c2", "look", content="x", model_content="x"),
    ],
    "an empty answer": [MessageCompleted(Message("assistant", ""))],
}


@pytest.mark.parametrize("ended", [True, False], ids=["ended", "killed"])
@pytest.mark.parametrize("broken", _BROKEN.values(), ids=_BROKEN)
async def test_r08_whatever_the_store_holds_the_next_request_is_legal(
    server, runtime, broken, ended
):
    """However it came there: an older version, another program's export, a torn write."""
    server.replies(says("Yes."), says("Fine."))
    session = runtime.open_session()
    await collect(session.send("First."))
    store = runtime.sessions.parts.store
    events = [
        TurnStarted(session.id, "t2", 1.0),
        MessageCompleted(Message("user", "Second.", id="t2")),
        *broken,
        *([TurnFinished("completed", at=2.0)] if ended else []),
    ]
    store.put(session.id, events).result()
    runtime.sessions._open.clear()
    again = runtime.sessions.open(session.id)
    last = (await collect(again.send("Third.")))[-1]
    assert last.reason == "completed", last.error
    said = json.dumps(server.bodies[-1])
    assert all(text in said for text in ("First.", "Second.", "Third."))
    assert server.problems == []
