"""Certificates over a real connection: the extra file is trusted, others are refused."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import httpx
import pytest

from kinet.net.client import create_client
from kinet.providers.transport.network_failures import network_cause

CERTIFICATES = Path(__file__).parents[1] / "attacks" / "certificates"
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"


async def asked(ca_file: str | None, host: str) -> str:
    """What a server with a certificate for site.test answers to one that calls it `host`."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATES / "right.pem")

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(ANSWER)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    async with server, create_client(ca_file=ca_file) as client:
        port = server.sockets[0].getsockname()[1]
        reply = await client.get(f"https://127.0.0.1:{port}/", extensions={"sni_hostname": host})
    return reply.text


async def test_an_extra_certificate_file_opens_the_way():
    assert await asked(str(CERTIFICATES / "authority.pem"), "site.test") == "ok"


@pytest.mark.parametrize(
    ("ca_file", "host"),
    [(None, "site.test"), (str(CERTIFICATES / "authority.pem"), "elsewhere.test")],
)
async def test_what_is_not_trusted_is_refused_and_named(ca_file, host):
    with pytest.raises(httpx.ConnectError) as caught:
        await asked(ca_file, host)
    assert network_cause(caught.value) == "certificate"
