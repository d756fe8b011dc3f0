"""Formulas are drawn only where one was meant: prices, code and shell words stay what they are."""

from __future__ import annotations

import pytest

from kinet.markup.blocks import split
from kinet.markup.formulas import draw_formula
from kinet.markup.look import Look
from kinet.markup.parser import parser
from kinet.markup.render import to_html


def _formulas(source: str) -> list[str]:
    found = []
    for token in parser().parse(source, {}):
        tokens = [token, *(token.children or [])]
        found += [one.content for one in tokens if one.type.startswith("formula")]
    return found


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 or $6.",
        "from $20,000 and $30,000 to US$ 7",
        "$5-$6 a month, 7$",
        "$10 million for each, 4$ more",
        "`$a$` is code",
        "set $HOME and $PATH",
        "$HOME/$USER",
        "a $ b $ c",
        "\\$x\\$ is escaped",
        "    $x$ indented code",
        "```\n$$\nx\n$$\n```",
        "$x `y$ z`",
        "A $\n\nB $",
    ],
)
def test_what_is_no_formula_stays_text(text: str) -> None:
    assert _formulas(text) == []


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("where $E = mc^2$ holds", "E = mc^2"),
        ("$x$", "x"),
        ("so \\(x_1\\) is", "x_1"),
        ("$$x^2$$", "x^2"),
        ("text\n$$\nx\n+ y\n$$\nmore", "x\n+ y"),
        ("\\[ a = b \\]", "a = b"),
        ("- item\n\n  $$\n  x\n  $$", "x"),
        ("inline $$x$$ display", "x"),
    ],
)
def test_what_is_a_formula_is_found(text: str, formula: str) -> None:
    assert _formulas(text) == [formula]


def test_a_formula_that_never_ends_is_shown_as_it_is() -> None:
    look = Look({"answer": (15, 24)}, _Colors())
    html = "".join(to_html(block, look) for block in split("$$\nx + y\n\nnext"))
    assert "$$" in html
    assert "x + y" in html
    assert "next" in html


@pytest.mark.parametrize("tex", ["\\foo{x}", "\\frac{a}", "x^", "\\left( x", "", "x" * 3000, "\\"])
def test_what_cannot_be_drawn_gives_nothing_and_never_raises(tex: str) -> None:
    assert draw_formula(tex, display=True, size=15, color="#000000") is None


def test_a_drawing_knows_its_line() -> None:
    made = draw_formula("\\frac{a}{b}", display=True, size=15, color="#123456")
    assert made is not None
    assert 0 < made.ascent < made.height
    assert "#123456" in made.svg


class _Colors(dict[str, str]):
    """Every token has a colour."""

    def __missing__(self, token: str) -> str:
        return "#000000"
