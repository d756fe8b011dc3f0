"""The way to a server on the network: the protocol's own client speaks, our checked way carries."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx

from kinet.core.errors import ToolError
from kinet.mcp.definition import ServerDefinition
from kinet.net.client import goes_direct
from kinet.policy.network import Target, judge_url, parse_target
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


def reach_for(server: ServerDefinition, reach: Reach) -> Reach:
    """What may be reached for this server.

    The address in a person's own entry is permitted by them, on this computer and its network too;
    one that a folder brings only if they permitted it elsewhere. ToolError for any other.
    """
    permits = reach.local_permits
    try:
        target = parse_target(server.url)
    except ValueError as exc:
        raise ToolError(f"The address cannot be used: {exc}.") from exc
    behind_proxy = reach.proxy is not None and not goes_direct(
        httpx.URL(target.url), reach.no_proxy
    )
    is_local = judge_url(server.url).verdict == "deny"
    if server.place == "own" and (is_local or not behind_proxy):
        # Also a name that stands for an inner address; by a proxy names are looked up there.
        permits = permits | {f"{target.host}:{target.port}"}
    judgement = judge_url(server.url, local_permits=permits)
    if judgement.verdict == "deny":
        hint = ""
        if server.place == "folder":
            hint = "It can be permitted in the settings, Network, as a development server."
        raise ToolError(f"Not connected: {judgement.reason}.", hint=hint)
    return replace(reach, local_permits=permits)


class WebWay:
    """What the client of one server is given; `trouble` is the last thing that went wrong."""

    def __init__(self, server: ServerDefinition, reach: Reach) -> None:
        self._target = parse_target(server.url)
        self._headers = dict(server.headers)
        self._reach = reach
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
            response = await ways.ask(
                target, self._reach, method=method, headers=headers, content=content
            )
        except ToolError as exc:
            text = exc.message.removeprefix("Not fetched: ")
            self.trouble, self.is_lost = ToolError(text[:1].upper() + text[1:]), True
            return None
        status = response.status_code
        if status >= 400 and method == "POST":
            self.is_lost = status == 404 and "mcp-session-id" in headers
            words = _STATUS_WORDS.get(status, f"The server answered with the error {status}.")
            self.trouble = ToolError(words, hint=_STATUS_HINTS.get(status, ""))
        return response

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
            headers = {
                name: value
                for name, value in request.headers.items()
                if name.lower() not in _LEFT_OUT
            }
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
