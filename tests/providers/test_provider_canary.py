"""A live key that a server or a fault gives back: fifteen places, every way to ask a model."""

from __future__ import annotations

import base64
import json
import logging
import pickle
import traceback
from collections.abc import Iterator
from contextlib import aclosing
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from kinet.cli.log_file import begin_logging
from kinet.core.errors import ProviderError
from kinet.core.messages import Message
from kinet.core.profile import ModelProfile, WireProtocol
from kinet.net.redact import MASK, hide_live_keys
from kinet.net.secret import Secret
from kinet.providers.base import ModelRequest
from kinet.providers.catalog import create_provider
from kinet.providers.complete import complete
from kinet.providers.doctor import Doctor

KEY = "canary-4b81f6e20c9d7a35/+y=="
FORMS = {
    "plain": KEY,
    "base64": base64.b64encode(KEY.encode()).decode(),
    "base64 of a pair": base64.b64encode(f"user:{KEY}".encode()).decode(),
    "in an address": quote(KEY, safe=""),
    "in JSON": json.dumps(KEY),
    "after Bearer": f"Bearer {KEY}",
}
# What is left of the key in any of these forms and cannot be there by chance.
TRACES = tuple(
    {KEY, quote(KEY, safe="")}
    | {base64.b64encode(b"\0" * n + KEY.encode()).decode()[4:28] for n in range(3)}
)
WORDS = f"What was sent: {', '.join(FORMS.values())}."
WAYS: dict[str, tuple[str, WireProtocol]] = {
    "openai": ("https://server.test/v1", "openai"),
    "anthropic": ("https://server.test", "anthropic"),
    "responses": ("https://server.test/v1", "responses"),
    "ollama": ("http://127.0.0.1:11434/v1", "openai"),
}
EVENTS = {"content-type": "text/event-stream"}


def answer(status: int, body: str, **headers: str) -> Any:
    async def pieces() -> Any:
        yield body.encode()

    return lambda _: httpx.Response(status, headers=headers, content=pieces())


def breaks(error: Exception) -> Any:
    def handle(_: httpx.Request) -> httpx.Response:
        raise error

    return handle


def begun(way: str) -> str:
    """The first piece of an answer in the form of each protocol."""
    return {
        "openai": 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
        "anthropic": 'data: {"type":"content_block_delta","index":0,'
        '"delta":{"type":"text_delta","text":"Hi"}}\n\n',
        "responses": 'data: {"type":"response.output_text.delta","delta":"Hi"}\n\n',
        "ollama": '{"message":{"role":"assistant","content":"Hi"}}\n',
    }[way]


def in_stream(way: str, value: Any) -> str:
    text = json.dumps(value)
    return f"{text}\n" if way == "ollama" else f"data: {text}\n\n"


def places(way: str) -> dict[str, Any]:
    """What the server does, by name."""
    said = {"error": {"message": WORDS, "code": WORDS, "type": WORDS, "param": WORDS}}
    return {
        "refused with an error document": answer(401, json.dumps(said)),
        "refused in plain words": answer(400, WORDS),
        "refused with a list": answer(
            422, json.dumps({"detail": [{"msg": WORDS, "loc": [WORDS]}]})
        ),
        "refused with a page": answer(502, f"<html>{WORDS}</html>"),
        "told to wait": answer(429, json.dumps(said), **{"retry-after": "1"}),
        "failed with headers": answer(500, "{}", **{"x-debug": KEY, "www-authenticate": KEY}),
        "sent elsewhere": answer(
            302, "", location=f"https://else.test/?key={FORMS['in an address']}"
        ),
        "an error in a good status": answer(200, json.dumps(said)),
        "words in a good status": answer(200, WORDS),
        "an error in mid-stream": answer(200, begun(way) + in_stream(way, said), **EVENTS),
        "a text error in mid-stream": answer(
            200, begun(way) + in_stream(way, {"error": WORDS}), **EVENTS
        ),
        "packed in a strange way": answer(200, "x", **{"content-encoding": KEY}),
        "a connection that fails": breaks(httpx.ConnectError(WORDS)),
        "a proxy that refuses": breaks(httpx.ProxyError(WORDS)),
        "a fault of the library": breaks(httpx.LocalProtocolError(f"Illegal header value {KEY!r}")),
    }


@pytest.fixture
def log(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Reads the whole log, at its most talkative."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    monkeypatch.setenv("KINET_LOG", "debug")
    begin_logging(tmp_path)

    def text() -> str:
        for handler in root.handlers:
            handler.flush()
        return "".join(path.read_text() for path in tmp_path.rglob("*.log"))

    yield text
    for handler in root.handlers:
        handler.close()
    root.handlers, root.level = before, level


def clean(text: str) -> None:
    assert not [trace for trace in TRACES if trace in text], text


@pytest.mark.parametrize("way", WAYS)
async def test_a_key_is_nowhere_after_a_call_in_any_of_fifteen_places(way, log):
    address, protocol = WAYS[way]
    profile = ModelProfile("canary", address, "m", protocol=protocol)
    found = places(way)
    assert len(found) == 15
    for name, handle in found.items():
        seen: list[httpx.Request] = []

        def note(request: httpx.Request, handle: Any = handle, seen: Any = seen) -> Any:
            seen.append(request)
            return handle(request)

        async with httpx.AsyncClient(transport=httpx.MockTransport(note)) as client:
            document = {"messages": [{"role": "user", "content": "go"}]}
            out, code = await complete(document, profile, Secret(KEY), retries=0, client=client)
            assert code == 1, name
            assert KEY in str(seen[0].headers.raw), name
            assert KEY not in str(seen[0].url) + seen[0].content.decode(), name
            clean(json.dumps(out))
            logging.getLogger("kinet").warning("%s: %s", name, out)
    clean(log())


@pytest.mark.parametrize("way", WAYS)
async def test_a_traceback_inside_a_provider_is_written_without_the_key(way, log):
    address, protocol = WAYS[way]
    profile = ModelProfile("canary", address, "m", protocol=protocol)
    request = ModelRequest(messages=(Message("user", "go"),))
    told: list[str] = []
    for fault in (RuntimeError(WORDS), KeyError(KEY), httpx.ReadError(WORDS)):
        client = httpx.AsyncClient(transport=httpx.MockTransport(breaks(fault)))
        provider = create_provider(profile, Secret(KEY), client, retries=0)
        try:
            async with client, aclosing(provider.stream(request)) as items:
                _ = [item async for item in items]
        except (RuntimeError, KeyError, ProviderError) as exc:
            logging.getLogger("kinet").exception("a fault with %s", KEY)
            if isinstance(exc, ProviderError):
                clean(exc.sentence())
            told.append("".join(traceback.format_exception(exc)))
    text = log()
    assert text.count("Traceback") >= 3
    assert MASK in text
    clean(text)
    # Whatever carries a traceback to the screen goes through the same.
    clean(hide_live_keys("".join(told)))


@pytest.mark.parametrize("way", WAYS)
async def test_what_would_be_sent_shows_no_key_and_nothing_can_be_pickled(way):
    address, protocol = WAYS[way]
    profile = ModelProfile("canary", address, "m", protocol=protocol)
    document = {"messages": [{"role": "user", "content": "go"}]}
    out, _ = await complete(document, profile, Secret(KEY), dry_run=True)
    clean(json.dumps(out))
    provider = create_provider(profile, Secret(KEY))
    clean(repr(vars(provider)) + repr(vars(provider._dialect)))
    with pytest.raises(TypeError):
        pickle.dumps(provider._dialect._key)


@pytest.mark.parametrize("way", WAYS)
async def test_the_doctor_says_no_key(way, log):
    address, protocol = WAYS[way]
    profile = ModelProfile("canary", address, "m", protocol=protocol)
    body = json.dumps({"error": {"message": WORDS}})
    async with httpx.AsyncClient(transport=httpx.MockTransport(answer(401, body))) as client:
        found = await Doctor(profile, Secret(KEY), client).examine()
    clean(repr(found) + log())
