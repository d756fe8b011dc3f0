"""Every example of CommonMark and of GitHub's tables streams to what a whole parse gives."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from kinet.markup.blocks import UNBOUNDED, BlockStream, split
from kinet.markup.parser import FOOTNOTES, environment_of, parser
from kinet.markup.slices import Block

CASES = Path(__file__).parent / "cases"
CHUNKINGS = 6


def _examples(name: str) -> list[str]:
    return list(json.loads((CASES / name).read_text(encoding="utf-8"))["examples"])


def _streamed(source: str, chance: random.Random) -> tuple[list[Block], dict[str, object]]:
    stream = BlockStream(UNBOUNDED)
    blocks: list[Block] = []
    place = 0
    while place < len(source):
        size = chance.choice([1, 1, 2, 3, 7, 40])
        blocks += stream.feed(source[place : place + size])
        place += size
    blocks += stream.finish()
    return blocks, stream.references


def _html(blocks: list[Block], references: dict[str, object]) -> str:
    """Block after block, with the definitions of all: as the transcript draws it in the end."""
    known = {key: value for key, value in references.items() if key != FOOTNOTES}
    return "".join(
        str(parser().render(block.source, environment_of(dict(known)))) for block in blocks
    )


EXAMPLES = [
    (name, number, source)
    for name in ("commonmark.json", "gfm.json")
    for number, source in enumerate(_examples(name), 1)
]


@pytest.mark.parametrize(
    ("name", "number", "source"), EXAMPLES, ids=[f"{n[:-5]}-{k}" for n, k, _ in EXAMPLES]
)
def test_an_example_streams_to_what_a_whole_parse_gives(
    name: str, number: int, source: str
) -> None:
    whole = str(parser().render(source, {}))
    for turn in range(CHUNKINGS):
        blocks, references = _streamed(source, random.Random(number * 100 + turn))
        assert "".join(block.source for block in blocks) == source
        assert blocks == split(source, UNBOUNDED)
        assert _html(blocks, references) == whole
