"""What is found on this computer, and that nothing is said of what is not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from kinet.local.discovery import LocalServer, discover, keys_in

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def answering(text: str) -> Handler:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(text.encode())
        await writer.drain()
        writer.close()

    return handle


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


async def probe(handler: Handler, kind: str = "ollama", path: str = "/api/tags") -> list[object]:
    server = await asyncio.start_server(handler, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        row = LocalServer(kind, "Ollama", port, path)  # type: ignore[arg-type]
        return list(await discover({}, (row,), seconds=0.3))
    finally:
        server.close()


async def test_models_of_a_server_are_named() -> None:
    body = '{"models": [{"name": "pine:30b"}, {"name": "oak:4b"}]}'
    found = await probe(answering(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}"))
    assert [item.models for item in found] == [("pine:30b", "oak:4b")]  # type: ignore[attr-defined]


async def test_a_chunked_answer_is_read() -> None:
    body = '{"data": [{"id": "a"}]}'
    wire = (
        f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{len(body):x}\r\n{body}\r\n0\r\n\r\n"
    )
    found = await probe(answering(wire), "llamacpp", "/v1/models")
    assert [item.models for item in found] == [("a",)]  # type: ignore[attr-defined]


async def test_a_server_without_models_names_the_next_step() -> None:
    found = await probe(answering('HTTP/1.0 200 OK\r\n\r\n{"models": []}\n'))
    assert "ollama pull" in found[0].detail  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "handler",
    [
        silent,
        answering("HTTP/1.1 404 Not Found\r\n\r\n"),
        answering("HTTP/1.1 200 OK\r\n\r\n<html>hello</html>"),
        answering('HTTP/1.1 200 OK\r\n\r\n["a"]'),
        answering("nonsense"),
    ],
)
async def test_anything_else_is_silently_nothing(handler: Handler) -> None:
    assert await probe(handler) == []


async def test_ollama_that_is_installed_and_does_not_run_is_said(tmp_path: Path) -> None:
    program = tmp_path / "ollama"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    row = LocalServer("ollama", "Ollama", 9, "/api/tags")
    (found,) = await discover({"PATH": str(tmp_path)}, (row,), seconds=0.3)
    assert found.detail.endswith("Start it: ollama serve")
    assert (found.models, found.base_url) == ((), "")


async def test_nobody_listening_is_silently_nothing() -> None:
    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    row = LocalServer("ollama", "Ollama", port, "/api/tags")
    assert await discover({}, (row,), seconds=0.3) == []


def test_a_key_is_named_by_its_variable_and_never_shown() -> None:
    found = keys_in({"OPENAI_API_KEY": "sk-very-secret-value", "DEEPSEEK_API_KEY": " "})
    assert [item.key_env for item in found] == ["OPENAI_API_KEY"]
    assert "very-secret" not in repr(found)
