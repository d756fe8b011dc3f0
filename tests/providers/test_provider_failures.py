"""What servers say about failures becomes the right kind of error, with their own words."""

from __future__ import annotations

import json

import pytest

from kinet.providers.transport.complaints import Complaint, complaint_of
from kinet.providers.transport.failures import failure_in_stream, failure_of_response
from kinet.providers.transport.retry_after import delay_from_text, retry_after


def kind_of(status: int, words: str, **more: str) -> str:
    """The kind of error for a failed request with this message."""
    body = json.dumps({"error": {"message": words, **more}})
    return failure_of_response(status, {}, body).error.kind


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 8192 tokens, however you requested 9000 tokens",
        "Input length 300000 exceeds maximum allowed input tokens of 262144",
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
        "Range of input length should be [1, 98304]",
        "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3900 and 512",
        "the request exceeds the available context size (8192 tokens)",
        "Your input exceeds the context window of this model.",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "Prompt exceeds max length",
        "The input token count (1100001) exceeds the maximum number of tokens allowed (1048576).",
        "输入内容过长，请缩短后重试",
        "Please reduce the length of the messages or completion.",
    ],
)
def test_every_way_to_say_that_the_window_is_full(words):
    assert kind_of(400, words) == "context_too_long"
    error = failure_in_stream(Complaint(words)).error
    assert (error.kind, error.retryable) == ("context_too_long", False)


@pytest.mark.parametrize(
    "words",
    [
        "max_tokens is too large: 99000. This model supports at most 16384 completion tokens",
        "`max_tokens` must be less than or equal to 8192, which is less than the context_window",
        "max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens",
        "'max_completion_tokens' is too large: 9. This model's maximum context length is 8 tokens",
        "messages: at least one message is required",
        "Invalid schema for function 'x'",
    ],
)
def test_a_wrong_parameter_is_not_a_full_window(words):
    assert kind_of(400, words) == "bad_request"


@pytest.mark.parametrize(
    ("status", "words", "more", "kind", "retryable"),
    [
        (429, "Rate limit reached for requests", {}, "rate_limit", True),
        (429, "You exceeded your current quota", {"code": "insufficient_quota"}, "auth", False),
        (429, "You exceeded your current quota. Please retry in 31.5s", {}, "rate_limit", True),
        (429, "Too many tokens, please wait before trying again", {}, "rate_limit", True),
        (400, "Your credit balance is too low", {}, "auth", False),
        (402, "whatever", {}, "auth", False),
        (403, "not allowed", {}, "auth", False),
        (404, "The model `x` does not exist", {}, "bad_request", False),
        (409, "conflict", {}, "bad_request", False),
        (500, "boom", {}, "overloaded", True),
        (501, "not implemented", {}, "overloaded", False),
        (529, "Overloaded", {"type": "overloaded_error"}, "overloaded", True),
        (400, "余额不足或无可用资源包", {"code": "1113"}, "auth", False),
        (400, "并发数过高", {"code": "1302"}, "rate_limit", True),
    ],
)
def test_status_code_and_words_together_decide(status, words, more, kind, retryable):
    body = json.dumps({"error": {"message": words, **more}})
    error = failure_of_response(status, {}, body).error
    assert (error.kind, error.retryable) == (kind, retryable)
    assert words[:20] in error.message
    assert error.hint
    assert error.status == status


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        ({"error": {"message": "x", "type": "overloaded_error"}}, "overloaded"),
        ({"error": {"message": "x", "type": "rate_limit_error"}}, "rate_limit"),
        ({"error": {"message": "x", "type": "authentication_error"}}, "auth"),
        ({"error": {"message": "x", "type": "permission_error"}}, "auth"),
        ({"error": {"message": "x", "type": "invalid_request_error"}}, "bad_request"),
        ({"error": {"message": "x", "type": "not_found_error"}}, "bad_request"),
        ({"error": {"message": "x", "type": "api_error"}}, "overloaded"),
        ({"error": {"message": "x", "type": "insufficient_quota"}}, "auth"),
        ({"error": {"message": "x", "code": 502}}, "overloaded"),
        ({"error": {"message": "x", "code": "429"}}, "rate_limit"),
        ({"error": "something broke"}, "overloaded"),
        ({"error": True, "message": "HTTP 401 no"}, "auth"),
        ({"code": 401, "msg": "token expired", "success": False}, "auth"),
        ({"object": "error", "message": "x", "code": 400}, "bad_request"),
        ([{"error": {"code": 503, "status": "UNAVAILABLE", "message": "x"}}], "overloaded"),
    ],
)
def test_an_error_inside_a_good_status_is_told_by_what_it_holds(document, kind):
    complaint = complaint_of(document)
    assert complaint is not None
    assert failure_in_stream(complaint).error.kind == kind


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        None,
        "text",
        {"error": None, "choices": []},
        {"error": {}, "choices": []},
        {"error": "", "choices": []},
        {"choices": [], "message": "hi", "code": 0},
    ],
)
def test_what_is_no_error_is_none(document):
    assert complaint_of(document) is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"detail": "Not here"}', "Not here"),
        (
            '{"detail": [{"loc": ["body", "x"], "msg": "missing"}]}',
            "missing (body.x)",
        ),
        ('{"message": "plain"}', "plain"),
        ('{"errors": [{"message": "one"}, {"message": "two"}]}', "one; two"),
        ("just words", "just words"),
        ('event: error\ndata: {"error": {"message": "in an event"}}\n\n', "said: in an event."),
        ('"a string"', "a string"),
        (
            '{"error": {"message": "x", "metadata": {"raw": "{\\"error\\": \\"why\\"}"}}}',
            "why",
        ),
    ],
)
def test_the_servers_words_are_found_in_any_envelope(body, words):
    assert words in failure_of_response(400, {}, body).error.message


@pytest.mark.parametrize("words", ["invalid x-api-key", "Wrong key.", "密钥无效。"])
def test_the_servers_words_do_not_run_into_the_hint(words):
    error = failure_of_response(401, {}, json.dumps({"error": {"message": words}})).error
    assert words in error.message
    assert error.message.endswith((".", "。"))
    assert not error.message.endswith("..")


@pytest.mark.parametrize("body", ["<html><h1>Bad</h1></html>", "<!DOCTYPE html>", "", "{}", "[]"])
def test_no_page_source_reaches_a_person(body):
    message = failure_of_response(502, {}, body).error.message
    assert "<" not in message
    assert "502" in message


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "1"}, 1),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, 0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers, seconds):
    assert retry_after(headers, now=60.0) == seconds


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Please try again in 1.5s.", 1.5),
        ("try again in 320ms", 0.32),
        ("Please retry in 2m", 120),
        ('{"retryDelay": "31s"}', 31),
        ("try again later", None),
    ],
)
def test_a_wait_in_words_is_read_too(words, seconds):
    found = delay_from_text(words)
    assert found == (None if seconds is None else pytest.approx(seconds))


def test_a_refusal_without_a_key_says_that_none_was_sent():
    """Nothing is wrong with a key that is not there; a proxy's own sign-in is another matter."""
    body = '{"error": {"message": "Missing bearer."}}'
    error = failure_of_response(401, {}, body, keyless=True).error
    assert error.kind == "auth"
    assert error.message.startswith("The server wants a key, and none is kept for this profile")
    assert "under Models" in error.hint
    assert "refused the key" in failure_of_response(407, {}, body, keyless=True).error.message
    assert "no credit left" in failure_of_response(402, {}, "", keyless=True).error.message
