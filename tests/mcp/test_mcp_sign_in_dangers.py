"""Servers and authorization servers that mislead: what they say is not followed."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from mcp_kit import SESSION, Kit
from web_server import Scripted, as_json, good_reply

from kinet.core.errors import ToolError
from kinet.mcp.account import SessionAccounts
from kinet.mcp.sign_in import Visit

PROTECTED = "/.well-known/oauth-protected-resource/mcp"
SERVER = "/.well-known/oauth-authorization-server"
Reply = tuple[int, dict[str, str], bytes]


class Site:
    """A server and its authorization server on one port. `replies` answer a path otherwise."""

    def __init__(self) -> None:
        self.replies: dict[str, Any] = {}
        self.metadata: dict[str, Any] = {}
        self.protected: dict[str, Any] = {}
        self.granted = "read"
        self.needed = {"read"}
        self.challenge = ""
        # What it does for everybody.
        self.open_to: tuple[str, ...] = ()
        self.server = Scripted(self._reply)
        self.home = f"http://127.0.0.1:{self.server.port}"
        self._tokens: dict[str, set[str]] = {}

    @property
    def entry(self) -> dict[str, Any]:
        return {"url": f"{self.home}/mcp"}

    def seen(self, path: str) -> list[Any]:
        return [message for _, at, _, message in self.server.seen if at.partition("?")[0] == path]

    def _reply(self, method: str, path: str, headers: dict[str, str], message: Any) -> Reply:
        plain = path.partition("?")[0]
        if plain in self.replies:
            told = self.replies[plain]
            return told(message) if callable(told) else told
        match plain:
            case "/.well-known/oauth-protected-resource/mcp":
                usual = {"resource": f"{self.home}/mcp", "authorization_servers": [self.home]}
                return as_json({**usual, **self.protected})
            case "/.well-known/oauth-authorization-server":
                usual = {
                    "issuer": self.home,
                    "authorization_endpoint": f"{self.home}/authorize",
                    "token_endpoint": f"{self.home}/token",
                    "registration_endpoint": f"{self.home}/register",
                    "code_challenge_methods_supported": ["S256"],
                }
                return as_json({**usual, **self.metadata})
            case "/register":
                return as_json({"client_id": "kinet-client", **message}, 201)
            case "/token":
                token = f"token-number-{len(self._tokens)}"
                self._tokens[token] = set(self.granted.split())
                answer = {"access_token": token, "token_type": "Bearer", "scope": self.granted}
                return as_json(answer)
            case "/mcp":
                return self._guarded(method, path, headers, message)
        return 404, {}, b""

    def _guarded(self, method: str, path: str, headers: dict[str, str], message: Any) -> Reply:
        token = headers.get("authorization", "").removeprefix("Bearer ")
        if token not in self._tokens and (message or {}).get("method") not in self.open_to:
            return 401, {"www-authenticate": self.challenge} if self.challenge else {}, b""
        calls = bool(message) and message.get("method") == "tools/call"
        if calls and not self.needed <= self._tokens.get(token, set()):
            told = f'Bearer error="insufficient_scope", scope="{" ".join(self.needed)}"'
            return 403, {"www-authenticate": told}, b""
        return good_reply(method, path, headers, message)


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    with made.server:
        yield made


class Browser:
    """Comes back at once, with whatever `changed` makes of what it was given."""

    def __init__(self, changed: Callable[[dict[str, str]], dict[str, str]] = dict) -> None:
        self.visits: list[Visit] = []
        self.pages: list[int] = []
        self._changed = changed
        self._tasks: list[asyncio.Task[None]] = []

    def __call__(self, visit: Visit) -> None:
        self.visits.append(visit)
        self._tasks.append(asyncio.create_task(self._back(httpx.URL(visit.url))))

    async def _back(self, url: httpx.URL) -> None:
        told = self._changed({"code": "code-of-the-person", "state": url.params["state"]})
        async with httpx.AsyncClient(trust_env=False) as client:
            page = await client.get(url.params["redirect_uri"], params=told)
            self.pages.append(page.status_code)


async def refused(kit: Kit, site: Site, browser: Browser | None = None) -> str:
    """Why the sign-in failed."""
    kit.entries["docs"] = site.entry
    shown = browser or Browser()
    with pytest.raises(ToolError) as told:
        await kit.servers.sign_ins.sign_in(kit.definition("docs"), shown)
    assert kit.servers.sign_ins.known(kit.definition("docs")) == ("", "")
    return told.value.sentence()


async def signed_in(kit: Kit, site: Site) -> Browser:
    browser = Browser()
    await kit.servers.sign_ins.sign_in(kit.definition("docs"), browser)
    await kit.servers.settled(SESSION, 20)
    return browser


ADDRESSES = {
    "javascript:alert(1)": "does not say where to sign in",
    "http://example.com/authorize": "it is not protected (http)",
    "https://192.168.1.1/authorize": "local network",
}


@pytest.mark.parametrize("address", ADDRESSES)
async def test_nobody_is_sent_to_such_an_address(kit: Kit, site: Site, address: str) -> None:
    site.metadata["authorization_endpoint"] = address
    browser = Browser()
    assert ADDRESSES[address] in await refused(kit, site, browser)
    assert browser.visits == []


ENDPOINTS = ("token_endpoint", "registration_endpoint")


@pytest.mark.parametrize("endpoint", ENDPOINTS)
async def test_nothing_is_sent_to_such_an_address(kit: Kit, site: Site, endpoint: str) -> None:
    site.metadata[endpoint] = "https://10.0.0.1/x"
    browser = Browser()
    assert "which is not asked" in await refused(kit, site, browser)
    assert browser.visits == [], "the person is not troubled for nothing"


async def test_metadata_is_not_fetched_from_inner_places(kit: Kit, site: Site) -> None:
    site.challenge = 'Bearer resource_metadata="https://10.0.0.1/secrets"'
    assert "10.0.0.1" in await refused(kit, site)
    site.challenge = 'Bearer resource_metadata="http://169.254.169.254/latest/meta-data"'
    assert "169.254.169.254" in await refused(kit, site)


async def test_what_is_asked_for_is_spelt_out(kit: Kit, site: Site) -> None:
    site.protected["scopes_supported"] = ["read\x1b[2J", "write\u202e"]
    kit.entries["docs"] = site.entry
    (visit,) = (await signed_in(kit, site)).visits
    assert visit.scope.isprintable()
    assert "\x1b" not in visit.url


@pytest.mark.parametrize("issuer", ["http://127.0.0.1:1", "{home}/tenant", "{home}//", "{home}?"])
async def test_issuers_are_not_mixed_up(kit: Kit, site: Site, issuer: str) -> None:
    site.metadata["issuer"] = issuer.format(home=site.home)
    assert "issuer mismatch" in await refused(kit, site)
    assert site.seen("/register") == []


@pytest.mark.parametrize("ends", ["/", ""])
async def test_an_issuer_may_end_in_a_slash_or_not(kit: Kit, site: Site, ends: str) -> None:
    site.metadata["issuer"] = f"{site.home}{ends}"
    site.metadata["authorization_response_iss_parameter_supported"] = True
    site.protected["authorization_servers"] = [f"{site.home}{'' if ends else '/'}"]
    kit.entries["docs"] = site.entry
    browser = Browser(lambda told: {**told, "iss": f"{site.home}{ends}"})
    signed = await kit.servers.sign_ins.sign_in(kit.definition("docs"), browser)
    assert signed is not None


async def test_an_answer_of_another_issuer_is_refused(kit: Kit, site: Site) -> None:
    browser = Browser(lambda told: {**told, "iss": "https://evil.example"})
    assert "iss mismatch" in await refused(kit, site, browser)
    site.metadata["authorization_response_iss_parameter_supported"] = True
    assert "missing iss" in await refused(kit, site)
    assert site.seen("/token") == []


async def test_a_resource_that_is_another_servers_is_refused(kit: Kit, site: Site) -> None:
    site.protected["resource"] = "https://bank.example/mcp"
    assert "does not match" in await refused(kit, site)


@pytest.mark.parametrize("methods", [None, [], ["plain"]])
async def test_without_pkce_nobody_is_sent(kit: Kit, site: Site, methods: Any) -> None:
    site.metadata["code_challenge_methods_supported"] = methods
    browser = Browser()
    assert "PKCE" in await refused(kit, site, browser)
    assert browser.visits == []


async def test_a_server_that_only_says_no_is_not_guessed_at(kit: Kit, site: Site) -> None:
    site.replies = {PROTECTED: (404, {}, b""), SERVER: (404, {}, b"")}
    said = await refused(kit, site)
    assert "does not say where to sign in" in said
    assert "put that into headers" in said
    assert site.seen("/register") == []


async def test_an_answer_with_another_state_is_not_taken(kit: Kit, site: Site) -> None:
    kit.entries["docs"] = site.entry
    browser = Browser(lambda told: {**told, "state": "of-somebody-else"})
    signing = asyncio.create_task(kit.servers.sign_ins.sign_in(kit.definition("docs"), browser))
    await kit.until(lambda: browser.pages)
    assert browser.pages == [404]
    assert not signing.done()
    assert (
        browser.visits[0].take(
            re.sub("[?].*", "", httpx.URL(browser.visits[0].url).params["redirect_uri"])
            + f"?code=c&state={httpx.URL(browser.visits[0].url).params['state']}"
        )
        is True
    ), "what was copied by hand counts as well"
    assert await signing is not None


async def test_a_refusal_of_the_token_shows_no_secret(kit: Kit, site: Site) -> None:
    def refuse(form: dict[str, str]) -> Reply:
        told = {"error": "invalid_grant", "error_description": f"bad {form['code']}", "x": form}
        return as_json(told, 400)

    site.replies["/token"] = refuse
    said = await refused(kit, site)
    assert "gave no token (400: invalid_grant" in said
    assert "code-of-the-person" not in said


async def test_a_client_that_is_not_taken_is_told_how_to_register(kit: Kit, site: Site) -> None:
    site.replies["/register"] = as_json({"error": "access_denied"}, 403)
    said = await refused(kit, site)
    assert "does not take Kinet as a new client (403: access_denied)" in said
    assert re.search(r"redirect address http://127\.0\.0\.1:\d+/callback", said)


async def test_without_a_place_to_register_nothing_is_guessed(kit: Kit, site: Site) -> None:
    site.metadata["registration_endpoint"] = None
    said = await refused(kit, site)
    assert "takes no new clients by itself. Register Kinet there by hand" in said
    assert site.seen("/register") == []


async def test_a_server_that_greets_everybody_and_then_refuses_is_signed_in_to(
    kit: Kit, site: Site
) -> None:
    site.open_to = ("initialize", "notifications/initialized", "tools/list")
    await kit.start(docs=site.entry)
    with pytest.raises(ToolError, match="wants the person to sign in first"):
        await kit.call("docs__now")
    await signed_in(kit, site)
    assert (await kit.call("docs__now")).content == "noon"


@pytest.mark.parametrize(
    "reply",
    [(200, {}, b"\xff{"), as_json({"access_token": 1}), (200, {}, b" " * 300_000),
     as_json({"access_token": "t", "token_type": "mac"})],
)  # fmt: skip
async def test_nonsense_for_a_token_is_told(kit: Kit, site: Site, reply: Reply) -> None:
    site.replies["/token"] = reply
    said = await refused(kit, site)
    assert said.endswith(".")
    assert "\n" not in said


async def test_a_sign_in_that_leads_in_circles_ends(kit: Kit, site: Site) -> None:
    site.replies[PROTECTED] = (307, {"location": f"{site.home}{PROTECTED}"}, b"")
    site.replies[SERVER] = (307, {"location": f"{site.home}{SERVER}"}, b"")
    await refused(kit, site)
    assert len(site.server.seen) < 30


async def test_the_token_goes_to_no_other_host(kit: Kit, site: Site) -> None:
    await kit.start(docs=site.entry)
    await signed_in(kit, site)
    with Scripted(good_reply) as other:
        place = f"http://localhost:{other.port}/mcp"
        site.replies["/mcp"] = (307, {"location": place}, b"")
        with pytest.raises(ToolError):
            await kit.call("docs__now")
    assert other.seen == []


async def test_a_server_that_refuses_a_new_token_is_not_asked_forever(kit: Kit, site: Site) -> None:
    site.replies["/mcp"] = (401, {}, b"")
    said = await refused(kit, site)
    assert "refuses the sign-in it has just been given (401)" in said
    assert len(site.seen("/token")) == 1


async def test_more_is_granted_when_a_call_needs_it(kit: Kit, site: Site) -> None:
    site.needed = {"write"}
    await kit.start(docs=site.entry)
    await signed_in(kit, site)
    with pytest.raises(ToolError) as told:
        await kit.call("docs__now")
    assert told.value.message == (
        "docs wants the person to grant more first; the call was not done. The server wants more "
        "to be granted: write."
    )
    told_now = kit.servers.snapshot(kit.definition("docs"), kit.folder)
    assert (told_now.state, bool(told_now.wants)) == ("ready", True), "other tools still work"
    site.granted = "read write"
    browser = await signed_in(kit, site)
    assert set(browser.visits[0].scope.split()) == {"read", "write"}, "what it had is asked again"
    assert (await kit.call("docs__now")).content == "noon"


async def test_what_was_granted_and_is_refused_all_the_same_is_no_reason_to_sign_in(
    kit: Kit, site: Site
) -> None:
    site.needed = {"write"}
    await kit.start(docs=site.entry)
    await signed_in(kit, site)
    site.granted, site.needed = "read write", {"write"}
    with pytest.raises(ToolError):
        await kit.call("docs__now")
    await signed_in(kit, site)
    for token in site._tokens.values():
        token.discard("write")
    with pytest.raises(ToolError, match="refuses what it was granted already"):
        await kit.call("docs__now")


async def test_an_authorization_server_that_is_down_signs_nobody_out(kit: Kit, site: Site) -> None:
    store = kit.fields["accounts"] = SessionAccounts()
    await kit.start(docs=site.entry)
    await signed_in(kit, site)
    server = kit.definition("docs")
    account = kit.servers._accounts.of(server, server.url)
    assert account.account is not None
    over = replace(account.account, refresh_token="kept-for-later", expires_at=1.0)
    account._held.account = over
    store.keep(server, over.to_text())
    site.replies["/token"] = (503, {}, b"")
    with pytest.raises(ToolError, match="could not be renewed: 127"):
        await kit.call("docs__now")
    assert account.account.refresh_token == "kept-for-later"
    assert "kept-for-later" in store.load(server)


async def test_a_server_that_asks_for_nothing_is_not_signed_in_to(kit: Kit, site: Site) -> None:
    site.replies["/mcp"] = as_json({"jsonrpc": "2.0", "id": 1, "result": {}})
    kit.entries["docs"] = site.entry
    assert await kit.servers.sign_ins.sign_in(kit.definition("docs"), Browser()) is None


@pytest.mark.parametrize("entry", [{"command": "x"}, {"headers": {"Authorization": "Bearer k"}}])
async def test_what_has_its_own_key_has_no_sign_in(
    kit: Kit, site: Site, entry: dict[str, Any]
) -> None:
    kit.entries["docs"] = entry if "command" in entry else {**site.entry, **entry}
    with pytest.raises(ToolError, match="nothing to sign in to"):
        await kit.servers.sign_ins.sign_in(kit.definition("docs"), Browser())


async def test_a_taken_callback_port_is_told(kit: Kit, site: Site) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        site_entry = {**site.entry, "oauth": {"callbackPort": taken.getsockname()[1]}}
        kit.entries["docs"] = site_entry
        with pytest.raises(ToolError, match="is taken"):
            await kit.servers.sign_ins.sign_in(kit.definition("docs"), Browser())
