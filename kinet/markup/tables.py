"""Writes the tags of a table: a quiet head, rows of one height, columns aligned as asked."""

from __future__ import annotations

from dataclasses import replace

from markdown_it.token import Token

from kinet.markup.look import Look

TABLE_TOKENS = frozenset(
    f"{name}_{end}"
    for name in ("table", "thead", "tbody", "tr", "th", "td")
    for end in ("open", "close")
)


class TableWriter:
    """Writes table tokens, one after another."""

    def __init__(self, look: Look, out: list[str]) -> None:
        self.look = look
        self.out = out
        self.bars = ""
        self.in_cell = False
        small = look.size("ui")
        sizes = {**look.sizes, "inline": (max(8, small[0] - 1), small[1])}
        # Code and formulas are as small as the words of the cell.
        self.cell_look = replace(look, base="ui", sizes=sizes)

    def write(self, token: Token, *, nested: bool, left: int = 0, bars: str = "") -> None:
        """One token. Only a table inside a list or a quote gets lines of its own.

        It begins at `left`; `bars` says in which quotes it stands.
        """
        self.bars = bars
        match token.type:
            case "table_open":
                form = f' border="1" style="border-collapse:collapse;margin-left:{left}px"'
                border = form if nested else ""
                self.out.append(f'<table width="100%" cellspacing="0" cellpadding="0"{border}>')
            case "table_close":
                self.out.append("</table>")
            case "tr_open":
                self.out.append("<tr>")
            case "tr_close":
                self.out.append("</tr>")
            case "th_open" | "td_open":
                self._cell(token, head=token.type == "th_open")
            case "th_close" | "td_close":
                self.in_cell = False
                self.out.append("</p></td>")

    def _cell(self, token: Token, *, head: bool) -> None:
        self.in_cell = True
        size = self.look.size("meta" if head else "ui")[0]
        line = self.look.size("ui")[1]
        top = self.look.cell // 3 if head else self.look.cell // 2
        align = str(token.attrGet("style") or "").partition(":")[2] or "left"
        weight = f";font-weight:600;color:{self.look.colors['text_2']}" if head else ""
        style = f"margin:0;line-height:{line}px;font-size:{size}px{weight}"
        self.out.append(
            f'<td style="padding:{top}px {self.look.cell}px">'
            f'<p align="{align}"{self.bars} style="{style}">'
        )
