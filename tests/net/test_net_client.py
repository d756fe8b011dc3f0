"""The warm client: which way a request goes, and what it trusts."""

from __future__ import annotations

import httpx
import pytest

from kinet.core.errors import SettingsError
from kinet.net.client import RoutingTransport, create_client
from kinet.net.loopback import is_loopback

DIRECT = httpx.MockTransport(lambda request: httpx.Response(200))
PROXIED = httpx.MockTransport(lambda request: httpx.Response(200))


def way(url: str, excepted: tuple[str, ...] = ()) -> str:
    """Which way a request to `url` goes."""
    router = RoutingTransport(DIRECT, {"http": PROXIED, "https": PROXIED}, excepted)
    return "direct" if router.route(httpx.URL(url)) is DIRECT else "proxied"


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:8080/v1",
        "http://127.0.0.1/",
        "http://127.8.9.10:1234/",
        "http://[::1]:11434/",
        "http://[::ffff:127.0.0.1]/",
        "http://box.localhost/",
        "http://0.0.0.0:8000/",
    ],
)
def test_this_computer_is_never_reached_through_a_proxy(url):
    assert way(url) == "direct"


def test_other_hosts_go_through_the_proxy():
    assert way("https://api.server.test/v1") == "proxied"
    assert way("http://127.0.0.1.server.test/") == "proxied"


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        ("server.test", "https://server.test/", "direct"),
        ("server.test", "https://api.server.test/", "direct"),
        (".server.test", "https://api.server.test/", "direct"),
        ("*.server.test", "https://api.server.test/", "direct"),
        ("server.test", "https://myserver.test/", "proxied"),
        ("10.0.0.0/8", "http://10.2.3.4/", "direct"),
        ("10.0.0.0/8", "http://11.2.3.4/", "proxied"),
        ("server.test:8443", "https://server.test:8443/", "direct"),
        ("server.test:8443", "https://server.test/", "proxied"),
        ("*", "https://anything.test/", "direct"),
    ],
)
def test_exceptions_are_reached_directly(pattern, url, expected):
    assert way(url, (pattern,)) == expected


async def test_the_systems_proxy_is_used_and_can_be_overruled(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://proxy.test:3128")
    monkeypatch.setenv("no_proxy", "inside.test")
    url, inside = httpx.URL("https://api.server.test/"), httpx.URL("https://inside.test/")
    async with create_client() as client:
        router = client._transport
        assert isinstance(router, RoutingTransport)
        assert router.route(url) is not router.route(inside)
    async with create_client(proxy="") as client:
        router = client._transport
        assert isinstance(router, RoutingTransport)
        assert router.route(url) is router.route(inside)


async def test_reads_have_no_limit_of_their_own():
    async with create_client(stall_seconds=3) as client:
        assert client.timeout.read is None
        assert not client.follow_redirects
        assert not client.trust_env


@pytest.mark.parametrize("proxy", ["not a proxy", "ftp://x", "http://"])
def test_an_unusable_proxy_is_named(proxy):
    with pytest.raises(SettingsError) as caught:
        create_client(proxy=proxy)
    assert caught.value.hint


def test_a_certificate_file_that_is_none_is_named(tmp_path):
    file = tmp_path / "ca.pem"
    file.write_text("nothing")
    for path in (file, tmp_path / "missing.pem"):
        with pytest.raises(SettingsError, match=path.name):
            create_client(ca_file=str(path))


def test_loopback_is_told_by_address_not_by_looks():
    assert not is_loopback("127.0.0.1.server.test")
    assert not is_loopback("localhost.server.test")
    assert not is_loopback("")
