"""From the address a person typed to the address a request is sent to."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

from kinet.core.errors import BadRequestError
from kinet.net.loopback import is_loopback

_ENDPOINTS = ("/chat/completions", "/completions", "/responses", "/messages", "/models")
_VERSION = re.compile(r"/v\d+(?:(?:alpha|beta)\d*)?$")


def chat_address(base_url: str) -> str:
    """Where OpenAI-like chat completions are asked for."""
    return _joined(_base(base_url, default="/v1"), "/chat/completions")


def responses_address(base_url: str) -> str:
    """Where OpenAI Responses are asked for."""
    return _joined(_base(base_url, default="/v1"), "/responses")


def messages_address(base_url: str) -> str:
    """Where Anthropic Messages are asked for."""
    return _joined(_versioned(_base(base_url)), "/messages")


def models_address(base_url: str, protocol: str = "openai") -> str:
    """Where the list of models is asked for."""
    if protocol == "anthropic":
        return _joined(_versioned(_base(base_url)), "/models")
    return _joined(_base(base_url, default="/v1"), "/models")


def host_of(url: str) -> str:
    """Host and port of an address, for words to a person."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url
    return f"{host}:{port}" if port else host


def _base(base_url: str, default: str = "") -> tuple[str, str, str, str]:
    """Scheme, place, path without end point and slash, query. BadRequestError if unusable."""
    text = "".join(base_url.split())
    if not text:
        raise BadRequestError(
            "The profile has no address.", hint="Enter the provider's address in the profile."
        )
    if "://" not in text:
        host = text.partition("/")[0].rpartition(":")[0] or text.partition("/")[0]
        text = f"{'http' if is_loopback(host) else 'https'}://{text}"
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise BadRequestError(
            f"{base_url.strip()[:200]} is not an address that can be asked.",
            hint="Write it as https://host/path in the profile.",
        )
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    for end in _ENDPOINTS:
        if path.endswith(end):
            path = path[: -len(end)].rstrip("/")
            break
    return parts.scheme, parts.netloc, path or default, parts.query


def _versioned(base: tuple[str, str, str, str]) -> tuple[str, str, str, str]:
    scheme, place, path, query = base
    return scheme, place, path if _VERSION.search(path) else f"{path}/v1", query


def _joined(base: tuple[str, str, str, str], end: str) -> str:
    scheme, place, path, query = base
    return urlunsplit((scheme, place, f"{path}{end}", query, ""))
