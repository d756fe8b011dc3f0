"""The way to a server on the network: the protocol's own client speaks, our checked way carries."""

from __future__ import annotations

import importlib
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import httpx

from kinet.core.errors import ToolError
from kinet.mcp.accounts import ServerAccount, Wanted
from kinet.mcp.definition import ServerDefinition
from kinet.policy.network import Target, parse_target
from kinet.policy.visible import visible_line
from kinet.tools.web.web_transport import Reach, Ways, opened_ways

if TYPE_CHECKING:
    import httpx2

LARGEST_ANSWER = 32 * 1024 * 1024
# Of the request these belong to the connection, which is made here.
_LEFT_OUT = frozenset({"host", "connection", "content-length", "transfer-encoding",
                       "accept-encoding"})  # fmt: skip
_STATUS_WORDS = {
    400: "The server refused the request (400).",
    401: "The server wants a sign-in that it was not given (401).",
    403: "The server refused the sign-in it was given (403).",
    404: "There is no such server at this address (404).",
    405: "This address takes no messages (405).",
    429: "The server is asked too often (429).",
}
_STATUS_HINTS = {
    401: "Put the token it needs into headers, as Authorization.",
    403: "Look at the token in headers and at what it permits.",
    404: "Look at the address; many end in /mcp or /sse.",
    405: "Look at the address, or at the type: sse is the older way.",
}
_WANTS_SIGN_IN = "The server wants you to sign in first."
_SIGN_IN_HINT = "If you have a token for it, that can go into headers instead, as Authorization."
# What a trouble is that a person ends by signing in, and by granting more.
SIGN_IN, GRANT = "sign-in", "grant"
_TOO_LITTLE = re.compile(r"(?i)(?:^|[\s,])error\s*=\s*\"?insufficient_scope\b")
_SCOPE = re.compile(r"(?i)(?:^|[\s,])scope\s*=\s*(?:\"([^\"]*)\"|([^\s,]+))")


class WebWay:
    """What the client of one server is given; `trouble` is the last thing that went wrong."""

    def __init__(
        self, server: ServerDefinition, reach: Reach, account: ServerAccount | None = None
    ) -> None:
        """`account` is the person's sign-in; None where the entry brings its own key."""
        self._target = parse_target(server.url)
        self._is_stream = server.kind == "sse"
        self._headers = dict(server.headers)
        self._reach, self._account = reach, account
        self.trouble: ToolError | None = None
        # The last trouble was that it cannot be reached, or does not know the session any more.
        self.is_lost = False

    async def client(self, stack: AsyncExitStack) -> httpx2.AsyncClient:
        """A client that is still to be opened; its ways are closed with the stack.

        It asks nobody but this server.
        """
        web: Any = importlib.import_module("httpx2")
        ways = await opened_ways(stack, self._reach)
        client: httpx2.AsyncClient = web.AsyncClient(
            transport=_transport(web, self, ways),
            headers={"user-agent": "kinet/0.1", **self._headers},
            trust_env=False,
            follow_redirects=False,
            timeout=None,
        )
        return client

    async def answer(
        self, ways: Ways, method: str, url: str, headers: dict[str, str], content: bytes
    ) -> httpx.Response | None:
        """The answer of the server; None if it could not be had, which `trouble` tells."""
        try:
            target = self._same_server(url)
            response = await self._asked(ways, target, method, headers, content)
        except ToolError as exc:
            text = exc.message.removeprefix("Not fetched: ")
            self.trouble, self.is_lost = ToolError(text[:1].upper() + text[1:]), True
            return None
        if trouble := packed_trouble(response):
            await response.aclose()
            self.trouble = ToolError(f"The server {trouble}.")
            return None
        if response.status_code >= 400 and (method == "POST" or self._is_stream):
            self._refused(response, "mcp-session-id" in headers)
        return response

    async def _asked(
        self, ways: Ways, target: Target, method: str, headers: dict[str, str], content: bytes
    ) -> httpx.Response:
        """The answer to this request; with another token where the first one is over."""
        token = await self._account.token() if self._account is not None else ""

        async def asked() -> httpx.Response:
            given = {**headers, "authorization": f"Bearer {token}"} if token else headers
            return await ways.ask(
                target, self._reach, method=method, headers=given, content=content
            )

        response = await asked()
        if response.status_code == 401 and self._account is not None:
            try:
                token = await self._account.renewed(token)
            except BaseException:
                await response.aclose()
                raise
            if token:
                await response.aclose()
                response = await asked()
        return response

    def _refused(self, response: httpx.Response, in_session: bool) -> None:
        status = response.status_code
        words = _STATUS_WORDS.get(status, f"The server answered with the error {status}.")
        self.is_lost = status == 404 and in_session
        self.trouble = ToolError(words, hint=_STATUS_HINTS.get(status, ""))
        if self._account is None:
            return
        challenge = response.headers.get("www-authenticate", "")[:4_000]
        if status == 401:
            self.is_lost = True
            self._account.want(Wanted(401, challenge))
            self.trouble = ToolError(_WANTS_SIGN_IN, hint=_SIGN_IN_HINT, kind=SIGN_IN)
        elif status == 403 and _TOO_LITTLE.search(challenge):
            self.trouble = self._wants_more(challenge)

    def _wants_more(self, challenge: str) -> ToolError:
        assert self._account is not None
        found = _SCOPE.search(challenge)
        wanted = (found[1] or found[2] or "").split() if found else []
        account = self._account.account
        if account is not None and wanted and set(wanted) <= set(account.scope.split()):
            # Signing in once more would lead here again.
            return ToolError("The server refuses what it was granted already (403).")
        self._account.want(Wanted(403, challenge))
        shown = visible_line(" ".join(wanted)[:200])
        return ToolError(
            f"The server wants more to be granted: {shown or 'it does not say what'}.",
            hint=_SIGN_IN_HINT,
            kind=GRANT,
        )

    def _same_server(self, url: str) -> Target:
        try:
            target = parse_target(url)
        except ValueError as exc:
            raise ToolError(f"The server named an address that cannot be used: {exc}.") from exc
        own = self._target
        if (target.scheme, target.host, target.port) != (own.scheme, own.host, own.port):
            # The token in its headers is meant for this address, and for this way there.
            other = f"{target.scheme}://{target.authority}"
            raise ToolError(f"The server sends on to another one: {other}.")
        return target

    async def body(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """What comes of an answer; ends early, with `trouble`, where it breaks or is endless."""
        stream = "text/event-stream" in response.headers.get("content-type", "").lower()
        size = 0
        try:
            async for data in response.aiter_raw():
                size += len(data)
                if size > LARGEST_ANSWER and not stream:
                    size_told = LARGEST_ANSWER // (1024 * 1024)
                    self.trouble = ToolError(f"Its answer is larger than {size_told} MB.")
                    return
                yield data
        except httpx.TransportError as exc:
            self.trouble = ToolError(f"The connection broke: {exc or type(exc).__name__}.")


def sent_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Those of a request that do not belong to its connection, which takes nothing packed."""
    sent = {name: value for name, value in headers.items() if name.lower() not in _LEFT_OUT}
    return {**sent, "accept-encoding": "identity"}


def packed_trouble(response: httpx.Response) -> str:
    """Why an answer is not taken, "" if it is: unpacked it could be a thousand times as large."""
    kind = response.headers.get("content-encoding", "").strip().lower()
    if kind in ("", "identity"):
        return ""
    return f"packs its answers ({visible_line(kind[:40])}), which nobody asked it to"


def _transport(web: Any, way: WebWay, ways: Ways) -> Any:
    """A transport in the words of the client's own library."""

    class Body(web.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, response: httpx.Response) -> None:
            self._response = response

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for data in way.body(self._response):
                yield data

        async def aclose(self) -> None:
            await self._response.aclose()

    class Transport(web.AsyncBaseTransport):  # type: ignore[misc]
        async def handle_async_request(self, request: Any) -> Any:
            content = await request.aread()
            headers = sent_headers(request.headers)
            answer = await way.answer(ways, request.method, str(request.url), headers, content)
            if answer is None:
                return web.Response(503, request=request)
            return web.Response(
                answer.status_code,
                headers=answer.headers.multi_items(),
                stream=Body(answer),
                request=request,
            )

    return Transport()
