"""Makes the one warm HTTP client: proxies, certificates, and no proxy for this computer itself."""

from __future__ import annotations

import contextlib
import importlib
import ipaddress
import ssl
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies

import certifi
import httpx
import truststore

from kinet.core.errors import SettingsError
from kinet.net.loopback import is_loopback

CONNECT_SECONDS = 15.0
WRITE_SECONDS = 120.0
KEEP_ALIVE_SECONDS = 300.0
USER_AGENT = "kinet/0.1"
_STORES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/ssl/cert.pem",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
)


def create_client(
    *,
    stall_seconds: float = 120.0,
    proxy: str | None = None,
    no_proxy: str = "",
    ca_file: str | None = None,
    recorded: bool = False,
) -> httpx.AsyncClient:
    """A client that keeps its connections warm. The caller closes it.

    `proxy` is an address, "" for none, None for what the system says; `no_proxy` names hosts
    reached directly (comma-separated); addresses of this computer always are. `ca_file` is trusted
    besides the system's certificates. `recorded` keeps what turns send and get, for a report on a
    failure. Reads have no limit of their own: whoever reads a stream
    watches it (`stall_seconds` limits the wait for a place in the pool). Redirects are not
    followed, cookies and .netrc are not used. Raises SettingsError for an unusable proxy or file.
    """
    _import_backend()
    context = certificates(ca_file)
    routes = _system_proxies() if proxy is None else {"http": proxy, "https": proxy}
    excepted = no_proxy if proxy is not None or no_proxy else getproxies().get("no", "")
    transport: httpx.AsyncBaseTransport = RoutingTransport(
        direct=_transport(context),
        proxied={scheme: _transport(context, url) for scheme, url in routes.items() if url},
        excepted=_hosts_in(excepted),
    )
    if recorded:
        from kinet.net.recording import RecordingTransport

        transport = RecordingTransport(transport)
    # httpx makes a timer per read; with an event loop that keeps cancelled timers, thousands live.
    timeout = httpx.Timeout(
        connect=CONNECT_SECONDS, read=None, write=WRITE_SECONDS, pool=stall_seconds
    )
    return httpx.AsyncClient(
        transport=transport,
        timeout=timeout,
        trust_env=False,
        follow_redirects=False,
        headers={"user-agent": USER_AGENT},
    )


def _import_backend() -> None:
    """httpcore would import it with the first connection, on the thread of the loop."""
    import sniffio  # noqa: F401

    # Where another version has it elsewhere, the first connection is some 20 ms later, as before.
    with contextlib.suppress(ImportError):
        importlib.import_module("anyio._backends._asyncio")


def single_transport(*, proxy: str = "", ca_file: str | None = None) -> httpx.AsyncBaseTransport:
    """A transport of one way, direct or through a proxy; the environment is not asked.

    Raises SettingsError for an unusable proxy or file.
    """
    return _transport(certificates(ca_file), proxy)


def goes_direct(url: httpx.URL, no_proxy: str) -> bool:
    """True if an address is this computer's, or one that `no_proxy` names."""
    return is_loopback(url.host) or _excepted(url, _hosts_in(no_proxy))


def certificates(ca_file: str | None = None) -> ssl.SSLContext:
    """What the system trusts, as its own programs judge it, and the certificates of `ca_file`.

    A system without a store (a bare container) trusts the bundled list. Raises SettingsError if the
    file cannot be used.
    """
    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if sys.platform not in ("darwin", "win32") and not _has_store():
        context.load_verify_locations(cafile=certifi.where())
    if ca_file:
        try:
            context.load_verify_locations(cafile=ca_file)
        except (OSError, ssl.SSLError) as exc:
            raise SettingsError(
                f"The certificate file {ca_file} cannot be used: {exc.strerror or exc}.",
                hint="Choose a file in PEM form in the connection settings.",
            ) from exc
    return context


def _has_store() -> bool:
    """True if OpenSSL or one of the usual places has certificates; truststore looks there too."""
    paths = ssl.get_default_verify_paths()
    if paths.cafile or any(Path(place).is_file() for place in _STORES):
        return True
    folder = Path(paths.capath) if paths.capath else None
    return folder is not None and folder.is_dir() and any(folder.glob("*.0"))


class RoutingTransport(httpx.AsyncBaseTransport):
    """Sends each request directly or through a proxy, by its host."""

    def __init__(
        self,
        direct: httpx.AsyncBaseTransport,
        proxied: Mapping[str, httpx.AsyncBaseTransport],
        excepted: tuple[str, ...] = (),
    ) -> None:
        self._direct = direct
        self._proxied = dict(proxied)
        self._excepted = excepted

    def route(self, url: httpx.URL) -> httpx.AsyncBaseTransport:
        """The transport for this address."""
        if is_loopback(url.host) or _excepted(url, self._excepted):
            return self._direct
        return self._proxied.get(url.scheme, self._direct)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Passes the request on."""
        return await self.route(request.url).handle_async_request(request)

    async def aclose(self) -> None:
        """Closes all connections."""
        for transport in {id(t): t for t in (self._direct, *self._proxied.values())}.values():
            await transport.aclose()


def _hosts_in(no_proxy: str) -> tuple[str, ...]:
    return tuple(host.strip().lower() for host in no_proxy.split(",") if host.strip())


def _excepted(url: httpx.URL, patterns: tuple[str, ...]) -> bool:
    host = url.host.lower()
    for pattern in patterns:
        if pattern == "*":
            return True
        if "/" in pattern:
            with contextlib.suppress(ValueError):
                if ipaddress.ip_address(host) in ipaddress.ip_network(pattern, strict=False):
                    return True
            continue
        name, _, port = pattern.partition(":") if pattern.count(":") == 1 else (pattern, "", "")
        if port and port != str(url.port or {"https": 443}.get(url.scheme, 80)):
            continue
        name = name.strip("[]").lstrip("*").lstrip(".")
        if name and (host == name or host.endswith(f".{name}")):
            return True
    return False


def _system_proxies() -> dict[str, str]:
    found = getproxies()
    both = found.get("all", "")
    routes = {scheme: found.get(scheme, both) for scheme in ("http", "https")}
    return {
        scheme: url if "://" in url else f"http://{url}" for scheme, url in routes.items() if url
    }


def _transport(context: ssl.SSLContext, proxy: str = "") -> httpx.AsyncHTTPTransport:
    limits = httpx.Limits(
        max_connections=100, max_keepalive_connections=20, keepalive_expiry=KEEP_ALIVE_SECONDS
    )
    if not proxy:
        return httpx.AsyncHTTPTransport(verify=context, trust_env=False, limits=limits)
    shown = _without_password(proxy)
    try:
        if not httpx.URL(proxy).host:
            raise ValueError("no host")
        return httpx.AsyncHTTPTransport(
            verify=context, trust_env=False, limits=limits, proxy=httpx.Proxy(proxy)
        )
    except ImportError as exc:
        raise SettingsError(
            f"The proxy {shown} is a SOCKS proxy, and the package for it is not installed.",
            hint="Use an http:// proxy, or install the package socksio.",
        ) from exc
    except (ValueError, httpx.InvalidURL) as exc:
        raise SettingsError(
            f"{shown} is not the address of a proxy.",
            hint="Write it as http://host:port in the connection settings.",
        ) from exc


def _without_password(proxy: str) -> str:
    try:
        parts = urlsplit(proxy)
        place = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "The address given"
    return f"{parts.scheme}://{place}{port}" if place else "The address given"
