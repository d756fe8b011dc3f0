"""kinet doctor: what works, what does not, and what to save, in a process of its own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.conftest import Kinet
from tests.support.replies import asks_for, asks_raw, fails, says
from tests.support.scripted_server import ScriptedServer

OSLO = asks_for("get_weather", city="Oslo").counting(1_500)
BOTH = asks_for("get_weather", city="Oslo").with_call("get_weather", city="Lima")
COUNTS = says("one, ", "two, ", "three")


def examined(kinet: Kinet, server: ScriptedServer, *more: str) -> Any:
    options = ["--base-url", server.base_url, "--model", "scripted", "--json", *more]
    return kinet("doctor", *options)


def states(ran: Any) -> dict[str, str]:
    return {check["name"]: check["state"] for check in ran.json["checks"]}


def test_a_server_that_can_everything(kinet: Kinet) -> None:
    script = (COUNTS, OSLO, BOTH.counting(1_520, cache_read=1_400))
    with ScriptedServer(*script) as server:
        ran = examined(kinet, server)
    found = states(ran)
    assert (ran.code, ran.json["ok"], ran.json["cause"]) == (0, True, None)
    assert found.pop("window") == "unknown"
    assert set(found.values()) == {"ok"}
    assert ran.json["models"] == ["scripted"]
    assert ran.json["profile"]["base_url"] == server.base_url
    assert server.problems == []


def test_what_a_server_lacks_is_said_one_by_one(kinet: Kinet) -> None:
    plain = says("one two").without_usage()
    with ScriptedServer(plain, OSLO.without_usage(), OSLO.without_usage()) as server:
        ran = examined(kinet, server)
    found = states(ran)
    assert (ran.code, found["usage"], found["parallel_tool_calls"]) == (0, "warning", "warning")
    assert found["cached_tokens"] == "unknown"


def test_calls_in_pieces_that_never_end_are_named(kinet: Kinet) -> None:
    with ScriptedServer(COUNTS, asks_raw("get_weather", '{"city": "Os')) as server:
        ran = examined(kinet, server)
    assert (ran.code, ran.json["cause"]) == (1, "protocol")
    assert "get_weather" in ran.json["verdict"]
    assert states(ran)["parallel_tool_calls"] == "skipped"


def test_a_refused_key_is_named(kinet: Kinet) -> None:
    with ScriptedServer(fails(401, "bad key")) as server:
        ran = examined(kinet, server)
    assert (ran.code, ran.json["cause"], states(ran)["key"]) == (1, "auth", "failed")
    assert ran.json["hint"]


def test_nothing_there_is_named(kinet: Kinet) -> None:
    ran = kinet("doctor", "--base-url", "http://127.0.0.1:9", "--model", "m")
    assert ran.code == 1
    assert "✗ Reachable" in ran.out
    assert "nothing listens there" in ran.out


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_without_a_model_the_first_of_the_list_is_asked(kinet: Kinet, protocol: str) -> None:
    with ScriptedServer(COUNTS, OSLO, BOTH) as server:
        ran = kinet("doctor", "--base-url", server.base_url, "--protocol", protocol, "--json")
    assert ran.json["profile"]["model"] == "scripted"
