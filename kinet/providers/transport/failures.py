"""Makes one error of our tree from what a server said, with a status or in mid-stream."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal

from kinet.core.errors import (
    AuthenticationError,
    BadRequestError,
    ContextTooLongError,
    OverloadedError,
    ProtocolError,
    ProviderError,
    RateLimitedError,
)
from kinet.net.redact import redact
from kinet.providers.transport.complaints import (
    Complaint,
    complaint_of_body,
    document_of,
    is_page,
    short,
)
from kinet.providers.transport.retry_after import delay_from_text, retry_after
from kinet.providers.transport.surrogates import cleaned

Cause = Literal[
    "key",
    "no key",
    "credit",
    "rate",
    "context",
    "model",
    "address",
    "filter",
    "request",
    "server",
    "page",
]

_CONTEXT_CODES = frozenset(
    {
        "context_length_exceeded",
        "exceed_context_size_error",
        "model_context_window_exceeded",
        "context_window_exceeded",
        "model_max_prompt_tokens_exceeded",
        "max_prompt_tokens_exceeded",
        "1261",
    }
)
_CONTEXT = re.compile(
    r"""
      context[ _-](?:length|window|size|limit)
    | maximum\ (?:prompt|input|context|sequence)\ (?:length|size|tokens)
    | (?:prompt|input|conversation|messages?)\ (?:is|are|was)\ too\ (?:long|large)
    | (?:prompt|input|request)\ (?:is\ )?too\ (?:long|large)
    | (?:prompt|input)\ (?:length\ (?:of\ )?(?:[\d,]+\ )?)?exceeds?
    | exceed(?:s|ed)?\ (?:the\ )?model(?:'s)?\ token\ limit
    | input\ length\ and\ .{0,3}max_tokens.{0,3}\ exceed
    | (?:input|prompt)\ tokens?\ (?:count\ )?.{0,24}exceeds?
    | token\ count\ .{0,24}exceeds?
    | exceeds?\ (?:the\ )?(?:max(?:imum)?|model)(?:'s)?\ (?:allowed\ )?(?:\w+\ )?
        (?:input|prompt|context|number\ of\ (?:input\ )?tokens)
    | exceeds?\ the\ (?:available\ )?(?:context|token\ limit)
    | too\ many\ (?:input\ |prompt\ )?tokens
    | too\ large\ for\ model
    | reduce\ the\ length
    | range\ of\ input\ length
    | `?inputs`?\ tokens\ \+\ `?max_new_tokens
    | tokens\ in\ request\ more\ than\ max
    | (?:longer|larger|greater)\ than\ the\ (?:model's\ )?(?:maximum\ )?(?:context|n_ctx)
    | (?:上下文|输入|提示词|文本).{0,12}(?:过长|超长|超出|超过)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# The window is named, but a parameter is what is wrong: a shorter history would not help.
_OUTPUT_LIMIT = re.compile(
    r"max_\w*tokens['\"`]*(?:\s+or\s+['\"`]*max_\w*tokens['\"`]*)?\s*"
    r"(?:(?:must|should|cannot|can't|may)\b|is\s+too\s+(?:large|high|big)|:\s*\d+\s*[>(]|value)"
    r"|(?:maximum|max)\s+(?:allowed\s+)?(?:number\s+of\s+)?(?:output|completion)\s+tokens",
    re.IGNORECASE,
)
# Prompt and answer together are too long: a shorter history does help.
_BOTH = re.compile(r"inputs?`?\s+(?:tokens|length)\s+(?:\+|and)", re.IGNORECASE)
_CREDIT = re.compile(
    r"insufficient[ _](?:quota|balance|credits?|funds)|credit balance|exceeded your current quota"
    r"|out of credits?|not enough (?:credits?|balance)|payment required"
    r"|billing[ _](?:hard[ _]limit|error|not[ _]active)"
    r"|more credits|account .{0,30}(?:arrears|overdue)|exceeded_current_quota|余额不足|欠费",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content[ _]?(?:filter|policy|management)|responsibleai|moderation|safety"
    r"|inappropriate content|unsafe or sensitive|data_inspection_failed|敏感",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"authenticat|unauthorized|permission|forbidden|invalid[ _](?:api[ _]?key|token)|api key"
    r"|access[ _]denied",
    re.IGNORECASE,
)
# A bad key that comes as a bad request; other requests name keys too.
_BAD_KEY = re.compile(
    r"(?:api|access)[ _-]?key (?:is )?(?:not valid|invalid|expired|not found|missing)"
    r"|api_key_invalid|(?:invalid|incorrect|missing) api[ _-]?key",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"rate[ _-]?limit|too[ _]many[ _]requests|throttl|resource_exhausted|requests? per minute"
    r"|requests? per day|concurrency",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"invalid[ _]?(?:request|argument|param)|bad[ _]?request|not[ _]found|unprocessable|validation"
    r"|unsupported",
    re.IGNORECASE,
)
_SERVER_WORDS = re.compile(
    r"overload|server[ _]error|internal|unavailable|timed? ?out|timeout", re.IGNORECASE
)
_TOLD_STATUS = re.compile(
    r"\b(?:error code|status(?: code)?|http)\W{0,3}([45]\d\d)\b", re.IGNORECASE
)
_ENDINGS = tuple(".!?…。！？")
_MODEL = re.compile(r"\bmodel\b|\bdeployment\b|模型", re.IGNORECASE)
_VENDOR_CODES: Mapping[str, Cause] = {
    "1113": "credit",
    "1301": "filter",
    "1302": "rate",
    "1303": "rate",
    "1305": "rate",
    "1211": "model",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """A complaint that was understood: the error to raise and what is behind it."""

    error: ProviderError
    cause: Cause
    complaint: Complaint


def failure_of_response(
    status: int,
    headers: Mapping[str, str],
    body: str,
    *,
    model: str = "",
    now: float | None = None,
    keyless: bool = False,
) -> Failure:
    """The failure that an answer with a status of 300 or more means; `keyless`: none was sent."""
    complaint = complaint_of_body(document_of(body))
    page = complaint is None and is_page(body)
    if complaint is None:
        complaint = Complaint("" if page else short(body))
    wait = retry_after(headers, now=now)
    if wait is None:
        wait = delay_from_text(body)
    cause = _cause(status, complaint, wait)
    if keyless and cause == "key" and status != 407:
        cause = "no key"
    return _failure(cause, complaint, model=model, wait=wait, told=status, page=page)


def failure_in_stream(complaint: Complaint, *, model: str = "") -> Failure:
    """The failure that an error inside a good status means: its own code and type decide."""
    status = _status_inside(complaint)
    # Only a number that the server itself gave is shown.
    told = status if complaint.code == str(status) else 0
    wait = delay_from_text(complaint.words)
    cause = _cause(status, complaint, wait)
    return _failure(cause, complaint, model=model, wait=wait, told=told)


def page_instead_of_answer() -> ProtocolError:
    """For a web page where an answer was expected."""
    return ProtocolError(
        "The address answered with a web page instead of a model's answer.",
        hint="Check the address in the profile, and whether this network asks for a sign-in.",
        retryable=False,
    )


def words_instead_of_answer(words: str) -> ProtocolError:
    """For plain words where an answer was expected."""
    return ProtocolError(
        f"The address answered with something that is no model's answer: {short(redact(words))}",
        hint="Check the address and the protocol in the profile.",
        retryable=False,
    )


def _failure(
    cause: Cause,
    complaint: Complaint,
    *,
    model: str,
    wait: float | None,
    told: int,
    page: bool = False,
) -> Failure:
    words = short(redact(cleaned(complaint.words)))
    if page or not words:
        said = "It gave a web page, no reason." if page else "It gave no reason."
    else:
        # The hint follows: the server's words must not run into it.
        said = f"It said: {words}{'' if words.endswith(_ENDINGS) else '.'}"
    text = f"{_opening(cause, told, model)} {said}"
    error = _error(cause, told, text, wait)
    return Failure(error, cause, complaint)


def _cause(status: int, complaint: Complaint, wait: float | None) -> Cause:
    text = complaint.everything()
    if status in (0, 400, 403, 429) and complaint.code in _VENDOR_CODES:
        return _VENDOR_CODES[complaint.code]
    if status == 402 or (
        _CREDIT.search(text) and status < 500 and not (status == 429 and wait is not None)
    ):
        return "credit"
    if status in (401, 403, 407) or (status in (0, 400) and _BAD_KEY.search(text)):
        return "key"
    if status == 429:
        return "rate"
    if status == 413 or _is_context(complaint, text):
        return "context"
    if status == 404 and _MODEL.search(text):
        return "model"
    if 300 <= status < 400 or status in (404, 405):
        return "address"
    if status in (408, 425) or status >= 500:
        return "server"
    if _FILTER.search(text):
        return "filter"
    return "request"


def _is_context(complaint: Complaint, text: str) -> bool:
    if complaint.code in _CONTEXT_CODES or complaint.type in _CONTEXT_CODES:
        return True
    if _OUTPUT_LIMIT.search(complaint.words) and not _BOTH.search(complaint.words):
        return False
    return bool(_CONTEXT.search(text))


def _status_inside(complaint: Complaint) -> int:
    """The status that an error without one stands for."""
    if re.fullmatch(r"[45]\d\d", complaint.code):
        return int(complaint.code)
    named = f"{complaint.code} {complaint.type}"
    if _CREDIT.search(complaint.everything()):
        return 402
    told = _TOLD_STATUS.search(complaint.words)
    for where in (named, complaint.words):
        if _RATE.search(where):
            return 429
        if _KEY.search(where):
            return 401
        if _SERVER_WORDS.search(where):
            return 529 if "overload" in where.lower() else 500
        if _REQUEST.search(where) or _FILTER.search(where):
            return 400
        if told:
            return int(told[1])
    return 500


def _opening(cause: Cause, status: int, model: str) -> str:
    code = f" ({status})" if status else ""
    name = f" {model}" if model else ""
    match cause:
        case "key":
            return f"The server refused the key or the account{code}."
        case "no key":
            return f"The server wants a key, and none is kept for this profile{code}."
        case "credit":
            return f"The account has no credit left{code}."
        case "rate":
            return f"The server takes no more requests just now{code}."
        case "context":
            return f"The conversation is longer than the model{name} can take{code}."
        case "model":
            return f"The server does not offer the model{name}{code}."
        case "address":
            return f"The address is not that of a model{code}."
        case "filter":
            return f"The server's content filter refused the request{code}."
        case "server" | "page":
            phrase = (
                HTTPStatus(status).phrase if status in set(HTTPStatus) else "a fault of its own"
            )
            return f"The server failed: {phrase}{code}."
        case "request":
            return f"The server refused the request{code}."


_HINTS: Mapping[Cause, str] = {
    "key": "Check the key of this profile, or choose another profile.",
    "no key": "Give the profile its key under Models; one held for a session goes with it.",
    "credit": "Top up the account at the provider, or choose another profile.",
    "rate": "Wait a moment, then send again.",
    "context": "Shorten the conversation with /compact, or choose a model with a larger window.",
    "model": "Choose another model in the profile.",
    "address": "Check the address and the protocol in the profile.",
    "filter": "Say it in other words, or choose another model.",
    "request": "Check the settings of the profile, or choose another model.",
    "server": "Wait a moment, then send again.",
    "page": "Wait a moment, then send again.",
}


def _error(cause: Cause, status: int, text: str, wait: float | None) -> ProviderError:
    known = status or None
    hint = _HINTS[cause]
    match cause:
        case "key" | "no key" | "credit":
            return AuthenticationError(text, hint=hint, status=known, retryable=False)
        case "rate":
            return RateLimitedError(text, hint=hint, status=known, retry_after_s=wait)
        case "context":
            return ContextTooLongError(text, hint=hint, status=known, retryable=False)
        case "server" | "page":
            # A server that does not know the method will not learn it.
            again = status not in (501, 505)
            return OverloadedError(
                text, hint=hint, status=known, retryable=again, retry_after_s=wait
            )
        case _:
            return BadRequestError(text, hint=hint, status=known, retryable=False)
