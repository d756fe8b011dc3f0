"""Small windows: what stays free, what is kept and put back, and results larger than the window."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from string import ascii_letters
from typing import Any

import pytest

from kinet.core.errors import ContextTooLongError
from kinet.core.events import ContextCompacted, Notice, StepStarted
from kinet.core.messages import ImagePart, Message, TextPart
from kinet.engine.base import Limits, ModelChange
from kinet.engine.context.tokens import Calibration, size_of_message, size_of_text
from kinet.providers.base import ModelRequest, StreamItem
from kinet.tools.catalog import builtin_tools
from kinet.tools.read_file import ReadFile
from kinet.tools.todo import Todo
from tests.support.chat import Chat
from tests.support.replies import Reply, asks_for, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Big, Look
from tests.support.turns import PROFILE, collect, last, results, texts

pytestmark = pytest.mark.usefixtures("wire")

SUMMARY = "## Goal\nGo on with the work."
CHINESE = "请把这个文件里的所有缩进改成制表符，然后运行测试。"


class Windowed(ScriptedProvider):
    """A server with a window: so many tokens a character, and more than fits is refused."""

    def __init__(self, window: int, *script: Any, ratio: float = 0.5, chinese: float = 1.0) -> None:
        super().__init__(*script)
        self.window, self.ratio, self.chinese = window, ratio, chinese
        self.counted: list[int] = []
        self.refused = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """Refuses, or plays the next reply with what it counted."""
        said = "".join(
            message.text + message.environment + "".join(c.arguments for c in message.tool_calls)
            for message in request.messages
        )
        said += request.system + json.dumps([tool.to_dict() for tool in request.tools])
        wide = sum(ord(letter) > 0x2E80 for letter in said)
        tokens = int(self.ratio * (len(said) - wide) + self.chinese * wide)
        if tokens > self.window:
            self.refused += 1
            raise ContextTooLongError("The prompt is too long.", status=400)
        self.counted.append(tokens)
        if "memory of" in request.system:
            self._script.insert(0, iter([says(SUMMARY)]))
        async for item in super().stream(request):
            yield item

    def _next(self) -> Any:
        reply = super()._next()
        return reply.counting(self.counted[-1], 20) if isinstance(reply, Reply) else reply


def _chat(window: int, **fields: Any) -> Chat:
    return Chat(profile=replace(PROFILE, window=window), **fields)


def _fill(chat: Chat, text: str, turns: int) -> None:
    for number in range(turns):
        chat.conversation.messages += [
            Message("user", f"Question {number}. {text}"),
            Message("assistant", f"Answer {number}."),
        ]
    chat.conversation.occupancy = 0


def _compactions(events: list[Any]) -> list[ContextCompacted]:
    return [event for event in events if isinstance(event, ContextCompacted)]


@pytest.mark.parametrize(
    ("window", "limits", "at"),
    [
        (131_072, Limits(compact_ratio=0.95), 131_072 - 16_384),
        (8_192, Limits(compact_ratio=0.95), 8_192 - 2_048),
        (4_096, Limits(compact_ratio=0.95), 4_096 - 1_024),
        (100_000, Limits(compact_at=20_000), 20_000),
        # A fixed number beyond the window would never be reached.
        (32_768, Limits(compact_at=30_000), 32_768 - 8_192),
        (8_192, Limits(compact_at=30_000), 8_192 - 2_048),
        (0, Limits(), 30_000),
    ],
)
async def test_k17_p14_a_turn_compacts_from_this_many_tokens_on_and_never_later(window, limits, at):
    for used, wanted in ((at - 1, 0), (at, 1)):
        chat = _chat(window, limits=limits)
        _fill(chat, "word " * (max(window, 40_000) // 60), 8)
        # The count of an earlier turn: what is there fits, so nothing compacts before the answer.
        chat.conversation.occupancy = at // 2
        chat.conversation.occupancy_messages = len(chat.conversation.messages)
        provider = ScriptedProvider(says("Final.").counting(used - 10, 10), says(SUMMARY))
        events = await chat.send(provider)
        assert texts(events) == ["Final."]
        assert len(_compactions(events)) == wanted, used
        assert len(provider.requests) == 1 + wanted


@pytest.mark.parametrize("text", ["word " * 60, CHINESE * 12], ids=["Latin", "Chinese"])
@pytest.mark.parametrize("window", [4_096, 8_192])
async def test_a_summary_is_asked_for_within_the_window_in_any_script(window, text):
    chat = _chat(window)
    provider = Windowed(window)
    compacted = 0
    for _ in range(16):
        events = await chat.send(provider, text * (window // 4_096))
        assert last(events).reason == "completed"
        compacted += len(_compactions(events))
        told = [event.text for event in events if isinstance(event, Notice)]
        assert not any("without a summary" in item for item in told), told
    assert compacted
    assert provider.refused == 0


@pytest.mark.parametrize("text", ["word " * 100, CHINESE * 20], ids=["Latin", "Chinese"])
@pytest.mark.parametrize("window", [4_096, 8_192, 32_768])
async def test_p14_what_is_kept_is_at_most_three_tenths_of_the_window(window, text):
    chat = _chat(window)
    _fill(chat, text, window // 100)
    await chat.send(ScriptedProvider(says(SUMMARY), says("Done.")), "Next.")
    entry = chat.conversation.compactions[0]
    kept = chat.conversation.messages[entry.kept_from : -1]
    weight = sum(size_of_message(message).characters for message in kept)
    assert 0 < 0.6 * weight <= 0.3 * window


@pytest.mark.parametrize("window", [4_096, 8_192])
async def test_p19_the_request_and_hundreds_of_files_leave_a_small_window_room(window, tmp_path):
    """A list that grows for ever would fill it, and then nothing could be compacted any more."""
    for number in range(40):
        (tmp_path / f"a-file-with-a-longer-name-{number:03}.txt").write_text("x\n")
    chat = _chat(window, folder=tmp_path, tools=(ReadFile(),))
    for begin in range(0, 40, 4):
        script = [
            asks_for("read_file", path=f"a-file-with-a-longer-name-{number:03}.txt")
            for number in range(begin, begin + 4)
        ]
        _fill(chat, "word " * (window // 40), 12)
        await chat.send(Quiet(*script, says("Read.")), "The long request. " * 500)
    entry = chat.conversation.compactions[-1]
    own = entry.summary.removeprefix(SUMMARY).partition("## Put back")[0]
    assert 0.6 * size_of_text(own).characters <= 0.2 * window
    assert entry.after < 0.7 * window
    # The newest are there, and that others were is said.
    assert "a-file-with-a-longer-name-035.txt" in own
    assert "only the newest are listed" in own


@pytest.mark.parametrize("letter", ["x", "字"], ids=["Latin", "Chinese"])
@pytest.mark.parametrize("window", [4_096, 8_192, 128_000])
async def test_what_is_put_back_is_at_most_15_percent_of_the_window(window, letter, tmp_path):
    for number in range(7):
        line = letter * 60 + "\n"
        (tmp_path / f"{number}.txt").write_text(line * 2_000, encoding="utf-8")
    chat = _chat(window, folder=tmp_path, tools=(ReadFile(), Todo()))
    items = [{"text": letter * 300, "state": "open"} for _ in range(20)]
    script = [asks_for("todo", items=items)]
    script += [asks_for("read_file", path=f"{number}.txt", limit=2) for number in range(7)]
    await chat.send(Quiet(*script, says("Read.")))
    _fill(chat, "word " * (window // 40), 12)
    provider = Quiet(says("Fine."))
    await chat.send(provider)
    assert chat.conversation.compaction is not None
    summary = chat.conversation.compaction.summary
    added = summary[summary.index("## Put back") :]
    assert "### Todo list" in added
    assert ".txt, as it is now" in added
    assert 0.6 * size_of_text(added).characters <= 0.15 * window


class Quiet(ScriptedProvider):
    """Counts nothing, so that estimates alone decide; gives a summary when one is asked for."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """The next reply of the script, or the summary."""
        if "memory of" in request.system:
            self._script.insert(0, iter([says(SUMMARY)]))
        async for item in super().stream(request):
            yield item


_LINES = {
    "short": "x\n" * 5_000,
    "long": "word " * 60_000,
    "Chinese": (CHINESE + "\n") * 3_000,
    "emoji": "👩‍👩‍👧\n" * 5_000,
}


@pytest.mark.parametrize("content", _LINES.values(), ids=_LINES)
@pytest.mark.parametrize("window", [4_096, 8_192])
async def test_a_page_that_is_read_is_at_most_a_fifth_of_the_window(window, content, tmp_path):
    (tmp_path / "a.txt").write_text(content, encoding="utf-8")
    chat = _chat(window, folder=tmp_path, tools=(ReadFile(),))
    events = await chat.send(Quiet(asks_for("read_file", path="a.txt"), says("Read.")))
    told = results(events)[0].model_content
    page, _, note = told.rpartition("\n[")
    assert note
    assert 0.6 * size_of_text(page).characters <= 0.2 * window + 60


@pytest.mark.parametrize("calls", [4, 12, 25])
@pytest.mark.parametrize("window", [8_192, 16_384])
async def test_results_of_one_step_that_are_larger_than_the_window_do_not_end_the_turn(
    window, calls
):
    reply = Reply()
    for number in range(calls):
        reply = reply.with_call("big", characters=8_000, letter=ascii_letters[number])
    provider = Windowed(window, reply, asks_for("look", word="a"), says("All seen."))
    events = await _chat(window, tools=(Big(), Look())).send(provider, "Look at all of it.")
    assert texts(events)[-1] == "All seen."
    assert last(events).reason == "completed"
    # The window is known, so no request is made that cannot fit.
    assert provider.refused == 0
    told = [event.text for event in events if isinstance(event, Notice)]
    assert any("cut" in text for text in told)
    sent = [item for item in provider.requests[1].messages if item.role == "tool"]
    assert len(sent) == calls


async def test_after_results_that_had_to_be_cut_the_next_turns_go_on():
    window = 8_192
    reply = Reply()
    for letter in "abcdef":
        reply = reply.with_call("big", characters=8_000, letter=letter)
    provider = Windowed(window, reply, says("Seen."), says("More."), says("Again."))
    chat = _chat(window, tools=(Big(), Look()))
    for wanted in ("Seen.", "More.", "Again."):
        events = await chat.send(provider, "Go on.")
        assert texts(events)[-1] == wanted
        assert last(events).reason == "completed"


async def test_k16_an_overflow_gives_the_todo_list_back_too():
    chat = _chat(0, tools=(Todo(), Look()))
    items = [{"text": "Write the tests.", "state": "open"}]
    await chat.send(ScriptedProvider(asks_for("todo", items=items), says("Noted.")))
    _fill(chat, "word " * 300, 12)
    provider = ScriptedProvider(ContextTooLongError("Too long.", status=413), says("Fits."))
    events = await chat.send(provider, "Next.")
    assert texts(events) == ["Fits."]
    assert "Write the tests." in provider.requests[1].messages[0].text


async def test_k13_without_usage_nothing_is_learnt_and_estimates_stay_high():
    chat = _chat(0, tools=(Look(),))
    script = [asks_for("look", word="a").without_usage(), says("Done.").without_usage()]
    for _ in range(3):
        await chat.send(ScriptedProvider(script))
    assert chat.engine.calibration.to_dict() == {}
    assert chat.conversation.occupancy > 0


async def test_k13_the_whole_payload_is_what_the_tokens_are_divided_by():
    """System and tools count: without them a short chat would seem to weigh many times as much."""
    chat = Chat(tools=builtin_tools(), folder=None)
    provider = ScriptedProvider(says("Hi.").counting(2_000))
    await chat.send(provider, "Hello.")
    (request,) = provider.requests
    schemas = [tool.to_dict() for tool in request.tools]
    size = size_of_text(request.system) + size_of_text("".join(map(json.dumps, schemas)))
    for message in request.messages:
        size += size_of_message(message)
    learnt = chat.engine.calibration.coefficient("scripted")
    assert learnt == pytest.approx((0.6 + 2_000 / size.characters) / 2, rel=0.02)
    assert Calibration({"scripted": learnt}).coefficient("other") == 0.6


@pytest.mark.parametrize("text", ["word " * 100, CHINESE * 12], ids=["Latin", "Chinese"])
async def test_p10_a_model_with_a_smaller_window_gets_a_request_that_fits_from_its_first_on(text):
    chat = _chat(128_000)
    large = Windowed(128_000, [says("Yes.") for _ in range(60)])
    for _ in range(60):
        await chat.send(large, text)
    assert chat.conversation.occupancy > 8_192
    small = Windowed(8_192, says("From the small one."))
    events = await chat.send(small, "Next.", profile=replace(PROFILE, model="small", window=8_192))
    assert texts(events) == ["From the small one."]
    assert small.refused == 0
    kinds = [type(event) for event in events]
    assert kinds.index(ContextCompacted) < kinds.index(StepStarted)


async def test_p10_the_same_holds_for_a_model_that_is_chosen_within_the_turn():
    profile = replace(PROFILE, model="small", window=8_192)
    small = Windowed(8_192, says("From the small one."))
    changes: list[ModelChange | None] = [None, None, ModelChange(profile, small)]

    async def changed() -> ModelChange | None:
        return changes.pop(0) if changes else None

    words = [asks_for("big", characters=8_000, letter=letter) for letter in "ab"]
    reply = words[0]
    for letter in "cdef":
        reply = reply.with_call("big", characters=8_000, letter=letter)
    large = Windowed(128_000, reply, words[1])
    events = await _chat(128_000, tools=(Big(),)).send(large, "The task.", changed=changed)
    assert texts(events)[-1] == "From the small one."
    assert small.refused == 0
    asked = [sent for sent in small.requests if "memory of" not in sent.system]
    assert "The task." in " ".join(item.text for item in asked[0].messages)


async def test_k16_tools_that_are_larger_than_the_window_end_in_a_card_after_three_requests():
    provider = Windowed(2_048)
    chat = _chat(2_048, tools=builtin_tools())
    events = await chat.send(provider, "Hello.")
    assert provider.refused == 3
    error = last(events).error
    assert error is not None
    assert error.kind == "context_too_long"
    assert "larger window" in error.hint
    assert [item.text for item in chat.conversation.messages] == ["Hello."]


class OnlyText(ScriptedProvider):
    """A gateway that refuses large bodies: three pictures are too many."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """413, as a proxy says it."""
        if sum(len(message.images) for message in request.messages) > 2:
            self.requests.append(request)
            raise ContextTooLongError("Request entity too large.", status=413)
        async for item in super().stream(request):
            yield item


async def test_k16_pictures_that_are_too_many_do_not_poison_the_session():
    """The newest message has them all: no older part can be left out for them."""
    picture = ImagePart("data:image/png;base64," + _DOT)
    chat = _chat(0)
    provider = OnlyText(says("I read your words."), says("And these."))
    request = replace(
        chat.request(provider),
        user=Message("user", (TextPart("See these."), *[picture] * 5)),
    )
    events = await collect(request)
    assert texts(events) == ["I read your words."]
    assert len(provider.requests) == 3
    assert "picture was here" in provider.requests[2].messages[-1].text
    assert any(isinstance(event, Notice) and "pictures" in event.text for event in events)
    # The conversation keeps them.
    assert len(request.user.images) == 5


_DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)
