"""Signing in to servers of the official package: the whole way, and what becomes of the tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from mcp_kit import SESSION, Kit
from signing_server import Authority, signing_server

from kinet.core.errors import ToolError
from kinet.mcp.account import SessionAccounts as KeptInMemory
from kinet.mcp.definition import ServerDefinition
from kinet.mcp.sign_in import Visit
from kinet.mcp.sign_ins import SignedIn
from kinet.net.redact import redact


@pytest.fixture(scope="module")
def _running() -> Iterator[tuple[Authority, int]]:
    authority = Authority()
    with signing_server(authority) as port:
        yield authority, port


@pytest.fixture
def authority(_running: tuple[Authority, int]) -> Authority:
    """One that knows nobody."""
    _running[0].begin()
    return _running[0]


@pytest.fixture
def port(_running: tuple[Authority, int]) -> int:
    return _running[1]


class SessionAccounts(KeptInMemory):
    """Notes who was looked up."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def load(self, server: ServerDefinition) -> str:
        self.asked.append(server.name)
        return super().load(server)


class Person:
    """Opens what is shown, as their browser would."""

    def __init__(self) -> None:
        self.visits: list[Visit] = []
        self.pages: list[httpx.Response] = []
        self._tasks: list[asyncio.Task[None]] = []

    def __call__(self, visit: Visit) -> None:
        self.visits.append(visit)
        self._tasks.append(asyncio.create_task(self._open(visit.url)))

    async def _open(self, url: str) -> None:
        async with httpx.AsyncClient(follow_redirects=True, trust_env=False) as browser:
            self.pages.append(await browser.get(url))


async def sign_in(kit: Kit, name: str = "docs", person: Person | None = None) -> SignedIn | None:
    shown = person or Person()
    return await kit.servers.sign_ins.sign_in(kit.definition(name), shown)


def guarded(port: int) -> dict[str, str]:
    return {"url": f"http://127.0.0.1:{port}/mcp"}


async def test_a_person_signs_in_and_the_tools_are_there(
    kit: Kit, authority: Authority, port: int
) -> None:
    standing = await kit.start(docs=guarded(port))
    ((name, reason),) = standing.failed
    assert name == "docs"
    assert reason.startswith("The server wants you to sign in first. ")
    assert reason.endswith("kinet servers sign-in docs")
    assert kit.servers.snapshot(kit.definition("docs"), kit.folder).state == "sign_in"
    assert authority.clients == {}, "nothing is registered before the person wants it"
    person = Person()
    signed = await sign_in(kit, person=person)
    assert signed == SignedIn(f"127.0.0.1:{port}", "session")
    assert person.visits[0].host == f"127.0.0.1:{port}"
    assert "You can close this page" in person.pages[0].text
    await kit.servers.settled(SESSION, 20)
    assert (await kit.call("docs__add", a=1, b=2)).content == "3"
    asked = authority.asked[0]
    assert asked.resource == f"http://127.0.0.1:{port}/mcp"
    assert asked.scopes == ["read"]
    assert str(asked.redirect_uri).startswith("http://127.0.0.1:")
    assert [client.client_name for client in authority.clients.values()] == ["Kinet"]


async def test_a_token_that_is_over_is_renewed_without_the_person(
    kit: Kit, authority: Authority, port: int
) -> None:
    store = kit.fields["accounts"] = SessionAccounts()
    await kit.start(docs=guarded(port))
    await sign_in(kit)
    await kit.servers.settled(SESSION, 20)
    authority.end_access()
    store.asked.clear()
    calls = [kit.call("docs__add", a=number, b=1) for number in range(4)]
    assert [it.content for it in await asyncio.gather(*calls)] == ["1", "2", "3", "4"]
    assert authority.refreshes == 1, "four calls, and one of them renews it"
    assert store.asked == ["docs"]


async def test_a_token_is_renewed_before_it_ends(kit: Kit, authority: Authority, port: int) -> None:
    authority.seconds = 1
    await kit.start(docs=guarded(port))
    await sign_in(kit)
    await kit.servers.settled(SESSION, 20)
    before = authority.refreshes
    authority.seconds = 3_600
    await kit.call("docs__add", a=1, b=1)
    await kit.call("docs__add", a=1, b=1)
    assert authority.refreshes == before + 1


async def test_a_sign_in_that_was_taken_back_is_told_to_model_and_person(
    kit: Kit, authority: Authority, port: int
) -> None:
    await kit.start(docs=guarded(port))
    await sign_in(kit)
    await kit.servers.settled(SESSION, 20)
    authority.end_all()
    with pytest.raises(ToolError) as told:
        await kit.call("docs__add", a=1, b=1)
    assert told.value.message == ("docs wants the person to sign in first; the call was not done.")
    server = kit.definition("docs")
    await kit.until(lambda: kit.servers.snapshot(server, kit.folder).state == "sign_in")
    assert kit.servers.standing(SESSION).tools == ()
    assert len(authority.asked) == 1, "no page was opened for the model"
    await sign_in(kit)
    await kit.servers.settled(SESSION, 20)
    assert (await kit.call("docs__add", a=1, b=1)).content == "2"


async def test_signing_out_ends_it_there_too(kit: Kit, authority: Authority, port: int) -> None:
    await kit.start(docs=guarded(port))
    await sign_in(kit)
    await kit.servers.settled(SESSION, 20)
    server = kit.definition("docs")
    assert kit.servers.sign_ins.known(server) == (f"127.0.0.1:{port}", "session")
    assert await kit.servers.sign_ins.sign_out(server)
    assert authority.revoked
    assert kit.servers.sign_ins.known(server) == ("", "")
    await kit.until(lambda: kit.servers.snapshot(server, kit.folder).state == "sign_in")


async def test_another_program_that_renewed_it_does_not_sign_this_one_out(
    kit: Kit, authority: Authority, port: int
) -> None:
    store = SessionAccounts()
    kit.fields["accounts"] = store
    other = Kit(kit.folder)
    other.fields["accounts"] = store
    try:
        await kit.start(docs=guarded(port))
        await sign_in(kit)
        await kit.servers.settled(SESSION, 20)
        await other.start(docs=guarded(port))
        assert (await other.call("docs__add", a=1, b=1)).content == "2", "the keychain is shared"
        authority.end_access()
        await other.call("docs__add", a=1, b=1)
        assert (await kit.call("docs__add", a=1, b=1)).content == "2"
        assert authority.refreshes == 1
    finally:
        await other.end()


async def test_who_signed_in_by_another_program_is_signed_in_at_the_next_turn(
    kit: Kit, authority: Authority, port: int
) -> None:
    store = kit.fields["accounts"] = SessionAccounts()
    other = Kit(kit.folder)
    other.fields["accounts"] = store
    try:
        await kit.start(docs=guarded(port))
        asked = len(store.asked)
        await kit.start()
        server = kit.definition("docs")
        await kit.until(lambda: len(store.asked) > asked)
        assert kit.servers.snapshot(server, kit.folder).state == "sign_in"
        other.entries["docs"] = guarded(port)
        await sign_in(other)
        await kit.start()
        await kit.until(lambda: kit.servers.standing(SESSION).tools)
        assert (await kit.call("docs__add", a=1, b=1)).content == "2"
    finally:
        await other.end()


async def test_who_refuses_is_not_signed_in(kit: Kit, authority: Authority, port: int) -> None:
    authority.denies = True
    await kit.start(docs=guarded(port))
    person = Person()
    with pytest.raises(ToolError, match="refused at 127") as told:
        await sign_in(kit, person=person)
    assert told.value.kind == "cancelled"
    await kit.until(lambda: person.pages)
    assert "Not signed in" in person.pages[0].text


async def test_a_sign_in_can_be_given_up_and_begun_again(
    kit: Kit, authority: Authority, port: int
) -> None:
    kit.entries["docs"] = guarded(port)
    shown: list[Visit] = []
    signs = kit.servers.sign_ins
    waiting = asyncio.create_task(signs.sign_in(kit.definition("docs"), shown.append))
    await kit.until(lambda: shown)
    with pytest.raises(ToolError, match="going on already"):
        await sign_in(kit)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await kit.until(lambda: not signs._running)
    assert await sign_in(kit) is not None
    # The way back of the first attempt is closed.
    back = httpx.URL(httpx.URL(shown[0].url).params["redirect_uri"])
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", back.port)


async def test_no_log_shows_a_token(kit: Kit, authority: Authority, port: int) -> None:
    kit.entries["docs"] = guarded(port)
    await sign_in(kit)
    (client,) = authority.clients.values()
    secrets = [*authority.access, *authority.refresh, client.client_secret]
    said = redact(" ".join(f"saw {secret} there" for secret in secrets))
    assert not any(secret in said for secret in secrets)
    account = kit.servers._accounts.of(kit.definition("docs"), guarded(port)["url"]).account
    assert not any(secret in repr(account) for secret in secrets)


async def test_a_client_that_the_person_registered_is_used(
    kit: Kit, authority: Authority, port: int
) -> None:
    await kit.start(docs=guarded(port))
    await sign_in(kit)
    (client,) = authority.clients.values()
    back = httpx.URL(str(client.redirect_uris[0])) if client.redirect_uris else httpx.URL("")
    given = {
        "clientId": client.client_id,
        "clientSecret": client.client_secret or "",
        "callbackPort": back.port,
    }
    authority.clients[client.client_id] = client.model_copy(
        update={"token_endpoint_auth_method": "client_secret_basic"}
    )
    kit.entries["docs"] = {**guarded(port), "oauth": given}
    assert await sign_in(kit) is not None
    assert len(authority.clients) == 1


async def test_an_account_is_for_one_address(kit: Kit, authority: Authority, port: int) -> None:
    kit.entries["docs"] = guarded(port)
    await sign_in(kit)
    server = kit.definition("docs")
    moved = replace(server, url=server.url.replace("/mcp", "/other"))
    assert kit.servers.sign_ins.known(moved) == ("", "")
    assert kit.servers._accounts.of(server, moved.url)._url == moved.url
    assert await kit.servers._accounts.of(moved, moved.url).renewed("") == ""


async def test_an_attempt_goes_on_whoever_looks(kit: Kit, authority: Authority, port: int) -> None:
    await kit.start(docs=guarded(port))
    server, signs = kit.definition("docs"), kit.servers.sign_ins

    def visit() -> Visit | None:
        now = signs.signing(server)
        return now.visit if now is not None else None

    signs.begin(server)
    assert signs.signing(server) is not None, "at once"
    await kit.until(visit)
    first = visit()
    signs.begin(server)
    assert visit() is first, "one at a time"
    kit.servers.forget(["other"])
    assert visit() is first
    kit.servers.forget(["docs"])
    assert signs.signing(server) is None, "it goes with its server"
    signs.begin(server)
    signs.give_up(server)
    assert signs.signing(server) is None
    await kit.until(lambda: not signs._running)
    authority.denies = True
    signs.begin(server)
    await kit.until(visit)
    await asyncio.to_thread(httpx.get, visit().url, follow_redirects=True)  # type: ignore[union-attr]
    await kit.until(lambda: signs.signing(server) and signs.signing(server).is_over)  # type: ignore[union-attr]
    assert visit() is None
    authority.denies = False
    signs.begin(server)
    await kit.until(visit)
    await asyncio.to_thread(httpx.get, visit().url, follow_redirects=True)  # type: ignore[union-attr]
    await kit.until(lambda: signs.signing(server) is None)
    assert signs.known(server)[0] == f"127.0.0.1:{port}"
