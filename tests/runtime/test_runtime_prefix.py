"""What was sent stays as it was: facts and a new day come with the newest message only."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from kinet.runtime import create_runtime
from kinet.session.new_facts import KnownFacts
from tests.support.approvers import allows_everything
from tests.support.replies import asks_for, says
from tests.support.scripted_server import ScriptedServer

BEGUN = "<memory>\n- likes tea\n</memory>"


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_facts_and_midnight_change_no_byte_of_what_was_sent(tmp_path: Path, protocol: str):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "notes.md").write_text("Monday\n")
    turns = [
        reply for _ in range(3) for reply in (asks_for("read_file", path="notes.md"), says("x"))
    ]
    day = [datetime(2026, 3, 2, 23, 50)]
    with ScriptedServer(*turns) as server:
        base_url = (
            server.base_url.removesuffix("/v1") if protocol == "anthropic" else server.base_url
        )
        runtime = create_runtime(
            tmp_path / "home", base_url=base_url, protocol=protocol, model="scripted", cwd=folder
        )
        runtime.services.memory.add_fact("Likes tea")
        session = runtime.open_session()
        session._state.parts = replace(session._state.parts, now=lambda: day[0])
        for turn in range(3):
            async for _ in session.send(f"turn {turn}", approver=allows_everything()):
                pass
            day[0] = datetime(2026, 3, 3 + turn, 0, 10)
            runtime.services.memory.add_fact(f"Fact of turn {turn}")
        await runtime.close()
        assert server.problems == []
    sent = [_plain(body) for body in server.bodies]
    for before, after in itertools.pairwise(sent):
        assert after[: len(before)] == before
    newest = json.dumps(sent[-1])
    assert "Fact of turn 1" in newest
    assert newest.count("Fact of turn 0") == 2  # once with turn 1, once more with turn 2
    assert "2026-03-04" in newest


def _plain(body: dict) -> list[str]:
    """The parts of a body in their order, without cache marks."""
    parts: list[str] = [json.dumps(body.get("tools")), json.dumps(body.get("system"))]
    for message in body["messages"]:
        content = message["content"]
        blocks = [content] if isinstance(content, str) else content
        parts += [
            json.dumps(
                [message["role"], {k: v for k, v in block.items() if k != "cache_control"}]
                if isinstance(block, dict)
                else [message["role"], block, message.get("tool_calls")]
            )
            for block in blocks
        ]
    return [part.replace(', "cache_control": {"type": "ephemeral"}', "") for part in parts]


def followed(block: str) -> KnownFacts:
    known = KnownFacts()
    known.begun, known.edited = BEGUN, True
    known.follow(lambda: block)
    return known


def test_an_added_fact_is_told_beside_the_block():
    known = followed("<memory>\n- likes cake\n- likes tea\n</memory>")
    assert (known.begun, known.since) == (BEGUN, "Remembered since then:\n- likes cake")


@pytest.mark.parametrize("block", ["", "<memory>\n- likes rain\n</memory>", "<memory>\n</memory>"])
def test_a_deleted_or_changed_fact_leaves_the_block_itself(block: str):
    assert followed(block).begun is None


def test_without_an_edit_nothing_is_read():
    known = KnownFacts()
    known.begun = BEGUN
    known.follow(lambda: pytest.fail("read"))
    assert known.begun == BEGUN
