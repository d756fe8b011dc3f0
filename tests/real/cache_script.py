"""Twelve steps over three turns with tools, facts and a new day between them, on a real server."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from kinet.runtime import create_runtime
from tests.real.relay import Relay
from tests.support.approvers import allows_everything
from tests.support.replies import Reply, asks_for, says

Counts = list[tuple[int, int]]
FACTS = ("Speaks German", "Counts in dozens", "Keeps ledgers in plain text")


def script() -> list[Reply]:
    """Three turns of three calls and an answer."""
    out: list[Reply] = []
    for turn in range(3):
        out += [
            asks_for("read_file", path=f"notes-{turn}.md"),
            asks_for("grep", pattern="total", path="."),
            asks_for("glob", pattern=f"*-{turn}.md"),
            says(f"The total of part {turn} is {turn + 7}."),
        ]
    return out


async def counts_of(server: str, place: Path, *, memory_in_system: bool = False) -> Counts:
    """(prompt tokens, of them cached) of each step.

    `memory_in_system` puts what is remembered into the system prompt instead, as it is at the time.
    """
    folder = place / "project"
    folder.mkdir(parents=True)
    for turn in range(3):
        lines = [f"entry {turn}-{number}: {number * 7}" for number in range(12)]
        (folder / f"notes-{turn}.md").write_text("\n".join([*lines, f"total {turn + 7}\n"]))
    facts: list[str] = ["Likes short sentences"]
    days = [datetime(2026, 3, 2, 23, 50)]

    def change(body: dict[str, Any]) -> dict[str, Any]:
        if not memory_in_system:
            return body
        system, *rest = body["messages"]
        known = "\n".join([f"Today is {days[-1]:%A, %d %B %Y}.", *facts])
        return {**body, "messages": [{**system, "content": f"{known}\n{system['content']}"}, *rest]}

    with Relay(server, script(), change) as relay:
        runtime = create_runtime(place / "home", base_url=relay.base_url, model="small", cwd=folder)
        # A busy machine takes minutes for the first prompt.
        runtime.settings.set("network.stall_seconds", 900)
        runtime.services.memory.add_fact(facts[0])
        session = runtime.open_session()
        for turn in range(3):
            session._state.parts = replace(session._state.parts, now=lambda: days[-1])
            sending = session.send(f"Add up part {turn}.", approver=allows_everything())
            ends = [event async for event in sending]
            assert ends[-1].reason == "completed", ends[-1]
            if turn == 1:
                # Midnight passes, and two facts are learnt.
                days.append(datetime(2026, 3, 3, 0, 10))
                for fact in FACTS[:2]:
                    runtime.services.memory.add_fact(fact)
                    facts.append(fact)
        await runtime.close()
    return relay.counts


def table(counts: Counts) -> str:
    """A line per step: tokens, cached, and the share of the previous prompt that came back."""
    lines = []
    for step, (tokens, cached) in enumerate(counts, 1):
        before = counts[step - 2][0] if step > 1 else 0
        share = f"{100 * cached / before:5.1f} % of the previous prompt" if before else ""
        lines.append(f"step {step:2}: {tokens:5} tokens, {cached:5} cached  {share}")
    return "\n".join(lines)


def shares(counts: Counts) -> list[float]:
    """From the second step on: cached tokens as a share of the previous prompt's."""
    return [cached / counts[place][0] for place, (_, cached) in enumerate(counts[1:])]
