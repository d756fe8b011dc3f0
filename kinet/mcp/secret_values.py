"""Which values of an entry are secrets, and how no log shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kinet.mcp.definition import KEPT
from kinet.net import redact
from kinet.net.secret import Secret

_SECRET_NAME = re.compile(
    r"(?i)(?:key|token|secret|passw(?:or)?d|passwd|pwd|passphrase|credential|auth|bearer|cookie"
    r"|signature|session|private|dsn)|(?:^|[_-])(?:pat|jwt|pin)(?:$|[_-])"
)
_OPEN_VALUE = re.compile(r"\$\{[^}]*\}")
# Options whose next word is a secret.
_SECRET_OPTION = re.compile(
    r"(?i)--?(?:[\w-]*-)?(?:api-?key|token|secret|password|passwd|access-?key|auth)\Z"
)
_WITH_VALUE = re.compile(
    r"(?i)--?(?:[\w-]*-)?(?:api-?key|token|secret|password|passwd|access-?key)[=:](?P<value>.+)\Z"
)
_SHORTEST = 8


def is_secret(name: str, value: str) -> bool:
    """True if the value of a variable or header looks like a secret by its name or its shape."""
    if value == KEPT or not _left(value):
        return False
    return bool(_SECRET_NAME.search(name)) or _has_shape(value)


def argument_trouble(args: tuple[str, ...]) -> str:
    """Why these arguments may not stand on a command line, "" if they may."""
    for before, text in zip(("", *args), args, strict=False):
        found = _WITH_VALUE.match(text)
        shown = found["value"] if found else text
        named = found is not None or (_SECRET_OPTION.match(before) and not text.startswith("-"))
        if _left(shown) and (_has_shape(text) or (named and len(shown) >= _SHORTEST)):
            return "args hold what looks like a key, and others can read a command line"
    return ""


def url_trouble(url: str) -> str:
    """Why this address may not be kept in a file, "" if it may."""
    return "url holds what looks like a key" if _has_shape(url) else ""


def keep_out_of_logs(pairs: Mapping[str, str]) -> None:
    """Masks, from now on, the values of `pairs` that look like secrets."""
    for name, value in pairs.items():
        if is_secret(name, value):
            hide(value)


def hide(value: str) -> None:
    """Masks each word of a value that is a secret: "Bearer" of a header is none."""
    for word in value.split():
        redact.register(Secret(word))


def _left(value: str) -> str:
    """What stands in the entry itself, without what is filled in later."""
    return re.sub(r"(?i)\A(?:bearer|basic|token)?\s*", "", _OPEN_VALUE.sub("", value).strip())


def _has_shape(text: str) -> bool:
    plain = _OPEN_VALUE.sub("", text)
    # An address with a user's name and password is found too; one filled in later is none.
    return redact.MASK in redact.redact(plain) and redact.MASK not in plain
