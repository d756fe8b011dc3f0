"""Formulas are drawn only where one was meant: prices, code and shell words stay what they are."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from kinet.markup.blocks import split
from kinet.markup.formulas import Drawing, draw_formula
from kinet.markup.look import Look
from kinet.markup.parser import parser
from kinet.markup.render import to_html
from kinet.markup.slices import Block


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
        "It costs $$5 and $$6",
        "$$5 and $$6 are prices",
        "$$5 is what it costs,\nand no more",
        "$$5-$$6 or $$20/$$30",
        "A place of $$-$$ or $$ - $$ and $$ or $$",
        "kill -9 $$ && echo $$; ps -p $$ | grep x$$",
        "/tmp/a.$$ and /tmp/b.$$, $$/x$$",
        "$(pwd)/$(ls), $(a)$(b), ${A}-${B}, $HOME/$(id -u)",
        "from $20/month to 30$, $1,000 (about 900$)",
        "价格从$5到$10, 约$5,约10$左右, 价格$5元$",
        "$5€ and more$, $3£$",
        "see \\(note 1\\) and \\(optional\\), f\\(x\\)",
        "\\[see the note\\]",
        "\\[optional\\]",
        "$name_of and $other_name",
        "Dear $recipient$, hello",
        "set $$ to 5 and read $$",
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
        ("设$x$为整数", "x"),
        ("함수 $f(x)$는", "f(x)"),
        ("函数$f$(见下)", "f"),
        ("又\\(x^2\\)と", "x^2"),
        ("ค่า$y$คือ", "y"),
        ("the $n$th of them", "n"),
        ("it is $O(n log n)$ here", "O(n log n)"),
        ("so $y = ax + b$ is", "y = ax + b"),
        ("$a mod b$", "a mod b"),
        ("as $P(\\text{it rains today}) = 1$ says", "P(\\text{it rains today}) = 1"),
        ("the answer is $42$.", "42"),
        ("it costs $5, where $x$ is many", "x"),
        ("$\\$5 + x$", "\\$5 + x"),
        ("a sum $$ x + y $$ here", "x + y"),
        ("$|x|$", "|x|"),
        ("the sign $<$ says", "<"),
        ("$speed = distance / time$", "speed = distance / time"),
        ("$$ f(x) = 0 \\quad\\text{for all } x\n+ 1 $$", "f(x) = 0 \\quad\\text{for all } x\n+ 1"),
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


def test_a_price_does_not_change_its_face_while_it_comes() -> None:
    look = Look({"answer": (15, 24)}, _Colors())
    come = "$$5 or more"
    shown = [to_html(Block(come[:end]), look) for end in range(3, len(come) + 1)]
    faces = {html.replace(come[:end].rstrip(), "") for end, html in enumerate(shown, 3)}
    assert len(faces) == 1
    assert "<code" in to_html(Block("$$\nx = 1"), look)


@pytest.mark.parametrize("tex", ["\\foo{x}", "\\frac{a}", "x^", "\\left( x", "", "x" * 3000, "\\"])
def test_what_cannot_be_drawn_gives_nothing_and_never_raises(tex: str) -> None:
    assert draw_formula(tex, display=True, size=15, color="#000000") is None


def test_a_drawing_knows_its_line() -> None:
    made = draw_formula("\\frac{a}{b}", display=True, size=15, color="#123456")
    assert made is not None
    assert 0 < made.ascent < made.height
    assert "#123456" in made.svg


def test_formulas_that_are_drawn_at_once_are_those_that_are_drawn_alone() -> None:
    cases = r"\begin{cases} 1 & x>0 \\ 0 & \text{else} \end{cases}"
    all_of_them = [
        r"\sum_{i=1}^{n} i",
        "y^2",
        cases,
        r"\frac{a}{b}",
        r"\int_0^1 x",
        r"\sqrt{x}",
    ] * 5

    def draw(tex: str) -> Drawing | None:
        return draw_formula(tex, display="cases" in tex, size=15, color="#000000")

    alone = {tex: draw(tex) for tex in set(all_of_them)}
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            together = list(threads.map(draw, all_of_them))
    finally:
        sys.setswitchinterval(before)
    assert together == [alone[tex] for tex in all_of_them]


class _Colors(dict[str, str]):
    """Every token has a colour."""

    def __missing__(self, token: str) -> str:
        return "#000000"
