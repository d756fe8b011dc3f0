"""Bytes to events, text to thinking, fragments to calls: right at every border."""

from __future__ import annotations

import json

import pytest

from kinet.core.errors import ProtocolError
from kinet.providers.protocols.reply import whole_object
from kinet.providers.protocols.think_tags import ThinkTagSplitter
from kinet.providers.protocols.tool_call_pieces import CallAssembler
from kinet.providers.transport.sse import EventSplitter
from kinet.providers.transport.surrogates import TextJoiner

BODIES = {
    b"data: one\n\ndata: two\n\n": ["one", "two"],
    b"data: one\r\n\r\ndata: two\r\n\r\n": ["one", "two"],
    b"data: one\r\rdata: two\r\r": ["one", "two"],
    b"\xef\xbb\xbfdata:one\n\n: note\n\ndata: two": ["one", "two"],
    b"event: x\nid: 1\nretry: 5\ndata: a\ndata: b\n\n": ["a\nb"],
    "data: é\u2028\u0085\x0b中\n\n".encode(): ["é\u2028\u0085\x0b中"],
    b"data\ndata: x\n\nnonsense\n\n": ["\nx"],
    b'data: {"a":1}\n\n{"error":"bare"}\n\n': ['{"a":1}', '{"error":"bare"}'],
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_events_are_right_wherever_the_network_cuts(body, size):
    splitter = EventSplitter()
    events = []
    for start in range(0, len(body), size):
        events += splitter.feed(body[start : start + size])
    events += splitter.finish()
    assert [event.data.decode() for event in events] == BODIES[body]


def test_a_line_without_end_is_refused_before_it_fills_the_memory():
    splitter = EventSplitter()
    for _ in range(20):
        splitter.feed(b"x" * 50_000)
    with pytest.raises(ProtocolError):
        splitter.feed(b"x" * 50_000)


@pytest.mark.parametrize(
    ("text", "thinking", "said"),
    [
        ("<think>why</think>so", "why", "so"),
        ("\n<think>\nwhy</think>\n\nso", "why", "so"),
        ("<THINKING>a < b</THINKING>so", "a < b", "so"),
        ("<think></think>so", "", "so"),
        ("<think>no end", "no end", ""),
        ("so <think>quoted</think>", "", "so <think>quoted</think>"),
        ("<thin air", "", "<thin air"),
        ("<", "", "<"),
        ("  so", "", "  so"),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_thinking_is_told_from_the_answer_at_any_border(text, thinking, said, size):
    splitter = ThinkTagSplitter()
    pieces = []
    for start in range(0, len(text), size):
        pieces += splitter.feed(text[start : start + size])
    pieces += splitter.finish()
    assert "".join(piece.text for piece in pieces if piece.kind == "thinking") == thinking
    assert "".join(piece.text for piece in pieces if piece.kind == "text") == said


def test_two_halves_of_a_character_find_each_other():
    joiner = TextJoiner()
    assert joiner.feed("a\ud83d") == "a"
    assert joiner.feed("\ude80b") == "\U0001f680b"
    assert joiner.feed("\ud83d") == ""
    assert joiner.feed("c") == "\ufffdc"
    assert joiner.feed("\ud83d") + joiner.finish() == "\ufffd"


@pytest.mark.parametrize(
    ("raw", "whole"),
    [
        ("", "{}"),
        ("  ", "{}"),
        ("null", "{}"),
        ('{"a": 1}', '{"a": 1}'),
        ('{}{"a": 1}', '{"a": 1}'),
        ('{"a": 1}{"a": 1}', '{"a": 1}'),
        ('"{\\"a\\": 1}"', '{"a": 1}'),
        ('{"a": 1', None),
        ('{"a": 1}}', None),
        ('{"a": 1}{"b": 2}', None),
        ('{"a": NaN}', None),
        ("[1]", None),
        ("5", None),
        ("true", None),
        ("[" * 100_000, None),
    ],
)
def test_only_one_whole_object_is_an_argument(raw, whole):
    assert whole_object(raw) == whole


def test_half_a_character_in_arguments_is_replaced():
    found = whole_object('{"a": "\\ud83d"}')
    assert found is not None
    assert json.loads(found) == {"a": "\ufffd"}


def calls_of(*fragments: dict) -> list[tuple[str, str]]:
    """Names and arguments of the calls that fragments make, each in a delta of its own."""
    assembler = CallAssembler()
    for fragment in fragments:
        assembler.feed([fragment])
    return [(call.name, call.text()) for call in assembler.ordered()]


def part(name: str | None = None, arguments: str | None = None, **more: object) -> dict:
    """One fragment."""
    return {"function": {"name": name, "arguments": arguments}, **more}


@pytest.mark.parametrize(
    ("fragments", "expected"),
    [
        # A new random id in each fragment does not tear a call apart.
        (
            [
                part("f", '{"a"', index=0, id="x1"),
                part(None, ":1", index=0, id="x2"),
                part(None, "}", index=0, id="x3"),
            ],
            [("f", '{"a":1}')],
        ),
        # Whole calls without id and index, one after the other.
        ([part("f", '{"a":1}'), part("f", '{"a":2}')], [("f", '{"a":1}'), ("f", '{"a":2}')]),
        # The whole call sent again at the end adds nothing.
        (
            [part("f", '{"a":1}', index=0, id="x"), part("f", '{"a":1}', index=0, id="x")],
            [("f", '{"a":1}')],
        ),
        # The name as it grows, not in parts.
        ([part("get", "", index=0, id="x"), part("get_it", "{}", index=0)], [("get_it", "{}")]),
        # Order by index, whoever came first.
        (
            [part("b", "{}", index=1, id="y"), part("a", "{}", index=0, id="x")],
            [("a", "{}"), ("b", "{}")],
        ),
        # An empty entry is no call.
        ([{"index": 0}, part("f", "{}", index=1, id="x")], [("f", "{}")]),
    ],
)
def test_fragments_find_their_call(fragments, expected):
    assert calls_of(*fragments) == expected


def test_two_entries_of_one_list_are_two_calls():
    assembler = CallAssembler()
    assembler.feed([part("f", ""), part("g", "")])
    assert [call.name for call in assembler.ordered()] == ["f", "g"]
