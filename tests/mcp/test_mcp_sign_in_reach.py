"""Where a server may lead a sign-in: by addresses alone, nothing is asked here."""

from __future__ import annotations

import pytest

from kinet.core.errors import ToolError
from kinet.mcp.definition import read_definition
from kinet.mcp.sign_in import is_same_root
from kinet.mcp.sign_in_reach import SignInReach
from kinet.tools.web.web_transport import Reach

LED_ASTRAY = (
    "http://127.0.0.1:8080/x", "https://127.0.0.1/x", "https://localhost/x", "https://[::1]/x",
    "https://192.168.0.1/x", "https://169.254.169.254/x", "https://router.lan/x", "https://intra/x",
    "https://example.com:22/x", "https://user:pass@example.com/x", "http://example.com/x",
    "file:///etc/passwd", "javascript:alert(1)",
)  # fmt: skip


@pytest.mark.parametrize("url", LED_ASTRAY)
def test_a_public_server_leads_to_no_inner_address(url: str) -> None:
    reach = Reach(resolve=lambda host: ["93.184.216.34"])
    server = read_definition("docs", {"url": "https://mcp.example.com/mcp"})
    way = SignInReach(server, reach)
    with pytest.raises(ToolError):
        way.asked(url)
    assert way.asked("https://login.example.org/token")[0].host == "login.example.org"


def test_a_name_that_stands_for_an_inner_address_is_not_opened() -> None:
    found = {"mcp.example.com": ["93.184.216.34"], "login.example.org": ["10.1.2.3"]}
    server = read_definition("docs", {"url": "https://mcp.example.com/mcp"})
    way = SignInReach(server, Reach(resolve=lambda host: found[host]))
    with pytest.raises(ToolError, match="local network"):
        way.check_opened("https://login.example.org/authorize")


def test_a_server_in_the_persons_own_network_may_have_its_sign_in_there() -> None:
    found = {"mcp.corp.example": ["10.0.0.5"], "sso.corp.example": ["10.0.0.6"]}
    reach = Reach(resolve=lambda host: found[host])
    own = read_definition("docs", {"url": "https://mcp.corp.example/mcp"})
    way = SignInReach(own, reach)
    assert way.check_opened("https://sso.corp.example/authorize").host == "sso.corp.example"
    with pytest.raises(ToolError):
        way.asked("http://sso.corp.example/token")
    with pytest.raises(ToolError):
        way.asked("https://169.254.169.254/token")
    with pytest.raises(ToolError):
        way.asked("https://127.0.0.1:9999/token")


def test_a_folders_server_on_this_computer_leads_only_to_what_was_permitted_here() -> None:
    entry = {"url": "http://localhost:3000/mcp"}
    permits = frozenset({"localhost:3000", "localhost:4000"})
    folders = read_definition("docs", entry, place="folder")
    way = SignInReach(folders, Reach(local_permits=permits))
    assert way.asked("http://localhost:4000/token")[0].port == 4000
    for place in ("http://localhost:9200/_all", "http://127.0.0.1:4000/token"):
        with pytest.raises(ToolError, match="local network") as told:
            way.asked(place)
        assert "as a development server" in told.value.hint
    own = SignInReach(read_definition("docs", entry), Reach(local_permits=permits))
    assert own.asked("http://localhost:9200/token")[0].port == 9200


def test_a_server_without_protection_gets_no_token() -> None:
    server = read_definition("docs", {"url": "http://mcp.example.com/mcp"})
    way = SignInReach(server, Reach(resolve=lambda host: ["93.184.216.34"]))
    with pytest.raises(ToolError, match="without protection"):
        way.check_server()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://a.example", "https://a.example/", True),
        ("https://a.example/", "https://a.example", True),
        ("https://a.example/t", "https://a.example/t/", False),
        ("https://a.example//", "https://a.example", False),
        ("https://a.example", "http://a.example/", False),
        ("https://a.example.evil", "https://a.example", False),
    ],
)
def test_only_a_host_is_the_same_with_a_slash_behind_it(one: str, other: str, same: bool) -> None:
    assert is_same_root(one, other) is same
