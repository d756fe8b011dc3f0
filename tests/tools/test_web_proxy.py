"""Pages are fetched the way the connection settings say, and refused as ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from kinet.core.errors import ToolError
from kinet.settings.schema import Network
from kinet.settings.web_reach import web_reach
from kinet.tools.web.web_transport import Fetched, Reach, fetch

BODY = b"<p>hello</p>"


@dataclass
class Proxy:
    """A proxy on loopback that answers every page itself and writes down what it was asked."""

    asked: list[str] = field(default_factory=list)
    answer: bytes = (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 12\r\n\r\n" + BODY
    )
    address: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head.split("\r\n")[0])
        writer.write(self.answer)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def proxied(**more: object) -> AsyncIterator[Proxy]:
    proxy = Proxy(**more)  # type: ignore[arg-type]
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield proxy


def names(**known: Sequence[str]) -> object:
    return lambda host: list(known.get(host.replace(".", "_"), ()))


def reach(proxy: Proxy, resolve: object, no_proxy: str = "") -> Reach:
    made = web_reach(Network(proxy=proxy.address, no_proxy=no_proxy))
    return Reach(resolve, made.transport, made.proxy, made.no_proxy, seconds=5.0)  # type: ignore[arg-type]


PUBLIC = names(page_test=["93.184.216.34"])


async def test_a_page_comes_through_the_proxy_that_is_set():
    async with proxied() as proxy:
        got = await fetch("http://page.test/a?b=1", reach(proxy, PUBLIC))
    assert isinstance(got, Fetched)
    assert (got.body, got.status) == (BODY, 200)
    assert proxy.asked == ["GET http://page.test/a?b=1 HTTP/1.1"]


async def test_a_name_that_only_the_proxy_knows_is_left_to_it():
    async with proxied() as proxy:
        got = await fetch("http://outer.test/", reach(proxy, names()))
    assert got.body == BODY


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/",
        "http://wiki/",
        "http://wiki.internal/",
        "http://printer.local/",
        "http://metadata.google.internal/",
        "http://169.254.169.254/",
        "http://127.0.0.1:8080/",
        "http://10.0.0.7/",
        "http://[::1]/",
        "http://0x7f.1/",
        "http://inner.test/",
        "http://mixed.test/",
    ],
)
async def test_a_proxy_is_never_asked_for_a_private_place(url):
    resolve = names(inner_test=["192.168.1.4"], mixed_test=["93.184.216.34", "10.0.0.1"])
    async with proxied() as proxy:
        with pytest.raises(ToolError, match="Not fetched"):
            await fetch(url, reach(proxy, resolve))
    assert proxy.asked == []


async def test_a_redirect_to_a_private_place_is_refused_behind_a_proxy_too():
    answer = b"HTTP/1.1 302 Found\r\nlocation: http://inner.test/\r\ncontent-length: 0\r\n\r\n"
    resolve = names(page_test=["93.184.216.34"], inner_test=["10.0.0.1"])
    async with proxied(answer=answer) as proxy:
        with pytest.raises(ToolError, match="Not fetched"):
            await fetch("http://page.test/", reach(proxy, resolve))
    assert len(proxy.asked) == 1


async def test_a_proxy_that_refuses_is_told_apart_from_the_page():
    async with proxied(answer=b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n") as proxy:
        with pytest.raises(ToolError, match=r"proxy refused the way to page\.test") as caught:
            await fetch("https://page.test/", reach(proxy, PUBLIC))
    assert proxy.asked == ["CONNECT page.test:443 HTTP/1.1"]
    assert "connection settings" in caught.value.hint


async def test_an_excepted_host_is_reached_directly():
    async with proxied() as proxy:
        away = reach(proxy, names(page_test=["192.0.2.1"]), no_proxy=".test")
        with pytest.raises(ToolError):
            await fetch("http://page.test/", away)
    assert proxy.asked == []


async def test_what_the_environment_names_is_not_asked(monkeypatch):
    async with proxied() as proxy:
        monkeypatch.setenv("http_proxy", proxy.address)
        made = web_reach(Network())
        with pytest.raises(ToolError):
            await fetch("http://page.test/", Reach(names(), made.transport, made.proxy))  # type: ignore[arg-type]
    assert proxy.asked == []


@pytest.mark.parametrize(
    "settings", [Network(ca_file="/no/such/file.pem"), Network(proxy="not an address")]
)
async def test_settings_that_cannot_be_used_are_told_to_the_model(settings):
    made = web_reach(settings)
    unusable = Reach(PUBLIC, made.transport, made.proxy)  # type: ignore[arg-type]
    with pytest.raises(ToolError, match="Not fetched"):
        await fetch("http://page.test/", unusable)
