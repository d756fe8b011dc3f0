"""Lines of a server's output: messages or nothing, whatever the bytes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinet.mcp.sdk import import_sdk

NOTE = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=40) | st.text('[]{}":,1e-tru\\u0', max_size=30).map(str.encode))
def test_no_line_makes_the_reader_fail(line: bytes) -> None:
    assert isinstance(import_sdk().read_messages(line.strip()), list)


@pytest.mark.parametrize(
    "line",
    [b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe", b"null", b"[]", b"[1, 2]", b"{}", b"1e999"],
)
def test_what_is_no_message_is_none(line: bytes) -> None:
    assert import_sdk().read_messages(line) == []


def test_one_and_several_messages_are_read() -> None:
    one = json.dumps(NOTE).encode()
    assert len(import_sdk().read_messages(one)) == 1
    assert len(import_sdk().read_messages(b"[" + one + b"," + one + b"]")) == 2
