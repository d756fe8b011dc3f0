"""A machine that sleeps, or whose clock is set, in the middle of a turn: the whole program."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kinet.core.events import StepFinished, TextDelta, ToolFinished, TurnFinished
from kinet.runtime import Runtime, create_runtime
from tests.session.conftest import collect
from tests.support.replies import Gate, asks_for, says
from tests.support.scripted_server import ScriptedServer
from tests.support.wires import PROTOCOLS

YEARS = 365 * 86_400.0


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server
        assert server.problems == []


def program(server: ScriptedServer, protocol: str, place: Path) -> Runtime:
    (place / "work").mkdir(exist_ok=True)
    return create_runtime(
        place / "home",
        base_url=server.base_url.removesuffix("/v1" if protocol == "anthropic" else ""),
        protocol=protocol,
        model="scripted",
        cwd=place / "work",
    )


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seconds", [60.0, 600.0])
async def test_after_a_sleep_the_answer_goes_on_or_a_retry_is_offered(
    server, protocol, seconds, tmp_path, monkeypatch
):
    # The loop's clock is this one too.
    own_clock, slept = time.monotonic, [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: own_clock() + slept[0])
    gate = Gate()
    server.replies(says("Half", gate, " and whole."))
    runtime = program(server, protocol, tmp_path)
    session = runtime.open_session()
    events = []
    async for event in session.send("Say it."):
        events.append(event)
        if isinstance(event, TextDelta) and event.text == "Half":
            slept[0] = seconds
            gate.open()
    (end,) = [event for event in events if isinstance(event, TurnFinished)]
    said = session.history()[-1].text
    if seconds < 120:
        assert (end.reason, said) == ("completed", "Half and whole.")
    else:
        # Longer than a silent server is waited for.
        assert said.startswith("Half")
        assert end.reason == "completed" or (end.error is not None and end.error.retryable)
    assert (await collect(session.send("And now?")))[-1].reason == "completed"
    await runtime.close()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("years", [-2, 2])
async def test_a_clock_that_is_set_in_mid_turn_changes_neither_order_nor_limits(
    server, protocol, years, tmp_path, monkeypatch
):
    own_time, shift = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: own_time() + shift[0])
    for number in range(4):
        server.replies(asks_for("glob", pattern=f"{number}*"))
    runtime = program(server, protocol, tmp_path)
    runtime.settings.set("limits.max_seconds", 60)
    session = runtime.open_session()
    events = []
    async for event in session.send("Look four times."):
        events.append(event)
        if isinstance(event, ToolFinished):
            shift[0] += years * YEARS / 4
    assert events[-1].reason == "completed"
    assert 0 <= events[-1].duration_s < 60
    assert all(0 <= item.duration_s < 60 for item in events if isinstance(item, StepFinished))
    second = runtime.open_session()
    await collect(second.send("A later one."))
    # The newest is first, whatever the clock says.
    assert [row.id for row in runtime.sessions.list()] == [second.id, session.id]
    before = session.history()
    await runtime.close()
    again = program(server, protocol, tmp_path)
    assert again.open_session(session.id).history() == before
    assert [row.id for row in again.sessions.list()] == [second.id, session.id]
    await again.close()
