"""Keys stay out of text, files and logs."""

from __future__ import annotations

import base64
import copy
import io
import json
import logging
import pickle

import pytest

from kinet.net.redact import RedactingFilter, redact, register
from kinet.net.secret import Secret

CANARY = "canary-7f3a9c2e51d84b06"


def test_a_secret_shows_itself_only_when_asked():
    secret = Secret(CANARY)
    assert CANARY not in f"{secret} {secret!r} {secret!s} {[secret]}"
    assert secret.reveal() == CANARY
    assert secret == Secret(CANARY)
    assert secret != Secret("other")
    assert not Secret(" \n")


def test_a_secret_cannot_be_written():
    secret = Secret(CANARY)
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        json.dumps({"key": secret})
    assert copy.deepcopy(secret) is secret


@pytest.mark.parametrize("pasted", [f" {CANARY}\n", f"{CANARY}\r\n", f"\ufeff{CANARY}\u200b"])
def test_what_came_along_with_a_paste_is_taken_out(pasted):
    assert Secret(pasted).reveal() == CANARY


def test_a_live_key_is_hidden_in_every_form():
    register(Secret(CANARY + "/+="))
    value = CANARY + "/+="
    encoded = base64.b64encode(value.encode()).decode()
    text = redact(f"a {value} b {encoded} c {json.dumps(value)} d https://x/?k={value}")
    assert CANARY not in text
    assert encoded.rstrip("=") not in text
    assert text.startswith("a [secret] b")


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Incorrect API key provided: sk-abcdefgh12345678", "abcdefgh12345678"),
        ("authorization: Bearer abc.def-123456", "abc.def-123456"),
        ('{"x-api-key": "0123456789abc"}', "0123456789abc"),
        ("GET https://h/v1?key=AIzaSyA123&alt=sse", "AIzaSyA123"),
        ("http://tom:pass123@proxy:80", "pass123"),
        ("gsk_0123456789abcdefABCDEF", "0123456789abcdef"),
        ("token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "eyJzdWIiOiIxIn0"),
    ],
)
def test_usual_shapes_are_hidden_though_never_seen(text, hidden):
    assert hidden not in redact(text)


@pytest.mark.parametrize(
    "text",
    ["max_tokens must be below 4096", "model skipper-12 not found", "the basic idea works", ""],
)
def test_ordinary_words_stay(text):
    assert redact(text) == text


def test_no_log_record_passes_with_a_key():
    register(Secret(CANARY))
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RedactingFilter())
    logger = logging.Logger("test")
    logger.addHandler(handler)
    try:
        raise ValueError(f"no {CANARY}")
    except ValueError:
        logger.exception("asked %s", f"https://x/?key={CANARY}", stack_info=True)
    assert CANARY not in stream.getvalue()
    assert "ValueError" in stream.getvalue()


def test_keys_of_eight_letters_are_hidden_and_shorter_or_usual_words_are_not():
    register(Secret("kq7zw2xv"))
    register(Secret("kq7zw2x"))
    register(Secret("llama.cpp"))
    assert redact("a kq7zw2xv b") == "a [secret] b"
    assert redact("a kq7zw2x b") == "a kq7zw2x b"
    assert redact("served by llama.cpp") == "served by llama.cpp"


def test_an_ordinary_record_of_the_log_stays_as_it_is():
    record = logging.LogRecord("kinet", logging.INFO, "x", 1, "read %d files", (3,), None)
    assert RedactingFilter().filter(record)
    assert record.getMessage() == "read 3 files"
    assert record.exc_text is None


def test_a_traceback_formatted_by_another_handler_is_redacted_too():
    record = logging.LogRecord("kinet", logging.ERROR, "x", 1, "failed", (), None)
    record.exc_text = f"ValueError: {CANARY}"
    register(Secret(CANARY))
    RedactingFilter().filter(record)
    assert CANARY not in record.exc_text


def test_a_key_that_holds_another_one_is_hidden_whole():
    register(Secret("shortkey99"))
    register(Secret("shortkey99-and-its-longer-tail"))
    assert redact("x shortkey99-and-its-longer-tail y") == "x [secret] y"


def test_a_key_that_json_writes_otherwise_is_hidden_there_too():
    register(Secret('quo"te\\back-7f3a'))
    text = redact(json.dumps({"key": 'quo"te\\back-7f3a', "other": 1}))
    assert text == '{"key": "[secret]", "other": 1}'


def test_the_stack_of_a_record_is_redacted_and_a_record_without_one_has_none():
    register(Secret(CANARY))
    record = logging.LogRecord("kinet", logging.INFO, "x", 1, "plain", (), None)
    assert RedactingFilter().filter(record)
    assert record.stack_info is None
    record.stack_info = f"in f({CANARY})"
    RedactingFilter().filter(record)
    assert record.stack_info == "in f([secret])"


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("length", [8, 9, 10, 11, 24])
def test_a_key_inside_an_encoded_text_is_hidden_wherever_it_begins(length, encode):
    key = ("q~?>Z~?>_7~?>" * 2)[:length]
    register(Secret(key))
    for before in range(7):
        for behind in range(4):
            text = encode(b"u" * before + key.encode() + b"v" * behind).decode()
            # Whole groups of three bytes are the key's alone; those at its ends are shared.
            first, last = -(-before // 3) * 4, (before + length) // 3 * 4
            hidden = redact(f"sent {text}!")
            assert hidden.startswith(f"sent {text[:first]}[secret]"), (before, behind)
            if behind:
                assert hidden == f"sent {text[:first]}[secret]{text[last:]}!", (before, behind)
