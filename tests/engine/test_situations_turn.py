"""The hard situations of one turn: stops, limits, odd arguments, many calls, odd characters."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kinet.core.events import (
    ContextCompacted,
    Notice,
    RetryScheduled,
    StepFinished,
    TextDelta,
    ToolArgumentsDelta,
    ToolFinished,
    ToolProgress,
    TurnFinished,
)
from kinet.core.messages import ImagePart, Message, TextPart
from kinet.core.pairing import repair
from kinet.core.profile import WireProtocol
from kinet.engine.base import Limits, StopSignal
from kinet.engine.loop.subagent import SubAgentRunner
from kinet.providers.base import Provider
from kinet.providers.catalog import create_provider
from kinet.tools.catalog import builtin_tools
from tests.support.approvers import Undecided, denies_everything
from tests.support.chat import Chat
from tests.support.replies import (
    Call,
    Gate,
    Reply,
    asks_for,
    asks_raw,
    fails,
    hangs,
    says,
    says_and_asks,
)
from tests.support.scripted_provider import ScriptedProvider
from tests.support.scripted_server import ScriptedServer
from tests.support.tools import Big, Change, Fail, Look, Talk
from tests.support.turns import PROFILE, last, results, texts

PROTOCOLS: tuple[WireProtocol, ...] = ("openai", "anthropic", "responses")
SUMMARY = "## Goal\nGo on with the work."
SMALL = replace(PROFILE, window=12_000)


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> WireProtocol:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server
        assert server.problems == []


@pytest.fixture
async def provider(server: ScriptedServer, protocol: WireProtocol) -> AsyncIterator[Provider]:
    provider = create_provider(server.profile(protocol), None, retries=1)
    yield provider
    await provider.close()


class Moment:
    """Waits for the moment of a stop, and stops then; notes how long the end took."""

    def __init__(self, reached: Any) -> None:
        self.stop = StopSignal()
        self.task = asyncio.ensure_future(self._stop_when(reached))
        self.at = 0.0

    async def _stop_when(self, reached: Any) -> None:
        await reached
        self.at = time.monotonic()
        self.stop.set()


def _first(kind: type, seen: asyncio.Event) -> Any:
    return lambda event: seen.set() if isinstance(event, kind) else None


_STREAMING = {
    "text": (hangs("Half a"), TextDelta),
    "tool arguments": (asks_for("look", word="x" * 50), ToolArgumentsDelta),
    "a retry wait": (fails(500), RetryScheduled),
}


@pytest.mark.parametrize("state", ["first byte", *_STREAMING, "a call", "an approval"])
async def test_situation_02_a_stop_in_any_state_ends_once_and_the_next_turn_is_accepted(
    server, provider, state
):
    talk, approver, seen = Talk(), Undecided(), asyncio.Event()
    chat = Chat(tools=(Look(), Change(), talk))
    reply, kind = _STREAMING.get(state, (None, StepFinished))
    waits = {
        "first byte": (hangs(), asyncio.to_thread(server.wait_for_requests, 1)),
        "a call": (says_and_asks("Look.", "talk"), talk.running_now.wait()),
        "an approval": (asks_for("change", word="x"), approver.waiting.wait()),
    }
    script, reached = waits.pop(state, (reply, seen.wait()))
    for _, unused in waits.values():
        unused.close()
    server.replies(script)
    moment = Moment(reached)
    events = await chat.send(provider, stop=moment.stop, on=_first(kind, seen), approver=approver)
    await moment.task
    assert [item.reason for item in events if isinstance(item, TurnFinished)] == ["stopped"]
    # Nothing is asked again, and no tool begins, after the click.
    assert len(server.bodies) == 1
    assert repair(chat.conversation.messages) == tuple(chat.conversation.messages)
    server.replies(says("Fine."))
    assert texts(await chat.send(provider, "Go on.")) == ["Fine."]


async def test_situation_02_a_stop_ends_a_running_shell_with_all_it_started(
    server, provider, tmp_path
):
    seconds = "83.1234567"
    server.replies(asks_for("shell", command=f"echo on; sleep {seconds} & sleep {seconds}"))
    seen = asyncio.Event()
    chat = Chat(tools=builtin_tools(), folder=tmp_path, mode="all", unsandboxed=True)
    moment = Moment(seen.wait())
    events = await chat.send(provider, stop=moment.stop, on=_first(ToolProgress, seen))
    await moment.task
    assert [item.reason for item in events if isinstance(item, TurnFinished)] == ["stopped"]
    (result,) = results(events)
    assert result.content.splitlines() == ["on", "[stopped]"]
    await chat.engine.close()
    assert not await asyncio.to_thread(_running, seconds)
    server.replies(says("Fine."))
    assert texts(await chat.send(provider, "Go on.")) == ["Fine."]


def _running(word: str) -> list[str]:
    """The processes in whose arguments the word stands."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if word.encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


async def test_situation_02_a_stop_in_a_compaction_or_a_sub_agent_is_a_stop_too():
    gate = Gate()
    provider = ScriptedProvider(says("Answer."), Reply((gate, SUMMARY)))
    chat = _filled()
    moment = Moment(asyncio.to_thread(gate.reached.wait, 10))
    events = await chat.send(provider, stop=moment.stop)
    gate.open()
    assert last(events).reason == "stopped"
    assert chat.conversation.compaction is None
    gate = Gate()
    provider = ScriptedProvider(asks_for("dispatch_agent", task="Look."), Reply(("I think ", gate)))
    chat = Chat(tools=builtin_tools())
    moment = Moment(asyncio.to_thread(gate.reached.wait, 10))
    events = await chat.send(provider, stop=moment.stop)
    gate.open()
    assert last(events).reason == "stopped"
    assert [item.is_error for item in results(events)] == [True]


def _filled(turns: int = 12, **fields: Any) -> Chat:
    chat = Chat(limits=Limits(compact_at=3_000), **fields)
    for number in range(turns):
        chat.conversation.messages += [
            Message("user", f"Question {number}. " + "word " * 200),
            Message("assistant", f"Answer {number}."),
        ]
    return chat


def _weight(request: Any) -> float:
    """Tokens of all that is sent: a Chinese character is one, of other text every four are."""
    tools = json.dumps([tool.to_dict() for tool in request.tools], ensure_ascii=False)
    sent = request.system + tools + "".join(message.text for message in request.messages)
    wide = sum(ord(char) > 0x2E80 for char in sent)
    return wide + (len(sent) - wide) / 4


async def test_situation_03_chinese_without_usage_and_window_compacts_before_the_limit():
    # What the server takes: 30,000 tokens, and a Chinese character is a token.
    chat = Chat(profile=replace(PROFILE, window=0))
    for _ in range(200):
        provider = ScriptedProvider(says("好的。").without_usage(), says(SUMMARY).without_usage())
        await chat.send(provider, "请把这个文件里的所有缩进改成制表符。" * 20)
        assert all(_weight(request) < 30_000 for request in provider.requests)
    assert chat.conversation.compaction is not None


async def test_situation_04_a_server_that_always_says_too_long_is_asked_three_times(
    server, provider
):
    server.replies(fails(413, json.dumps({"error": {"message": "large"}})) for _ in range(9))
    chat = _filled()
    before = list(chat.conversation.messages)
    events = await chat.send(provider, "The newest question.")
    assert len(server.bodies) == 3
    error = last(events).error
    assert error is not None
    assert error.kind == "context_too_long"
    assert "Compact it, start a new conversation, or choose" in error.hint
    assert chat.conversation.messages[: len(before)] == before


async def test_situation_05_one_turn_larger_than_the_window_goes_on_by_itself(server, provider):
    words = [asks_for("big", characters=6_000, letter=letter) for letter in "abcdefgh"]
    script = iter(words)

    def replies() -> Iterator[Reply]:
        while True:
            asked = json.dumps(server.bodies[-1])
            if "Write the summary now." in asked:
                yield says("Did things.").counting(500)
            else:
                yield next(script, says("All done."))

    server.replies(replies())
    events = await Chat(profile=SMALL, tools=(Big(),)).send(provider, "The long task.")
    assert last(events).reason == "completed"
    assert texts(events)[-1] == "All done."
    compactions = [event for event in events if isinstance(event, ContextCompacted)]
    assert compactions
    assert "The long task." in json.dumps(server.bodies[-1])


@pytest.mark.parametrize(
    "summary",
    [says(""), asks_for("look", word="a"), says("long " * 20_000), fails(400)],
    ids=["empty", "calls a tool", "too long", "fails"],
)
async def test_situation_06_a_bad_summary_falls_back_is_told_and_rests_for_three_turns(summary):
    chat = _filled()
    provider = ScriptedProvider(says("Answer."), summary)
    events = await chat.send(provider)
    assert len(provider.requests) == 2
    assert last(events).reason == "completed"
    told = [event.text for event in events if isinstance(event, Notice)]
    assert any("without a summary" in text for text in told)
    assert chat.conversation.compaction is not None
    for turns in range(3):
        chat.conversation.messages += _filled().conversation.messages
        provider = ScriptedProvider(says("Answer."), summary)
        await chat.send(provider)
        assert len(provider.requests) == 1, turns
    chat.conversation.messages += _filled().conversation.messages
    provider = ScriptedProvider(says("Answer."), says(SUMMARY))
    await chat.send(provider)
    assert len(provider.requests) == 2


async def test_situation_08_identical_writes_and_alternating_calls_stop_and_polling_does_not():
    numbers = count()

    class Poll(Look):
        async def run(self, arguments: Any, context: Any) -> Any:
            return replace(await super().run(arguments, context), content=f"{next(numbers)} %")

    same = [asks_for("change", word="x") for _ in range(20)]
    turns = [asks_for("look", word="ab"[number % 2]) for number in range(20)]
    ends = []
    for tool, script in ((Change(), same), (Look(), turns), (Poll(), turns)):
        chat = Chat(tools=(tool,), approver=denies_everything(), mode="all")
        ends.append(last(await chat.send(ScriptedProvider(script, says("Ready.")))).reason)
    assert ends == ["no_progress", "no_progress", "completed"]


@pytest.mark.parametrize("name", ["read_file", "write_file", "shell"])
async def test_situation_09_arguments_cut_by_the_length_limit_never_run_a_write(
    server, provider, tmp_path, name
):
    (tmp_path / "a.txt").write_text("old\n")
    whole = {
        "read_file": {"path": "a.txt"},
        "write_file": {"path": "a.txt", "content": "new"},
        "shell": {"command": "echo new > a.txt"},
    }[name]
    cut = json.dumps(whole)[:-4]
    for raw in (cut, json.dumps(whole)):
        server.replies(replace(asks_raw(name, raw), finish="length"), says("Well."))
        chat = Chat(tools=builtin_tools(), folder=tmp_path, mode="all")
        events = await chat.send(provider)
        assert last(events).reason == "completed"
        assert results(events)[0].is_error == (raw == cut or name != "read_file")
    assert (tmp_path / "a.txt").read_text() == "old\n"


@pytest.mark.parametrize(
    "raw", ["[]", '"x"', "7", '{"path": "a.txt", "offset": "2"}', '{"path": "a.txt", "colour": 1}']
)
async def test_situation_09_odd_arguments_are_answered_in_words_or_repaired(
    server, provider, tmp_path, raw
):
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    server.replies(asks_raw("read_file", raw), says("Well."))
    events = await Chat(tools=builtin_tools(), folder=tmp_path).send(provider)
    (result,) = results(events)
    assert last(events).reason == "completed"
    assert result.is_error == ("offset" not in raw)
    if "colour" in raw:
        assert "colour" in result.content


@pytest.mark.parametrize("raw", ["[]", '"x"', "7", "null", "true"])
@pytest.mark.parametrize("name", ["write_file", "edit_file", "shell"])
async def test_situation_09_what_is_no_object_never_runs_a_tool_that_writes(
    server, provider, tmp_path, name, raw
):
    server.replies(asks_raw(name, raw), says("Well."))
    chat = Chat(tools=builtin_tools(), folder=tmp_path, mode="all", unsandboxed=True)
    events = await chat.send(provider)
    (result,) = results(events)
    assert result.is_error
    assert re.search("JSON object|Wrong arguments", result.content)
    assert list(tmp_path.iterdir()) == []
    assert last(events).reason == "completed"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("write_file", {"path": "a.txt", "content": "new\n", "mode": "force"}),
        ("write_file", {"path": "a.txt"}),
        ("edit_file", {"path": "a.txt", "old_text": "old"}),
        ("shell", {"command": "echo new > a.txt", "timeout_s": "5", "as_root": True}),
        ("shell", {"timeout_s": "5"}),
    ],
)
async def test_situation_09_a_writing_call_with_missing_or_unknown_fields_is_not_run(
    server, provider, tmp_path, name, values
):
    (tmp_path / "a.txt").write_text("old\n")
    server.replies(asks_raw(name, json.dumps(values)), says("Well."))
    chat = Chat(tools=builtin_tools(), folder=tmp_path, mode="all", unsandboxed=True)
    events = await chat.send(provider)
    assert results(events)[0].is_error
    assert (tmp_path / "a.txt").read_text() == "old\n"


async def test_situation_09_numbers_as_strings_are_numbers_for_the_shell_too(
    server, provider, tmp_path
):
    call = {"command": "echo new > a.txt", "timeout_s": "5"}
    server.replies(asks_raw("shell", json.dumps(call)), says("Well."))
    chat = Chat(tools=builtin_tools(), folder=tmp_path, mode="all", unsandboxed=True)
    events = await chat.send(provider)
    assert not results(events)[0].is_error, results(events)[0].content
    assert (tmp_path / "a.txt").read_text() == "new\n"


async def test_situation_10_25_calls_are_each_answered_once_and_in_order(server, provider):
    names = ["look"] * 25
    for place in (2, 9, 17):
        names[place] = "nothing"
    for place in (5, 20):
        names[place] = "fail"
    names[12] = "change"
    calls = tuple(Call(name, json.dumps({"word": str(n)}), f"c{n}") for n, name in enumerate(names))
    server.replies(Reply(calls=calls), says("Done."))
    chat = Chat(tools=(Look(), Fail(), Change()), approver=denies_everything())
    events = await chat.send(provider)
    answered = [item for item in chat.conversation.messages if item.role == "tool"]
    assert [item.tool_call_id for item in answered] == [f"c{n}" for n in range(25)]
    assert sum(item.is_error for item in answered) == 6
    assert sorted(item.call_id for item in results(events)) == sorted(f"c{n}" for n in range(25))
    told = json.dumps(server.bodies[1])
    places = [[hit.start() for hit in re.finditer(f'"c{n}"', told)] for n in range(25)]
    # Each is named by its call and by its answer, and the answers stand in the order of the calls.
    assert {len(found) for found in places} == {2}
    assert [found[1] for found in places] == sorted(found[1] for found in places)


async def test_situation_12_model_and_protocol_switch_with_thinking_pictures_and_calls(server):
    picture = ImagePart("data:image/png;base64," + _DOT)
    chat = Chat(tools=(Look(), Fail()))
    chat.conversation.messages += [
        Message("user", (TextPart("See this."), picture)),
        Message("assistant", "I see."),
    ]
    for number in range(6):
        name = PROTOCOLS[number % 3]
        profile = server.profile(name, model=f"model-{number % 2}", vision=True)
        provider = create_provider(profile, None)
        server.replies(
            asks_for("look", word="a").with_call("fail", word="b").thinking("Hm."),
            says(f"Answer {number}."),
        )
        assert last(await chat.send(provider, profile=profile)).reason == "completed"
        assert _DOT in json.dumps(server.bodies[-1])
        await provider.close()


_DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)


async def test_situation_13_a_sub_agent_that_stalls_ends_at_its_limit(monkeypatch):
    monkeypatch.setattr(SubAgentRunner.__init__, "__kwdefaults__", {"seconds": 0.1})
    provider = ScriptedProvider(
        asks_for("dispatch_agent", task="Look."), hangs("So far"), says("Well.")
    )
    events = await Chat(tools=builtin_tools()).send(provider)
    assert last(events).reason == "completed"
    assert "time limit" in results(events)[0].content


async def test_situation_13_sub_agents_cannot_write_and_three_side_by_side_are_paid_for(tmp_path):
    def stream(request: Any) -> Any:
        task = next((m.text for m in request.messages if m.text.startswith("Task")), "")
        if not task:
            return original(request)
        wants = asks_for("write_file", path="a.txt", content="x")
        first = request.messages[-1].role == "user"
        reply = wants if first else says(f"Report on {task}.")
        return ScriptedProvider(reply.counting(100)).stream(request)

    reply = Reply()
    for number in range(3):
        reply = reply.with_call("dispatch_agent", task=f"Task {number}")
    provider = ScriptedProvider(reply.counting(100), says("All in.").counting(100))
    original = provider.stream
    provider.stream = stream  # type: ignore[method-assign]
    chat = Chat(
        tools=builtin_tools(),
        folder=tmp_path,
        mode="all",
        price=lambda model, usage: (usage.tokens_in / 100, False),
    )
    events = await chat.send(provider)
    own = [item for item in results(events) if not item.parent]
    assert [item.content for item in own] == [f"Report on Task {n}." for n in range(3)]
    refused = [item for item in results(events) if item.parent]
    assert len(refused) == 3
    assert all(item.is_error for item in refused)
    assert not (tmp_path / "a.txt").exists()
    assert chat.conversation.cost == pytest.approx(8.0)


ODD = {
    "emoji": "👩‍👧‍👦 🇩🇪 ❤️",
    "half a character": "a\ud83d b\udc00",
    "NUL": "a\x00b",
    "right to left": "\u202eevil\u202c שלום مرحبا",
    "one long line": "x" * 1_000_000,
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
async def test_situation_14_odd_text_in_every_field_reaches_a_strict_server(
    server, provider, odd, tmp_path
):
    class Says(Look):
        async def run(self, arguments: Any, context: Any) -> Any:
            context.progress(odd)
            return replace(await super().run(arguments, context), content=odd, preview=odd[:50])

    sent = odd.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    server.replies(
        says_and_asks(sent[:2_000], "look", word=sent[:1_000]).thinking(sent[:1_000]),
        says("Done."),
        says("Done."),
    )
    chat = Chat(tools=(Says(),), memory_text=odd[:5_000], folder=tmp_path)
    assert last(await chat.send(provider, odd)).reason == "completed"
    assert last(await chat.send(provider, "Next.")).reason == "completed"
    # A line of a megabyte makes a compaction of its own.
    assert len(server.bodies) >= 3


async def test_situation_15_a_clock_set_back_by_a_year_changes_neither_order_nor_limits(
    monkeypatch,
):
    clock = [2_000_000_000.0]
    monkeypatch.setattr(time, "time", lambda: clock[0])

    def set_back(event: object) -> None:
        if isinstance(event, ToolFinished):
            clock[0] -= 365 * 86_400

    provider = ScriptedProvider([asks_for("look", word=str(n)) for n in range(5)], says("Done."))
    chat = Chat(tools=(Look(),), limits=Limits(max_seconds=30.0))
    events = await chat.send(provider, on=set_back)
    assert last(events).reason == "completed"
    assert 0 <= last(events).duration_s < 30
    assert [item.role for item in chat.conversation.messages].count("tool") == 5
    assert all(item.duration_s >= 0 for item in events if isinstance(item, StepFinished))
