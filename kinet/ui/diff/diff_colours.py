"""Colours the code in the rows of a diff, each side of a hunk as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from kinet.markup.highlight import highlight, language_of_file
from kinet.ui.kit.rows import Row, Run

# More than this is read as a whole or not at all; colours would only delay it.
_MOST_CHARACTERS = 24_000
_NEW = ("same", "add")
_OLD = ("same", "del")


def with_colours(rows: Sequence[Row], file_name: str) -> tuple[Row, ...]:
    """The rows with runs of colour, laid under the marks they already have."""
    language = language_of_file(file_name) if file_name else ""
    if not language or sum(len(row.text) for row in rows) > _MOST_CHARACTERS:
        return tuple(rows)
    runs: dict[int, list[Run]] = {}
    hunk: list[int] = []
    for number, row in [*enumerate(rows), (len(rows), Row("", height=1))]:
        if not row.height:
            hunk.append(number)
            continue
        for kinds in (_OLD, _NEW):
            side = [place for place in hunk if rows[place].kind in kinds]
            _colour_side(rows, side, language, runs)
        hunk = []
    return tuple(
        row._replace(runs=(*runs[number], *row.runs)) if number in runs else row
        for number, row in enumerate(rows)
    )


def _colour_side(
    rows: Sequence[Row], side: Sequence[int], language: str, runs: dict[int, list[Run]]
) -> None:
    starts: list[int] = []
    length = 0
    for number in side:
        starts.append(length)
        length += len(rows[number].text) + 1
    found: dict[int, list[Run]] = {number: [] for number in side}
    place = 0
    for start, size, colour in highlight("\n".join(rows[n].text for n in side), language):
        while place + 1 < len(starts) and starts[place + 1] <= start:
            place += 1
        line = place
        while line < len(starts) and starts[line] < start + size:
            first = max(start, starts[line])
            last = min(start + size, starts[line] + len(rows[side[line]].text))
            if first < last:
                found[side[line]].append(Run(first - starts[line], last - first, colour))
            line += 1
    # Rows of both sides take the new side's colours, which comes last.
    runs.update(found)
