"""Other instances of the kinds of the wire cases, understood like those."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from sibling_answers import answers
from sibling_calls import calls
from sibling_failures import failures
from sibling_messages import messages
from wire_answers import check_answer

from kinet.core.profile import ModelProfile
from kinet.providers.complete import complete
from kinet.providers.doctor import Doctor

ANSWERS = {**answers(), **calls(), **messages()}
FAILURES = failures()
ASK = [{"role": "user", "content": "go"}]


def answering(body: bytes, step: int, status: int = 200, **headers: str) -> httpx.AsyncClient:
    """A client whose server sends this body in pieces of `step` bytes (0: at once)."""

    async def pieces() -> Any:
        size = step or len(body) or 1
        for at in range(0, len(body), size):
            yield body[at : at + size]

    def handle(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, headers=headers, content=pieces())

    return httpx.AsyncClient(transport=httpx.MockTransport(handle))


async def understood(protocol: Any, body: str, step: int, status: int = 200, **headers: str) -> Any:
    """What the program makes of a body."""
    profile = ModelProfile("s", "http://server.test/v1", "m", protocol=protocol)
    async with answering(body.encode(), step, status, **headers) as client:
        out, _ = await complete({"messages": ASK}, profile, None, retries=0, client=client)
    return out


@pytest.mark.parametrize("name", ANSWERS)
async def test_another_answer_of_a_known_kind_is_understood_however_it_is_cut(name):
    protocol, body, expect = ANSWERS[name]
    found = {}
    for step in (0, 1, 7):
        got = await understood(protocol, body, step)
        if problems := check_answer(expect, got):
            found[step] = problems
    assert found == {}


@pytest.mark.parametrize("name", FAILURES)
async def test_another_failure_of_a_known_kind_is_named_right(name):
    case = FAILURES[name]
    got = await understood(case.protocol, case.body, 0, case.status, **dict(case.headers))
    error = got["error"]
    assert (error["kind"], error["retryable"]) == case.kind, error["message"]
    assert case.says in error["message"]
    if case.wait is None:
        assert error["retry_after_s"] is None
    else:
        assert case.wait[0] <= error["retry_after_s"] <= case.wait[1]


@pytest.mark.parametrize("name", [n for n in FAILURES if n.startswith(("context", "key, o"))])
async def test_a_failure_in_a_good_status_is_named_like_one_with_its_own(name):
    case = FAILURES[name]
    if not case.body.startswith("{") or case.status == 413:
        pytest.skip("only an error document can come in a stream")
    got = await understood(case.protocol, f"data: {case.body}\n\n", 0)
    assert got["error"]["kind"] == case.kind[0], got["error"]["message"]


@pytest.mark.parametrize("name", FAILURES)
async def test_the_doctor_names_the_cause_of_another_failure(name):
    case = FAILURES[name]
    profile = ModelProfile("s", "http://server.test/v1", "m", protocol=case.protocol)  # type: ignore[arg-type]
    headers = dict(case.headers)
    async with answering(case.body.encode(), 0, case.status, **headers) as client:
        found = await Doctor(profile, None, client).examine()
    assert not found.ok
    assert found.cause == case.kind[0], found
    assert case.says in found.verdict
    assert found.hint
