"""The first request of a new session is small, as counted by a real server."""

from __future__ import annotations

from pathlib import Path

from kinet.runtime import create_runtime
from tests.real.relay import Relay
from tests.support.approvers import Undecided
from tests.support.replies import says

# T15 of the design's table of speeds.
LIMIT = 6_000


class _Answers(Undecided):
    """Somebody who could be asked, so that every tool is offered."""

    async def answer(self, question: str, choices: tuple[str, ...]) -> str:
        """Never asked here."""
        return ""


async def test_the_first_request_with_all_tools_has_at_most_6000_tokens(
    llama_url: str, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    with Relay(llama_url, [says("Hello.")], reads=False) as relay:
        runtime = create_runtime(
            tmp_path / "home", base_url=relay.base_url, model="small", cwd=folder
        )
        session = runtime.open_session()
        events = [event async for event in session.send("Hello", approver=_Answers())]
        await runtime.close()
    assert events[-1].reason == "completed", events[-1]
    ((tokens, _),) = relay.counts
    print(f"first request: {tokens} tokens")
    assert 1_500 < tokens <= LIMIT
