"""Keeps the collector of garbage short: many small looks, and none twice over what stays in use."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping

# Seconds of work. A look over what a long session adds would take up to a second, and everything
# stands still meanwhile, whatever thread it began in.
LONG = 0.006
# So many looks over the newest alone, and over those that survived one, come before a wider one.
# Python's own ten and ten let a hundred thousand things pile up, a tenth of a second in one piece.
_WIDER_AFTER = (4, 1)


class Keeper:
    """Watches the full looks of the collector from `begin` on.

    After one that took `LONG` its survivors are left out of all later ones (`gc.freeze`). They go
    as everything goes, by their last reference; only what then hangs in a circle stays. So what is
    large and let go of empties itself: the conversation of a panel, for one.
    """

    def __init__(self, worked: Callable[[], float] = time.thread_time) -> None:
        """`worked` gives the seconds that the present thread has worked."""
        self._worked = worked
        self._began = 0.0
        self._before = gc.get_threshold()

    def begin(self) -> None:
        """What is there now stays to the end and is left out at once."""
        gc.freeze()
        if self._looked not in gc.callbacks:
            gc.callbacks.append(self._looked)
            self._before = gc.get_threshold()
            gc.set_threshold(self._before[0], *_WIDER_AFTER)

    def end(self) -> None:
        """Watches no longer; everything is looked at again."""
        if self._looked in gc.callbacks:
            gc.callbacks.remove(self._looked)
            gc.set_threshold(*self._before)
        gc.unfreeze()

    def _looked(self, phase: str, facts: Mapping[str, int]) -> None:
        if facts["generation"] != 2:
            return
        if phase == "start":
            self._began = self._worked()
        elif self._worked() - self._began > LONG:
            gc.freeze()
