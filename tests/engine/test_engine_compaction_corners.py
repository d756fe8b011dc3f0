"""Corners of compaction: what survives several, useless summaries, headings a model repeats."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from kinet.core.completion import Usage
from kinet.core.conversation import replay
from kinet.core.errors import ContextTooLongError
from kinet.core.events import ContextCompacted, Notice, StepFinished
from kinet.core.messages import Message
from kinet.engine.base import Limits
from kinet.engine.compacting.file_lists import FileLists
from kinet.engine.context.cut_points import begins_turn
from kinet.providers.base import ModelRequest, StreamItem
from kinet.tools.read_file import ReadFile
from kinet.tools.todo import Todo
from kinet.tools.write_file import WriteFile
from tests.support.chat import Chat
from tests.support.replies import asks_for, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Big, Look
from tests.support.turns import PROFILE, last, texts

pytestmark = pytest.mark.usefixtures("wire")

SUMMARY = "## Goal\nGo on with the work."
WINDOW = 20_000


class Summing(ScriptedProvider):
    """Gives this summary whenever one is asked for; counts nothing."""

    def __init__(self, *script: Any, summary: str = SUMMARY) -> None:
        super().__init__(*script)
        self.summary = summary
        self.asked: list[str] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """The next reply of the script, or the summary."""
        if "memory of" in request.system:
            self.asked.append(request.messages[0].text)
            self._script.insert(0, iter([says(self.summary)]))
        async for item in super().stream(request):
            yield item


def _chat(**fields: Any) -> Chat:
    return Chat(profile=replace(PROFILE, window=WINDOW), **fields)


def _fill(chat: Chat, turns: int = 24) -> None:
    for number in range(turns):
        chat.conversation.messages += [
            Message("user", f"Question {number}. " + "word " * 200),
            Message("assistant", f"Answer {number}."),
        ]
    chat.conversation.occupancy = 0


async def _compacted(chat: Chat, provider: ScriptedProvider | None = None) -> str:
    """Fills the conversation until it compacts; the summary."""
    _fill(chat)
    before = len(chat.conversation.compactions)
    await chat.send(provider or Summing(says("Fine.")))
    assert len(chat.conversation.compactions) == before + 1
    return chat.conversation.compactions[-1].summary


async def test_the_todo_list_and_the_files_come_back_after_every_compaction(tmp_path):
    (tmp_path / "a.txt").write_text("first\n")
    chat = _chat(folder=tmp_path, tools=(Todo(), ReadFile()))
    items = [{"text": "Write the tests.", "state": "open"}]
    script = [asks_for("todo", items=items), asks_for("read_file", path="a.txt"), says("Read.")]
    await chat.send(Summing(*script))
    for content in ("second", "third", "fourth"):
        (tmp_path / "a.txt").write_text(f"{content}\n")
        summary = await _compacted(chat)
        assert "Write the tests." in summary
        assert content in summary
        assert summary.count("### Todo list") == 1
        assert summary.count("a.txt, as it is now") == 1
        assert summary.count("## Files read") == 1


async def test_a_newer_todo_list_takes_the_place_of_one_that_was_put_back():
    chat = _chat(tools=(Todo(),))
    for text in ("First plan.", "Second plan."):
        items = [{"text": text, "state": "open"}]
        await chat.send(Summing(asks_for("todo", items=items), says("Noted.")))
        summary = await _compacted(chat)
        assert text in summary
    assert "First plan." not in summary


async def test_what_was_put_back_is_not_summarised_again():
    chat = _chat(tools=(Todo(),))
    items = [{"text": "The very plan.", "state": "open"}]
    await chat.send(Summing(asks_for("todo", items=items), says("Noted.")))
    assert "The very plan." in await _compacted(chat)
    provider = Summing(says("Fine."))
    await _compacted(chat, provider)
    assert "The very plan." not in provider.asked[0]
    assert "Put back" not in provider.asked[0]


async def test_p19_files_read_and_changed_add_up_over_three_compactions(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text("old\n")
    chat = _chat(folder=tmp_path, tools=(ReadFile(), WriteFile()), mode="all")
    for name in "abc":
        script = [asks_for("read_file", path=f"{name}.txt")]
        if name == "b":
            script.append(asks_for("write_file", path="a.txt", content="new"))
        await chat.send(Summing(*script, says("Done.")))
        summary = await _compacted(chat)
    assert FileLists.read(summary) == FileLists(("b.txt", "c.txt"), ("a.txt",))


async def test_p19_headings_of_ours_that_a_model_writes_itself_change_no_list_and_lose_no_section(
    tmp_path,
):
    (tmp_path / "a.txt").write_text("old\n")
    chat = _chat(folder=tmp_path, tools=(ReadFile(),))
    await chat.send(Summing(asks_for("read_file", path="a.txt"), says("Done.")))
    own = (
        "## Goal\nTabs.\n\n## Files changed\n- made-up.py\n\n"
        "## Put back after the older part was left out\nnothing\n\n## Next steps\nTest it."
    )
    await _compacted(chat, Summing(says("Fine."), summary=own))
    provider = Summing(says("Fine."))
    summary = await _compacted(chat, provider)
    assert "Test it." in provider.asked[0]
    assert FileLists.read(summary) == FileLists(("a.txt",), ())


async def test_k19_a_summary_that_frees_too_little_is_told_and_not_paid_for_again_for_three_turns():
    """The newest answer cannot be left out, and is nearly all there is."""
    chat = _chat(limits=Limits(compact_at=6_000))
    paid, told = [], []
    for number in range(5):
        if number == 0:
            chat.conversation.messages += [
                Message("user", "word " * 500),
                Message("assistant", "Yes. " + "word " * 300),
            ]
        reply = says("Fine.") if number else says("word " * 10_000)
        provider = Summing(reply.counting(31_000), summary="word " * 780)
        events = await chat.send(provider, "Next.", profile=replace(PROFILE, window=0))
        assert last(events).reason == "completed"
        compacted = any(isinstance(event, ContextCompacted) for event in events)
        assert compacted == (number == 4)
        paid.append(len(provider.asked))
        told.append([e.text for e in events if isinstance(e, Notice) and "5 %" in e.text])
    assert paid == [1, 0, 0, 0, 1]
    assert len(told[0]) == 1


async def test_k19_a_stall_that_is_seen_beforehand_is_told_and_costs_nothing():
    """The context is over its limit, and what could be left out is next to nothing."""
    chat = _chat(limits=Limits(compact_at=6_000))
    chat.conversation.messages += [
        Message("user", "Begin."),
        Message("assistant", "Yes."),
    ]
    provider = Summing(says("word " * 10_000).counting(31_000))
    events = await chat.send(provider, "Next.", profile=replace(PROFILE, window=0))
    assert provider.asked == []
    (told,) = [event.text for event in events if isinstance(event, Notice)]
    assert "5 %" in told


async def test_k19_a_useless_summary_rests_over_a_restart_too():
    chat = _chat()
    chat.conversation.turns = 3
    chat.conversation.apply(StepFinished(Usage(9, 9), purpose="summary"))
    assert chat.conversation.carry().summary_rests
    again = replay(
        [StepFinished(Usage(9, 9), purpose="summary"), ContextCompacted(10, 5, 1, "Short.")]
    )
    assert not again.carry().summary_rests


async def test_a20_a23_every_level_of_making_smaller_stands_in_the_log():
    """A summary, a plain trim, and the cuts after an overflow: each with figures and a reason."""
    chat = _chat(tools=(Look(),))
    await _compacted(chat)
    _fill(chat)
    chat.conversation.occupancy = 0
    await chat.send(Summing(says("Fine."), summary=""))
    reasons = [entry.reason for entry in chat.conversation.compactions]
    assert len(reasons) == 2
    assert reasons[1].startswith("summary failed")
    assert all(entry.before > entry.after > 0 for entry in chat.conversation.compactions)
    assert all(reasons)


async def test_k18_the_old_part_is_one_plain_message_and_each_result_two_thousand_characters():
    chat = _chat(tools=(Big(), Look()))
    script = [asks_for("big", characters=6_000, letter="r"), asks_for("look", word="kept whole")]
    await chat.send(Summing(*script, says("Seen.")))
    provider = Summing(says("Fine."))
    await _compacted(chat, provider)
    (request,) = [sent for sent in provider.requests if "memory of" in sent.system]
    assert [item.role for item in request.messages] == ["user"]
    assert (request.tools, request.messages[0].tool_calls) == ((), ())
    text = request.messages[0].text
    assert text.count("r" * 500) == 4
    assert max(map(len, re.findall("r+", text))) == 1_000
    assert "[4,000 characters left out]" in text
    assert "Result of look: saw kept whole" in text
    for section in ("Goal", "Constraints and preferences", "Progress", "Decisions", "Next steps"):
        assert f"## {section}" in request.system
    assert "Done, in progress, blocked." in request.system
    assert "Critical facts" in request.system
    assert "verbatim" in request.system


async def test_u04_a_trim_without_a_summary_leaves_whole_turns():
    """A cut by size alone would fall inside the long turn."""
    chat = _chat(tools=(Big(),))
    _fill(chat, 12)
    rounds = [asks_for("big", characters=1_500, letter=letter) for letter in "abcdefghij"]
    events = await chat.send(Summing(*rounds, says("Seen."), summary=""), "The long task.")
    assert texts(events)[-1] == "Seen."
    entry = chat.conversation.compactions[0]
    assert entry.reason.startswith("summary failed")
    first = chat.conversation.messages[entry.kept_from]
    assert begins_turn(first)
    assert first.text == "The long task."


async def test_k16_the_second_request_is_half_and_the_third_a_quarter_of_the_first():
    chat = _chat(tools=(Look(),))
    _fill(chat, 40)
    chat.conversation.messages.append(Message("assistant", "word " * 4_000))
    refused = [ContextTooLongError("Too long.", status=413) for _ in range(3)]
    provider = ScriptedProvider(*refused)
    before = list(chat.conversation.messages)
    events = await chat.send(provider, "Next.", profile=replace(PROFILE, window=0))
    assert len(provider.requests) == 3
    sizes = [
        len(sent.system) + sum(len(item.text) for item in sent.messages)
        for sent in provider.requests
    ]
    assert sizes[1] <= 0.55 * sizes[0]
    assert sizes[2] <= 0.3 * sizes[0]
    assert all(sent.messages[-1].text == "Next." for sent in provider.requests)
    assert chat.conversation.messages[: len(before)] == before
    assert [type(event).__name__ for event in events].count("ContextCompacted") == 2
