"""Tells in the window what became of something that is kept beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from shiboken6 import isValid

from kinet.core.errors import KinetError
from kinet.ui.kit.tasks import spawn

if TYPE_CHECKING:
    from concurrent.futures import Future


def when_kept(
    who: QObject,
    future: Future[Any],
    failed: Callable[[str], object],
    done: Callable[[], object] | None = None,
) -> None:
    """Calls `done` when it is on the disk, or `failed` with a sentence that says why it is not.

    At once where that is known already, else later from the loop; not at all if the program ends
    or `who` goes before: what is to be kept is kept all the same.
    """
    if future.done():
        _tell(future, failed, done)
    else:
        spawn(_wait(who, future, lambda: _tell(future, failed, done)), "keeping")


async def _wait(who: QObject, future: Future[Any], tell: Callable[[], object]) -> None:
    import asyncio

    # Apart from this task: to cancel it must not take the work back.
    await asyncio.wait([asyncio.wrap_future(future)])
    if isValid(who):
        tell()


def _tell(
    future: Future[Any], failed: Callable[[str], object], done: Callable[[], object] | None
) -> None:
    error = future.exception()
    if isinstance(error, KinetError):
        failed(error.sentence())
    elif isinstance(error, OSError):
        failed(f"It could not be kept: {error.strerror or error}.")
    elif error is not None:
        raise error
    elif done is not None:
        done()
