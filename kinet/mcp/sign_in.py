"""A person's sign-in to one server: the package's flow, on checked addresses, through a browser."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx

from kinet.core.errors import ToolError
from kinet.mcp.account import Account
from kinet.mcp.accounts import ServerAccount, with_tokens
from kinet.mcp.definition import ServerDefinition
from kinet.mcp.sdk import VERSION, Oauth, import_oauth
from kinet.mcp.secret_values import hide
from kinet.mcp.sign_in_reach import SignInReach
from kinet.mcp.sign_in_storage import SignInStorage, is_document
from kinet.mcp.web_way import packed_trouble, sent_headers
from kinet.net.loopback_answer import LoopbackAnswer
from kinet.net.redact import redact
from kinet.policy.network import host_of
from kinet.policy.visible import visible_line
from kinet.tools.web.web_transport import Reach, Ways, opened_ways

# So long a person may take.
PERSON_SECONDS = 300.0
_STEP_SECONDS = 30.0
_LARGEST_ANSWER = 256 * 1024
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": VERSION,
        "capabilities": {},
        "clientInfo": {"name": "kinet", "version": "0.1"},
    },
}


@dataclass(frozen=True, slots=True)
class Visit:
    """Where a person signs in. `host` is what the browser shows, `scope` what is asked for.

    `take` is given the address that a browser elsewhere ended on; True if it was that.
    """

    url: str = field(repr=False)
    host: str
    issuer: str
    scope: str
    take: Callable[[str], bool]


class SignIn:
    """One attempt. `show` is told where to sign in, `does` what goes on, in the servers' thread."""

    def __init__(
        self,
        server: ServerDefinition,
        account: ServerAccount,
        reach: Reach,
        show: Callable[[Visit], None],
        does: Callable[[str], None],
        *,
        seconds: float = PERSON_SECONDS,
    ) -> None:
        """`server` is filled in."""
        self._server, self._account = server, account
        self._reach, self._show, self._does, self._seconds = reach, show, does, seconds
        self._way: SignInReach
        self._ways: Ways
        self._oauth: Oauth
        self._provider: Any = None
        self._answer: LoopbackAnswer
        self._storage: SignInStorage
        self._wanted = account.wanted
        self._begun = False
        # What an authorization server said against it last: (status, its words).
        self._said: tuple[int, str] = (0, "")

    async def run(self) -> Account | None:
        """The account, not kept yet; None for a server that asks for no sign-in.

        ToolError says what failed; kind "cancelled" where the person refused.
        """
        self._does("Asking how to sign in")
        self._oauth = await asyncio.to_thread(import_oauth)
        self._way = await asyncio.to_thread(SignInReach, self._server, self._reach)
        self._way.check_server()
        widens = self._wanted is not None and self._wanted.status == 403
        prior = await self._account.load() if widens else None
        self._storage = SignInStorage(self._oauth, self._server, prior)
        async with AsyncExitStack() as stack:
            self._ways = await opened_ways(stack, self._way.reach)
            port = int(self._server.oauth.get("callbackPort") or 0)
            try:
                self._answer = await stack.enter_async_context(LoopbackAnswer(port))
            except OSError as exc:
                raise ToolError(
                    f"The port {port} for the way back from the browser is taken: {exc.strerror}.",
                    hint="End what uses it, or give the server another callback port.",
                ) from exc
            try:
                return self._outcome(await self._flow())
            except self._oauth.failures as exc:
                raise self._meaning(exc) from exc
            finally:
                if not widens:
                    # It may ask in another way by now: the next attempt hears it itself.
                    self._account.want(None)

    async def _flow(self) -> int:
        """Asks the server as its connection would, and lets the package do what follows."""
        web: Any = importlib.import_module("httpx2")
        given = self._server.oauth
        client_id = given.get("clientId", "")
        document = client_id if is_document(client_id) else None
        self._provider = self._oauth.provider(
            self._server.url,
            self._oauth.as_new_client(self._answer.url, given.get("scopes", "")),
            self._storage,
            redirect_handler=self._send_person,
            callback_handler=self._person_is_back,
            client_metadata_url=document,
        )
        client = web.AsyncClient(
            transport=_transport(web, self),
            auth=self._provider,
            headers={"user-agent": "kinet/0.1", **self._server.headers},
            trust_env=False,
            follow_redirects=False,
            timeout=None,
        )
        is_stream = self._server.kind == "sse"
        asked = {"method": "GET" if is_stream else "POST", "url": self._server.url}
        headers = {
            "accept": "text/event-stream" if is_stream else "application/json, text/event-stream",
            "mcp-protocol-version": VERSION,
        }
        body = {} if is_stream else {"json": _HELLO}
        async with client, client.stream(**asked, headers=headers, **body) as response:
            status: int = response.status_code
            return status

    def _outcome(self, status: int) -> Account | None:
        name, storage = self._server.name, self._storage
        if storage.tokens is None:
            if status in (401, 403):
                raise ToolError(f"{name} refuses, and does not say how to sign in ({status}).")
            if status >= 500:
                raise ToolError(f"{name} answered with the error {status}.")
            return None
        if status in (401, 403):
            raise ToolError(
                f"{name} refuses the sign-in it has just been given ({status}).",
                hint="Ask whoever runs the server.",
            )
        context = self._provider.context
        metadata = context.oauth_metadata
        account = Account(
            self._server.url,
            "",
            client=context.client_info.model_dump(mode="json", exclude_none=True),
            issuer=str(metadata.issuer),
            token_endpoint=str(metadata.token_endpoint),
            revocation_endpoint=str(metadata.revocation_endpoint or ""),
            resource=context.get_resource_url(),
        )
        return with_tokens(account, storage.tokens)

    async def _send_person(self, url: str) -> None:
        """Shows where to sign in, once all that is known of it holds."""
        context = self._provider.context
        metadata = context.oauth_metadata
        methods = metadata.code_challenge_methods_supported or ()
        issuer = host_of(str(metadata.issuer))
        if "S256" not in methods:
            raise ToolError(
                f"{issuer} does not say that it protects a sign-in against theft (PKCE, S256); "
                "nobody is sent there."
            )
        endpoint = str(metadata.authorization_endpoint)
        asked = {name: values[0] for name, values in parse_qs(url[len(endpoint) + 1 :]).items()}
        if scopes := self._server.oauth.get("scopes", ""):
            asked["scope"] = context.client_metadata.scope = scopes
        # What it sets itself could be taken instead of what is asked here.
        if "#" in endpoint or parse_qs(urlsplit(endpoint).query, True).keys() & asked.keys():
            raise ToolError(f"{issuer} names an address for the sign-in that is not used.")
        target = await asyncio.to_thread(self._way.check_opened, endpoint)
        # Before anybody takes the trouble.
        await asyncio.to_thread(self._way.asked, str(metadata.token_endpoint))
        self._storage.choose_method(context.client_info, metadata)
        whole = f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(asked)}"
        self._answer.expect(asked["state"])
        scope = visible_line(asked.get("scope", "")[:300])
        visit = Visit(whole, target.authority, issuer, scope, self._answer.take)
        self._does(f"Waiting for the sign-in at {target.authority}")
        self._show(visit)

    async def _person_is_back(self) -> Any:
        host = host_of(str(self._provider.context.oauth_metadata.authorization_endpoint))
        try:
            told = await self._answer.wait(self._seconds)
        except TimeoutError as exc:
            minutes = max(1, round(self._seconds / 60))
            raise ToolError(
                f"Nobody signed in at {host} within {minutes} minutes.", kind="cancelled"
            ) from exc
        if told.error:
            said = _shown(told.description or told.error)
            if told.error == "access_denied":
                raise ToolError(f"The sign-in was refused at {host}: {said}.", kind="cancelled")
            raise ToolError(f"{host} could not sign you in: {said}.")
        hide(told.code)
        self._does("Getting the token")
        issuer = told.issuer
        if issuer is not None and is_same_root(issuer, self._issuer()):
            issuer = self._issuer()
        return self._oauth.code(code=told.code, state=told.state, iss=issuer)

    async def answer(self, method: str, url: str, headers: dict[str, str], content: bytes) -> Any:
        """(status, headers, body or the open answer) of one request of the flow. ToolError."""
        begins, self._begun = not self._begun, True
        if begins and (wanted := self._wanted) is not None:
            # Said when a call needed it; the greeting alone may not bring it up.
            told = [("www-authenticate", wanted.challenge)] if wanted.challenge else []
            return wanted.status, told, b""
        own = (method, url) == ("GET" if self._server.kind == "sse" else "POST", self._server.url)
        if not own:
            self._check_step(method)
        target, way = await asyncio.to_thread(self._way.asked, url)
        try:
            async with asyncio.timeout(_STEP_SECONDS):
                response = await self._ways.ask(
                    target, way, method=method, headers=headers, content=content
                )
                if trouble := packed_trouble(response):
                    await response.aclose()
                    raise ToolError(f"{target.authority} {trouble}.")
                if own and response.status_code not in (401, 403):
                    return response.status_code, response.headers.multi_items(), response
                body = await _whole(response)
        except TimeoutError as exc:
            raise ToolError(f"{target.authority} did not answer.") from exc
        except httpx.TransportError as exc:
            raise ToolError(f"The connection to {target.authority} broke.") from exc
        except ToolError as exc:
            raise ToolError(exc.message.removeprefix("Not fetched: "), hint=exc.hint) from exc
        if not own and method == "POST" and response.status_code >= 400:
            self._said = response.status_code, _words_of(body)
        expected = self._provider.context.auth_server_url
        if method == "GET" and expected is not None:
            body = _with_issuer(body, expected)
        return response.status_code, response.headers.multi_items(), body

    def _check_step(self, method: str) -> None:
        """Registering by guesswork would send a person to a page that nobody named."""
        context = self._provider.context
        if method == "POST" and context.oauth_metadata is None:
            raise ToolError(
                f"{self._server.name} refuses, and does not say where to sign in.",
                hint="It may want a token instead: put that into headers, as Authorization.",
            )
        registers = method == "POST" and context.client_info is None
        if registers and context.oauth_metadata.registration_endpoint is None:
            where = host_of(self._issuer())
            raise ToolError(f"{where} takes no new clients by itself.", hint=self._by_hand())

    def _meaning(self, failure: Exception) -> ToolError:
        status, words = self._said
        told = f"{status}{f': {words}' if words else ''}"
        where = host_of(self._issuer()) or self._server.name
        if self._oauth.is_about_registration(failure):
            return ToolError(
                f"{where} does not take Kinet as a new client ({told or 'no usable answer'}).",
                hint=self._by_hand(),
            )
        if status:
            return ToolError(f"{where} gave no token ({told}).")
        said = _shown(str(failure).splitlines()[0] if str(failure) else type(failure).__name__)
        return ToolError(f"The sign-in failed: {said}.")

    def _by_hand(self) -> str:
        return (
            f"Register Kinet there by hand, with the redirect address {self._answer.url}, and give "
            "its client id and this port in the server's settings."
        )

    def _issuer(self) -> str:
        metadata = self._provider.context.oauth_metadata if self._provider is not None else None
        return str(metadata.issuer) if metadata is not None else ""


async def _whole(response: httpx.Response) -> bytes:
    body = b""
    try:
        async for data in response.aiter_raw():
            body += data
            if len(body) > _LARGEST_ANSWER:
                raise ToolError("An answer of the sign-in is larger than it could need to be.")
    finally:
        await response.aclose()
    return body


def _with_issuer(body: bytes, expected: str) -> bytes:
    """The metadata with the issuer as it was named before: many differ by the last slash alone."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return body
    issuer = told.get("issuer") if isinstance(told, dict) else None
    if not isinstance(issuer, str) or issuer == expected or not is_same_root(issuer, expected):
        return body
    return json.dumps({**told, "issuer": expected}).encode()


def is_same_root(one: str, other: str) -> bool:
    """True for one host with and without the slash behind it, and for nothing with a path."""
    plain = one.removesuffix("/")
    return plain == other.removesuffix("/") and urlsplit(plain).path == ""


def _words_of(body: bytes) -> str:
    """The word and the sentence of an error as the protocol has them; nothing else of a body."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(told, Mapping):
        return ""
    words = [told.get(key) for key in ("error", "error_description")]
    return _shown(", ".join(word for word in words if isinstance(word, str) and word))


def _shown(text: str) -> str:
    return visible_line(redact(text[:300])).rstrip(".")


def _transport(web: Any, flow: SignIn) -> Any:
    """A transport in the words of the package's library."""

    class Body(web.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, response: httpx.Response) -> None:
            self._response = response

        async def __aiter__(self) -> AsyncIterator[bytes]:
            # Nothing of it is needed: that it came is enough.
            return
            yield b""

        async def aclose(self) -> None:
            await self._response.aclose()

    class Transport(web.AsyncBaseTransport):  # type: ignore[misc]
        async def handle_async_request(self, request: Any) -> Any:
            content = await request.aread()
            headers = sent_headers(request.headers)
            status, told, body = await flow.answer(
                request.method, str(request.url), headers, content
            )
            held = {"content": body} if isinstance(body, bytes) else {"stream": Body(body)}
            return web.Response(status, headers=told, request=request, **held)

    return Transport()
