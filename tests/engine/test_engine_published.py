"""What is published of a model is read beside its first request; before it only where it counts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from kinet.core.messages import Message
from kinet.engine.compacting import shrinking
from kinet.engine.context import context, published
from kinet.providers.base import ModelRequest, StreamItem
from tests.support.chat import Chat
from tests.support.replies import Reply, fails, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.turns import PROFILE, last

pytestmark = pytest.mark.usefixtures("wire")
WINDOW = 20_000


class Telling(ScriptedProvider):
    """Notes when it is asked."""

    def __init__(self, order: list[str], *script: Reply) -> None:
        super().__init__(*script)
        self._order = order

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """The next reply of the script."""
        self._order.append("asked")
        async for item in super().stream(request):
            yield item


@pytest.fixture
def order(monkeypatch) -> list[str]:
    """What was done, in order, with a model of which is published that its window is 20,000."""
    done: list[str] = []

    def known(model: str) -> int:
        if "read" not in done:
            done.append("read")
        return WINDOW

    def at_hand(model: str) -> int | None:
        return WINDOW if "read" in done else None

    for module in (published, context):
        monkeypatch.setattr(module, "known_window", known)
    for module in (published, shrinking):
        monkeypatch.setattr(module, "window_at_hand", at_hand)
    return done


def _chat(words: int = 0) -> Chat:
    chat = Chat(profile=replace(PROFILE, window=0))
    if words:
        chat.conversation.messages += [
            Message(role, "word " * words) for _ in range(12) for role in ("user", "assistant")
        ]
    return chat


async def test_a_short_conversation_is_sent_before_it_is_read(order):
    chat = _chat()
    events = await chat.send(Telling(order, says("Yes.")))
    assert last(events).reason == "completed"
    assert order == ["asked", "read"]
    # It counts from then on.
    await chat.send(Telling(order, says("Yes.")))
    assert order == ["asked", "read", "asked"]


async def test_one_that_may_not_fit_is_weighed_before(order):
    chat = _chat(words=400)
    events = await chat.send(Telling(order, says("## Goal\nGo on."), says("Yes.")))
    assert last(events).reason == "completed"
    assert order[:2] == ["read", "asked"]
    assert chat.conversation.compaction is not None


async def test_one_that_fails_waits_for_nothing(order):
    events = await _chat().send(Telling(order, fails(400)))
    assert last(events).reason == "failed"
    assert order == ["asked"]


async def test_compacting_by_hand_reads_it_first(order):
    chat = _chat(words=400)
    request = chat.request(Telling(order, says("## Goal\nGo on.")))
    events = [event async for event in chat.engine.compact(request)]
    assert last(events).reason == "completed"
    assert order == ["read", "asked"]
