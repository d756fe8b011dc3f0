"""Rendered text: safe whatever the message says, and true to what it says."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

import pytest

from kinet.markup.blocks import split
from kinet.markup.highlight import highlight, language_title
from kinet.markup.links import names_target, openable, target
from kinet.markup.look import Look
from kinet.markup.render import code_of, to_html, user_html
from kinet.markup.slices import Block
from kinet.markup.visible import breakable, clean_for_clipboard, shown_code, unbroken

_SIZES = dict.fromkeys(("answer", "ui", "meta", "code", "inline", "h1", "h2", "h3"), (15, 24))
LOOK = Look(_SIZES, defaultdict(lambda: "#123456"))


def html(source: str) -> str:
    """All blocks of a text as rich text."""
    return "".join(to_html(block, LOOK) for block in split(source))


@pytest.mark.parametrize(
    "source",
    [
        "<img src='http://evil.test/a.png'>",
        "![x](http://evil.test/a.png)",
        "![x](file:///etc/hostname)",
        "<table background='http://evil.test/t.png'><tr><td>x",
        "<style>@import url(http://evil.test)</style>",
        "<script>alert(1)</script>",
        "`<b>`",
    ],
)
def test_no_tag_of_a_message_becomes_one(source: str) -> None:
    made = html(source)
    for tag in ("<img", "<style", "<script", "<b>", "<table"):
        assert tag not in made


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "JaVaScRiPt:x", "file:///x", "vscode://x", "//h/s", "tel:+1", "data:x"],
)
def test_other_schemes_are_no_links_and_are_shown(url: str) -> None:
    assert "<a " not in html(f"[x]({url})")
    assert not openable(url)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://evil.test/login", "evil.test"),
        ("https://bank.test@evil.test/", "evil.test"),
        ("https://аррӏе.test/", "xn--80ak6aa92e.test"),
        ("mailto:a@evil.test?body=x", "a@evil.test"),
    ],
)
def test_the_host_behind_a_link_is_told(url: str, host: str) -> None:
    assert target(url) == host
    assert host in html(f"[words]({url})")


def test_a_link_that_names_its_host_tells_it_once() -> None:
    assert names_target("https://a.test/x", "https://www.a.test/y")
    assert not names_target("https://bank.test", "https://evil.test/")
    assert html("<https://a.test/x>").count("a.test") == 2


def test_the_label_of_a_note_is_shown_whatever_the_note_begins_with() -> None:
    for note in (
        "words",
        "- a list",
        "> a quote",
        "1. a list",
        "```\n    code\n    ```",
        "| a |\n    |--|",
    ):
        shown = to_html(Block(f"[^key]: {note}\n"), LOOK)
        assert ">key." in shown
        assert shown.index("key.") < re.search("words|a list|a quote|code|<table", shown).start()  # type: ignore[union-attr]


def test_a_formula_is_as_large_as_the_words_beside_it() -> None:
    sizes: list[int] = []

    def formula(_tex: str, _display: bool, size: int) -> str:
        sizes.append(size)
        return "<img>"

    look = replace(LOOK, formula=formula, sizes={**LOOK.sizes, "h1": (21, 30), "ui": (13, 20)})
    to_html(Block("# of $a$\n\nwords $b$\n\n| $c$ |\n|---|\n\n[^1]: note $d$\n\nwords $e$\n"), look)
    assert sizes == [21, 15, 13, 13, 15]


def test_an_item_without_words_has_its_mark() -> None:
    for source in ("- \n- x\n", "1.\n2. x\n"):
        first, _ = to_html(Block(source), LOOK).split("</li>", 1)
        # What has no width takes a line all the same.
        assert first.endswith(">\u2060")


def test_a_bare_address_is_a_link_without_the_full_stop() -> None:
    assert 'href="https://a.test/x"' in html("See https://a.test/x.")


def test_a_message_of_the_person_keeps_its_lines_and_marks() -> None:
    made = user_html("# not a heading\n<b>*x*</b> `code`", LOOK)
    assert "# not a heading" in made
    assert "&lt;b&gt;*x*&lt;/b&gt;" in made
    assert "<code" in made


@pytest.mark.parametrize(
    ("info", "language", "name"),
    [
        ("python", "python", ""),
        ("python totals.py", "python", "totals.py"),
        ("python:src/totals.py", "python", "src/totals.py"),
        ('js title="a.js"', "js", "a.js"),
        ("totals.py", "", "totals.py"),
        ("", "", ""),
    ],
)
def test_a_fence_tells_language_and_file(info: str, language: str, name: str) -> None:
    code = code_of(Block(f"```{info}\nx\n```\n", "code"))
    assert (code.language, code.name, code.text) == (language, name, "x\n")


def test_code_is_coloured_by_names_of_the_theme() -> None:
    colors = {
        "def f(x: Decimal) -> int:"[start : start + length]: color
        for start, length, color in highlight("def f(x: Decimal) -> int:", "python")
    }
    assert colors["def"] == "keyword"
    assert colors["f"] == "function"
    assert colors["Decimal"] == "type"
    assert list(highlight("- a\n+ b", "diff")) == [(0, 3, "constant"), (4, 3, "string")]
    assert list(highlight("x" * 3000, "python")) == []
    assert list(highlight("x", "no such language")) == []
    assert language_title("py") == "Python"


def test_what_is_added_for_the_screen_is_taken_out_again() -> None:
    word = "x" * 1000
    assert breakable(word) != word
    assert unbroken(breakable(word)) == word


def test_shown_code_is_as_long_as_the_code() -> None:
    code = "a\x1b\u202e\U000e0041\x00b\ud800"
    units = len(code.encode("utf-16-le", "surrogatepass"))
    assert len(shown_code(code).encode("utf-16-le")) == units


def test_the_clipboard_gets_no_controls() -> None:
    assert clean_for_clipboard("a\x1b[31mb\x1b]8;;https://e.test\x07c\x00\td\n") == "abc\td\n"


def test_the_clipboard_gets_every_line_end_as_a_line_feed() -> None:
    assert clean_for_clipboard("a\r\nb\rc\n") == "a\nb\nc\n"


def test_definitions_reach_other_blocks() -> None:
    references = {"K": {"href": "https://a.test/", "title": ""}}
    assert 'href="https://a.test/"' in to_html(Block("see [k]"), LOOK, references)
