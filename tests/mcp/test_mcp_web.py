"""Servers on the network: both ways of the protocol, and what may be reached for whom."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp_kit import SESSION, Kit
from web_server import Scripted, as_json, good_reply, official

from kinet.core.errors import ToolError
from kinet.mcp.definition import read_definition
from kinet.mcp.server_reach import reach_for
from kinet.mcp.web_way import WebWay
from kinet.net import redact
from kinet.net.client import single_transport
from kinet.tools.web.web_transport import Reach, opened_ways


def web(port: int, path: str = "/mcp", **fields: Any) -> dict[str, Any]:
    return {"url": f"http://127.0.0.1:{port}{path}", **fields}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with official("streamable-http") as found:
        yield found


async def test_a_server_of_the_official_package_is_asked_over_http(kit: Kit, port: int) -> None:
    standing = await kit.start(web=web(port))
    assert [tool.name for tool in standing.tools] == [
        "web__add", "web__draw", "web__fail", "web__slow",
    ]  # fmt: skip
    assert (await kit.call("web__add", a=1, b=2)).content == "3"
    picture = await kit.call("web__draw")
    assert picture.pictures[0].startswith("data:image/png;base64,")
    failed = await kit.call("web__fail")
    assert failed.is_error
    assert "fail" in failed.content


async def test_a_stop_ends_a_call_over_http_too(kit: Kit, port: int) -> None:
    await kit.start(web=web(port))
    told: list[str] = []
    calling = asyncio.create_task(kit.call("web__slow", told.append, seconds=30))
    await kit.until(lambda: told)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert told[0].endswith(": reading\n")
    assert (await kit.call("web__add", a=1, b=1)).content == "2"


async def test_the_older_way_works_as_well(kit: Kit) -> None:
    with official("sse") as found:
        await kit.start(old=web(found, "/sse", type="sse"))
        assert (await kit.call("old__add", a=2, b=2)).content == "4"


async def test_a_server_that_went_away_is_hidden_and_asked_for_again(kit: Kit) -> None:
    kit.timing["restarts"] = (0.1,) * 100
    with official("streamable-http") as found:
        await kit.start(web=web(found))
    with pytest.raises(ToolError, match="could not be reached"):
        await kit.call("web__add", a=1, b=1)
    await kit.until(lambda: not kit.servers.standing(SESSION).tools)
    with official("streamable-http", found):
        await kit.until(lambda: kit.servers.standing(SESSION).tools)
        assert (await kit.call("web__add", a=1, b=1)).content == "2"


async def test_a_session_that_the_server_forgot_is_begun_again(kit: Kit) -> None:
    kit.timing["restarts"] = (0.0, 0.0)
    with official("streamable-http") as found:
        await kit.start(web=web(found))
    with official("streamable-http", found):
        with pytest.raises(ToolError, match="404"):
            await kit.call("web__add", a=1, b=1)
        await kit.until(lambda: kit.servers.standing(SESSION).tools)
        assert (await kit.call("web__add", a=1, b=1)).content == "2"


async def test_headers_and_secrets_go_along_and_the_version_too(kit: Kit) -> None:
    with Scripted(good_reply) as server:
        await kit.start(web=web(server.port, headers={"Authorization": "Bearer abc", "X-A": "b"}))
        assert (await kit.call("web__now")).content == "noon"
    posts = [headers for method, _, headers, _ in server.seen if method == "POST"]
    assert all(headers["authorization"] == "Bearer abc" for headers in posts)
    assert all(headers["x-a"] == "b" for headers in posts)
    assert [headers.get("mcp-protocol-version") for headers in posts] == [
        None, "2025-06-18", "2025-06-18", "2025-06-18",
    ]  # fmt: skip
    assert posts[0]["host"] == f"127.0.0.1:{server.port}"
    assert "initialized" in json.dumps([message for *_, message in server.seen])


STATUS = {
    401: "The server wants a sign-in that it was not given (401).",
    403: "The server refused the sign-in it was given (403).",
    404: "There is no such server at this address (404).",
    500: "The server answered with the error 500.",
}


@pytest.mark.parametrize("status", STATUS)
async def test_a_refusal_is_said_in_words(kit: Kit, status: int) -> None:
    with Scripted(lambda *_: (status, {}, b"no")) as server:
        given = {"headers": {"Authorization": "Bearer given"}}
        standing = await kit.start(web=web(server.port, **given))
    assert standing.failed == (("web", STATUS[status]),)


@pytest.mark.parametrize("status", [401, 404])
async def test_a_refusal_on_the_older_way_is_said_in_words_too(kit: Kit, status: int) -> None:
    with Scripted(lambda *_: (status, {}, b"no")) as server:
        standing = await kit.start(web=web(server.port, type="sse"))
    words = {401: "The server wants you to sign in first.", 404: STATUS[404]}[status]
    assert standing.failed[0][1].startswith(words)


ODD: dict[str, tuple[tuple[int, dict[str, str], bytes], str]] = {
    "a page": ((200, {"content-type": "text/html"}, b"<p>hi"), "Unexpected content type"),
    "no json": ((200, {"content-type": "application/json"}, b"{"), "Failed to parse"),
    "nothing": ((202, {}, b""), "202 Accepted"),
    "a stream that ends": ((200, {"content-type": "text/event-stream"}, b""), "ended"),
}


@pytest.mark.parametrize("kind", ODD)
async def test_what_is_no_answer_is_told(kit: Kit, kind: str) -> None:
    reply, words = ODD[kind]
    with Scripted(lambda *_: reply) as server:
        standing = await kit.start(web=web(server.port))
    assert words.lower() in standing.failed[0][1].lower()


async def test_an_answer_without_end_is_cut_off(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kinet.mcp.web_way.LARGEST_ANSWER", 100_000)

    def reply(method: str, path: str, headers: Any, message: Any) -> Any:
        if message and message.get("method") == "tools/call":
            return 200, {"content-type": "application/json"}, b" " * 10_000_000
        return good_reply(method, path, headers, message)

    with Scripted(reply) as server:
        await kit.start(web=web(server.port))
        with pytest.raises(ToolError, match="larger than"):
            await kit.call("web__now")


@pytest.mark.parametrize("method", ["initialize", "tools/call"])
async def test_a_packed_answer_is_not_unpacked(kit: Kit, method: str) -> None:
    def reply(http: str, path: str, headers: Any, message: Any) -> Any:
        if message and message.get("method") == method:
            told = {"content-type": "application/json", "content-encoding": "gzip"}
            return 200, told, gzip.compress(b" " * 10_000_000)
        return good_reply(http, path, headers, message)

    with Scripted(reply) as server:
        standing = await kit.start(web=web(server.port))
        if method == "tools/call":
            with pytest.raises(ToolError, match="packs its answers"):
                await kit.call("web__now")
        else:
            words = "The server packs its answers (gzip), which nobody asked it to."
            assert standing.failed == (("web", words),)
    assert {headers["accept-encoding"] for _, _, headers, _ in server.seen} == {"identity"}


async def test_a_redirect_to_another_host_gets_neither_the_call_nor_the_key(kit: Kit) -> None:
    with Scripted(good_reply) as other:
        place = f"http://localhost:{other.port}/mcp"
        with Scripted(lambda *_: (307, {"location": place}, b"")) as server:
            standing = await kit.start(web=web(server.port, headers={"Authorization": "Bearer k"}))
    assert "Redirect to" in standing.failed[0][1]
    assert other.seen == []


async def test_no_request_of_the_client_leaves_the_server_it_is_for() -> None:
    """Whatever the protocol's own client makes of an answer."""
    server = definition("http://127.0.0.1:3000/mcp")
    way = WebWay(server, reach_for(server, Reach()))
    async with AsyncExitStack() as stack:
        ways = await opened_ways(stack, Reach())
        for url in ("http://other.example/mcp", "http://169.254.169.254/", "nonsense"):
            assert await way.answer(ways, "GET", url, {"authorization": "Bearer k"}, b"") is None
            assert way.trouble is not None
            assert "The server" in way.trouble.message


def definition(url: str, place: str = "own") -> Any:
    return read_definition("s", {"url": url}, place=place)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/mcp",
        "http://metadata.google.internal/mcp",
        "http://[fd00:ec2::254]/",
    ],
)
def test_services_that_hand_out_keys_are_never_reached(url: str) -> None:
    host = url.split("/")[2]
    with pytest.raises(ToolError, match="Not connected"):
        reach_for(definition(url), Reach(local_permits=frozenset({f"{host}:80"})))


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000/mcp", "http://localhost:3000/", "http://10.0.0.5/"]
)
def test_a_person_may_name_a_server_of_their_network_and_a_folder_may_not(url: str) -> None:
    assert reach_for(definition(url), Reach()).local_permits
    with pytest.raises(ToolError, match="Not connected") as caught:
        reach_for(definition(url, "folder"), Reach())
    assert "development server" in caught.value.hint
    place = url.split("/")[2]
    permitted = Reach(local_permits=frozenset({place if ":" in place else f"{place}:80"}))
    assert reach_for(definition(url, "folder"), permitted) == permitted


async def test_a_name_that_leads_to_an_inner_address_is_not_followed(kit: Kit) -> None:
    """Also for a person's own server a name may not become the metadata service."""
    kit.fields["reach"] = lambda: Reach(resolve=lambda host: ["169.254.169.254"])
    standing = await kit.start(web={"url": "http://mcp.example.com/mcp"})
    assert "hands out the keys of a cloud machine" in standing.failed[0][1]


async def test_requests_go_to_the_address_that_was_checked_and_by_the_proxy_that_was_set(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with Scripted(good_reply) as proxy:
        address = f"http://127.0.0.1:{proxy.port}"
        kit.fields["reach"] = lambda: Reach(
            resolve=lambda host: [],
            proxy=lambda: single_transport(proxy=address),
        )
        await kit.start(web={"url": "http://mcp.example.com/mcp"})
        assert (await kit.call("web__now")).content == "noon"
    assert {path for _, path, _, _ in proxy.seen} == {"http://mcp.example.com/mcp"}


async def test_the_certificates_of_the_settings_count(kit: Kit, tmp_path: Path) -> None:
    """Our own transport carries every request: what it trusts is what counts."""
    asked: list[httpx.Request] = []

    class Watching(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            asked.append(request)
            message = json.loads(request.content or b"{}")
            status, headers, body = good_reply(request.method, "", {}, message)
            return httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))

    kit.fields["reach"] = lambda: Reach(resolve=lambda host: ["93.184.215.14"], transport=Watching)
    await kit.start(web={"url": "https://mcp.example.com/mcp"})
    assert (await kit.call("web__now")).content == "noon"
    assert {str(request.url.host) for request in asked} == {"93.184.215.14"}
    assert {request.headers["host"] for request in asked} == {"mcp.example.com"}
    assert {request.extensions["sni_hostname"] for request in asked} == {"mcp.example.com"}


async def test_no_key_reaches_a_log_by_this_way(kit: Kit, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    key = "zq7-canary-of-a-header-1234567890"
    caplog.handler.addFilter(redact.RedactingFilter())

    def reply(method: str, path: str, headers: Any, message: Any) -> Any:
        if message and message.get("method") == "tools/call":
            error = {"code": -32_000, "message": f"bad key {headers['authorization']}"}
            return as_json({"jsonrpc": "2.0", "id": message["id"], "error": error})
        return good_reply(method, path, headers, message)

    with Scripted(reply) as server:
        kit.entries["web"] = web(server.port, headers={"Authorization": "${KEY_OF_TEST}"})
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("KEY_OF_TEST", f"Bearer {key}")
            await kit.start()
        with pytest.raises(ToolError) as caught:
            await kit.call("web__now")
    assert server.seen[0][2]["authorization"] == f"Bearer {key}"
    assert key not in caplog.text
    assert key not in caught.value.sentence()
    assert key not in repr(kit.servers.snapshot(kit.definition("web"), kit.folder))


@pytest.mark.parametrize(
    "other",
    [
        "http://tools.example.com/mcp",
        "https://tools.example.com:8443/mcp",
        "https://other.example.com/mcp",
    ],
)
async def test_a_server_cannot_send_its_token_to_another_address(other: str) -> None:
    server = read_definition("web", {"url": "https://tools.example.com/mcp"})
    way = WebWay(server, Reach())
    async with AsyncExitStack() as stack:
        ways = await opened_ways(stack, Reach())
        headers = {"authorization": "Bearer abc"}
        assert await way.answer(ways, "POST", other, headers, b"{}") is None
    assert way.trouble is not None
    assert way.trouble.message.startswith("The server sends on to another one: ")
