"""Holds a command that prints more than anybody reads: as before a full terminal, it waits."""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable
from typing import Any

from kinet.tools.processes.kept_output import PipeText


class Holding:
    """Takes a command's pipes out of `selector` while `unread` says so, and puts them back."""

    def __init__(self, selector: selectors.BaseSelector, unread: Callable[[], bool]) -> None:
        self._selector, self._unread = selector, unread
        self._pipes: list[tuple[Any, PipeText]] = []
        self._since = self._before = 0.0

    def look(self, *, goes_on: bool) -> bool:
        """True while the command is held. One that ends is not: what it printed is read."""
        if goes_on and self._unread():
            if not self._pipes:
                self._hold()
            return bool(self._pipes)
        if self._pipes:
            for pipe, text in self._pipes:
                self._selector.register(pipe, selectors.EVENT_READ, text)
            self._pipes = []
            self._before += time.monotonic() - self._since
        return False

    def seconds(self, now: float) -> float:
        """For so long it was held in all."""
        return self._before + (now - self._since if self._pipes else 0.0)

    def _hold(self) -> None:
        keys = [key for key in self._selector.get_map().values() if isinstance(key.data, PipeText)]
        self._pipes = [(key.fileobj, key.data) for key in keys]
        for pipe, _ in self._pipes:
            self._selector.unregister(pipe)
        self._since = time.monotonic()
