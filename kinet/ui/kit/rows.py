"""Rows of text as they are shown: the words, their colours, and what they are."""

from __future__ import annotations

from typing import NamedTuple


class Run(NamedTuple):
    """A stretch of a row in a token's colour, perhaps on a token's ground."""

    start: int
    length: int
    token: str
    ground: str = ""


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
