"""`kinet serve`: the engine as JSON-RPC lines, for editors and scripts."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sys

from kinet.cli.turn_options import turn_options
from kinet.core.errors import StoreError
from kinet.headless import interrupts
from kinet.net.redact import RedactingFilter
from kinet.runtime import Runtime, create_runtime
from kinet.serve.server import Server
from kinet.serve.stdio import StdioLines, own_stdio
from kinet.settings.options import Options
from kinet.store.lock import StoreInUseError

COMPLETED, USAGE, STOPPED = 0, 2, 3

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
        return asyncio.run(_serve(lines, turn_options(options, options.approve)))
    except asyncio.CancelledError:
        return STOPPED


async def _serve(lines: StdioLines, options: Options) -> int:
    runtime = create_runtime(options=options)
    try:
        runtime.build()
        return await _serve_here(runtime, lines)
    except StoreInUseError as exc:
        from kinet.cli.served_there import serve_there

        return await serve_there(exc, lines, options)
    finally:
        await runtime.close()


async def _serve_here(runtime: Runtime, lines: StdioLines) -> int:
    for problem in runtime.problems:
        print(problem, file=sys.stderr)
    stopped = False
    server = Server(runtime, lines, _Unshared())

    def stop() -> None:
        nonlocal stopped
        stopped = True
        server.stop()

    if runtime.options.save:
        try:
            await runtime.serve(_no_window, lambda: None)
        except OSError as exc:
            _log.warning("other commands cannot reach this kinet serve: %s", exc)
    with interrupts(stop):
        await server.run()
    return STOPPED if stopped else COMPLETED


class _Unshared:
    """The runtime itself knows which of its sessions are open elsewhere."""

    def claim(self, session_id: str) -> None:
        """Nothing is to be asked."""

    def release(self, session_id: str) -> None:
        """Nothing is to be given back."""

    def changed(self) -> None:
        """Nobody shows the list."""


def _no_window(session_id: str) -> None:
    raise StoreError(
        f"kinet serve (process {os.getpid()}) uses this data folder for an editor or a script, "
        "and has no window.",
        hint="End it there, then open the window.",
    )


def _log_to_stderr() -> None:
    """What a client does wrong is told on stderr too, beside the log."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("kinet serve: %(message)s"))
    handler.addFilter(RedactingFilter())
    logging.getLogger("kinet.serve").addHandler(handler)
