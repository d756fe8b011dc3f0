"""A server of the official package on loopback, and one that answers whatever a test says."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from tests.support.ports import free_port, wait_for

PROGRAM = Path(__file__).with_name("official_server.py")


@contextmanager
def official(way: str, port: int = 0) -> Iterator[int]:
    """The official package's server; `way` is streamable-http or sse. Gives its port."""
    port = port or free_port()
    with subprocess.Popen(
        [sys.executable, str(PROGRAM), way, str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            wait_for(port)
            yield port
        finally:
            process.kill()


class Scripted:
    """Answers each request by `reply(method, path, headers, message)`: (status, headers, body)."""

    def __init__(self, reply: Callable[..., tuple[int, dict[str, str], bytes]]) -> None:
        self.seen: list[tuple[str, str, dict[str, str], Any]] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _do(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                raw = self.rfile.read(size)
                form = "form" in (self.headers.get("content-type") or "")
                message = json.loads(raw) if raw and not form else dict(parse_qsl(raw.decode()))
                message = message if raw else None
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.seen.append((self.command, self.path, headers, message))
                status, more, body = reply(self.command, self.path, headers, message)
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_DELETE = _do

            def log_message(self, *args: Any) -> None:
                """Nothing is printed."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self) -> Scripted:
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def as_json(message: Any, status: int = 200, **headers: str) -> tuple[int, dict[str, str], bytes]:
    return status, {"content-type": "application/json", **headers}, json.dumps(message).encode()


def good_reply(
    method: str, path: str, headers: dict[str, str], message: Any
) -> tuple[int, dict[str, str], bytes]:
    """What a small good server answers, in plain JSON."""
    if method != "POST" or "id" not in message:
        return (202, {}, b"") if method == "POST" else (405, {}, b"")
    results = {
        "initialize": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "web", "version": "1"},
        },
        "tools/list": {"tools": [{"name": "now", "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": [{"type": "text", "text": "noon"}]},
    }
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]}
    return as_json(answer)
