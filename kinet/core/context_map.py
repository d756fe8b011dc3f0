"""What fills the model's window: how many tokens each part of the next request takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ShareKind = Literal["system", "skills", "rules", "tools", "memory", "summary", "turn"]
Level = Literal["", "filling", "high", "full"]

# From these shares of the window on a person is told more loudly.
_LEVELS: tuple[tuple[float, Level], ...] = ((0.95, "full"), (0.8, "high"), (0.6, "filling"))


@dataclass(frozen=True, slots=True)
class ContextShare:
    """One part: its kind, what it is called, and its tokens by estimate."""

    kind: ShareKind
    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class ContextMap:
    """All parts in the order of the request. `window` is 0 where it is not known.

    `used` is what the next request would carry by the server's own count, where there was one;
    `compact_at` is where the conversation is compacted.
    """

    shares: tuple[ContextShare, ...]
    used: int = 0
    window: int = 0
    compact_at: int = 0

    @property
    def free(self) -> int:
        """Tokens that are left of a known window."""
        return max(0, self.window - self.used)

    @property
    def level(self) -> Level:
        """How full it is, in a word: nothing to say below 60 %."""
        return level_of(self.used, self.window)


def level_of(used: int, window: int) -> Level:
    """The word for `used` of `window` tokens; "" where the window is not known."""
    share = used / window if window else 0.0
    return next((level for least, level in _LEVELS if share >= least), "")
