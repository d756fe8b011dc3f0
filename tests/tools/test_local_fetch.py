"""A development server that the person named is fetched for real; its neighbours are not."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tool_calls import Call

from kinet.core.errors import ToolError
from kinet.tools.base import ToolContext
from kinet.tools.web_fetch import WebFetch, WebFetchArguments


class Page(BaseHTTPRequestHandler):
    """Says hello; /away leads to another port of this machine."""

    def do_GET(self) -> None:
        if self.path == "/away":
            self.send_response(302)
            self.send_header("location", "http://127.0.0.1:1/secret")
            self.send_header("content-length", "0")
            self.end_headers()
            return
        body = b"<html><title>Dev</title><p>hello from here</p></html>"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()


async def test_only_the_named_server_is_reached(
    call: Call, context: ToolContext, port: int
) -> None:
    for host in ("localhost", "127.0.0.1"):
        url = f"http://{host}:{port}/"
        with pytest.raises(ToolError, match="Not fetched"):
            await call("web_fetch", url=url)
        with pytest.raises(ToolError, match="Not fetched"):
            WebFetch().question(WebFetchArguments(url=url), context)
        permitted = replace(context, local_permits=frozenset({f"{host}:{port}"}))
        asked = WebFetch().question(WebFetchArguments(url=url), permitted)
        assert asked.question == f"Fetch from {host}:{port}?"
        output = await call("web_fetch", permitted, url=url)
        assert "hello from here" in output.content
        assert output.details["title"] == "Dev"


async def test_a_named_server_leads_nowhere_else(
    call: Call, context: ToolContext, port: int
) -> None:
    permitted = replace(context, local_permits=frozenset({f"127.0.0.1:{port}"}))
    with pytest.raises(ToolError, match="Not fetched"):
        await call("web_fetch", permitted, url=f"http://127.0.0.1:{port}/away")
