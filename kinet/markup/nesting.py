"""In which quotes and lists a paragraph stands, and what follows for its place and colour."""

from __future__ import annotations

from kinet.markup.look import BARS, Look

# How far Qt moves what is in a list further in, for what it does not move.
LIST = 24


class Nesting:
    """What is open around the paragraph that is written next."""

    def __init__(self, look: Look) -> None:
        self._look = look
        # The tags that are open: ul and ol, and p or span of a paragraph.
        self.tags: list[str] = []
        # For each quote that is open, how many lists it stands in; and for each item that is open,
        # how many quotes it stands in: Qt adds its margin to that of what is inside.
        self.quotes: list[int] = []
        self.items: list[int] = []
        # How many items are open that began in a part before: they have no mark of their own.
        self.unmarked = 0

    @property
    def depth(self) -> int:
        """How many lists are open."""
        return self.unmarked + self.written

    @property
    def written(self) -> int:
        """How many of them Qt knows."""
        return sum(tag in ("ul", "ol") for tag in self.tags)

    @property
    def left(self) -> int:
        """The margin of the quotes that stand within the innermost item, in pixels."""
        return self._quotes_inside + (0 if self.items else LIST * self.unmarked)

    @property
    def table_left(self) -> int:
        """The margin of a table: Qt adds that of the items around it, and not of their lists."""
        return self._quotes_inside + LIST * self.depth

    @property
    def _quotes_inside(self) -> int:
        outside = self.items[-1] if self.items else 0
        return self._look.indent * (len(self.quotes) - outside)

    def bars(self) -> str:
        """The attribute that tells which bars are drawn beside a paragraph."""
        said = " ".join(str(depth) for depth in self.quotes)
        return f' title="{BARS}{said}"' if said else ""

    def color(self) -> str:
        """What is quoted is quieter than the rest."""
        return f";color:{self._look.colors['text_2']}" if self.quotes else ""
