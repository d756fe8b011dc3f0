"""Waits on this computer for a browser that comes back from a sign-in, and answers it."""

from __future__ import annotations

import asyncio
import hmac
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

PATH = "/callback"
_HOST = "127.0.0.1"
_LARGEST_HEAD = 16 * 1024
_READ_SECONDS = 10.0
_MOST_AT_ONCE = 16
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Kinet</title>
<meta name="viewport" content="width=device-width"><style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 20vh auto; max-width: 28em; padding: 0 1em;
color: #1f2328; background: #fff }}
@media (prefers-color-scheme: dark) {{ body {{ color: #e6e6e6; background: #1b1c1f }} }}
</style><h1>{title}</h1><p>{text}</p></html>
"""
_HEAD = (
    "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {size}\r\n"
    "cache-control: no-store\r\nreferrer-policy: no-referrer\r\nx-content-type-options: nosniff\r\n"
    "content-security-policy: default-src 'none'; style-src 'unsafe-inline'\r\n"
    "connection: close\r\n\r\n"
)
_DONE = ("Back to Kinet", "Kinet has the answer and goes on. You can close this page.")
_REFUSED = ("Not signed in", "Kinet was told so. You can close this page.")
_FOREIGN = ("Nothing here", "This answer does not belong to a sign-in that Kinet waits for.")


@dataclass(frozen=True, slots=True)
class BrowserAnswer:
    """What the browser brought: a code, or the word of an error."""

    code: str = ""
    state: str = ""
    issuer: str | None = None
    error: str = ""
    description: str = ""

    def __repr__(self) -> str:
        return f"BrowserAnswer(error={self.error!r})"


class LoopbackAnswer:
    """Listens while it is entered, on one path, for one answer that carries the expected state.

    Everything else is refused and forgotten. `port` 0 takes any that is free; OSError where the
    one that is wanted is taken.
    """

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._state = ""
        self._answer: asyncio.Future[BrowserAnswer] | None = None
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[object]] = set()

    async def __aenter__(self) -> LoopbackAnswer:
        self._answer = asyncio.get_running_loop().create_future()
        self._server = await asyncio.start_server(
            self._serve, _HOST, self._port, limit=_LARGEST_HEAD
        )
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        # The page that says so is on its way; nobody else is waited for.
        if self._open and kind is None:
            await asyncio.wait(self._open, timeout=1.0)
        for task in self._open:
            task.cancel()
        if self._answer is not None:
            self._answer.cancel()

    @property
    def url(self) -> str:
        """Where the browser is to be sent."""
        return f"http://{_HOST}:{self._port}{PATH}"

    def expect(self, state: str) -> None:
        """From now on an answer with this state counts."""
        self._state = state

    async def wait(self, seconds: float) -> BrowserAnswer:
        """The answer. TimeoutError if none came."""
        assert self._answer is not None
        async with asyncio.timeout(seconds):
            return await asyncio.shield(self._answer)

    def take(self, address: str) -> bool:
        """Takes the whole address a browser ended on; True if it was the awaited one.

        Also for one that was copied by hand, from a browser on another computer.
        """
        found = self._read(address)
        if found is None or self._answer is None or self._answer.done():
            return False
        self._answer.set_result(found)
        return True

    def _read(self, address: str) -> BrowserAnswer | None:
        try:
            parts = urlsplit(address)
            asked = parse_qs(parts.query, max_num_fields=50, errors="replace")
        except ValueError:
            return None
        if parts.path != PATH or any(len(values) != 1 for values in asked.values()):
            return None
        told = {name: values[0] for name, values in asked.items()}
        state = told.get("state", "")
        if not self._state or not hmac.compare_digest(state.encode(), self._state.encode()):
            return None
        if not told.get("code") and not told.get("error"):
            return None
        if told.get("error"):
            words = told.get("error_description", "")
            return BrowserAnswer("", state, told.get("iss"), told["error"][:100], words[:300])
        return BrowserAnswer(told["code"], state, told.get("iss"))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            if len(self._open) <= _MOST_AT_ONCE:
                async with asyncio.timeout(_READ_SECONDS):
                    head = await reader.readuntil(b"\r\n\r\n")
                    writer.write(self._reply(head.decode("latin-1")))
                    await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            # It was no browser, or it went away.
            pass
        finally:
            self._open.discard(task)
            writer.close()

    def _reply(self, head: str) -> bytes:
        lines = head.split("\r\n")
        words = lines[0].split(" ")
        hosts = [line[5:].strip() for line in lines[1:] if line[:5].lower() == "host:"]
        if len(words) != 3 or words[0] != "GET":
            return _page("405 Method Not Allowed", _FOREIGN)
        # A page elsewhere whose name was turned to this computer asks with that name.
        if hosts != [f"{_HOST}:{self._port}"] or not words[1].startswith("/"):
            return _page("404 Not Found", _FOREIGN)
        found = self._read(words[1])
        if found is None:
            return _page("404 Not Found", _FOREIGN)
        self.take(words[1])
        return _page("200 OK", _REFUSED if found.error else _DONE)


def _page(status: str, words: tuple[str, str]) -> bytes:
    body = _PAGE.format(title=words[0], text=words[1]).encode()
    return _HEAD.format(status=status, size=len(body)).encode() + body
