"""The scripted server of the tests keeps its own promises."""

from __future__ import annotations

import httpx

from tests.support.replies import asks_for, hangs, says
from tests.support.scripted_server import ScriptedServer
from tests.support.strict import openai_problems

USER = {"role": "user", "content": "hi"}


def test_it_plays_the_script_in_order_and_then_says_done():
    with ScriptedServer(says("One."), asks_for("grep", pattern="x")) as server:
        url = f"{server.base_url}/chat/completions"
        answers = [httpx.post(url, json={"messages": [USER]}).text for _ in range(3)]
    assert "One." in answers[0]
    assert '"grep"' in answers[1]
    assert "Done." in answers[2]
    assert len(server.bodies) == 3


def test_it_refuses_a_call_without_a_result():
    call = {"id": "a", "type": "function", "function": {"name": "x", "arguments": "{}"}}
    body = {"messages": [USER, {"role": "assistant", "content": "", "tool_calls": [call]}, USER]}
    with ScriptedServer() as server:
        answer = httpx.post(f"{server.base_url}/chat/completions", json=body)
    assert answer.status_code == 400
    assert server.problems


def test_it_notes_when_the_client_hangs_up():
    with ScriptedServer(hangs("Hello")) as server:
        url = f"{server.base_url}/chat/completions"
        with httpx.stream("POST", url, json={"messages": [USER]}) as answer:
            next(answer.iter_raw())
        assert server.requests[0].closed.wait(5)


def test_a_flag_of_our_own_is_a_problem():
    assert openai_problems({"messages": [{**USER, "_memory": True}]})
