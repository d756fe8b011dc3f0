"""Imports of the protocol's official package what is used, and nothing else of it."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import threading
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from pydantic_core import from_json

from kinet.core.errors import ToolError
from kinet.net.lean_imports import stand_ins

# What we say; a server may answer with an older one that is known here.
VERSION = "2025-11-25"
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
CLOSED, TIMED_OUT, UNKNOWN_METHOD = -32_000, -32_001, -32_601
_guard = threading.Lock()
# Their own first lines import a server framework, a web server and a command line.
_LEAN = ("mcp", "mcp.client")
_LOUD = ("mcp", "httpx2", "httpcore2")


@dataclass(frozen=True, slots=True)
class Sdk:
    """The parts of the package, imported."""

    dispatcher: Any
    error: type[Exception]
    # What a closed stream raises.
    closed: tuple[type[Exception], ...]
    http_streams: Any
    sse_streams: Any
    _message: Any
    _adapter: Any
    _stream: Any

    def make_stream(self) -> tuple[Any, Any]:
        """Two ends of a stream of messages: who sends waits for who takes."""
        ends: tuple[Any, Any] = self._stream(0)
        return ends

    def read_messages(self, line: bytes) -> list[Any]:
        """The messages in a line of JSON, one or several; none for anything else."""
        try:
            if not line.startswith(b"["):
                return [self._message(self._adapter.validate_json(line, by_name=False))]
            return [
                self._message(self._adapter.validate_python(item, by_name=False))
                for item in from_json(line)
            ]
        except (ValueError, RecursionError):
            return []

    def refusal(self, code: int, message: str) -> Exception:
        """An error that a server is answered with."""
        made: Exception = self.error(code=code, message=message)  # type: ignore[call-arg]
        return made


def import_sdk() -> Sdk:
    """Takes half a second the first time: for the servers' thread. ToolError if it is missing."""
    with _guard:
        return _imported()


@cache
def _imported() -> Sdk:
    try:
        with stand_ins(_lean_packages()):
            http = importlib.import_module("mcp.client.streamable_http")
            sse = importlib.import_module("mcp.client.sse")
            dispatcher = importlib.import_module("mcp.shared.jsonrpc_dispatcher")
            types = importlib.import_module("mcp_types")
            anyio = importlib.import_module("anyio")
    except ImportError as exc:
        raise ToolError(
            f"The package for tool servers cannot be used: {exc}.",
            hint="Install Kinet again with all that it needs.",
        ) from exc
    for name in _LOUD:
        # A server could fill the log with what it sends; what matters is told where it happens.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return Sdk(
        dispatcher.JSONRPCDispatcher,
        dispatcher.MCPError,
        (anyio.ClosedResourceError, anyio.BrokenResourceError),
        http.streamable_http_client,
        sse.sse_client,
        dispatcher.SessionMessage,
        types.jsonrpc_message_adapter,
        anyio.create_memory_object_stream,
    )


def _lean_packages() -> dict[str, ModuleType]:
    """The packages with their modules and without what their first lines import."""
    found = importlib.util.find_spec("mcp")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    made: dict[str, ModuleType] = {}
    for name, inner in zip(_LEAN, ("", "/client"), strict=True):
        made[name] = module = ModuleType(name)
        module.__path__ = [f"{place}{inner}" for place in places]
    return made
