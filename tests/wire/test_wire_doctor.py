"""The doctor names the cause of every bad answer that servers are known to send."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from wire_replay import ReplayServer, load_cases

from kinet.core.profile import ModelProfile
from kinet.net.client import create_client
from kinet.net.secret import Secret
from kinet.providers.doctor import Doctor, Examination

CASES = load_cases(Path(__file__).parent / "cases" / "responses")
FAILING = sorted(id_ for id_, case in CASES.items() if "error" in case["expect"])
BAD_CALLS = sorted(id_ for id_, case in CASES.items() if case["expect"].get("bad_tool_calls"))


async def examined(id_: str) -> Examination:
    case = CASES[id_]
    stall = case["request_context"].get("idle_timeout_s", 5.0)
    async with ReplayServer(CASES) as base_url, create_client() as client, asyncio.timeout(20):
        profile = ModelProfile(
            "wire", f"{base_url}/case/{id_}", "test-model", protocol=case["protocol"]
        )
        doctor = Doctor(profile, Secret("test-key"), client, stall_seconds=stall)
        return await doctor.examine()


@pytest.mark.parametrize("id_", FAILING)
async def test_a_failure_is_named_by_its_cause(id_):
    wanted = CASES[id_]["expect"]["error"]
    found = await examined(id_)
    kinds = wanted["kind"] if isinstance(wanted["kind"], list) else [wanted["kind"]]
    assert not found.ok
    assert found.cause in kinds, found
    assert wanted.get("message_has", "") in found.verdict
    assert not [text for text in wanted.get("message_lacks", ()) if text in found.verdict]
    assert found.hint
    assert any(check.state == "failed" for check in found.checks)


@pytest.mark.parametrize("id_", BAD_CALLS)
async def test_calls_that_cannot_be_run_are_named(id_):
    expect = CASES[id_]["expect"]
    found = await examined(id_)
    if all("repaired" in bad for bad in expect["bad_tool_calls"]):
        return
    states = {check.name: check.state for check in found.checks}
    assert found.ok
    assert states["tool_call"] == "failed", found
    assert found.cause == "protocol"
    assert expect["bad_tool_calls"][0]["name"] in found.verdict or "text" in found.verdict
