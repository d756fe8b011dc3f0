"""T8: Markdown that streams is what it is when it comes as a whole, for any pieces.

The examples of CommonMark and GitHub's tables, two or three of them joined, and lines of all
forms at random, with marks that are unseen at the beginning, prices, formulas and other line
ends. Each comes in random pieces: without bounds its HTML is that of a whole parse, with tiny
ones its blocks are those of the whole text.
Prints {value, limit, pass}: cases that differ. Exits 1 on a miss.

    python tests/bench/bench_splitting.py [CASES] [SEED]
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kinet.markup.blocks import UNBOUNDED, BlockStream, Bounds, split  # noqa: E402
from kinet.markup.parser import FOOTNOTES, environment_of, parser  # noqa: E402
from kinet.markup.slices import Block  # noqa: E402
from tests.markup import test_markup_blocks as lines_of_all_forms  # noqa: E402

CASES = ROOT / "tests" / "markup" / "cases"
MORE = [
    "It costs $$5 and $$6",
    "$$5 and no more",
    "\\[optional\\]",
    "设$x$为",
    "$$ y - x $$",
    "\\[ x",
    "$$",
    "kill $$ && echo $$",
    "- $5-$6",
    "> \\[",
    "שלום **עולם** `code`",
    "- [ ] مهمة",
    "> - [x] done",
    "> 1. a",
    ">    ```",
    "> | a |",
    "> |---|",
    "[^n]: > q",
    "    - deep",
    "👩‍👩‍👧‍👦 **x**",
    "[a[b]](/u 't')",
    '![a](b "c"',
    "<div>*a*</div>",
    "&amp; &#35; h",
    "word\\",
    "Setext",
    "  ===",
    "  ---",
    "[x]: /late",
]
TINY = Bounds(items=2, rows=2, cells=6, characters=40, lines=6, open_characters=10**9)
UNSEEN = ("", "", "", "", "\ufeff", "\u200b", "\u2060\ufeff")


def examples() -> list[str]:
    """All that are kept."""
    return [
        example
        for name in ("commonmark.json", "gfm.json")
        for example in json.loads((CASES / name).read_text(encoding="utf-8"))["examples"]
    ]


def text(kept: list[str], chance: random.Random) -> str:
    """One case."""
    kind = chance.randrange(3)
    if kind == 0:
        return chance.choice(kept)
    if kind == 1:
        count = chance.choice([2, 2, 3])
        return chance.choice(["", "\n", "\n\n"]).join(chance.choice(kept) for _ in range(count))
    lines = lines_of_all_forms._LINES + MORE
    return "\n".join(chance.choice(lines) for _ in range(chance.randint(2, 30)))


def streamed(stream: BlockStream, source: str, chance: random.Random) -> list[Block]:
    """The blocks, the text coming in pieces."""
    sizes = chance.choice([[1], [1, 1, 2, 3, 7, 40], [5, 200], [13]])
    blocks: list[Block] = []
    place = 0
    while place < len(source):
        size = chance.choice(sizes)
        blocks += stream.feed(source[place : place + size])
        place += size
    return blocks + stream.finish()


def html(blocks: list[Block], references: dict[str, object]) -> str:
    """Block after block, with the definitions of all."""
    known = {key: value for key, value in references.items() if key != FOOTNOTES}
    return "".join(
        str(parser().render(block.source, environment_of(dict(known)))) for block in blocks
    )


def differs(source: str, unseen: str, chance: random.Random) -> bool:
    """True if it matters how the text comes."""
    sent = unseen + (source.replace("\n", "\r\n") if chance.random() < 0.1 else source)
    if chance.random() < 0.5:
        stream = BlockStream(TINY)
        blocks = streamed(stream, sent, chance)
        return not stream.rough and blocks != split(sent, TINY)
    stream = BlockStream(UNBOUNDED)
    blocks = streamed(stream, sent, chance)
    if blocks != split(sent, UNBOUNDED):
        return True
    # A note or definition of one part may be used by another: the whole knows it at once.
    whole = "".join(block.source for block in blocks)
    return "[^" not in whole and html(blocks, stream.references) != str(parser().render(whole, {}))


def main() -> int:
    """Runs all; the first that differ are told."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 10**6
    kept, wrong, told = examples(), 0, 0
    for number in range(count):
        chance = random.Random(f"{seed}-{number}")
        source, unseen = text(kept, chance), chance.choice(UNSEEN)
        if differs(source, unseen, chance):
            wrong += 1
            if told < 5:
                told += 1
                print(json.dumps({"case": number, "source": unseen + source}), file=sys.stderr)
    made = {"T8 differ": {"value": wrong, "limit": 0, "pass": wrong == 0}, "cases": count}
    print(json.dumps({**made, "seed": seed}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
