"""A session that an editor has open is read in the window as it goes on, and is ours after it."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from kinet.cli.handed_over import options_message
from kinet.core.errors import StoreError
from kinet.local.handover import Exchange, hand_over
from kinet.settings.options import Options
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import Gate, ScriptedServer, says
from tests.support.window import until

pytestmark = pytest.mark.window


class Editor:
    """A client of `kinet serve` on the line to the window."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self._ids = itertools.count(1)

    async def ask(self, method: str, **params: Any) -> int:
        """Asks without waiting; the id."""
        id_ = next(self._ids)
        said = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
        await self.exchange.tell({"line": json.dumps(said)})
        return id_

    async def call(self, method: str, **params: Any) -> Any:
        """The result."""
        return await self.answer(await self.ask(method, **params))

    async def answer(self, id_: int) -> Any:
        """The result of what was asked."""
        async for message in self.exchange.messages():
            said = json.loads(message["line"])
            if said.get("id") == id_:
                assert "error" not in said, said
                return said["result"]
        raise AssertionError("the window ended")


@asynccontextmanager
async def editor(home: Path, folder: Path, server: ScriptedServer) -> AsyncIterator[Editor]:
    options = Options(base_url=server.base_url, model="scripted", cwd=folder, approve="edits")
    exchange = None

    async def reached() -> None:
        nonlocal exchange
        exchange = await hand_over(
            home, {"verb": "serve", "seat": None, **options_message(options)}
        )

    await until(lambda: (home / "owner.json").exists(), what="the window can be reached")
    await reached()
    assert exchange is not None
    client = Editor(exchange)
    await client.call("initialize")
    try:
        yield client
    finally:
        exchange.close()


def _watches(live: LiveWindow, session_id: str) -> bool:
    session: Any = live.panel.session
    return live.panel.session_id == session_id and getattr(session, "is_watched", False)


async def test_an_editors_session_is_read_as_it_goes_on_and_is_ours_afterwards(
    tmp_path: Path,
) -> None:
    home, folder, gate, later = tmp_path / "home", tmp_path / "work", Gate(), Gate()
    folder.mkdir()
    script = says("It begins", gate, " and ends."), says("Again ", later, "so."), says("Ours.")
    with ScriptedServer(*script) as server:
        async with (
            live_window(home, server_url=server.base_url, folder=folder) as live,
            editor(home, folder, server) as client,
        ):
            session_id = (await client.call("session/new"))["session_id"]
            turn = await client.ask("session/send", session_id=session_id, text="Hello there")
            await until(lambda: gate.reached.is_set(), what="it answers")
            sidebar = live.window.parts.sidebar.model
            await until(lambda: sidebar.item(session_id) is not None, what="it is listed")
            live.window.open_session(session_id)
            await until(lambda: _watches(live, session_id), what="it is read")
            panel = live.panel
            assert not panel.composer.isVisible()
            assert "Hello there" in live.text
            assert panel.state == "running"
            gate.open()
            assert (await client.answer(turn))["reason"] == "completed"
            await until(lambda: "It begins and ends." in live.text, what="the answer is shown")
            await until(lambda: panel.state == "", what="it ended")
            # From here on also the pieces are heard.
            turn = await client.ask("session/send", session_id=session_id, text="Once more")
            await until(lambda: "Again" in live.text, what="it streams")
            with pytest.raises(StoreError, match="works on this session"):
                panel.session.set_mode("all")  # type: ignore[union-attr]
            with pytest.raises(StoreError, match="works on this session"):
                await panel.session.changes.undo()  # type: ignore[union-attr]
            live.window.core.changes.delete(session_id)
            assert "works on this session" in live.window.parts.toast.text()
            assert _watches(live, session_id)
            assert sidebar.item(session_id) is not None
            # Nor is it ours to stop, so nothing says that it is about to be.
            shown = panel.status_row.label.text()
            live.window.core.keys.escape()
            panel.stop()
            assert panel.status_row.label.text() == shown
            later.open()
            await client.answer(turn)
            await until(lambda: "Again so." in live.text, what="all of it is shown")
            read = live.text
            await client.call("session/close", session_id=session_id)
            await until(
                lambda: live.panel.session_id == session_id and not _watches(live, session_id),
                what="it is ours",
            )
            assert live.panel.composer.isVisible()
            assert live.text == read
            assert panel not in live.window.desk.panels
            await live.say("And now?")
            await live.ended()
            assert "Once more" in json.dumps(server.bodies[-1]["messages"])
            await _let_go_unseen(live, client)


async def _let_go_unseen(live: LiveWindow, client: Editor) -> None:
    """Another one, which nobody looks at any more when the editor leaves it."""
    session_id = (await client.call("session/new"))["session_id"]
    await client.call("session/send", session_id=session_id, text="Something else")
    live.window.open_session(session_id)
    await until(lambda: _watches(live, session_id), what="it is read")
    watched = live.panel
    live.window.desk.new()
    await client.call("session/close", session_id=session_id)
    await until(lambda: watched not in live.window.desk.panels, what="it is let go")
    assert live.panel.session_id == ""
    live.window.open_session(session_id)
    await until(lambda: live.panel.session_id == session_id, what="it is opened")
    assert not _watches(live, session_id)
    assert "Something else" in live.text
