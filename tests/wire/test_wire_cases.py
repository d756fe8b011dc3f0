"""Every wire case through `complete`: what servers really send, and what may be sent to them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from wire_answers import check_answer
from wire_replay import ReplayServer, load_cases
from wire_rules import check_request

from kinet.core.profile import ModelProfile
from kinet.net.client import create_client
from kinet.net.secret import Secret
from kinet.providers.complete import complete

CASES = load_cases(Path(__file__).parent / "cases")
ANSWERS = sorted(id_ for id_, case in CASES.items() if "expect" in case)
REQUESTS = sorted(id_ for id_, case in CASES.items() if "expect_rules" in case)
ASK = [{"role": "user", "content": "go"}]


async def answer(base_url: str, case: dict[str, Any], document: dict[str, Any], **more: Any) -> Any:
    """What the client makes of a case."""
    settings = case.get("settings", {})
    model = settings.get("model", "test-model")
    profile = ModelProfile(
        "wire",
        f"{base_url}/case/{case['id']}{settings.get('base_url_suffix', '')}",
        model,
        protocol=case["protocol"],
        vendor=case.get("vendor", "") if "settings" in case else "",
    )
    key = Secret(settings.get("api_key", "test-key"))
    async with create_client() as client:
        out, _ = await complete(document, profile, key, retries=0, client=client, **more)
    return out


@pytest.mark.parametrize("id_", ANSWERS)
async def test_an_answer_is_understood(id_):
    case = CASES[id_]
    context = case["request_context"]
    document = {"messages": ASK, "tools": context.get("tools", [])}
    async with ReplayServer(CASES) as base_url, asyncio.timeout(context.get("must_end_within_s")):
        stall = context.get("idle_timeout_s", 10.0)
        got = await answer(base_url, case, document, stall_seconds=stall)
    assert check_answer(case["expect"], got) == []


@pytest.mark.parametrize("id_", REQUESTS)
async def test_a_request_keeps_the_rules(id_):
    case = CASES[id_]
    server = ReplayServer(CASES)
    async with server as base_url:
        messages = await history(base_url, case)
        document = {
            "messages": messages,
            "tools": case["tools"],
            "settings": {
                key: case["settings"][key]
                for key in ("max_tokens", "temperature", "top_p", "thinking")
                if key in case["settings"]
            },
        }
        await answer(base_url, case, document)
    seen = server.log[id_]
    assert check_request(case["expect_rules"], {**seen[-1], "count": len(seen)}) == []


async def history(base_url: str, case: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a case, with what the client itself made of other cases put in."""
    out: list[dict[str, Any]] = []
    ids: list[str] = []
    for message in case["messages"]:
        if "_from_case" in message:
            other = CASES[message["_from_case"]]
            tools = other["request_context"].get("tools", [])
            got = await answer(base_url, other, {"messages": ASK, "tools": tools})
            # The way through a file must not lose anything.
            message = json.loads(json.dumps(got["raw_assistant"]))
            ids += [call["id"] for call in got["tool_calls"]]
        id_ = message.get("tool_call_id", "")
        if id_.startswith("{{call_id:"):
            message = {**message, "tool_call_id": ids[int(id_[10:-2])]}
        out.append(message)
    return out
