"""Halves of characters: joined where both came, replaced where one is missing."""

from __future__ import annotations

import re
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def cleaned(text: str) -> str:
    """Valid Unicode: pairs become one character, lone halves the replacement character."""
    if not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def cleaned_values(value: Any) -> Any:
    """The same JSON value with all its strings, keys too, cleaned."""
    if isinstance(value, str):
        return cleaned(value)
    if isinstance(value, dict):
        return {cleaned_values(key): cleaned_values(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [cleaned_values(item) for item in value]
    return value


class TextJoiner:
    """Cleans text that comes in pieces; a first half at an end waits for its second half."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """What can be shown now."""
        if self._held:
            text = self._held + text
            self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._held = text[-1]
            text = text[:-1]
        return cleaned(text)

    def finish(self) -> str:
        """What was held back to the end."""
        held, self._held = self._held, ""
        return cleaned(held)
