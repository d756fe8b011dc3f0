"""Faults of the program itself: logged with their trace, and told to the person in one line."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

_log = logging.getLogger("kinet.window")


def report_faults(loop: asyncio.AbstractEventLoop, tell: Callable[[str], object]) -> None:
    """From now on whatever escapes a slot, a callback or a task goes to the log and to `tell`."""

    def from_loop(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            report(type(error), error, error.__traceback__)
        else:
            _log.error("%s", context.get("message", "a fault without a message"))

    def report(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt | SystemExit):
            sys.__excepthook__(kind, error, trace)
            return
        _log.error("a fault of the program", exc_info=(kind, error, trace))
        tell(f"A fault in Kinet: {kind.__name__}. The log says more; your text is kept.")

    loop.set_exception_handler(from_loop)
    sys.excepthook = report
