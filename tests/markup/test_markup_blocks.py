"""The splitter: whatever the chunks, the same blocks, and nothing lost."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from kinet.markup.blocks import UNBOUNDED, BlockStream, Bounds, split
from kinet.markup.parser import parser
from kinet.markup.render import code_of

_LINES = [
    "# h", "#", "- a", "-", "  - b", "* x", "1. one", "2) two", "> q", ">", "> - n", "```", "```py",
    "~~~", "````", "    code", "\tcode", "", "", "", "para text", "para *em* `c`", "===", "---",
    "***", "| a | b |", "|---|---|", "| 1 | 2 |", "  cont", "   > deep", "<div>", "</div>",
    "<!-- c", "-->", "    ", "+ p", "10. ten", "- ```", "  ```", "   \t ```", "a\\", "x  ",
    "$$", "$$ x", "$$ x $$", "y $$", "\\[", "\\]", "a $x$ b", "- $$", "  $$", "> $$",
    "- a | b", "+ p | q", "1. a | b", "  --- | ---", "    --- | ---", "  |---|", "- - a | b",
]  # fmt: skip
# A link definition over several lines looks like a paragraph until its address comes.
_DEFINITIONS = ["[k]: /u", "[k]:", "/url", "'ti", "tle'", "[long", "name]: /v"]
# These act on other blocks, so that only the cuts can be compared.
_NOTES = ["[^1]: note", "[^2]:", "see[^1]", "    more"]


def _html(source: str) -> str:
    return str(parser().render(source, {}))


def _text(seed: int, more: tuple[str, ...] = ()) -> tuple[str, random.Random]:
    chance = random.Random(seed)
    lines = [chance.choice([*_LINES, *more]) for _ in range(chance.randint(2, 30))]
    return "\n".join(lines) + chance.choice(["", "\n"]), chance


def _stream(stream: BlockStream, source: str, chance: random.Random) -> list[object]:
    out: list[object] = []
    place = 0
    while place < len(source):
        size = chance.choice([1, 2, 5, 40])
        out += stream.feed(source[place : place + size])
        place += size
    return out + stream.finish()


@pytest.mark.parametrize("seed", range(400))
def test_streamed_html_equals_a_whole_parse(seed: int) -> None:
    source, chance = _text(seed)
    blocks = _stream(BlockStream(UNBOUNDED), source, chance)
    assert "".join(b.source for b in blocks) == source
    assert "".join(_html(b.source) for b in blocks) == _html(source)


@pytest.mark.parametrize("seed", range(300))
def test_streamed_blocks_equal_the_blocks_of_the_whole_text(seed: int) -> None:
    source, chance = _text(seed, (*_NOTES, *_DEFINITIONS))
    bounds = Bounds(items=2, rows=2, cells=6, characters=40, lines=6, open_characters=10**9)
    stream = BlockStream(bounds)
    blocks = _stream(stream, source, chance)
    assert "".join(b.source for b in blocks) == source
    # What had to be cut while it was open is split anew when it is whole.
    assert stream.rough or blocks == split(source, bounds)


@pytest.mark.parametrize("seed", range(100))
def test_any_line_ends_give_the_blocks_of_line_feeds(seed: int) -> None:
    source, chance = _text(seed, (*_NOTES, *_DEFINITIONS))
    ends = "".join(chance.choice(["\r\n", "\r\n", "\n"]) if c == "\n" else c for c in source)
    assert _stream(BlockStream(UNBOUNDED), ends, chance) == split(source, UNBOUNDED)
    assert _stream(BlockStream(UNBOUNDED), source.replace("\n", "\r"), chance) == split(
        source, UNBOUNDED
    )


@pytest.mark.parametrize("unseen", ["\ufeff", "\u200b", "\ufeff\u200b", "\u200f\u2060", "\u00ad"])
@pytest.mark.parametrize(
    "source",
    [
        "# Head\n", "- a\n- b", "1. a", "> q", "```py\nx\n```", "| a |\n|---|\n| b |", "    code",
        "---", "$$\nx\n$$", "- [x] done", "\n# Head", "[a]: /u\n\n[a]", "*b* words",
    ],
)  # fmt: skip
def test_what_is_unseen_at_the_beginning_hides_no_form(unseen: str, source: str) -> None:
    assert split(unseen + source) == split(source)
    for size in (1, 3):
        blocks = _stream(BlockStream(), unseen + source, _Always(size))
        assert blocks == split(source)


@pytest.mark.parametrize("source", ["\u200fשלום", "\u200ba", "\u2060"])
def test_words_keep_what_is_unseen_before_them(source: str) -> None:
    assert "".join(block.source for block in split(source)) == source
    assert split("\ufeffwords") == split("words")


class _Always(random.Random):
    """Chooses one size."""

    def __init__(self, size: int) -> None:
        super().__init__(0)
        self.size = size

    def choice(self, _values: object) -> int:  # type: ignore[override]
        return self.size


def test_what_follows_a_fence_with_other_line_ends_is_not_lost() -> None:
    blocks = split("```py\r\nx = 1\r\n```\r\nafter\r\n")
    assert [(block.kind, block.source) for block in blocks] == [
        ("code", "```py\nx = 1\n```\n"),
        ("prose", "after\n"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "| one | two\n| ---\n-->\n--- | ---\n",
        "a |\n- b\nc |\n | --- | --- |\n",
        "Foo\n\n[\n=\nfoo]:\n/u\n[foo]\n",
        "Foo\n\n[foo]: /u\n'ti\n===\ntle'\n\n[foo]\n",
        "Foo\n\n[foo]: /u\n      'ti\n===\ntle'\n\n[foo]\n",
        "- x\n| 1 | 2 |\n| a |\n    --- | ---\n",
    ],
)
def test_what_may_still_become_something_else_closes_nothing(source: str) -> None:
    whole = split(source, UNBOUNDED)
    for size in range(1, len(source)):
        stream = BlockStream(UNBOUNDED)
        blocks = [
            block
            for place in range(0, len(source), size)
            for block in stream.feed(source[place : place + size])
        ]
        assert blocks + stream.finish() == whole


def test_a_list_is_not_cut_at_an_item_that_looks_like_the_head_of_a_table() -> None:
    source = "+ o\n+ p | q\n  --- | ---\n+ r\n+ s\n"
    bounds = replace(UNBOUNDED, items=1)
    blocks = split(source, bounds)
    assert [block.source for block in blocks] == ["+ o\n+ p | q\n  --- | ---\n", "+ r\n", "+ s\n"]
    for seed in range(40):
        assert _stream(BlockStream(bounds), source, random.Random(seed)) == blocks
    numbered = "7. o\n7. p\n1. q | r\n   --- | ---\n1. s\n1. t\n1. u\n"
    numbers = [block.first_number for block in split(numbered, replace(UNBOUNDED, items=2))]
    assert numbers == [-1, 10, 12]


def test_a_paragraph_right_below_a_formula_closes_it_at_once() -> None:
    formula = (
        "$$\n  cont\n\tcode\n````\n|---|---|\n1. a | b\n===\n  --- | ---\n* x\n# h\nh\n$$ x $$\n"
    )
    source = formula + "/url\n-->"
    bounds = Bounds(items=2, rows=2, cells=6, characters=40, lines=6, open_characters=10**9)
    for seed in range(60):
        assert _stream(BlockStream(bounds), source, random.Random(seed)) == split(source, bounds)


def test_definitions_never_hide_in_a_block_of_code_or_a_table() -> None:
    for after in ("```py\nx\n```\n", "    x\n", "| a |\n|---|\n| b |\n"):
        for rest in ("", "\nmore\n"):
            first, second, *_ = split(f"[k]: /u\n\n{after}{rest}")
            assert (first.kind, first.source) == ("prose", "[k]: /u\n\n")
            assert second.source.strip("\n") == after.strip("\n")


def test_what_is_left_of_a_block_that_was_cut_keeps_all_its_text() -> None:
    source = "- " + "word " * 1700 + "\n\n" + "Said.\n\n" + "      code\n"
    shown = "".join(
        code_of(block).text if block.kind == "code" else block.source for block in split(source)
    )
    assert "Said." in shown
    line = "    " + "word " * 1700 + "\n\n        deeper\n"
    assert "".join(code_of(block).text for block in split(line)).count("word") == 1700


def test_a_long_list_keeps_its_numbers() -> None:
    source = "".join(f"{n}. item\n" for n in range(3, 30))
    blocks = split(source)
    assert [b.first_number for b in blocks] == [-1, 11, 19, 27]
    assert all(b.continues for b in blocks[1:])


def test_a_long_table_carries_its_head() -> None:
    rows = "".join(f"| {n} | b |\n" for n in range(100))
    blocks = split("| a | b |\n|---|--:|\n" + rows)
    assert [b.kind for b in blocks] == ["table"] * 3
    assert blocks[1].lead == "| a | b |\n|---|--:|\n"


def test_a_long_fence_is_cut_and_every_part_is_code() -> None:
    code = "".join(f"line {n} of many\n" for n in range(900))
    source = f"text\n\n```py\n{code}```\nafter\n"
    blocks = split(source)
    parts = [b for b in blocks if b.kind == "code"]
    assert len(parts) > 2
    assert all(b.lead == "```py\n" for b in parts[1:])
    assert "".join(b.source for b in blocks) == source


@pytest.mark.parametrize("text", ["x" * 50_000, "word " * 10_000, ">" * 5000, "ab\n" * 9000])
def test_no_block_grows_without_bound(text: str) -> None:
    blocks = split(text)
    assert max(len(b.source) for b in blocks) <= 8192
    assert "".join(b.source for b in blocks) == text


def test_definitions_are_kept_for_the_whole_message() -> None:
    stream = BlockStream()
    stream.feed("see [k]\n\n[k]: https://a.test/\n\nnext\n\nlast")
    stream.finish()
    assert "K" in stream.references


def test_a_line_of_marks_is_not_shown_before_it_is_decided() -> None:
    stream = BlockStream()
    stream.feed("A heading?\n--")
    tail = stream.shown_tail
    assert tail is not None
    assert tail.source == "A heading?"


@pytest.mark.parametrize("depth", [9, 12, 19, 25, 60])
def test_what_is_nested_deeply_is_shown_and_all_that_follows_it(depth: int) -> None:
    source = "".join(f"{'  ' * level}- item{level}\n" for level in range(depth))
    source += f"\nafter the list\n\n{'>' * depth} quoted\n\n{'1. ' * depth}numbered\n\n"
    source += f"[^n]: {'- ' * depth}noted\n\nthe end\n"
    html = "".join(str(parser().render(block.source, {})) for block in split(source, UNBOUNDED))
    words = re.findall(r"[a-z]+\d*", re.sub(r"<[^>]*>", " ", html))
    wanted = [f"item{level}" for level in range(depth)]
    wanted += ["after", "the", "list", "quoted", "numbered", "noted", "the", "end"]
    assert [word for word in words if word in wanted] == wanted
