"""A page to be kept: what the window shows, in the direction it is read, and nothing live."""

from __future__ import annotations

import re

from kinet.core.messages import Message
from kinet.markup.page import body_html
from kinet.session.export import exported


def test_lists_and_quotes_begin_where_they_are_read_from() -> None:
    assert '<ol dir="rtl">' in body_html("1. שלום\n2. עולם\n")
    assert '<ul dir="ltr">' in body_html("- one\n- שלום\n")
    assert '<blockquote dir="rtl">' in body_html("> ציטוט\n")


def test_tasks_show_their_boxes_and_other_brackets_stay() -> None:
    page = body_html("- [ ] open\n- [X] done\n\n[ ] text\n")
    assert ">☐\ufe0e open<" in page
    assert ">☑\ufe0e done<" in page
    assert ">[ ] text<" in page


def test_lines_after_a_fence_with_other_line_ends_are_on_the_page() -> None:
    assert "<strong>after</strong>" in body_html("```py\r\nx\r\n```\r\n\r\n**after**\r\n")


def test_what_kinet_wrote_is_not_told_as_yours() -> None:
    messages = [Message("user", "Stop now.", kind="note"), Message("user", "Mine.")]
    for form in ("md", "html"):
        text = exported(form, "Talk", messages)
        assert text.index("A note of Kinet") < text.index("Stop now.") < text.index("Mine.")
        assert text.count(">You<" if form == "html" else "## You") == 1


def test_a_formula_stands_on_the_line_of_its_words() -> None:
    below = [
        float(found)
        for found in re.findall(r"vertical-align:-([\d.]+)px", body_html("So $x$ $x_1$."))
    ]
    assert len(below) == 2
    assert 0 < below[0] < 2 < below[1]
