"""Imports of the protocol's official package what is used, and nothing else of it."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any
from urllib.parse import urlencode

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
    # What opening a way raises where the server refuses.
    refused: type[Exception]
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
            web = importlib.import_module("httpx2")
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
        web.HTTPError,
        http.streamable_http_client,
        sse.sse_client,
        dispatcher.SessionMessage,
        types.jsonrpc_message_adapter,
        anyio.create_memory_object_stream,
    )


@dataclass(frozen=True, slots=True)
class Oauth:
    """The parts of the package that sign in, imported."""

    provider: Any
    token: Any
    code: Any
    client: Any
    failures: tuple[type[Exception], ...]
    _context: Any
    _metadata: Any
    _registered: type[Exception]

    def as_new_client(self, redirect: str, scope: str) -> Any:
        """What an authorization server is told of Kinet where it does not know it yet."""
        return self._metadata(
            redirect_uris=[redirect],
            client_name="Kinet",
            scope=scope or None,
            grant_types=["authorization_code", "refresh_token"],
        )

    def is_about_registration(self, failure: Exception) -> bool:
        """True if Kinet could not be made known."""
        return isinstance(failure, self._registered)

    def as_client(
        self, client: Mapping[str, Any], form: dict[str, str], headers: dict[str, str]
    ) -> tuple[bytes, dict[str, str]]:
        """A form as this client sends it, and its headers. ToolError for one that cannot be."""
        context = self._context("", None, None, None, None)
        try:
            context.client_info = self.client.model_validate(client)
            form, headers = context.prepare_token_auth(form, headers)
        except self.failures as exc:
            raise ToolError("What is kept of the sign-in cannot be used any more.") from exc
        return urlencode(form).encode(), headers


@cache
def import_oauth() -> Oauth:
    """For a thread. ToolError if the package is missing."""
    import_sdk()
    with _guard:
        try:
            with stand_ins(_lean_packages()):
                flow = importlib.import_module("mcp.client.auth.oauth2")
                web = importlib.import_module("httpx2")
        except ImportError as exc:
            raise ToolError(f"The package that signs in cannot be used: {exc}.") from exc
    return Oauth(
        flow.OAuthClientProvider,
        flow.OAuthToken,
        flow.AuthorizationCodeResult,
        flow.OAuthClientInformationFull,
        (ValueError, flow.OAuthFlowError, web.HTTPError, web.InvalidURL),
        flow.OAuthContext,
        flow.OAuthClientMetadata,
        flow.OAuthRegistrationError,
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
