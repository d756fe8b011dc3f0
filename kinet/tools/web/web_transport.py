"""Asks web servers through checked addresses; fetches a page in bounded time and memory."""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from urllib.parse import urljoin

import httpx

from kinet.core.errors import SettingsError, ToolError
from kinet.net.client import goes_direct, single_transport
from kinet.policy.addresses import Address
from kinet.policy.network import (
    Resolver,
    Target,
    checked_addresses,
    judge_url,
    parse_target,
    system_resolver,
)

RAW_BYTES = 5 * 1024 * 1024
DECODED_BYTES = 10 * 1024 * 1024
_MOST_HOPS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_TEXT_TYPES = ("text/", "application/json", "application/xml", "application/xhtml", "+xml", "+json",
               "application/javascript", "application/x-ndjson", "application/yaml",
               "application/toml")  # fmt: skip
_HEADERS = {
    "user-agent": "kinet/0.1",
    "accept": "text/html, text/plain, application/json;q=0.9, */*;q=0.1",
    "accept-encoding": "gzip",
}


# No environment: proxies and .netrc would be asked instead of the address that was checked.
MakeTransport = Callable[[], httpx.AsyncBaseTransport]


@dataclass(frozen=True, slots=True)
class Reach:
    """How the network is reached: the seam for tests. `seconds` limits one fetch with all hops.

    `proxy` is a proxy that the person set; `no_proxy` are hosts that it is not used for. A proxy
    looks names up itself: the addresses found here are still checked, but not connected to.
    """

    resolve: Resolver = system_resolver
    transport: MakeTransport = single_transport
    proxy: MakeTransport | None = None
    no_proxy: str = ""
    seconds: float = 20.0
    local_permits: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came. `body` is None for a kind of content that is no text; `cut` says why it ends."""

    url: str
    status: int
    content_type: str
    body: bytes | None
    cut: str = ""


async def fetch(url: str, reach: Reach) -> Fetched:
    """The page, redirects within its host followed. ToolError kinds refused, ask, network,
    certificate, timeout, http; nothing is ever sent to an address that was not checked."""
    try:
        async with asyncio.timeout(reach.seconds):
            return await _follow(url, reach)
    except TimeoutError as exc:
        raise ToolError(
            f"The page took longer than {reach.seconds:.0f} s.",
            hint="Try again later, or another page.",
            kind="timeout",
        ) from exc


@dataclass(frozen=True, slots=True)
class Ways:
    """The open ways to the network: straight, and by the proxy where there is one."""

    direct: httpx.AsyncBaseTransport
    proxy: httpx.AsyncBaseTransport | None = None

    async def ask(
        self,
        target: Target,
        reach: Reach,
        *,
        method: str = "GET",
        headers: Mapping[str, str] = _HEADERS,
        content: bytes = b"",
    ) -> httpx.Response:
        """One request to an address that was checked just now. ToolError kinds refused, network,
        certificate. The answer is to be closed."""
        addresses = await _checked(target, reach)
        if self.proxy is not None and _by_proxy(target, reach):
            return await _request_by_name(self.proxy, target, method, headers, content)
        return await _request(self.direct, target, addresses, method, headers, content)


async def opened_ways(stack: AsyncExitStack, reach: Reach) -> Ways:
    """The ways, closed with the stack. ToolError for an unusable proxy or certificate file."""
    try:
        direct = await stack.enter_async_context(reach.transport())
        proxy = await stack.enter_async_context(reach.proxy()) if reach.proxy else None
    except SettingsError as exc:
        raise ToolError(f"Not fetched: {exc}", kind="network") from exc
    return Ways(direct, proxy)


async def _follow(url: str, reach: Reach) -> Fetched:
    target = _target(url, reach)
    async with AsyncExitStack() as stack:
        ways = await opened_ways(stack, reach)
        for _ in range(_MOST_HOPS + 1):
            answer = await ways.ask(target, reach)
            try:
                location = answer.headers.get("location", "")
                if answer.status_code not in _REDIRECTS or not location:
                    return await _taken(answer, target)
            finally:
                await answer.aclose()
            target = await _next_hop(target, location, reach)
    raise ToolError(f"More than {_MOST_HOPS} redirects; the page was not fetched.", kind="refused")


def _target(url: str, reach: Reach) -> Target:
    judgement = judge_url(url, local_permits=reach.local_permits)
    if judgement.verdict == "deny":
        raise ToolError(f"Not fetched: {judgement.reason}.", kind="refused")
    return parse_target(url)


def _by_proxy(target: Target, reach: Reach) -> bool:
    """True if the proxy is asked. What the person permitted here by name is reached directly."""
    if reach.proxy is None or f"{target.host}:{target.port}" in reach.local_permits:
        return False
    return not goes_direct(httpx.URL(target.url), reach.no_proxy)


async def _checked(target: Target, reach: Reach) -> list[Address]:
    loop = asyncio.get_running_loop()
    unknown = target.literal is None and _by_proxy(target, reach)
    if unknown and not await loop.run_in_executor(None, reach.resolve, target.host):
        # Behind a proxy outer names may be unknown here; local ones were refused by their looks.
        return []
    addresses, trouble = await loop.run_in_executor(
        None, checked_addresses, target, reach.resolve, reach.local_permits
    )
    if trouble:
        raise ToolError(f"Not fetched: {trouble}.", kind="refused")
    return addresses


async def _next_hop(target: Target, location: str, reach: Reach) -> Target:
    following = _target(urljoin(target.url, location), reach)
    upgrade = target.scheme == "http" and following.scheme == "https"
    same_port = following.port == target.port or (target.port == 80 and following.port == 443)
    if following.host != target.host or not same_port:
        # Nobody is asked about a place that would be refused anyway.
        await _checked(following, reach)
        raise ToolError(
            f"The page redirects to another host: {following.url}",
            hint="Fetch that address itself if it is wanted; it needs its own permission.",
            kind="ask",
        )
    if following.scheme != target.scheme and not upgrade:
        raise ToolError(
            f"The page redirects to an unprotected address: {following.url}",
            hint="Fetch that address itself if it is wanted.",
            kind="ask",
        )
    return following


async def _request(
    transport: httpx.AsyncBaseTransport,
    target: Target,
    addresses: list[Address],
    method: str,
    headers: Mapping[str, str],
    content: bytes,
) -> httpx.Response:
    """Asks the first address that answers; the name goes into Host and SNI, into no look-up."""
    failed: Exception | None = None
    for address in addresses[:4]:
        request = httpx.Request(
            method,
            httpx.URL(
                scheme=target.scheme,
                host=str(address),
                port=target.port,
                raw_path=target.path.encode("ascii"),
            ),
            headers={**headers, "host": target.authority},
            content=content or None,
            extensions={
                "sni_hostname": target.host,
                "timeout": {"connect": 8.0, "read": None, "write": 10.0, "pool": 5.0},
            },
        )
        try:
            return await transport.handle_async_request(request)
        except httpx.TransportError as exc:
            _raise_if_certificate(exc, target)
            failed = exc
    raise ToolError(
        f"{target.host} could not be reached: {failed or 'it has no address'}.", kind="network"
    ) from failed


async def _request_by_name(
    transport: httpx.AsyncBaseTransport,
    target: Target,
    method: str,
    headers: Mapping[str, str],
    content: bytes,
) -> httpx.Response:
    """Asks a proxy, which finds the way itself."""
    timeout = {"connect": 8.0, "read": None, "write": 10.0, "pool": 5.0}
    request = httpx.Request(
        method,
        target.url,
        headers=dict(headers),
        content=content or None,
        extensions={"timeout": timeout},
    )
    try:
        return await transport.handle_async_request(request)
    except httpx.ProxyError as exc:
        raise ToolError(
            f"The proxy refused the way to {target.host}: {exc}.",
            hint="The person can change the proxy in the connection settings.",
            kind="network",
        ) from exc
    except httpx.TransportError as exc:
        _raise_if_certificate(exc, target)
        raise ToolError(
            f"{target.host} could not be reached through the proxy: {exc}.", kind="network"
        ) from exc


def _raise_if_certificate(exc: httpx.TransportError, target: Target) -> None:
    if isinstance(exc.__cause__, ssl.SSLError) or "certificate" in str(exc).lower():
        raise ToolError(
            f"The certificate of {target.host} is not valid for it: {exc}.",
            hint="The page is not fetched without that check.",
            kind="certificate",
        ) from exc


async def _taken(answer: httpx.Response, target: Target) -> Fetched:
    content_type = answer.headers.get("content-type", "").lower()
    kind = content_type.partition(";")[0].strip()
    if kind and not any(kind.startswith(text) or kind.endswith(text) for text in _TEXT_TYPES):
        return Fetched(target.url, answer.status_code, content_type, None)
    encoding = answer.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise ToolError(f"The page is packed in an unknown way ({encoding}).", kind="http")
    body, cut = await _body(answer, packed=encoding in ("gzip", "x-gzip"))
    if (
        b"\x00" in body[:8_192]
        and not body.startswith((b"\xff\xfe", b"\xfe\xff"))
        and body.strip(b"\x00")
    ):
        return Fetched(target.url, answer.status_code, content_type, None, cut)
    return Fetched(target.url, answer.status_code, content_type, body, cut)


async def _body(answer: httpx.Response, *, packed: bool) -> tuple[bytes, str]:
    """(bytes, why they end early). Unpacks in small steps: a small body may hold a huge one."""
    pieces: list[bytes] = []
    raw = size = 0
    unpacker = zlib.decompressobj(31) if packed else None
    try:
        async for data in _raw(answer):
            raw += len(data)
            for piece in _unpacked(data, unpacker):
                pieces.append(piece[: DECODED_BYTES - size])
                size += len(pieces[-1])
                if size >= DECODED_BYTES:
                    return b"".join(pieces), f"it is larger than {DECODED_BYTES:,} bytes"
            if raw >= RAW_BYTES:
                return b"".join(pieces), f"it is larger than {RAW_BYTES:,} bytes"
    except zlib.error as exc:
        raise ToolError(f"The page cannot be unpacked: {exc}.", kind="http") from exc
    except httpx.TransportError as exc:
        if not pieces:
            raise ToolError(f"The connection broke: {exc}.", kind="network") from exc
        return b"".join(pieces), "the connection broke"
    return b"".join(pieces), ""


async def _raw(answer: httpx.Response) -> AsyncIterator[bytes]:
    async for data in answer.stream:  # type: ignore[union-attr]
        yield data


def _unpacked(data: bytes, unpacker: zlib._Decompress | None) -> list[bytes]:
    if unpacker is None:
        return [data]
    pieces: list[bytes] = []
    size = 0
    while data and size < DECODED_BYTES:
        piece = unpacker.decompress(data, 65_536)
        data = unpacker.unconsumed_tail
        size += len(piece)
        pieces.append(piece)
    return pieces
