"""One server at work: started by one task that owns it, asked from outside, restarted, ended."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from kinet.core.errors import ToolError
from kinet.mcp.accounts import Accounts, ServerAccount
from kinet.mcp.background import Background
from kinet.mcp.definition import ServerDefinition
from kinet.mcp.filling import Filling
from kinet.mcp.life import Life, Progress, exit_words
from kinet.mcp.offered import Offer, offer_of
from kinet.mcp.prompts import OfferedPrompt, prompts_of, text_of
from kinet.mcp.sdk import import_sdk
from kinet.mcp.web_way import GRANT, SIGN_IN
from kinet.net.redact import redact
from kinet.policy.visible import visible_line
from kinet.tools.web.web_transport import Reach

_log = logging.getLogger(__name__)

# `sign_in`: it works again once the person has signed in to it.
State = Literal["idle", "starting", "ready", "failed", "sign_in"]

START_SECONDS = 60.0
# What is waited before each new start; one that then ends again has failed.
RESTART_SECONDS = (1.0, 4.0, 15.0)
# One that was ready and is gone for good is asked for again so much later, with a turn that begins:
# a network may be back. One that was never ready is not.
_REST_SECONDS = 60.0
# After so long at work earlier ends are forgotten.
_STEADY_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How a server stands: replaced as a whole, so that any thread may read it."""

    state: State = "idle"
    reason: str = ""
    hint: str = ""
    stderr: str = ""
    exit_code: int | None = None
    title: str = ""
    offer: Offer = field(default_factory=Offer)
    # What it does while it starts, for a person.
    doing: str = ""
    # What a call needed and the person's sign-in did not grant.
    wants: str = ""
    prompts: tuple[OfferedPrompt, ...] = ()


class Connection:
    """One server for one folder. All but `_…` may be used from any thread.

    `changed` is called in the servers' thread after each change of `snapshot`.
    """

    def __init__(
        self,
        server: ServerDefinition,
        folder: Path | None,
        background: Background,
        *,
        filling: Filling,
        reach: Callable[[], Reach],
        accounts: Accounts | None = None,
        changed: Callable[[], None] = lambda: None,
        restarts: tuple[float, ...] = RESTART_SECONDS,
        start_seconds: float = START_SECONDS,
        rest_seconds: float = _REST_SECONDS,
    ) -> None:
        self.server, self.folder = server, folder
        self.snapshot = Snapshot()
        self._background = background
        self._filling, self._reach, self._changed = filling, reach, changed
        self._accounts = accounts or Accounts(None, reach)
        self._restarts, self._start_seconds = restarts, start_seconds
        self._rest_seconds, self._failed_at = rest_seconds, 0.0
        self._owner: asyncio.Task[None] | None = None
        self._live: Life | None = None
        self._account: ServerAccount | None = None
        self._began = self._ending = self._was_ready = False

    def start(self) -> None:
        """Begins, unless it has begun; returns at once. One that never got ready stays so."""
        rested = time.monotonic() - self._failed_at > self._rest_seconds
        lost = self._was_ready and self.snapshot.state == "failed" and not self._ending
        if not self._began or (lost and rested):
            self._began = True
            self.snapshot = replace(self.snapshot, state="starting")
            self._background.run(self._begin())
        elif self.snapshot.state == "sign_in" and not self._ending:
            self._background.run(self._look_again())

    async def end(self) -> None:
        """Ends it and all that it started. In the servers' thread."""
        owner, self._owner, self._began, self._ending = self._owner, None, True, True
        if owner is not None:
            owner.cancel()
            await asyncio.wait([owner])

    async def call(
        self, tool: str, arguments: Mapping[str, Any], progress: Progress, definition: str
    ) -> Mapping[str, Any]:
        """What the server answers to a call. In the servers' thread. ToolError says what failed.

        `definition` is that of the tool as it was approved. A cancellation is told to the server.
        """
        live = self._live
        if live is None or self.snapshot.state != "ready":
            raise self._not_running()
        offered = next(
            (it for it in self.snapshot.offer.tools if it.definition == definition), None
        )
        if offered is None:
            raise ToolError(
                f"{self.server.name} describes this tool in another way by now; it was not called.",
                hint="Call it again in the next turn.",
                kind="changed",
            )
        try:
            return await live.call(tool, arguments, progress)
        except ToolError as exc:
            if exc.kind == GRANT:
                self._tell(replace(self.snapshot, wants=exc.message))
            raise

    async def prompt(self, name: str, words: str) -> str:
        """The text of a prompt for what was typed after it. In the servers' thread. ToolError."""
        live = self._live
        if live is None or self.snapshot.state != "ready":
            raise self._not_running()
        offered = next((it for it in self.snapshot.prompts if it.name == name), None)
        if offered is None:
            raise ToolError(f"{self.server.name} has no prompt {visible_line(name[:60])}.")
        return text_of(await live.prompt(name, offered.filled(words)))

    def _not_running(self) -> ToolError:
        told = self.snapshot
        if told.state == "starting":
            return ToolError(f"{self.server.name} is still starting.", hint="Try again later.")
        why = f": {told.reason}" if told.reason else "."
        return ToolError(f"{self.server.name} is not running{why}", details=_ending(told))

    async def _look_again(self) -> None:
        """The person may have signed in by another program."""
        account = self._account
        found = account is not None and await account.is_there_another()
        if found and self.snapshot.state == "sign_in" and not self._ending:
            self._tell(replace(self.snapshot, state="starting"))
            await self._begin()

    async def _begin(self) -> None:
        if not self._ending:
            self._owner = asyncio.create_task(self._own())
            self._owner.add_done_callback(self._look_at_end)

    def _look_at_end(self, owner: asyncio.Task[None]) -> None:
        if owner.cancelled() or (fault := owner.exception()) is None:
            return
        _log.error("the server %s failed unexpectedly", self.server.name, exc_info=fault)
        self._tell(Snapshot("failed", f"It failed by a fault of Kinet ({type(fault).__name__})."))

    async def _own(self) -> None:
        """Starts the server, and again while it ends by itself and was ready before."""
        ends = 0
        while True:
            self._tell(Snapshot("starting", title=self.snapshot.title))
            live = Life(
                self.server, self.folder, self._filling, self._reach, self._accounts, self._does
            )
            began = time.monotonic()
            try:
                trouble = await self._once(live)
            finally:
                self._live = None
            failed = self._failed(live, trouble)
            self._account = live.account
            self._was_ready = self._was_ready or live.was_ready
            self._failed_at = time.monotonic()
            if not self._was_ready or failed.state == "sign_in":
                # Trying again would not help.
                self._tell(failed)
                return
            steady = live.was_ready and time.monotonic() - began > _STEADY_SECONDS
            ends = 1 if steady else ends + 1
            if ends > len(self._restarts):
                told = f"{failed.reason} It was started {ends} times."
                self._tell(replace(failed, reason=told))
                return
            self._tell(replace(failed, state="starting"))
            await asyncio.sleep(self._restarts[ends - 1])

    async def _once(self, live: Life) -> ToolError:
        """One life of the server; why it ended."""
        try:
            sdk = await asyncio.to_thread(import_sdk)
            async with live.opened(sdk, self._start_seconds):
                self._live = live
                self._ready(live)
                while await live.listed_anew():
                    self._ready(live)
                # Its tools are hidden from now on, not only when all of it has ended.
                self._tell(Snapshot("starting", "It ended.", title=live.title))
        except ToolError as exc:
            return exc
        except BaseExceptionGroup as group:
            return self._meaning(group)
        return ToolError("It ended.")

    def _meaning(self, group: BaseExceptionGroup[BaseException]) -> ToolError:
        """What broke in the tasks of a connection. A stop of our own passes."""
        leaves = list(_leaves(group))
        if self._ending:
            raise asyncio.CancelledError
        for leaf in leaves:
            if isinstance(leaf, ToolError):
                return leaf
        said = visible_line(redact(str(leaves[0]))[:300]) or type(leaves[0]).__name__
        return ToolError(f"The connection broke: {said}.")

    def _ready(self, live: Life) -> None:
        offer = offer_of(self.server.name, live.tools, self.server.digest)
        notes = (*offer.notes, *live.notes())
        offer = replace(offer, notes=notes)
        prompts = prompts_of(live.prompts)
        self._tell(Snapshot("ready", title=live.title, offer=offer, prompts=prompts))

    def _failed(self, live: Life, trouble: ToolError) -> Snapshot:
        trouble = live.trouble or trouble
        code, words, reason = live.exit_code, live.last_words, trouble.message
        if code is not None and reason == "It ended.":
            when = "" if live.was_ready else " before it was ready"
            reason = f"It ended{when} ({exit_words(code)})."
        state: State = "sign_in" if trouble.kind == SIGN_IN else "failed"
        return Snapshot(state, reason, trouble.hint, words, code, self.snapshot.title)

    def _does(self, words: str) -> None:
        self._tell(replace(self.snapshot, doing=words))

    def _tell(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._changed()


def _ending(told: Snapshot) -> dict[str, Any]:
    return {"stderr": told.stderr, "exit_code": told.exit_code}


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for inner in group.exceptions:
        if isinstance(inner, BaseExceptionGroup):
            yield from _leaves(inner)
        else:
            yield inner
