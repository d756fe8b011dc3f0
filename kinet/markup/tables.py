"""Writes the tags of a table: a quiet head, rows of one height, columns aligned as asked.

A table that is read from the right begins there, as in browsers. Qt does not turn its columns, so
its cells are written from the last to the first; `dir` tells that they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from markdown_it.token import Token

from kinet.markup.look import Look
from kinet.markup.visible import direction, is_right_to_left

TABLE_TOKENS = frozenset(
    f"{name}_{end}"
    for name in ("table", "thead", "tbody", "tr", "th", "td")
    for end in ("open", "close")
)
# Pixels for each list around a table.
_MOVED = 40


class TableWriter:
    """Writes table tokens, one after another."""

    def __init__(self, look: Look, out: list[str]) -> None:
        self.look = look
        self.out = out
        self.bars = ""
        self.in_cell = False
        # True while the table is read from the right; where its row, and the cells of that, begin.
        self.mirrored = False
        self._row = 0
        self._cells: list[int] = []
        small = look.size("ui")
        sizes = {**look.sizes, "inline": (max(8, small[0] - 1), small[1])}
        # Code and formulas are as small as the words of the cell.
        self.cell_look = replace(look, base="ui", sizes=sizes)

    def write(
        self, tokens: Sequence[Token], place: int, *, nested: bool, left: int = 0, depth: int = 0,
        bars: str = "",
    ) -> None:  # fmt: skip
        """The token at a place. Only a table inside a list or a quote gets lines of its own.

        It begins at `left`, `depth` lists around it; `bars` says in which quotes it stands.
        """
        self.bars = bars
        token = tokens[place]
        match token.type:
            case "table_open":
                self.mirrored = table_direction(tokens, place) == "rtl"
                # Qt moves it further in than the words of the item, from the left in any case.
                back = _MOVED * depth
                sides = (-back, left) if self.mirrored else (left - back, 0)
                gap = self.look.gap // 2
                margins = f"margin:{gap}px {sides[1]}px {gap}px {sides[0]}px"
                form = f' border="1" style="border-collapse:collapse;{margins}"'
                border = form if nested else ""
                turned = ' dir="rtl"' if self.mirrored else ""
                self.out.append(
                    f'<table width="100%" cellspacing="0" cellpadding="0"{border}{turned}>'
                )
            case "table_close":
                self.out.append("</table>")
            case "tr_open":
                self.out.append("<tr>")
                self._row, self._cells = len(self.out), []
            case "tr_close":
                self._turn()
                self.out.append("</tr>")
            case "th_open" | "td_open":
                self._cells.append(len(self.out))
                self._cell(token, tokens[place + 1].content, head=token.type == "th_open")
            case "th_close" | "td_close":
                self.in_cell = False
                self.out.append("</p></td>")

    def _turn(self) -> None:
        """The last cell of the row first, where the table is read from the right."""
        if not self.mirrored:
            return
        ends = [*self._cells[1:], len(self.out)]
        cells = [self.out[start:end] for start, end in zip(self._cells, ends, strict=True)]
        self.out[self._row :] = [part for cell in reversed(cells) for part in cell]

    def _cell(self, token: Token, words: str, *, head: bool) -> None:
        self.in_cell = True
        size = self.look.size("meta" if head else "ui")[0]
        line = self.look.size("ui")[1]
        top = self.look.cell // 3 if head else self.look.cell // 2
        begins = direction(words, "rtl" if self.mirrored else "ltr")
        align = str(token.attrGet("style") or "").partition(":")[2]
        align = align or ("right" if begins == "rtl" else "left")
        weight = f";font-weight:600;color:{self.look.colors['text_2']}" if head else ""
        style = f"margin:0;line-height:{line}px;font-size:{size}px{weight}"
        self.out.append(
            f'<td style="padding:{top}px {self.look.cell}px">'
            f'<p align="{align}"{self.bars} style="{style}">'
        )


def table_direction(tokens: Sequence[Token], place: int) -> str:
    """The direction of the table that begins at a place: that of its first letter that has one."""
    cells: list[str] = []
    for token in tokens[place:]:
        if token.type == "table_close":
            break
        if token.type == "inline":
            cells.append(token.content)
    said = " ".join(cells)
    return direction(said) if is_right_to_left(said) else "ltr"
