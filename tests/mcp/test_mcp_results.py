"""What becomes of a server's answers: nothing is made up, nothing is lost in silence."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from kinet.mcp.results import output_of
from kinet.mcp.secret_values import hide
from kinet.tools.base import ToolOutput


def made(*content: Any, **more: Any) -> ToolOutput:
    return output_of({"content": list(content), **more}, {"server": "s"})


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def picture() -> str:
    out = io.BytesIO()
    Image.new("RGB", (30, 20), "red").save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


def test_texts_stand_one_after_the_other() -> None:
    assert made(text("one"), text("two")).content == "one\n\ntwo"


def test_an_error_of_the_server_is_one() -> None:
    output = made(text("No such file."), isError=True)
    assert (output.content, output.is_error) == ("No such file.", True)
    assert made(isError=True).content == "[the server failed and said nothing]"
    assert made(text("fine"), isError="true").is_error is False


def test_an_empty_answer_says_so() -> None:
    assert made().content == "[the server answered nothing]"
    assert output_of({}, {}).content == "[the server answered nothing]"
    assert output_of({"content": "text"}, {}).content == "[the server answered nothing]"


def test_a_picture_is_shown_and_told() -> None:
    output = made(text("Here:"), {"type": "image", "data": picture(), "mimeType": "image/png"})
    assert output.content == "Here:\n\n[picture, 30 × 20]"
    assert output.pictures[0].startswith("data:image/png;base64,")
    assert output.preview == "1 text, 1 picture"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("%%%", "its data cannot be read"),
        (None, "its data cannot be read"),
        (base64.b64encode(b"<svg onload='x'>").decode(), "16 bytes"),
        (base64.b64encode(b"\x89PNG\r\n\x1a\nbroken").decode(), "damaged"),
    ],
)
def test_a_picture_that_is_none_is_told(data: Any, why: str) -> None:
    output = made({"type": "image", "data": data, "mimeType": "image/png"})
    assert output.pictures == ()
    assert output.content == f"[picture that cannot be shown: {why}]"


def test_pictures_without_end_are_cut_off() -> None:
    output = made(*[{"type": "image", "data": picture()}] * 9)
    assert len(output.pictures) == 8
    assert output.content.endswith("[picture that cannot be shown: there are too many]")


def test_resources_links_sounds_and_unknown_parts_are_told() -> None:
    output = made(
        {"type": "resource", "resource": {"uri": "file:///a.md", "text": "# A"}},
        {
            "type": "resource",
            "resource": {"uri": "x://b", "mimeType": "application/pdf", "blob": "AAAA"},
        },
        {"type": "resource_link", "uri": "https://x.example/\u202egp", "name": "Page"},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        {"type": "hologram"},
        "no part at all",
    )
    assert output.content.split("\n\n") == [
        "[file:///a.md]\n# A",
        "[x://b, application/pdf, 3 bytes: not text]",
        "[link to https://x.example/<U+202E>gp, Page]",
        "[sound, audio/wav, 3 bytes: it cannot be played to a model]",
        "[a part of the kind hologram, which is not known here]",
        "[a part of the kind unnamed, which is not known here]",
    ]


def test_a_value_is_told_once() -> None:
    value = {"day": "Monday", "hours": [1, 2]}
    alone = made(structuredContent=value)
    assert alone.content == '{\n  "day": "Monday",\n  "hours": [\n    1,\n    2\n  ]\n}'
    assert alone.details["structured"] == value
    assert made(text('{"hours": [1, 2], "day": "Monday"}'), structuredContent=value).content == (
        '{"hours": [1, 2], "day": "Monday"}'
    )
    assert made(text("3"), structuredContent={"result": 3}).content == "3"
    assert made(text("a"), text("b"), structuredContent={"result": ["a", "b"]}).content == "a\n\nb"
    both = made(text("It is Monday."), structuredContent=value).content
    assert both.startswith("It is Monday.\n\n{")


def test_a_text_of_millions_keeps_both_ends() -> None:
    output = made(text("a" * 3_000_000 + "end"))
    assert len(output.content) < 2_000_100
    assert output.content.endswith("aend")
    assert "[1,000,003 characters left out]" in output.content


def test_halves_of_characters_become_question_marks() -> None:
    assert made(text("a\ud83d")).content == "a?"


def test_parts_without_end_are_counted() -> None:
    assert made(*[text("x")] * 1_200).content.endswith("[200 further parts left out]")


def test_a_key_that_a_server_shows_stays_with_us() -> None:
    hide("Bearer zq8-canary-of-a-server-123456")
    value = {"env": {"TOKEN": "zq8-canary-of-a-server-123456"}}
    output = made(text('TOKEN="zq8-canary-of-a-server-123456"'), structuredContent=value)
    assert "canary" not in output.content + str(output.details)
    assert output.content.startswith('TOKEN="[secret]"')


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=9) | st.just("AAAA"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "text", "data", "resource", "uri", "blob", "mimeType", "name"]
            ),
            inner | st.sampled_from(["text", "image", "audio", "resource", "resource_link"]),
            max_size=5,
        )
    ),
    max_leaves=15,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(["content", "structuredContent", "isError"]), JSON))
def test_no_answer_makes_it_fail(answer: Any) -> None:
    output = output_of(answer, {})
    assert output.content
    assert output.content.encode()
    assert isinstance(output.is_error, bool)
