"""Notes of ours that a model repeats: taken out of its answer, kept inside code."""

from __future__ import annotations

import pytest

from kinet.core.events import Notice, SegmentReset, TextDelta
from kinet.engine.loop.echoes import without_echoes
from tests.support.chat import Chat
from tests.support.replies import (
    says,
)
from tests.support.scripted_provider import ScriptedProvider
from tests.support.turns import collect, texts, turn


@pytest.mark.usefixtures("wire")
async def test_a10_a_reply_that_is_an_echo_and_nothing_else_counts_as_empty():
    provider = ScriptedProvider(says("[Kinet: 3 steps are left.]\n"), says("The answer."))
    events = await collect(turn(provider))
    assert texts(events) == ["The answer."]
    assert len(provider.requests) == 2
    # What was streamed of it leaves the screen.
    kinds = [type(event) for event in events]
    assert kinds.index(TextDelta) < kinds.index(SegmentReset) < kinds.index(Notice)


@pytest.mark.usefixtures("wire")
async def test_a10_an_echo_is_taken_out_where_the_server_keeps_reasoning_too():
    provider = ScriptedProvider(
        says("[Kinet: 3 steps are left.]\nThe answer.").thinking("Hm."), says("Next.")
    )
    chat = Chat()
    assert texts(await chat.send(provider)) == ["The answer."]
    await chat.send(provider, "Go on.")
    assert all("3 steps" not in item.text for item in provider.requests[1].messages)


@pytest.mark.parametrize(
    "code",
    [
        "```\n[Kinet: a note.]\n```",
        "````\n```\n[Kinet: a note.]\n```\n[Kinet: a note.]\n````",
        "```text\n```python\n[Kinet: a note.]\n```",
        "~~~\n```\n[Kinet: a note.]\n~~~",
        "> ```\n> [Kinet: a note.]\n> ```",
        "- Such:\n\n  ```\n  [Kinet: a note.]\n  ```",
        "1. ```\n   [Kinet: a note.]\n   ```",
        "So:\n\n    [Kinet: a note.]\n\nEnd.",
        "So:\n\n\t[Kinet: a note.]",
        "A line with `[Kinet: a note.]` in it.",
    ],
)
def test_a10_the_words_of_a_note_inside_code_stay_whatever_kind_of_code_it_is(code):
    assert without_echoes(f"{code}\n\nAfter.") == f"{code}\n\nAfter."
    assert without_echoes(f"{code}\n\n[Kinet: a note.]\nAfter.") == f"{code}\n\nAfter."
