"""Which links may be opened, and what host a person is told before they do."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_SCHEME = re.compile(r"^(https?://|mailto:)[^\s]", re.IGNORECASE)
# Bare addresses in running text; what ends a sentence is no part of them.
ADDRESS = re.compile(r"https?://[^\s<>\"'`\u200b]{1,2000}", re.IGNORECASE)
_ENDING = ".,;:!?*_~)]}'\""


def openable(url: str) -> bool:
    """True for http, https and mailto; everything else is never a link."""
    return _SCHEME.match(url) is not None and bool(target(url))


def target(url: str) -> str:
    """The host (in punycode where it is not plain) or mail address behind a link; "" if none."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    if parts.scheme.lower() == "mailto":
        return parts.path
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return "".join(c if c.isascii() else f"\\u{ord(c):04x}" for c in host)


def names_target(text: str, url: str) -> bool:
    """True if the link's text already tells the host it leads to."""
    goal = target(url).removeprefix("www.").lower()
    said = text.strip().lower()
    if said.startswith(("http://", "https://")):
        return target(said).removeprefix("www.") == goal
    return said.removeprefix("www.") == goal


def bare_links(text: str) -> list[tuple[int, str]]:
    """(place, address) of each bare address in running text that may be opened."""
    if "://" not in text:
        return []
    found = []
    for match in ADDRESS.finditer(text):
        url = trimmed(match.group())
        if openable(url) and target(url).isascii() and target(url) in url.lower():
            found.append((match.start(), url))
    return found


def trimmed(address: str) -> str:
    """A bare address without the punctuation that ends its sentence."""
    while address and address[-1] in _ENDING:
        if address[-1] == ")" and address.count("(") >= address.count(")"):
            break
        address = address[:-1]
    return address
