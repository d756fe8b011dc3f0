"""Takes secrets out of text before it reaches a log, an export or an error message."""

from __future__ import annotations

import base64
import json
import logging
import re
from urllib.parse import quote

from kinet.net.secret import Secret

MASK = "[secret]"

# What local servers are given where they want a key at all; masking these would hide common words.
_PLACEHOLDERS = frozenset({"lm-studio", "llama.cpp", "llamacpp", "not-needed", "no-key-required"})
_SHORTEST = 8

_live: dict[str, None] = {}

# The usual shapes of keys, for those that were never registered.
_SHAPES = re.compile(
    r"""
      (?P<lead>\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}
    | (?P<header>["']?\b(?:x-api-key|api-key|x-goog-api-key|authorization|proxy-authorization)
        ["']?\s*[:=]\s*["']?)(?!(?:bearer|basic)\b)[^\s"',;&]{6,}
    | (?P<query>[?&](?:key|api[_-]?key|access_token|token|client_secret|password)=)[^&\s"'<>]+
    | (?P<address>\b[a-z][a-z0-9+.-]{1,15}://)[^\s/@:]*:[^\s/@]+(?=@)
    | \bsk-[A-Za-z0-9_-]{12,}
    | \b(?:gsk|xai|pplx|hf|r8|nvapi|tvly|fw|glpat|npm|pypi)[_-][A-Za-z0-9_-]{16,}
    | \bAIza[A-Za-z0-9_-]{30,}
    | \b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}
    | \bgithub_pat_[A-Za-z0-9_]{20,}
    | \bxox[abeoprs]-[A-Za-z0-9-]{10,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b
    | \beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?
    | \b[0-9a-f]{32}\.[A-Za-z0-9]{16}\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def register(secret: Secret) -> None:
    """Makes every later `redact` hide this key, its base64 form and its form in addresses.

    Keys under 8 characters are left alone: hiding them would tear ordinary words.
    """
    value = secret.reveal()
    if len(value) < _SHORTEST or value.lower() in _PLACEHOLDERS:
        return
    raw = value.encode("utf-8")
    forms = {
        value,
        quote(value, safe=""),
        json.dumps(value)[1:-1],
        base64.b64encode(raw).decode("ascii").rstrip("="),
        base64.urlsafe_b64encode(raw).decode("ascii").rstrip("="),
        *_inside_base64(raw),
    }
    for form in forms:
        _live[form] = None


def redact(text: str) -> str:
    """The text with live keys and all that looks like a key replaced by a mask."""
    return _SHAPES.sub(_masked, hide_live_keys(text))


def hide_live_keys(text: str) -> str:
    """The text with live keys replaced by a mask, and nothing else changed."""
    # Longest first: a key may contain another one.
    for form in sorted(_live, key=len, reverse=True):
        text = text.replace(form, MASK)
    return text


def _inside_base64(raw: bytes) -> set[str]:
    """How the key looks inside the base64 of a longer text, as of "user:key" in a header.

    There it begins at any of three places of a group; what neighbours share a letter with is left.
    """
    forms: set[str] = set()
    for before in range(3):
        cut = raw[: len(raw) - (before + len(raw)) % 3]
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            text = encode(b"\0" * before + cut).decode("ascii")
            # Of a key of eight letters and more at least eight are left.
            forms.add(text[4 if before else 0 :])
    return forms


class RedactingFilter(logging.Filter):
    """For the root handlers: no record passes with a key in its text, traceback or stack."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Always True; the record's texts are replaced by redacted ones."""
        record.msg = redact(record.getMessage())
        record.args = ()
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = redact(record.exc_text)
        if record.stack_info:
            record.stack_info = redact(record.stack_info)
        return True


def _masked(found: re.Match[str]) -> str:
    kept = next((part for part in found.groups() if part), "")
    return kept + MASK
