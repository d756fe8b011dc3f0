"""What is cut because it is long goes on as what it was: items, quotes, their code and tables."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from kinet.markup.blocks import BlockStream, Bounds, split
from kinet.markup.page import body_html
from kinet.markup.parser import parser
from kinet.markup.render import to_html
from kinet.markup.slices import Block
from tests.markup.test_markup_render import LOOK

CODE = "".join(f"# line {n}\nx = {n}\n" for n in range(300))
PROSE = "".join(f"Sentence {n} of a long text that says no more.\n" for n in range(300))


def inside(text: str, first: str, rest: str) -> str:
    """The lines of a text, moved into an item or a quote."""
    lines = text.splitlines()
    return "".join(f"{rest if n else first}{line}".rstrip() + "\n" for n, line in enumerate(lines))


def parts(source: str, kind: str, bounds: Bounds | None = None) -> list[Block]:
    """The blocks of a text that is cut, each of which shows something of a kind."""
    blocks = split(source, bounds)
    assert "".join(block.source for block in blocks) == source
    assert sum(kind in to_html(block, LOOK) for block in blocks) > 1
    return blocks


def words_of(html: str) -> list[str]:
    return re.findall(r"\w+", re.sub(r"<[^>]*>|&#8203;", " ", html))


@pytest.mark.parametrize(
    ("first", "rest"),
    [("- ", "  "), ("> ", "> "), ("1. ", "   "), ("> - ", ">   "), ("- > 1. ", "  >    ")],
)
def test_code_in_an_item_or_a_quote_stays_code_to_its_end(first: str, rest: str) -> None:
    source = inside(f"```python\n{CODE}```\nAfter *it*.", first, rest) + "\nOutside.\n"
    blocks = parts(source, "# line")
    html = "".join(to_html(block, LOOK) for block in blocks)
    # No comment became a heading, and no line of code stands beside another.
    assert "font-weight:600" not in html
    assert html.count('dir="ltr"') == 600
    assert "<i>it</i>" in html
    assert words_of(html)[-3:] == ["After", "it", "Outside"]
    # All of it stands as far in as it began, and only the first part has the mark.
    assert (
        len({re.search(r'title="bars:[^"]*"', to_html(b, LOOK)) is None for b in blocks[:-1]}) == 1
    )
    assert html.count("<li") == sum(first.count(mark) for mark in ("-", "1."))


@pytest.mark.parametrize(("first", "rest"), [("- ", "  "), ("> ", "> "), ("7) ", "   ")])
def test_words_in_an_item_or_a_quote_stay_in_it(first: str, rest: str) -> None:
    for text in (PROSE, PROSE.replace("\n", " ") + "\n", PROSE.replace(".\n", ".\n\n")):
        source = inside(text, first, rest) + "\nOutside.\n"
        blocks = parts(source, "Sentence")
        html = [to_html(block, LOOK) for block in blocks]
        assert words_of("".join(html)) == [*words_of(text), "Outside"]
        for one in filter(None, html[1:-1]):
            assert ("bars:" in one) == (first == "> ")
            assert ("margin-left:24px" in one) == (first != "> ")
            assert "<li" not in one


def test_the_items_after_a_long_one_go_on_counting() -> None:
    source = inside(f"```\n{CODE}```", "3. ", "   ") + "4. next\n9. more\n"
    html = "".join(to_html(block, LOOK) for block in split(source))
    assert re.findall(r'<ol [^>]*?start="(\d+)"', html) == ["3", "4"]
    # The same where the item is one of a list that was cut before it.
    source = "".join(f"1. item {n}\n" for n in range(12)) + source.replace("3. ", "1. ", 1)
    html = "".join(to_html(block, LOOK) for block in split(source))
    assert re.findall(r'<ol [^>]*?start="(\d+)"', html) == ["9", "14"]


def test_a_table_in_an_item_stays_a_table() -> None:
    rows = "".join(f"  | {n} | b |\n" for n in range(450))
    blocks = parts(f"- item\n\n  | a | b |\n  |---|---|\n{rows}", "<table")
    assert "|" not in "".join(re.sub(r"<[^>]*>", "", to_html(block, LOOK)) for block in blocks)


def test_no_line_of_a_long_paragraph_becomes_something_else() -> None:
    text = "".join(
        f"Words {n}\n2. no list\n[k{n}]: /no-definition\n     no code\n" for n in range(150)
    )
    blocks = parts(text, "no-definition")
    html = "".join(to_html(block, LOOK) for block in blocks)
    assert words_of(html) == words_of(text)
    assert "<ol" not in html
    assert "font-family" not in html


@pytest.mark.parametrize("seed", range(60))
def test_streamed_in_pieces_the_parts_are_the_same(seed: int) -> None:
    chance = random.Random(seed)
    first, rest = chance.choice([("- ", "  "), ("> ", "> "), ("> - ", ">   "), ("1. ", "   ")])
    text = chance.choice([f"```\n{CODE}```", PROSE, PROSE.replace(".\n", ".\n\n")])
    source = inside(text, first, rest) + "\nOutside.\n"
    bounds = replace(Bounds(), characters=900, lines=40, open_characters=10**6)
    stream, blocks, place = BlockStream(bounds), [], 0
    while place < len(source):
        size = chance.choice([1, 7, 60, 800])
        blocks += stream.feed(source[place : place + size])
        place += size
    blocks += stream.finish()
    assert "".join(block.source for block in blocks) == source
    whole = str(parser().render(source, {}))
    assert words_of("".join(to_html(b, LOOK) for b in blocks)) == words_of(whole)
    assert stream.rough or blocks == split(source, bounds)


def test_on_a_page_an_item_that_goes_on_has_one_mark() -> None:
    page = body_html(inside(f"```\n{CODE * 8}```\n\nAfter.", "- ", "  "))
    assert page.count("<li") > 1
    assert page.count("<li") - page.count("list-style:none") == 1
    assert "<h1" not in page
