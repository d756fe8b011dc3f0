"""Rows of text as they are shown: the words, their colours, and what they are."""

from __future__ import annotations

from typing import NamedTuple


class Run(NamedTuple):
    """A stretch of a row in a token's colour, perhaps on a token's ground.

    A colour may also be "#rrggbb", "@text" or "@surface"; it is made readable on its ground.
    `form`: b bold, i italic, u underlined, s struck out, a added: no part of the text. `link` is
    the address that the stretch leads to.
    """

    start: int
    length: int
    token: str
    ground: str = ""
    form: str = ""
    link: str = ""


class Row(NamedTuple):
    """One row. A tuple, since an output may have a hundred thousand of them.

    `start` and `end` are its place in the source. A `joined` row goes on from the one before it,
    which was broken for display only. `sent` says that the model got it. With a `height` other than
    0 the row is drawn: `label` is shown and `text` is empty. `kind` says how its ground is drawn;
    `old` and `new` are line numbers of a diff, 0 for none.
    """

    text: str
    runs: tuple[Run, ...] = ()
    start: int = 0
    end: int = 0
    joined: bool = False
    kind: str = ""
    label: str = ""
    height: int = 0
    sent: bool = False
    old: int = 0
    new: int = 0


def said(row: Row, first: int = 0, last: int | None = None) -> str:
    """The text of a row, or from `first` to `last`, without what was added to it."""
    last = len(row.text) if last is None else last
    parts: list[str] = []
    for run in row.runs:
        if "a" in run.form:
            parts.append(row.text[first : max(first, min(run.start, last))])
            first = max(first, run.start + run.length)
    return "".join(parts) + row.text[first : max(first, last)]


def link_at(row: Row, place: int) -> str:
    """The address that a character of a row leads to; "" for none."""
    return next((r.link for r in row.runs if r.start <= place < r.start + r.length and r.link), "")
