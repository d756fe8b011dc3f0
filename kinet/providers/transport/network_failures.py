"""Why a connection could not be made or broke, in words for a person."""

from __future__ import annotations

import errno
import socket
import ssl
from typing import Literal

import httpx

from kinet.core.errors import BadRequestError, NetworkError, ProviderError
from kinet.net.redact import redact
from kinet.providers.transport.addresses import host_of

NetworkCause = Literal[
    "host_not_found", "certificate", "proxy_refused", "timeout", "unreachable", "broken", "address"
]


def network_error(exc: Exception, url: str) -> ProviderError:
    """The error of our tree for a failure of the HTTP library."""
    host = host_of(url)
    match network_cause(exc):
        case "address":
            return BadRequestError(
                f"The request to {host} cannot be made: {redact(str(exc))}",
                hint="Check the address, the key and the extra headers of the profile.",
            )
        case "host_not_found":
            return NetworkError(
                f"The host {host} was not found.",
                hint="Check the address in the profile and the internet connection.",
            )
        case "certificate":
            return NetworkError(
                f"The certificate of {host} is not trusted: {_reason(exc)}",
                hint="If this network uses its own certificate, add its file in the connection "
                "settings.",
                retryable=False,
            )
        case "proxy_refused":
            return NetworkError(
                f"The proxy refused the way to {host}: {redact(str(exc)) or 'no reason given'}",
                hint="Check the proxy in the connection settings.",
                retryable=False,
            )
        case "timeout":
            return NetworkError(
                f"{host} did not take the connection in time.",
                hint="Check the internet connection and the address, then send again.",
            )
        case "unreachable":
            return NetworkError(
                f"No connection to {host}: {_reason(exc)}",
                hint="Check that the server runs and that the address is right.",
            )
        case "broken":
            return NetworkError(
                f"The connection to {host} broke before the answer was whole.",
                hint="Send again.",
            )


def network_cause(exc: BaseException) -> NetworkCause:
    """What kind of failure it was."""
    chain = _chain(exc)
    if isinstance(exc, (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError)):
        return "address"
    if isinstance(exc, httpx.ProxyError):
        return "proxy_refused"
    if any(isinstance(link, ssl.SSLCertVerificationError) for link in chain):
        return "certificate"
    if any("CERTIFICATE_VERIFY_FAILED" in str(link) for link in chain):
        return "certificate"
    if any(isinstance(link, socket.gaierror) for link in chain) or _names_lookup(str(exc)):
        return "host_not_found"
    if isinstance(exc, httpx.TimeoutException):
        return "timeout"
    if isinstance(exc, httpx.ConnectError):
        return "unreachable"
    return "broken"


def _chain(exc: BaseException) -> list[BaseException]:
    out: list[BaseException] = []
    waiting: list[BaseException | None] = [exc]
    while waiting and len(out) < 20:
        link = waiting.pop(0)
        if link is None or link in out:
            continue
        out.append(link)
        waiting += [link.__cause__, link.__context__]
        # Several addresses tried at once fail as a group.
        if isinstance(link, BaseExceptionGroup):
            waiting += link.exceptions
    return out


def _names_lookup(text: str) -> bool:
    lowered = text.lower()
    return any(
        words in lowered
        for words in ("name or service", "nodename nor", "getaddrinfo", "name resolution")
    )


def _reason(exc: BaseException) -> str:
    for link in _chain(exc):
        if isinstance(link, ssl.SSLCertVerificationError) and link.verify_message:
            return f"{link.verify_message}."
    for link in _chain(exc):
        if isinstance(link, OSError) and link.errno in errno.errorcode and link.strerror:
            if link.errno == errno.ECONNREFUSED or "refused" in link.strerror.lower():
                return "it was refused, nothing listens there."
            return f"{link.strerror}."
    if any("connection attempts failed" in str(link) for link in _chain(exc)):
        return "it was refused, nothing listens there."
    text = redact(str(exc)).strip().rstrip(".")
    return f"{text}." if text else "the connection failed."
