"""Every address of the corpus is judged and fetched as it should, by the real transport."""

from __future__ import annotations

import time
from typing import Any

import corpus
import pytest
from loopback_web import LoopbackWeb

from kinet.core.errors import ToolError
from kinet.policy.network import judge_url, system_resolver
from kinet.tools.base import ToolContext
from kinet.tools.web.web_transport import Reach
from kinet.tools.web_fetch import WebFetch, WebFetchArguments

CASES = list(corpus.load("web", corpus.HERE))
CONTEXT = ToolContext(folder=None)


class Names:
    """Answers look-ups as the entry says, one answer after the other."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self._answers = {host: list(lists) for host, lists in entry.get("dns", {}).items()}
        self._system = entry.get("resolver") == "system"
        self.asked: list[str] = []

    def __call__(self, host: str) -> list[str]:
        self.asked.append(host)
        if self._system:
            return system_resolver(host)
        answers = self._answers.get(host, [[]])
        return answers.pop(0) if len(answers) > 1 else answers[0]


async def carry_out(entry: dict[str, Any], web: LoopbackWeb, names: Names) -> tuple[str, str]:
    """(verdict, what the person or the model sees), with the host permitted."""
    url = entry["input"]["url"]
    reach = Reach(resolve=names, transport=web.transport, seconds=3.0)
    tool = WebFetch(lambda: reach)
    judged = judge_url(url, permitted=True)
    try:
        arguments = WebFetchArguments(url=url)
        shown = ""
        if judged.verdict != "deny":
            question = tool.question(arguments, CONTEXT)
            shown = "\n".join([question.body, *question.targets, question.reason])
        if judged.verdict != "allow":
            return ("ask" if judged.verdict == "ask" else "refuse"), shown
        return "ok", (await tool.run(arguments, CONTEXT)).content
    except ToolError as exc:
        return ("ask" if exc.kind == "ask" else "refuse"), exc.sentence()


@pytest.mark.parametrize("entry", CASES, ids=lambda entry: f"{entry['technique']}-{entry['id']}")
async def test_an_address_is_fetched_only_as_it_may(
    entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in entry.get("env", {}).items():
        monkeypatch.setenv(name, value)
    names = Names(entry)
    began = time.monotonic()
    async with LoopbackWeb(entry.get("responses", [])) as web:
        verdict, text = await carry_out(entry, web, names)
    assert corpus.grade(entry, verdict) == "pass", (verdict, text)
    assert time.monotonic() - began < entry.get("max_seconds", 30)
    for wanted in [*entry.get("must_contain", []), *entry.get("must_show", [])]:
        assert wanted in text
    assert len(text.encode()) <= entry.get("max_result_bytes", 262_144)
    assert not any(0xE0000 <= ord(char) <= 0xE007F for char in text)
    assert len(web.requests) <= entry.get("max_requests", 10)
    assert not any("authorization" in headers for _, headers in web.requests)
    answers = [answer for lists in entry.get("dns", {}).values() for answer in lists[0]]
    assert all(address in answers for address in web.connected)
    # One look-up a hop, and one for the host of a redirect that was not followed.
    assert len(names.asked) <= len(web.requests) + 1
