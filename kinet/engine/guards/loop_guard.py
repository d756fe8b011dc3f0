"""Notices that a turn goes in circles: same calls with same results, same errors, two in turn."""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass
from typing import Literal

SAME_CALL = 4
SAME_ERROR = 3
# Of a circle of two calls six in turn, of one of three nine.
ROUNDS = 3
_CIRCLES = {2: "two calls", 3: "three calls"}

Advice = Literal["go_on", "message", "ask"]


@dataclass
class _Seen:
    """How often a call gave the same result, one step after the other."""

    result: str
    step: int
    in_a_row: int = 1


class LoopGuard:
    """Watches the calls of one turn.

    The first repetition puts a note into the result, the next one is worth a message to the model,
    any further one a question to the person. A step without repetition starts anew.
    """

    def __init__(self) -> None:
        self._step = 0
        self._calls: dict[str, _Seen] = {}
        self._errors: dict[str, _Seen] = {}
        # The newest calls with their results.
        self._latest: deque[tuple[str, str]] = deque(maxlen=ROUNDS * max(_CIRCLES))
        self._strikes = 0
        self.reason = ""

    def begin_step(self) -> None:
        """A new step begins; what is observed from now on belongs to it."""
        self._step += 1
        self.reason = ""

    def observe(self, name: str, arguments: str, result: str, is_error: bool) -> str:
        """Takes in one finished call. Comes back with a note for its result, "" for none."""
        call, told = _hash(name, arguments), _hash(result)
        seen = _again(self._calls, call, told, self._step)
        self._latest.append((call, told))
        reason = ""
        if seen.in_a_row >= SAME_CALL:
            reason = f"{name} was called {seen.in_a_row} times with the same result"
        elif size := self._circle():
            times = ROUNDS * size
            reason = f"{_CIRCLES[size]} were made in turn {times} times with the same results"
        if is_error:
            error = _hash(name, result)
            known = self._errors.get(error)
            # Equal errors of one reply are one: the model has not seen the first of them.
            if known is None or known.step != self._step:
                known = _again(self._errors, error, "", self._step)
            if known.in_a_row >= SAME_ERROR and not reason:
                reason = f"{name} failed {known.in_a_row} times in the same way"
        if not reason:
            return ""
        self.reason = reason
        return f"[Kinet: {reason}. Try another way, or say what is missing.]"

    def end_step(self) -> Advice:
        """What to do now that all calls of the step are in."""
        if not self.reason:
            self._strikes = 0
            return "go_on"
        self._strikes += 1
        if self._strikes == 1:
            return "go_on"
        return "message" if self._strikes == 2 else "ask"

    def forgive(self) -> None:
        """The person wants it to go on: counting starts anew."""
        self._calls.clear()
        self._errors.clear()
        self._latest.clear()
        self._strikes = 0

    def _circle(self) -> int:
        """How many calls make the circle that the newest ones go in; 0 for none."""
        newest = list(self._latest)
        for size in _CIRCLES:
            ring = newest[-size:]
            if len({call for call, _ in ring}) < 2:
                continue
            if newest[-ROUNDS * size :] == ring * ROUNDS:
                return size
        return 0


def _again(known: dict[str, _Seen], key: str, result: str, step: int) -> _Seen:
    seen = known.get(key)
    if seen is None or seen.result != result:
        seen = known[key] = _Seen(result, step)
        return seen
    seen.in_a_row = seen.in_a_row + 1 if step - seen.step <= 1 else 1
    seen.step = step
    return seen


def _hash(*parts: str) -> str:
    text = "\0".join(parts)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
