"""Stops asking a server that failed again and again, for a while, and says until when."""

from __future__ import annotations

import time
from collections.abc import Callable

from kinet.core.errors import OverloadedError, ProviderError

FAILURES = 5
OPEN_SECONDS = 30.0


class Circuit:
    """Counts final failures of retryable kinds in a row; after five, refuses for 30 s."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._open_until = 0.0

    def check(self) -> None:
        """Raises OverloadedError while the server is not to be asked."""
        rest = self._open_until - self._clock()
        if rest > 0:
            raise OverloadedError(
                f"The server failed {self._failures} times in a row and is left alone for another "
                f"{max(1, round(rest))} seconds.",
                hint="Wait, or try anyway.",
                retry_after_s=rest,
            )

    def succeeded(self) -> None:
        """An answer came."""
        self.reset()

    def failed(self, error: ProviderError) -> None:
        """A request failed for good."""
        if not error.retryable:
            return
        self._failures += 1
        if self._failures >= FAILURES:
            self._open_until = self._clock() + OPEN_SECONDS

    def reset(self) -> None:
        """The next request is made: for "try anyway"."""
        self._failures = 0
        self._open_until = 0.0
