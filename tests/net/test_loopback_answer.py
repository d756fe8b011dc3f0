"""The way back from a browser: one answer with the right state, and nothing else, is taken."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from kinet.net.loopback_answer import LoopbackAnswer


async def ask(port_url: str, text: bytes) -> bytes:
    url = httpx.URL(port_url)
    reader, writer = await asyncio.open_connection("127.0.0.1", url.port)
    writer.write(text)
    answer = await reader.read()
    writer.close()
    return answer


GOOD = "GET /callback?code=abc&state=right HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
BAD = {
    "another path": GOOD.replace("/callback", "/"),
    "another state": GOOD.replace("right", "wrong"),
    "no state": GOOD.replace("&state=right", ""),
    "two states": GOOD.replace("state=right", "state=right&state=wrong"),
    "no code": GOOD.replace("code=abc&", ""),
    "another method": GOOD.replace("GET", "POST"),
    "another host": GOOD.replace("127.0.0.1:", "evil.example:"),
    "no host": GOOD.replace("Host", "Most"),
    "a whole address": GOOD.replace("GET /", "GET http://127.0.0.1/"),
    "no http": "hello\r\n\r\n",
}


@pytest.mark.parametrize("kind", BAD)
async def test_only_the_awaited_answer_is_taken(kind: str) -> None:
    async with LoopbackAnswer() as back:
        port = httpx.URL(back.url).port
        assert b" 404 " in await ask(back.url, GOOD.format(port=port).encode()), "not awaited yet"
        back.expect("right")
        answer = await ask(back.url, BAD[kind].format(port=port).encode())
        assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 405"))
        assert b"abc" not in answer
        assert (await ask(back.url, GOOD.format(port=port).encode())).startswith(b"HTTP/1.1 200")
        assert (await back.wait(1)).code == "abc"


async def test_it_waits_no_longer_than_it_says_and_takes_one_answer() -> None:
    async with LoopbackAnswer() as back:
        back.expect("right")
        with pytest.raises(TimeoutError):
            await back.wait(0)
        assert back.take(f"{back.url}?error=access_denied&state=right")
        assert not back.take(f"{back.url}?code=later&state=right")
        assert (await back.wait(0)).error == "access_denied"


async def test_endless_talk_is_cut_off() -> None:
    async with LoopbackAnswer() as back:
        back.expect("right")
        assert await ask(back.url, b"GET /" + b"x" * 60_000) == b""
        assert back.take(f"{back.url}?code=c&state=right")
