"""Notices that a turn goes in circles: same calls with same results, same errors, two in turn."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

SAME_CALL = 4
SAME_ERROR = 3
ALTERNATING = 6

Advice = Literal["go_on", "message", "ask"]


@dataclass
class _Seen:
    """How often a call gave the same result, one step after the other or every second step."""

    result: str
    step: int
    in_a_row: int = 1
    in_turn: int = 1


class LoopGuard:
    """Watches the calls of one turn.

    The first repetition puts a note into the result, the next one is worth a message to the model,
    any further one a question to the person. A step without repetition starts anew.
    """

    def __init__(self) -> None:
        self._step = 0
        self._calls: dict[str, _Seen] = {}
        self._errors: dict[str, _Seen] = {}
        self._latest: list[str] = []
        self._strikes = 0
        self.reason = ""

    def begin_step(self) -> None:
        """A new step begins; what is observed from now on belongs to it."""
        self._step += 1
        self.reason = ""

    def observe(self, name: str, arguments: str, result: str, is_error: bool) -> str:
        """Takes in one finished call. Comes back with a note for its result, "" for none."""
        call = _hash(name, arguments)
        seen = _again(self._calls, call, _hash(result), self._step)
        reason = ""
        if seen.in_a_row >= SAME_CALL:
            reason = f"{name} was called {seen.in_a_row} times with the same result"
        elif self._alternates(call, seen):
            reason = f"two calls were made in turn {ALTERNATING} times with the same results"
        self._latest.append(call)
        if is_error:
            failed = _again(self._errors, _hash(name, result), "", self._step)
            if failed.in_a_row >= SAME_ERROR and not reason:
                reason = f"{name} failed {failed.in_a_row} times in the same way"
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

    def _alternates(self, call: str, seen: _Seen) -> bool:
        other = self._calls.get(self._latest[-1]) if self._latest else None
        if other is None or self._latest[-1] == call:
            return False
        return seen.in_turn + other.in_turn >= ALTERNATING and min(seen.in_turn, other.in_turn) > 1


def _again(known: dict[str, _Seen], key: str, result: str, step: int) -> _Seen:
    seen = known.get(key)
    if seen is None or seen.result != result:
        seen = known[key] = _Seen(result, step)
        return seen
    gap = step - seen.step
    seen.in_a_row = seen.in_a_row + 1 if gap <= 1 else 1
    seen.in_turn = seen.in_turn + 1 if gap == 2 else 1
    seen.step = step
    return seen


def _hash(*parts: str) -> str:
    text = "\0".join(parts)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
