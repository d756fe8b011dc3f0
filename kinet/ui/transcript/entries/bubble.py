"""The person's message: a quiet bubble at the right, folded where it is long."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect

from kinet.markup.slices import Bounds
from kinet.net.moving_pictures import moves
from kinet.ui.transcript.blocks import draw
from kinet.ui.transcript.blocks.picture_box import bytes_of
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries import piece_paint
from kinet.ui.transcript.entries.entry import Canvas, Hit, Room
from kinet.ui.transcript.entries.link_places import link_at, links
from kinet.ui.transcript.entries.name_chips import GAP, draw_chip, placed, width_in_one_row
from kinet.ui.transcript.entries.text_entry import TextEntry

SIDE = 16
PAD = 10
SHARE = 0.85
FOLDED_LINES = 12
_CHIP = 24


class UserEntry(TextEntry):
    """One message of the person, with the names of what was attached."""

    kind = "user"
    plain = True
    __slots__ = ("_moving", "attachments", "bubble", "chip_rows", "open", "pictures")

    def __init__(
        self, source: str, attachments: tuple[str, ...] = (), pictures: tuple[str, ...] = ()
    ) -> None:
        super().__init__(source.strip("\n"))
        self.attachments = attachments
        # The addresses of the pictures among them, in the same order.
        self.pictures = pictures
        # Which of them move; told when they are first seen.
        self._moving: tuple[bool, ...] | None = None
        self.open = False
        self.bubble = 0
        # How many rows the names of the attachments take.
        self.chip_rows = 1 if attachments else 0
        self.top = self.bottom = PAD

    def text_width(self, style: Style, width: int) -> int:
        """The widest its text may be."""
        return int(width * SHARE) - 2 * SIDE

    def bounds(self) -> Bounds:
        """Its lines are kept as typed, so that only its size is bounded."""
        return Bounds(characters=4096, lines=100, open_characters=4096)

    def settle(self, room: Room) -> bool:
        """Lays out the text; a single line makes a narrow bubble."""
        self._set_rows(room.style, room.width)
        done = super().settle(room)
        pieces = self.pieces if done else []
        most = int(room.width * SHARE)
        self.bubble = most
        document = pieces[0].document if len(pieces) == 1 else None
        if document is not None:
            wide = int(document.idealWidth()) + 1
            self.bubble = min(
                most, max(wide, width_in_one_row(self.attachments, room.style)) + 2 * SIDE
            )
            if document.textWidth() > self.bubble - 2 * SIDE:
                # What is written from the right stands at the right edge of its document.
                document.setTextWidth(self.bubble - 2 * SIDE)
        elif not pieces:
            self.bubble = min(most, width_in_one_row(self.attachments, room.style) + 2 * SIDE)
        return done

    def measure(self) -> None:
        """The text, the line that unfolds a long one, and the attachments below."""
        super().measure()
        if self.is_long:
            self.height = self.height if self.open else min(self.height, self._folded)
            self.height += self._foot
        self.height += self._below

    @property
    def is_long(self) -> bool:
        """True if there is more than a folded bubble shows."""
        return self._source.count("\n") >= FOLDED_LINES + 2 or len(self._source) > 1600

    @property
    def _folded(self) -> int:
        return 2 * PAD + FOLDED_LINES * self._line

    @property
    def _foot(self) -> int:
        return max(28, self._line + 4)

    @property
    def _below(self) -> int:
        """The height of the attachments, with the gap above them."""
        if not self.chip_rows:
            return 0
        gap = GAP if self._source else 0
        return gap + self.chip_rows * (max(_CHIP, self._line) + GAP) - GAP

    @property
    def _text_end(self) -> int:
        """Where the text ends that is shown."""
        return self.height - self._below - PAD - (self._foot if self.is_long else 0)

    def _rect_of(self, number: int, style: Style, width: int) -> QRect:
        left = self.piece_left(style, width)
        return QRect(left, self.piece_top(number), width - left - SIDE, self.piece(number).height)

    @property
    def _line(self) -> int:
        for piece in self.blocks.pieces if self.blocks is not None else ():
            if piece.document is not None:
                return round(piece.document.begin().blockFormat().lineHeight()) or 24
        return 24

    def estimate(self, style: Style, width: int) -> None:
        """Guesses the height; a bubble is narrower than the column."""
        self.bubble = int(width * SHARE)
        self._set_rows(style, width)
        super().estimate(style, int(width * SHARE) - 2 * SIDE)

    def piece_left(self, style: Style, width: int) -> int:
        """Text begins inside the bubble."""
        return width - (self.bubble or int(width * SHARE)) + SIDE

    def paint(self, canvas: Canvas) -> None:
        """Draws bubble, text and the names of attachments."""
        painter, style = canvas.painter, canvas.style
        left = self.piece_left(style, canvas.width)
        rect = QRect(left - SIDE, 0, canvas.width - left + SIDE, self.height)
        draw.card(painter, style, rect, "subtle", "", radius=12)
        painter.save()
        end = self._text_end + (0 if self.is_long else PAD)
        painter.setClipRect(QRect(rect.x(), 0, rect.width(), end))
        for number in self.seen(canvas.top, min(canvas.bottom, self.height)):
            box = self._rect_of(number, style, canvas.width)
            piece_paint.paint(canvas, self.piece(number), number, box)
        painter.restore()
        for number, (name, place) in enumerate(self._chip_boxes(style, canvas.width)):
            mark = "play" if self._moves(number) else "image" if self.pictures else "attach"
            draw_chip(canvas, name, place, mark)
        for hit in self.hits(style, canvas.width):
            if hit.action != "fold":
                if canvas.is_focused(hit):
                    draw.ring(painter, style, hit.rect)
                continue
            token = "text" if canvas.is_hovered(hit) else "text_2"
            word = "Show less" if self.open else "Show all"
            mark = "chevron-up" if self.open else "chevron-down"
            width = draw.words(painter, style, hit.rect, word, token)
            box = QRect(hit.rect.x() + width + 4, hit.rect.y(), 12, hit.rect.height())
            draw.icon(painter, style, box, mark, token, 12)
            if canvas.is_focused(hit):
                draw.ring(painter, style, hit.rect.adjusted(-4, 2, 4, -2))

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """A link, a picture, or the line that unfolds a long message."""
        for found in self.hits(style, width):
            if found.rect.contains(x, y):
                return found
        number = self.piece_at(y)
        if number < 0 or y > self._text_end:
            return None
        rect = self._rect_of(number, style, width)
        return link_at(self.piece(number), number, rect, QPoint(x, y), style)

    def hits(self, style: Style, width: int) -> list[Hit]:
        """Its links, its pictures, and the line that unfolds a long message."""
        found: list[Hit] = []
        for number in range(self.piece_count):
            rect = self._rect_of(number, style, width)
            found += links(self.piece(number), number, rect, style)
        found = [hit for hit in found if hit.rect.bottom() <= self._text_end]
        found += [
            Hit("picture", str(number), rect, "See it move" if self._moves(number) else "Enlarge")
            for number, (_, rect) in enumerate(self._chip_boxes(style, width))
            if number < len(self.pictures)
        ]
        if not self.is_long:
            return found
        left = self.piece_left(style, width)
        top = self.height - self._below - self._foot - 4
        rect = QRect(left, top, 5 * self._line, self._foot)
        return [*found, Hit("fold", "", rect, "Show less" if self.open else "Show all")]

    def _moves(self, number: int) -> bool:
        if self._moving is None:
            self._moving = tuple(moves(bytes_of(url)) for url in self.pictures)
        return number < len(self._moving) and self._moving[number]

    def _set_rows(self, style: Style, width: int) -> None:
        chips = placed(self.attachments, style, int(width * SHARE) - 2 * SIDE)
        self.chip_rows = chips[-1].row + 1 if chips else 0

    def _chip_boxes(self, style: Style, width: int) -> list[tuple[str, QRect]]:
        """(name, place) of each attachment."""
        left, high = self.piece_left(style, width), max(_CHIP, self._line)
        top = self.height - PAD - self.chip_rows * (high + GAP) + GAP
        return [
            (chip.name, QRect(left + chip.x, top + chip.row * (high + GAP), chip.width, high))
            for chip in placed(self.attachments, style, int(width * SHARE) - 2 * SIDE)
        ]
