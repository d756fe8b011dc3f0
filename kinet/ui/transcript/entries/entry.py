"""What stands in a transcript, one below the other: the base of all, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QRect
from PySide6.QtGui import QAbstractTextDocumentLayout, QPainter, QPalette

from kinet.ui.transcript.blocks.pieces import DocumentCache, Piece
from kinet.ui.transcript.blocks.style import Style


@dataclass(frozen=True)
class Hit:
    """Something that can be clicked: what it does, with what, where, and what it tells.

    `tip` is shown under the pointer; `name` is for those who hear it, where the tip does not do.
    """

    action: str
    value: str = ""
    rect: QRect = field(default_factory=QRect)
    tip: str = ""
    piece: int = -1
    name: str = ""


Marks = Callable[[int], list[QAbstractTextDocumentLayout.Selection]]


def _no_marks(piece: int) -> list[QAbstractTextDocumentLayout.Selection]:
    return []


@dataclass
class Canvas:
    """What an entry is painted with. The painter's origin is the entry's upper left corner.

    `top` and `bottom` are the visible part in the entry's own coordinates; `marks` gives the
    selections of a piece; `hover` is what the mouse is over, `selected` the step that is shown.
    """

    painter: QPainter
    style: Style
    width: int
    top: int
    bottom: int
    marks: Marks = _no_marks
    hover: Hit | None = None
    focus: Hit | None = None
    selected: str = ""
    now: float = 0.0
    copied: object = None
    palette: QPalette | None = None

    def is_hovered(self, hit: Hit) -> bool:
        """True if the mouse is over it."""
        return self.hover is not None and _same(self.hover, hit)

    def is_focused(self, hit: Hit) -> bool:
        """True if it has the keyboard."""
        return self.focus is not None and _same(self.focus, hit)


def _same(one: Hit, other: Hit) -> bool:
    return (one.action, one.value, one.piece) == (other.action, other.value, other.piece)


@dataclass
class Room:
    """What an entry needs to lay itself out: looks, width, the document cache, a deadline.

    `top` and `bottom` bound what is about to be seen, in the entry's own coordinates.
    """

    style: Style
    width: int
    cache: DocumentCache
    deadline: float
    top: int = 0
    bottom: int = 0
    upwards: bool = False


class Entry:
    """One thing in the transcript. `kind` decides the space around it."""

    kind = "other"
    __slots__ = ("gap", "height", "order", "stamp")

    def __init__(self) -> None:
        self.height = 0
        self.gap = 0
        # Which looks and width its height was guessed for: a number of its flow.
        self.stamp = -1
        # Its place among the entries, counted by its flow; without meaning in any other.
        self.order = 0

    @property
    def pieces(self) -> list[Piece]:
        """The blocks whose text can be selected."""
        return []

    def estimate(self, style: Style, width: int) -> None:
        """Sets a likely height without layout; cheap, called for all entries when opened."""

    def settle(self, room: Room) -> bool:
        """Lays out what is about to be seen; False if time ran out before all was done."""
        return True

    def paint(self, canvas: Canvas) -> None:
        """Draws the visible part."""

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """What can be clicked at a point of the entry."""
        return None

    def hits(self, style: Style, width: int) -> list[Hit]:
        """All that can be clicked, in reading order: for the keyboard."""
        return []

    def piece_top(self, number: int) -> int:
        """The upper edge of a piece within the entry."""
        return 0

    def piece_left(self, style: Style, width: int) -> int:
        """The left edge of the pieces within the entry."""
        return 0

    def markdown(self) -> str:
        """The entry as Markdown, "" for nothing worth copying."""
        return ""

    @property
    def is_live(self) -> bool:
        """True while a clock runs in it."""
        return False


# Space above an entry of the second kind that follows one of the first; "" for any.
_GAPS = {
    ("user", "reasoning"): 12,
    ("user", ""): 16,
    ("reasoning", "steps"): 4,
    ("reasoning", ""): 8,
    ("steps", "reasoning"): 8,
    ("steps", "card"): 12,
    ("steps", ""): 16,
    ("answer", "meta"): 8,
    ("answer", ""): 16,
    ("files", "meta"): 8,
    ("error", "meta"): 8,
    ("notice", "meta"): 4,
    ("notice", "notice"): 0,
    ("meta", "user"): 28,
    ("meta", ""): 16,
}


def gap_between(before: str, after: str) -> int:
    """The space between two kinds of entries."""
    found = _GAPS.get((before, after), _GAPS.get((before, "")))
    return 12 if found is None else found
