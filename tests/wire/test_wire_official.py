"""Where the official clients are right, ours says the same of the same bytes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from wire_replay import ReplayServer, load_cases

from kinet.core.profile import ModelProfile
from kinet.net.client import create_client
from kinet.net.secret import Secret
from kinet.providers.complete import complete

pytest.importorskip("openai")
pytest.importorskip("anthropic")
from official_clients import ASK, official, same_kinds

HERE = Path(__file__).parent
CASES = load_cases(HERE / "cases" / "responses")
AGREE = json.loads((HERE / "official_agree.json").read_text())


@pytest.mark.parametrize("id_", AGREE)
async def test_ours_agrees_with_the_official_client(id_):
    case = CASES[id_]
    stall = case["request_context"].get("idle_timeout_s", 5.0)
    async with ReplayServer(CASES) as base_url, asyncio.timeout(20):
        place = f"{base_url}/case/{id_}"
        theirs = await official(case["protocol"], place, stall)
        ours = await asked(place, case, stall)
    if "error" in theirs:
        kinds = same_kinds(theirs["error"])
        assert "error" in ours, theirs
        assert not kinds or ours["error"]["kind"] in kinds, (theirs, ours)
        return
    assert "error" not in ours, (theirs, ours)
    calls = [
        (call["id"], call["name"], call["arguments"])
        for call in ours["tool_calls"]
        if not call["invalid"]
    ]
    assert ours["content"] == theirs["content"]
    assert calls == theirs["tool_calls"]
    assert ours["finish"] == theirs["finish"]
    for name in ("tokens_in", "tokens_out"):
        assert theirs[name] in (None, 0) or ours[name] == theirs[name], name


async def asked(place: str, case: dict[str, Any], stall: float) -> Any:
    """What our client makes of the case."""
    profile = ModelProfile("wire", place, "m", protocol=case["protocol"])
    async with create_client() as client:
        out, _ = await complete(
            {"messages": ASK}, profile, Secret("k"), retries=0, client=client, stall_seconds=stall
        )
    return out
