"""One life of a server: the way to it is opened, it is greeted, listed, asked, until it ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from kinet.core.errors import ToolError
from kinet.mcp.accounts import Accounts, ServerAccount
from kinet.mcp.definition import ServerDefinition
from kinet.mcp.filling import Filling
from kinet.mcp.sdk import CLOSED, TIMED_OUT, UNKNOWN_METHOD, VERSION, VERSIONS, Sdk
from kinet.mcp.server_reach import reach_for
from kinet.mcp.stdio_way import StdioWay
from kinet.mcp.web_way import GRANT, LARGEST_ANSWER, SIGN_IN, WebWay
from kinet.net.redact import redact
from kinet.policy.visible import visible_line
from kinet.tools.web.web_transport import Reach

_log = logging.getLogger(__name__)

_MOST_PAGES = 100
# A server may say without end that its list changed.
_BETWEEN_LISTS = 1.0
_CALL_MARGIN = 5.0

# Takes (progress, total, message) of a call.
Progress = Callable[[float, float | None, str | None], Awaitable[None]]


class Life:
    """One life of a server: the way to it, what it said of itself, its calls."""

    def __init__(
        self,
        server: ServerDefinition,
        folder: Path | None,
        filling: Filling,
        reach: Callable[[], Reach],
        accounts: Accounts,
        does: Callable[[str], None],
    ) -> None:
        """`does` is told in words what goes on while it starts."""
        self._accounts = accounts
        # The person's sign-in, where the server takes one.
        self.account: ServerAccount | None = None
        self._server, self._folder, self._does = server, folder, does
        self._filling, self._reach = filling, reach
        self._stdio: StdioWay | None = None
        self._web: WebWay | None = None
        self._talk: Any = None
        self._sdk: Any = None
        self._headers: dict[str, str] = {}
        self._over = asyncio.Event()
        self._wake = asyncio.Event()
        self._stale = False
        self.was_ready = False
        self._has_tools = self._has_prompts = False
        self.title = ""
        self.tools: list[Any] = []
        self.prompts: list[Any] = []

    @property
    def trouble(self) -> ToolError | None:
        """What the way itself knows of its end."""
        way = self._web or self._stdio
        return way.trouble if way is not None else None

    @property
    def exit_code(self) -> int | None:
        """Of a program that ended."""
        return self._stdio.exit_code if self._stdio is not None else None

    @property
    def last_words(self) -> str:
        """Of a program: the end of its error output."""
        return self._stdio.last_words if self._stdio is not None else ""

    def notes(self) -> tuple[str, ...]:
        """What a person should know of it."""
        if self._stdio is None or not self._stdio.garbage:
            return ()
        shown = visible_line(redact(self._stdio.first_garbage[:80]))
        return (f"It writes other things than messages to its output, such as: {shown}",)

    @asynccontextmanager
    async def opened(self, sdk: Sdk, seconds: float) -> AsyncIterator[None]:
        """The server, started, greeted and asked for its tools. ToolError says what failed."""
        self._sdk = sdk
        server = await asyncio.to_thread(self._filling.filled, self._server)
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(seconds):
                    begins = "Starting the program" if server.kind == "stdio" else "Connecting"
                    self._does(begins)
                    read, write = await self._streams(server, stack)
                    self._talk = sdk.dispatcher(read, write)
                    await self._drive(stack)
                    await self._greet()
                    self._does(f"It answers: {self.title or server.name}")
                    await self._list()
            except TimeoutError as exc:
                said = self._stdio.first_garbage if self._stdio is not None else ""
                raise _silent(said, seconds) from exc
            self.was_ready = True
            yield

    async def _streams(self, server: ServerDefinition, stack: AsyncExitStack) -> tuple[Any, Any]:
        if server.kind == "stdio":
            self._stdio = StdioWay(server, self._folder)
            return await stack.enter_async_context(self._stdio.streams(self._sdk))
        reach = await asyncio.to_thread(lambda: reach_for(server, self._reach()))
        if server.takes_sign_in:
            self.account = self._accounts.of(self._server, server.url)
        self._web = WebWay(server, reach, self.account)
        client = await self._web.client(stack)
        if server.kind == "http":
            await stack.enter_async_context(client)
            made = self._sdk.http_streams(
                server.url, http_client=client, max_sse_event_size=LARGEST_ANSWER
            )
        else:
            made = self._sdk.sse_streams(server.url, httpx_client_factory=lambda **_: client)
        try:
            streams: tuple[Any, Any] = await stack.enter_async_context(made)
        except self._sdk.refused as exc:
            # The older way asks at once, and raises what it is answered.
            said = visible_line(redact(str(exc).partition("\n")[0])[:300])
            raise self._web.trouble or ToolError(f"The connection failed: {said}.") from exc
        return streams

    async def _drive(self, stack: AsyncExitStack) -> None:
        """Starts the task that takes what comes; it is ended with the stack."""
        begun = _Begun()
        driving = asyncio.create_task(
            self._talk.run(self._on_request, self._on_notify, task_status=begun)
        )

        async def end() -> None:
            driving.cancel()
            await asyncio.wait([driving])

        stack.push_async_callback(end)
        driving.add_done_callback(self._is_over)
        await begun.event.wait()

    def _is_over(self, driving: asyncio.Task[None]) -> None:
        if not driving.cancelled() and (fault := driving.exception()) is not None:
            _log.error("talking to %s failed", self._server.name, exc_info=fault)
        self._over.set()
        self._wake.set()

    async def _greet(self) -> None:
        asked = {
            "protocolVersion": VERSION,
            "capabilities": {"roots": {"listChanged": False}},
            "clientInfo": {"name": "kinet", "title": "Kinet", "version": "0.1"},
        }
        told = await self._ask("initialize", asked, cancel_on_abandon=False)
        version = told.get("protocolVersion")
        if version not in VERSIONS:
            shown = visible_line(str(version)[:40])
            raise ToolError(f"It speaks version {shown} of the protocol, which is not known here.")
        self._headers = {"mcp-protocol-version": str(version)}
        info = told.get("serverInfo")
        if isinstance(info, Mapping):
            words = (info.get("title") or info.get("name"), info.get("version"))
            self.title = visible_line(" ".join(str(word)[:60] for word in words if word))
        capabilities = told.get("capabilities")
        known = capabilities if isinstance(capabilities, Mapping) else {}
        self._has_tools, self._has_prompts = "tools" in known, "prompts" in known
        await self._talk.notify("notifications/initialized", None, {"headers": self._headers})

    async def _list(self) -> None:
        self.tools = await self._listed("tools") if self._has_tools else []
        try:
            self.prompts = await self._listed("prompts") if self._has_prompts else []
        except ToolError as exc:
            if exc.kind in ("over", SIGN_IN):
                raise
            # Its tools are what it is started for.
            self.prompts = []

    async def _listed(self, what: str) -> list[Any]:
        """All pages of a list of the server's."""
        found: list[Any] = []
        cursor: Any = None
        seen: set[str] = set()
        for _ in range(_MOST_PAGES):
            told = await self._ask(f"{what}/list", {"cursor": cursor} if cursor else {})
            page = told.get(what)
            found += page if isinstance(page, list) else []
            if not self.was_ready:
                self._does(f"{len(found):,} {what} so far")
            cursor = told.get("nextCursor")
            if not isinstance(cursor, str) or not cursor or cursor in seen:
                break
            seen.add(cursor)
        return found

    async def listed_anew(self) -> bool:
        """Waits until the server changed its list, and asks for it; False when it has ended."""
        while not self._over.is_set():
            await self._wake.wait()
            self._wake.clear()
            if self._stale and not self._over.is_set():
                self._stale = False
                await asyncio.sleep(_BETWEEN_LISTS)
                await self._list()
                return True
        return False

    async def call(
        self, tool: str, arguments: Mapping[str, Any], progress: Progress
    ) -> Mapping[str, Any]:
        """What the server answers. ToolError says what failed."""
        seconds = self._server.timeout
        asked = {"name": tool, "arguments": dict(arguments)}
        name = self._server.name
        if self._web is not None:
            self._web.trouble = None
        try:
            # The package's own limit begins when the call is written, which may wait as well.
            async with asyncio.timeout(seconds + _CALL_MARGIN):
                return await self._ask("tools/call", asked, on_progress=progress, timeout=seconds)
        except TimeoutError as exc:
            raise _late(name, seconds) from exc
        except ToolError as exc:
            if exc.kind == "late":
                raise _late(name, seconds) from exc
            if exc.kind == "over":
                await self._await_end()
                raise self._ended(name) from exc
            if exc.kind in (SIGN_IN, GRANT):
                raise _needs_person(name, exc) from exc
            raise ToolError(f"{name}: {exc.message}", hint=exc.hint, kind=exc.kind) from exc

    async def prompt(self, prompt: str, arguments: Mapping[str, str]) -> Mapping[str, Any]:
        """What the server says for a prompt. ToolError says what failed."""
        seconds, name = self._server.timeout, self._server.name
        if self._web is not None:
            self._web.trouble = None
        try:
            async with asyncio.timeout(seconds):
                asked = {"name": prompt, "arguments": dict(arguments)}
                return await self._ask("prompts/get", asked)
        except TimeoutError as exc:
            raise _late(name, seconds) from exc
        except ToolError as exc:
            if exc.kind == "over":
                await self._await_end()
                raise self._ended(name) from exc
            raise ToolError(f"{name}: {exc.message}", hint=exc.hint, kind=exc.kind) from exc

    async def _await_end(self) -> None:
        # How a program ended is known a moment after its output has.
        if self._stdio is not None:
            await asyncio.to_thread(self._stdio.wait, 1.0)

    def _ended(self, name: str) -> ToolError:
        if (trouble := self.trouble) is not None:
            return ToolError(f"{name}: {trouble.message}", hint=trouble.hint, kind="over")
        code = self.exit_code
        how = f" ({exit_words(code)})" if code is not None else ""
        words = self.last_words
        said = f" Its last words:\n{words[-1_000:]}" if words else ""
        return ToolError(f"{name} ended during the call{how}.{said}", kind="over")

    async def _ask(self, method: str, params: dict[str, Any], **options: Any) -> Mapping[str, Any]:
        """The raw answer. ToolError for an error, of kind over or late where none came."""
        try:
            answer = await self._talk.send_raw_request(
                method, params, {"headers": self._headers, **options}
            )
        except self._sdk.error as exc:
            trouble = self._web.trouble if self._web is not None else None
            if exc.code == TIMED_OUT:
                raise ToolError("It did not answer.", kind="late") from exc
            if exc.code == CLOSED:
                raise trouble or ToolError("It ended.", kind="over") from exc
            if trouble is not None:
                if self.was_ready and self._web is not None and self._web.is_lost:
                    # It is started anew, and its tools are hidden until it answers again.
                    self._over.set()
                    self._wake.set()
                raise trouble from exc
            said = visible_line(redact(str(exc))[:1_000])
            raise ToolError(f"the server refused {_ACTS.get(method, 'the call')}: {said}") from exc
        return answer if isinstance(answer, Mapping) else {}

    async def _on_request(self, context: Any, method: str, params: Any) -> dict[str, Any]:
        if method == "ping":
            return {}
        if method == "roots/list":
            folder = self._folder
            roots = [] if folder is None else [{"uri": folder.as_uri(), "name": folder.name}]
            return {"roots": roots}
        raise self._sdk.refusal(UNKNOWN_METHOD, f"Kinet does not do {visible_line(method[:60])}.")

    async def _on_notify(self, context: Any, method: str, params: Any) -> None:
        if method in _LIST_CHANGED:
            self._stale = True
            self._wake.set()


_LIST_CHANGED = ("notifications/tools/list_changed", "notifications/prompts/list_changed")


class _Begun:
    """Hears from the package that it takes messages."""

    def __init__(self) -> None:
        self.event = asyncio.Event()

    def started(self, value: object = None) -> None:
        """It does."""
        self.event.set()


_ACTS = {
    "initialize": "the connection", "tools/list": "to list its tools",
    "prompts/get": "the prompt",
}  # fmt: skip


def exit_words(code: int) -> str:
    """An exit code as a person reads it."""
    return f"ended by signal {-code}" if code < 0 else f"exit code {code}"


def _silent(said: str, seconds: float) -> ToolError:
    told = f" It wrote, which is no message: {visible_line(redact(said))}" if said else ""
    return ToolError(
        f"It did not answer within {seconds:.0f} seconds.{told}",
        hint="Look whether it is a tool server, and of which type.",
    )


def _needs_person(name: str, trouble: ToolError) -> ToolError:
    """What the model is told; the person is told by the row of the server."""
    if trouble.kind == SIGN_IN:
        words = f"{name} wants the person to sign in first; the call was not done."
    else:
        words = f"{name} wants the person to grant more first; the call was not done. "
        words += trouble.message
    return ToolError(words, hint="Only the person can do that.", kind=trouble.kind)


def _late(name: str, seconds: float) -> ToolError:
    return ToolError(
        f"{name} did not answer within {seconds:.0f} seconds; the call was given up.",
        hint="It may have been done all the same. More time can be given in the server's settings.",
        kind="timeout",
    )
