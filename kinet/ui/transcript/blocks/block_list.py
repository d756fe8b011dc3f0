"""The blocks of one text, in order: which parts belong together, and where each stands."""

from __future__ import annotations

import re
from functools import partial

from kinet.markup.slices import Block
from kinet.ui.transcript.blocks.pieces import FOLDS_ABOVE, Piece, Run
from kinet.ui.transcript.blocks.stack import Stack
from kinet.ui.transcript.blocks.style import Style

_HASHES = re.compile(r"#{1,6}(?:\s|$)")
# What begins with one of these is underlined by nothing.
_HOLDING = re.compile(r"[-*+>]|\d+[.)]\s")


class BlockList:
    """Closed blocks, and at the end perhaps an open one that still grows."""

    def __init__(self, *, plain: bool) -> None:
        self.pieces: list[Piece] = []
        self.tail: Piece | None = None
        self._plain = plain
        # Nothing here holds on to the list itself: in a circle, what is laid out of it would stay
        # until the collector of garbage looks.
        self._stack = Stack(partial(_extents, self.pieces, plain))

    @property
    def height(self) -> int:
        """The height of all, with the gaps between them."""
        return self._stack.total()

    def estimate(self, style: Style, width: int) -> None:
        """Guesses all heights anew."""
        for piece in self.pieces:
            piece.estimate(style, width)
        self._stack.spoil(0)

    def spoil(self, number: int) -> None:
        """Says that block `number` has another height."""
        self._stack.spoil(number)

    def seen(self, top: int, bottom: int) -> range:
        """The numbers of the blocks between two heights."""
        if not self.pieces:
            return range(0)
        return range(self._stack.at(top), self._stack.at(max(bottom - 1, 0)) + 1)

    def at(self, y: int) -> int:
        """The number of the block at a height, -1 without blocks."""
        return self._stack.at(y) if self.pieces else -1

    def edge_of(self, number: int) -> int:
        """The upper edge of a block, the gap above it included."""
        return self._stack.top(number)

    def top_of(self, number: int) -> int:
        """The upper edge of a block, below the gap above it."""
        return self._stack.top(number) + _gap(self.pieces, self._plain, number)

    def append(self, block: Block, *, folding: bool = False) -> Piece:
        """Puts a block at the end; a part of a cut one joins the parts before it.

        Long code is folded if `folding`: not where it was seen growing.
        """
        before = self.pieces[-1] if self.pieces else None
        run: Run | None = None
        if block.kind != "prose":
            joined = block.continues and before is not None and before.kind == block.kind
            run = before.run if joined and before is not None else Run()
        piece = Piece(block, run, plain=self._plain)
        piece.first = before is None or run is None or before.run is not run
        if before is not None and not piece.first:
            before.last = False
        if block.kind == "code" and piece.first and run is not None:
            said = piece.text()
            run.language, run.name = said.language, said.name
        self.pieces.append(piece)
        if run is not None and block.kind == "code":
            if folding:
                run.lines += piece.text().text.count("\n")
            if run.lines > FOLDS_ABOVE:
                run.can_fold = run.folded = True
        return piece

    def parts_of(self, run: Run) -> range:
        """The numbers of the blocks that are parts of one code block or table."""
        numbers = [n for n, piece in enumerate(self.pieces) if piece.run is run]
        return range(numbers[0], numbers[-1] + 1) if numbers else range(0)

    def fold(self, run: Run, style: Style, width: int) -> None:
        """Folds a code block, or unfolds it."""
        run.folded = not run.folded
        for number in self.parts_of(run):
            self.pieces[number].width = 0
            self.pieces[number].estimate(style, width)
            self.spoil(number)

    def close(self, blocks: list[Block], style: Style, width: int) -> None:
        """Adds closed blocks; what was laid out of the open one is used again where it can be."""
        if not blocks:
            return
        tail = self.tail
        if tail is not None:
            self.drop_tail()
        for place, block in enumerate(blocks):
            piece = self.append(block)
            if place or tail is None or tail.kind != block.kind:
                piece.estimate(style, width)
            elif piece.kind != "code" and _looks_like(tail.block, block):
                piece.take_over(tail)
            else:
                # About as high as it was: the screen must not jump before it is laid out.
                piece.estimate(style, width)
                if tail.run is not None and piece.run is not None:
                    piece.run.wrap = tail.run.wrap

    def show_tail(self, block: Block, style: Style, width: int) -> None:
        """Shows the newest state of the open block."""
        if self.tail is not None and self.tail.kind != block.kind:
            self.drop_tail()
        if self.tail is None:
            self.tail = self.append(block)
            self.tail.shown = 0 if block.kind == "code" else -1
            self.tail.estimate(style, width)
        else:
            self.tail.grow(block, style)
            self._stack.spoil(len(self.pieces) - 1)

    def drop_tail(self) -> None:
        """Takes the open block away; nothing happens without one."""
        if self.tail is None:
            return
        self.pieces.pop()
        if self.pieces:
            self.pieces[-1].last = True
        self.tail = None
        self._stack.spoil(max(0, len(self.pieces) - 1))


def _extents(pieces: list[Piece], plain: bool, start: int, stop: int | None) -> list[int]:
    return [
        piece.height + _gap(pieces, plain, start + place)
        for place, piece in enumerate(pieces[start:stop])
    ]


def _gap(pieces: list[Piece], plain: bool, number: int) -> int:
    piece = pieces[number]
    if number == 0 or plain or piece.height == 0:
        return 0
    before = pieces[number - 1]
    if piece.block.continues and (piece.run is None or piece.run is before.run):
        return 0
    if piece.kind != "prose" or before.kind != "prose":
        return 12
    if _is_heading(piece.block.source):
        return 20
    return 6 if _is_heading(before.block.source) else 10


def _is_heading(source: str) -> bool:
    """True for a heading of either kind."""
    source = source.strip()
    if source.startswith("#"):
        return _HASHES.match(source) is not None
    above, _, line = source.rpartition("\n")
    line = line.strip(" \t")
    is_line = bool(line) and line in ("=" * len(line), "-" * len(line))
    return is_line and bool(above) and _HOLDING.match(above) is None


def _looks_like(shown: Block, closed: Block) -> bool:
    return shown.markdown.rstrip() == closed.markdown.rstrip()
