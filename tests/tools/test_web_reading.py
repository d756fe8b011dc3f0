"""Pages of the usual shapes become text: their matter whole, programs as written, no menus."""

from __future__ import annotations

import pytest

from kinet.tools.web.web_text import readable

HEAD = (
    '<nav><a href="/a">HOME</a></nav><header><div class="logo">LOGO</div><ul class="menu">'
    '<li><a href="/m1">MENUONE</a></li><li><a href="/m2">MENUTWO</a></li></ul></header>'
)
FOOT = (
    '<footer>FOOTERTEXT <a href="/imprint">IMPRINT</a></footer>'
    '<div class="cookie-banner">COOKIES accept all</div>'
)
NOISE = ("HOME", "LOGO", "MENUONE", "FOOTERTEXT", "COOKIES")
LONG = " ".join(["Rivers find their way through stone over the years, and towns grow there."] * 6)


def page(body: str) -> str:
    return f"<html><head><title> A  page </title></head><body>{HEAD}{body}{FOOT}</body></html>"


PAGES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "article": (
        f'<main><article><h1>Rivers</h1><p>ONE {LONG} <a href="/r">LINK</a></p></article>'
        '<aside class="related"><a href="/x">RELATED</a></aside></main>',
        ("# Rivers", "ONE", "LINK (https://h.example/r)"),
        ("RELATED",),
    ),
    "reference": (
        '<div class="sphinxsidebar"><a href="#s">SIDE</a></div><div class="body" role="main">'
        f"<h1>Module</h1><p>{LONG}</p><pre>def flow(x):\n    return <b>x</b> + 1\n\n\n\nend</pre>"
        "<table><tr><th>Name</th><td>CELL</td></tr></table><ul><li>BULLET</li></ul></div>",
        ("def flow(x):\n    return x + 1\n\n", "end\n```", "Name | CELL", "- BULLET"),
        ("SIDE",),
    ),
    "question": (
        f'<div id="question"><p>ASKED {LONG}</p><pre><code>a = 1\n  b = 2</code></pre></div>'
        '<div class="answer"><p>ANSWER</p><div class="comments">COMMENT</div></div>'
        '<div class="sidebar">HOT</div>',
        ("ASKED", "a = 1\n  b = 2", "ANSWER", "COMMENT"),
        ("HOT",),
    ),
    "list": (
        "".join(f'<div class="row"><a href="/i/{n}">ISSUE{n} title</a></div>' for n in range(40)),
        ("ISSUE0", "ISSUE39", "https://h.example/i/7"),
        (),
    ),
    "table": (
        "<table>"
        + "".join(f"<tr><td>MODEL{n}</td><td>{n}.50</td></tr>" for n in range(60))
        + "</table>",
        ("MODEL0", "59.50"),
        (),
    ),
    "wrapper that only says it has a sidebar": (
        f'<div class="layout has-sidebar"><p>ONE {LONG}</p><div class="sidebar">SIDE</div></div>',
        ("ONE",),
        ("SIDE",),
    ),
}


@pytest.mark.parametrize("kind", PAGES)
def test_the_matter_is_whole_and_what_stands_beside_it_is_not_there(kind: str) -> None:
    body, wanted, unwanted = PAGES[kind]
    title, text = readable(page(body), "https://h.example/p")
    assert title == "A page"
    assert [word for word in wanted if word not in text] == []
    assert [word for word in (*NOISE, *unwanted) if word in text] == []


def test_a_page_of_little_else_is_given_whole() -> None:
    _, text = readable(page("<p>All is well.</p>"), "https://h.example/")
    assert "All is well." in text
    assert "FOOTERTEXT" in text


def test_a_part_that_never_ends_takes_nothing_along() -> None:
    broken = f'<body><div class="sidebar"><p>SIDE<div>{LONG} {LONG}<p>MATTER'
    _, text = readable(broken, "https://h.example/")
    assert "MATTER" in text
    assert "SIDE" in text


def test_hidden_text_stays_hidden_however_little_is_left() -> None:
    _, text = readable('<p>x</p><div style="display:none">SECRET ORDER</div>', "https://h/")
    assert "SECRET" not in text
    assert "x" in text


@pytest.mark.parametrize(
    "piece", ["<div class='menu'>", "<pre>", "<aside>", "</pre></div>", "<p>\x00"]
)
def test_twenty_thousand_tags_are_read_in_a_moment(piece: str) -> None:
    _, text = readable("<p>BEGIN</p>" + piece * 20_000, "https://h.example/")
    assert "BEGIN" in text
    assert "\x00" not in text
