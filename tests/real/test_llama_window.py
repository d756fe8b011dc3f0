"""A real llama.cpp server answers in the window, and its slot is free again after Stop."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

import pytest

from tests.support.live_window import live_window
from tests.support.window import QtLoopPolicy, app, event_loop_policy, qapp_args, until

__all__ = ["QtLoopPolicy", "app", "event_loop_policy", "qapp_args"]

# A slow machine reads the system text for a while before the first word comes.
PATIENCE_S = 400.0

pytestmark = pytest.mark.window


def slot_busy(url: str) -> bool:
    """True while the server works on a request."""
    with urllib.request.urlopen(f"{url}/slots") as answer:
        return any(slot["is_processing"] for slot in json.load(answer))


def writing(url: str) -> bool:
    """True once the server has written a few words of an answer that goes on."""
    with urllib.request.urlopen(f"{url}/slots") as answer:
        slots = json.load(answer)
    return any(slot["is_processing"] and slot["next_token"][0]["n_decoded"] > 3 for slot in slots)


async def test_it_answers_in_the_window_with_its_own_token_counts(
    llama_url: str, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    async with live_window(
        tmp_path / "home", server_url=f"{llama_url}/v1", folder=tmp_path / "work"
    ) as live:
        await live.say("Say hello.")
        await until(lambda: not live.panel.runner.running, PATIENCE_S, "the answer ends")
        assert live.panel.state == "", live.text
        answer = live.panel.session.history()[-1]
        assert answer.role == "assistant"
        assert answer.text.strip()
        assert answer.text.strip() in live.text
        assert live.panel.session.conversation.prompt_tokens > 100


async def test_its_slot_is_free_soon_after_the_stop_button(llama_url: str, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    async with live_window(
        tmp_path / "home", server_url=f"{llama_url}/v1", folder=tmp_path / "work"
    ) as live:
        await live.say("Count to one thousand, in words.")
        # While it reads the prompt the server looks at nothing else, so wait for the first words.
        await until(lambda: writing(llama_url), PATIENCE_S, "words come")
        live.press("stopButton")
        await live.ended()
        await until(lambda: not slot_busy(llama_url), what="the slot is free")
        assert live.panel.state == "stopped"
