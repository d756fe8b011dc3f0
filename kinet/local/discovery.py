"""Looks for model servers and keys on this computer, quickly and silently."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kinet.local.known_keys import KEYS

FoundKind = Literal["ollama", "lmstudio", "llamacpp", "key"]

PROBE_SECONDS = 0.5
# A list of models is small; more than this is not one.
LARGEST_ANSWER = 1_000_000


@dataclass(frozen=True, slots=True)
class Found:
    """One thing found: a model server, or a key in an environment variable (never its value)."""

    kind: FoundKind
    title: str
    detail: str = ""
    base_url: str = ""
    key_env: str = ""
    models: tuple[str, ...] = ()
    protocol: str = "openai"


@dataclass(frozen=True, slots=True)
class LocalServer:
    """Where a known model server listens and how it lists its models."""

    kind: FoundKind
    name: str
    port: int
    list_path: str


SERVERS = (
    LocalServer("ollama", "Ollama", 11434, "/api/tags"),
    LocalServer("lmstudio", "LM Studio", 1234, "/v1/models"),
    LocalServer("llamacpp", "llama.cpp", 8080, "/v1/models"),
)


async def discover(
    environment: Mapping[str, str] | None = None,
    servers: Sequence[LocalServer] = SERVERS,
    seconds: float = PROBE_SECONDS,
) -> list[Found]:
    """What is there, servers first. Takes `seconds` at most and never raises for a failed probe."""
    known = os.environ if environment is None else environment
    answers = await asyncio.gather(*(_probe(server, seconds) for server in servers))
    found = [answer for answer in answers if answer is not None]
    if not any(answer.kind == "ollama" for answer in found):
        found += _stopped(known, servers)
    return found + keys_in(known)


def keys_in(environment: Mapping[str, str]) -> list[Found]:
    """The known variables that hold something. What they hold is never read further."""
    return [
        Found(
            "key",
            f"Key in {key.variable}",
            "used from there, or copied to the keychain",
            base_url=key.base_url,
            key_env=key.variable,
            models=(key.model,),
            protocol=key.protocol,
        )
        for key in KEYS
        if environment.get(key.variable, "").strip()
    ]


def _stopped(environment: Mapping[str, str], servers: Sequence[LocalServer]) -> list[Found]:
    """Ollama, if it is installed and does not answer: the command that starts it."""
    asked = any(server.kind == "ollama" for server in servers)
    if not asked or shutil.which("ollama", path=environment.get("PATH", "")) is None:
        return []
    return [Found("ollama", "Ollama is installed", "It does not run. Start it: ollama serve")]


async def _probe(server: LocalServer, seconds: float) -> Found | None:
    try:
        async with asyncio.timeout(seconds):
            body = await _get(server.port, server.list_path)
        models = _models(json.loads(body))
    except (OSError, TimeoutError, ValueError, EOFError, asyncio.LimitOverrunError):
        return None
    if models is None:
        return None
    return Found(
        server.kind,
        f"{server.name}, port {server.port}",
        _detail(server, models),
        base_url=f"http://127.0.0.1:{server.port}/v1",
        models=models,
    )


def _detail(server: LocalServer, models: tuple[str, ...]) -> str:
    if len(models) == 1:
        return f"1 model, {models[0]}"
    if models:
        return f"{len(models)} models, among them {models[0]}"
    if server.kind == "ollama":
        return "Running, but it has no model yet: ollama pull qwen3:8b"
    return "Running, but it has no model loaded"


async def _get(port: int, path: str) -> bytes:
    """The body of a GET on loopback. A client of one page: httpx would be 60 ms of import here."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        head = f"GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        await writer.drain()
        header = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in header.partition(b"\r\n")[0]:
            raise ValueError("not a list of models")
        raw = await _read_all(reader, _length(header))
    finally:
        writer.close()
    return _dechunk(raw) if b"chunked" in header.lower() else raw


def _length(header: bytes) -> int:
    """The announced length; -1 where the body ends with the connection."""
    for line in header.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return -1


async def _read_all(reader: asyncio.StreamReader, length: int) -> bytes:
    raw = bytearray()
    while len(raw) != length and (block := await reader.read(65536)):
        raw += block
        if len(raw) > LARGEST_ANSWER:
            raise ValueError("too long for a list of models")
    return bytes(raw)


def _dechunk(raw: bytes) -> bytes:
    out = bytearray()
    while raw:
        size, _, rest = raw.partition(b"\r\n")
        count = int(size.split(b";")[0], 16)
        if count == 0:
            break
        out += rest[:count]
        raw = rest[count + 2 :]
    return bytes(out)


def _models(answer: Any) -> tuple[str, ...] | None:
    """Names in Ollama's or OpenAI's form; None if the answer is neither."""
    if not isinstance(answer, dict):
        return None
    rows = answer.get("models", answer.get("data"))
    if not isinstance(rows, list):
        return None
    names = [row.get("name") or row.get("id") for row in rows if isinstance(row, dict)]
    return tuple(name for name in names if isinstance(name, str))
