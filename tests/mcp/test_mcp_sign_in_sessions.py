"""Signing in beside a conversation: a turn tells of it and goes on, and no token is written."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from signing_server import Authority, signing_server
from test_mcp_sessions import World, notices, results, sent, world

from kinet.assembly import Assembly
from kinet.core.events import TurnFinished
from kinet.mcp.sign_in import Visit
from tests.support.replies import asks_for, says

__all__ = ["world"]


async def test_a_call_that_wants_a_sign_in_is_told_and_the_turn_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing opens, nothing waits, and no token is in what is told, kept or written out."""
    monkeypatch.setattr("webbrowser.open", lambda *_: pytest.fail("nobody asked for that"))
    authority = Authority()
    with signing_server(authority) as port:
        runtime = world.runtime()
        world.set(runtime, docs={"url": f"http://127.0.0.1:{port}/mcp"})
        session = runtime.open_session()
        await world.ready(runtime, session)
        world.model.replies(says("Hi."))
        (told,) = notices(await sent(session))
        assert told.startswith("The server docs is not used: The server wants you to sign in first")
        assert world.offered() == []
        book = runtime._parts().tool_servers
        opened: list[asyncio.Task[Any]] = []

        def open_page(visit: Visit) -> None:
            asked = asyncio.to_thread(httpx.get, visit.url, follow_redirects=True, trust_env=False)
            opened.append(asyncio.create_task(asked))

        signed = await runtime.services.servers.sign_ins.sign_in("docs", None, show=open_page)
        assert signed is not None
        assert signed.place == "session", "this computer has no keychain"
        await world.ready(runtime, session)
        call = asks_for("docs__add", a=1, b=2)
        world.model.replies(call, says("Three."), call, says("Sorry."))
        (result,) = results(await sent(session))
        assert result.content == "3"
        secrets = [*authority.access, *authority.refresh]
        authority.end_all()
        events = await sent(session)
        (result,) = results(events)
        assert result.is_error
        assert result.content.startswith("docs wants the person to sign in first")
        assert isinstance(events[-1], TurnFinished)
        assert events[-1].reason == "completed"
        (row,) = await runtime.services.servers.rows(world.folder)
        assert (row.state, row.signed_in, len(authority.asked)) == ("sign_in", "", 1)
        assert book.standing(session.id).tools == ()
        # What runs for a command in this program is signed in as well, keychain or not.
        server = book.own()[0]
        book.accounts.keep(server, "kept")
        guest = Assembly(world.home, runtime.options, runtime._parts())
        assert guest.tool_servers.accounts.load(server) == "kept"
        await guest.close()
        book.accounts.forget(server)
        written = [it.read_bytes() for it in world.home.rglob("*") if it.is_file()]
        told_all = (
            b"".join(written) + repr(events).encode() + json.dumps(world.model.bodies).encode()
        )
        assert not [secret for secret in secrets if secret.encode() in told_all]
