"""Asks an address whether it works, in words for a person, and which models it offers."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import httpx

from kinet.core.errors import ProtocolError, ProviderError
from kinet.core.messages import Message
from kinet.core.profile import ModelProfile
from kinet.net.client import create_client
from kinet.net.secret import Secret
from kinet.providers.asked_window import speaks_ollama
from kinet.providers.base import ModelRequest
from kinet.providers.protocols.ollama import shown_window
from kinet.providers.transport.addresses import models_address
from kinet.providers.transport.failures import Failure, failure_of_response
from kinet.providers.transport.headers import request_headers
from kinet.providers.transport.http import Refused, Unpacker
from kinet.providers.transport.http_provider import HttpProvider
from kinet.providers.transport.network_failures import NetworkCause, network_cause, network_error
from kinet.providers.vendors import vendor_of

Verdict = Literal[
    "works",
    "key_refused",
    "no_credit",
    "model_not_offered",
    "host_not_found",
    "certificate",
    "proxy_refused",
    "timeout",
    "unreachable",
    "protocol",
]
SECONDS = 20.0
MAX_LIST_BYTES = 8 * 1024 * 1024

# What is loaded comes before what the model could take.
_WINDOW_FIELDS = (
    "loaded_context_length",
    "n_ctx",
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "inputTokenLimit",
    "n_ctx_train",
)
_OF_NETWORK: Mapping[NetworkCause, Verdict] = {
    "host_not_found": "host_not_found",
    "certificate": "certificate",
    "proxy_refused": "proxy_refused",
    "timeout": "timeout",
    "unreachable": "unreachable",
    "broken": "unreachable",
    "address": "protocol",
}
_OF_FAILURE: Mapping[str, Verdict] = {
    "key": "key_refused",
    "no key": "key_refused",
    "credit": "no_credit",
    "model": "model_not_offered",
}


class CreateProvider(Protocol):
    """Makes a provider: `catalog.create_provider`."""

    def __call__(
        self,
        profile: ModelProfile,
        key: Secret | None,
        client: httpx.AsyncClient | None = None,
        *,
        retries: int = 3,
        stall_seconds: float = 120.0,
    ) -> HttpProvider:
        """The provider."""
        ...


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What asking an address gave. `models` is empty where the server keeps no list."""

    ok: bool
    verdict: Verdict
    detail: str = ""
    hint: str = ""
    latency_ms: int = 0
    models: tuple[str, ...] = ()


class _Unsuitable(Exception):
    """The probe's own way out: the verdict and the error behind it."""

    def __init__(self, verdict: Verdict, error: ProviderError) -> None:
        super().__init__(error.message)
        self.verdict = verdict
        self.error = error


async def probe_with(
    create: CreateProvider,
    profile: ModelProfile,
    key: Secret | None,
    client: httpx.AsyncClient | None = None,
) -> ProbeResult:
    """Lists the models, and asks the profile's model for one word. Never raises ProviderError.

    `create` makes the provider that is asked.
    """
    owned = client is None
    used = client or create_client(stall_seconds=SECONDS)
    began = time.monotonic()
    models: tuple[str, ...] = ()
    try:
        try:
            models = tuple(await _models(profile, key, used))
        except _Unsuitable as exc:
            # Many servers keep no list; only what would stop the question too ends the probe here.
            if exc.verdict not in ("protocol", "model_not_offered"):
                raise
        if not profile.model:
            return ProbeResult(
                bool(models),
                "works" if models else "protocol",
                _offers(models) if models else "It lists no models.",
                "" if models else "Check the address and the protocol, or enter a model.",
                _elapsed(began),
                models,
            )
        await _ask(create, profile, key, used)
    except _Unsuitable as exc:
        error = exc.error
        return ProbeResult(False, exc.verdict, error.message, error.hint, _elapsed(began), models)
    finally:
        if owned:
            await used.aclose()
    return ProbeResult(True, "works", f"{profile.model} answered.", "", _elapsed(began), models)


async def list_models(
    profile: ModelProfile,
    key: Secret | None,
    client: httpx.AsyncClient | None = None,
    *,
    seconds: float = SECONDS,
) -> list[str]:
    """The names of the models an address offers, sorted. Raises ProviderError.

    `seconds` is how long the whole list is waited for.
    """
    owned = client is None
    used = client or create_client(stall_seconds=SECONDS)
    try:
        return await _models(profile, key, used, seconds)
    except _Unsuitable as exc:
        raise exc.error from exc
    finally:
        if owned:
            await used.aclose()


async def served_window(
    profile: ModelProfile, key: Secret | None, client: httpx.AsyncClient | None = None
) -> int:
    """The context window that the server itself names for the model, in tokens; 0 if it does not.

    Never raises ProviderError.
    """
    owned = client is None
    used = client or create_client(stall_seconds=SECONDS)
    try:
        if speaks_ollama(profile, vendor_of(profile)):
            return await shown_window(profile, key, used)
        document = await _list(profile, key, used)
    except _Unsuitable:
        return 0
    finally:
        if owned:
            await used.aclose()
    entries = [entry for entry in _entries(document) if isinstance(entry, Mapping)]
    named = [entry for entry in entries if _name(entry) == profile.model]
    # A server with a single model answers whatever it is called.
    chosen = named or (entries if len(entries) == 1 else [])
    return next((window for window in map(_window, chosen) if window), 0)


async def _models(
    profile: ModelProfile,
    key: Secret | None,
    client: httpx.AsyncClient,
    seconds: float = SECONDS,
) -> list[str]:
    names = {_name(entry) for entry in _entries(await _list(profile, key, client, seconds))} - {""}
    if not names:
        error = ProtocolError(
            "The address keeps no list of models.",
            hint="Check the address, or enter the model's name by hand.",
        )
        raise _Unsuitable("protocol", error)
    return sorted(names)


async def _list(
    profile: ModelProfile,
    key: Secret | None,
    client: httpx.AsyncClient,
    seconds: float = SECONDS,
) -> Any:
    """The document behind the address of the list of models."""
    try:
        url = models_address(profile.base_url, profile.protocol)
        headers = _headers(profile, key)
    except ProviderError as exc:
        raise _Unsuitable("key_refused" if exc.kind == "auth" else "protocol", exc) from exc
    try:
        async with asyncio.timeout(seconds), client.stream("GET", url, headers=headers) as response:
            text = await _text(response)
    except TimeoutError as exc:
        raise _Unsuitable("timeout", network_error(httpx.ReadTimeout(""), url)) from exc
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        raise _Unsuitable(_OF_NETWORK[network_cause(exc)], network_error(exc, url)) from exc
    except ProtocolError as exc:
        raise _Unsuitable("protocol", exc) from exc
    if not response.is_success:
        failure = failure_of_response(
            response.status_code, response.headers, text, model=profile.model
        )
        raise _refused(failure)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


async def _ask(
    create: CreateProvider, profile: ModelProfile, key: Secret | None, client: httpx.AsyncClient
) -> None:
    """One word from the model: what a person would find out with the first message."""
    asked = replace(profile, effort="", max_output_tokens=0)
    provider = create(asked, key, client, retries=0, stall_seconds=SECONDS)
    request = ModelRequest(messages=(Message("user", "Answer with the word: yes"),), max_tokens=64)
    try:
        async with asyncio.timeout(3 * SECONDS), aclosing(provider.stream(request)) as items:
            async for _ in items:
                pass
    except TimeoutError:
        # It answers, if slowly: the model works.
        return
    except ProviderError as exc:
        raise _Unsuitable(_verdict_of(exc), exc) from exc


def _verdict_of(error: ProviderError) -> Verdict:
    cause = error.__cause__
    if isinstance(cause, Refused):
        return _OF_FAILURE.get(cause.failure.cause, "protocol")
    if isinstance(cause, (httpx.HTTPError, httpx.InvalidURL)):
        return _OF_NETWORK[network_cause(cause)]
    if error.kind == "stalled":
        return "timeout"
    return "key_refused" if error.kind == "auth" else "protocol"


def _refused(failure: Failure) -> _Unsuitable:
    return _Unsuitable(_OF_FAILURE.get(failure.cause, "protocol"), failure.error)


def _headers(profile: ModelProfile, key: Secret | None) -> dict[str, str]:
    vendor = vendor_of(profile)
    if profile.protocol == "anthropic":
        version = {"anthropic-version": "2023-06-01"}
        headers = request_headers(profile, key, "x-api-key", version)
    else:
        headers = request_headers(profile, key, vendor.key_header, dict(vendor.headers))
    return {**headers, "accept": "application/json"}


async def _text(response: httpx.Response) -> str:
    body = bytearray()
    unpack = Unpacker(response.headers.get("content-encoding", ""))
    async for raw in response.aiter_raw():
        for piece in unpack.feed(raw):
            body += piece
        if len(body) > MAX_LIST_BYTES:
            break
    return bytes(body).decode("utf-8", "replace")


def _entries(document: Any) -> list[Any]:
    """The entries in a list of models, in whatever envelope."""
    if isinstance(document, Mapping):
        document = document.get("data") or document.get("models")
    return document if isinstance(document, list) else []


def _name(entry: Any) -> str:
    if isinstance(entry, Mapping):
        entry = entry.get("id") or entry.get("model") or entry.get("name")
    return entry.removeprefix("models/") if isinstance(entry, str) else ""


def _window(entry: Mapping[str, Any]) -> int:
    meta = entry.get("meta")
    for place in (entry, meta if isinstance(meta, Mapping) else {}):
        for key in _WINDOW_FIELDS:
            value = place.get(key)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return 0


def _elapsed(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


def _offers(models: tuple[str, ...]) -> str:
    return f"The server offers {len(models):,} model{'' if len(models) == 1 else 's'}."
