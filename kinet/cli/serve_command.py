"""`kinet serve`: the engine as JSON-RPC lines, for editors and scripts."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from kinet.cli.served_there import Moved, pass_on
from kinet.cli.turn_options import turn_options
from kinet.headless import interrupts
from kinet.net.redact import RedactingFilter
from kinet.paths import data_dir
from kinet.runtime import Runtime, create_runtime
from kinet.serve.lines import Ahead, Lines
from kinet.serve.server import Server
from kinet.serve.stdio import own_stdio
from kinet.settings.options import Options
from kinet.store.lock import OPENING_NAME, InstanceLock, StoreInUseError

if TYPE_CHECKING:
    from kinet.session.owner import OwnerWork
    from kinet.session.session import Session

COMPLETED, USAGE, STOPPED = 0, 2, 3
# How long a window may take that is seen to begin, how long one that holds the folder may be out of
# reach (a client that has sessions open waits longer), and how often both are looked at.
_WINDOW_SECONDS, _MEETING_SECONDS, _MOVING_SECONDS, _LOOK_SECONDS = 15.0, 10.0, 60.0, 0.1

_log = logging.getLogger(__name__)


def serve(options: argparse.Namespace) -> int:
    """Serves one client until it closes stdin; 3 if a signal ended it."""
    if options.describe:
        from kinet.serve.describing import description

        print(json.dumps(description(), ensure_ascii=False, indent=2))
        return COMPLETED
    try:
        lines = own_stdio()
    except OSError:
        print("kinet serve --stdio needs an open stdin and stdout.", file=sys.stderr)
        return USAGE
    _log_to_stderr()
    try:
        return asyncio.run(_Serving(lines, turn_options(options, options.approve)).run())
    except asyncio.CancelledError:
        return STOPPED


class _Serving:
    """Serves one client wherever the data folder is held: here, or by whom it is passed on to.

    A window that opens gets the folder, and the client goes on there; when the owner ends, here.
    """

    def __init__(self, lines: Lines, options: Options) -> None:
        self._lines, self._options = lines, options
        self._stopped = False
        self._end: Callable[[], object] = lambda: None

    async def run(self) -> int:
        """The exit code. Raises KinetError where the folder cannot be used at all."""
        moved: Moved | None = Moved()
        with interrupts(self._stop):
            while moved is not None and not self._stopped:
                moved = await self._somewhere(moved)
        return STOPPED if self._stopped else COMPLETED

    def _stop(self) -> None:
        self._stopped = True
        self._end()

    async def _somewhere(self, moved: Moved) -> Moved | None:
        """Serves until the client has gone, or is to be served in another place."""
        self._lines = lines = Ahead(moved.unheard, self._lines)
        began = time.monotonic()
        patience = _MEETING_SECONDS if moved.seat is None else _MOVING_SECONDS
        while not self._stopped:
            waited = time.monotonic() - began
            problem: StoreInUseError | None = None
            opens = moved.to_window and waited < _WINDOW_SECONDS
            if not opens or InstanceLock(data_dir(), OPENING_NAME).is_free():
                runtime = create_runtime(options=self._options)
                try:
                    runtime.build()
                    return await self._here(runtime, lines, moved)
                except StoreInUseError as exc:
                    problem = exc
                finally:
                    await runtime.close()
            passing = await pass_on(lines, self._options, moved.seat)
            if passing is not None:
                self._end = passing.stop
                return await passing.run()
            if problem is not None and waited >= patience:
                raise problem
            await asyncio.sleep(_LOOK_SECONDS)
        return None

    async def _here(self, runtime: Runtime, lines: Lines, moved: Moved) -> Moved | None:
        for problem in runtime.problems:
            print(problem, file=sys.stderr)
        server = Server(runtime, lines, _Unshared(), moved.seat)
        self._end = server.stop
        left = False

        def leave() -> bool:
            nonlocal left
            if server.is_busy:
                return False
            left = True
            asyncio.get_running_loop().call_soon(server.stop)
            return True

        others: OwnerWork | None = None
        if runtime.options.save:
            try:
                others = await runtime.serve(lambda session_id: None, lambda: None, leave)
            except OSError as exc:
                _log.warning("other commands cannot reach this kinet serve: %s", exc)
        await server.run()
        if left:
            return Moved(server.seat, to_window=True)
        if others is not None and not self._stopped:
            # What runs for others is theirs: it ends before the folder is given back.
            quiet = asyncio.ensure_future(others.quiet())
            self._end = lambda: bool(quiet.cancel())
            await asyncio.wait({quiet})
        return None


class _Unshared:
    """The runtime itself knows which of its sessions are open elsewhere."""

    def claim(self, session_id: str) -> None:
        """Nothing is to be asked."""

    def opened(self, session: Session) -> None:
        """Nobody watches."""

    def release(self, session_id: str) -> None:
        """Nothing is to be given back."""

    def changed(self) -> None:
        """Nobody shows the list."""


def _log_to_stderr() -> None:
    """What a client does wrong is told on stderr too, beside the log."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("kinet serve: %(message)s"))
    handler.addFilter(RedactingFilter())
    logging.getLogger("kinet.serve").addHandler(handler)
