"""What a running call has printed so far, kept for the case that it is stopped."""

from __future__ import annotations

from kinet.markup.terminal_screen import plain_text

# Characters; of more the newest half is kept.
_MOST = 1_000_000
_PIECES = 64
_LONGEST_LINE = 10_000


class KeptProgress:
    """The newest output of one call; never without bound."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def add(self, text: str) -> None:
        """Takes the next piece."""
        pieces = self._pieces
        pieces.append(text)
        if len(pieces) % _PIECES == 0 and sum(map(len, pieces)) > _MOST:
            newest = "".join(pieces)[-_MOST // 2 :]
            # From the beginning of a line: a code that colours may have been cut as well.
            newest = newest[newest.find("\n", 0, _LONGEST_LINE) + 1 :]
            pieces[:] = ["[earlier output left out]\n", newest]

    def ended_with(self, mark: str) -> str:
        """What was printed and then `mark` on a line of its own."""
        printed = plain_text("".join(self._pieces))
        return f"{printed.rstrip()}\n{mark}" if printed else mark
