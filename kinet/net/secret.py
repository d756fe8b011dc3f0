"""A key that cannot be printed by accident."""

from __future__ import annotations

import hmac
import unicodedata
from typing import Any, NoReturn


class Secret:
    """Holds a key. Text forms show a mask, pickling is refused; `reveal` gives the value.

    Blanks, line ends and invisible characters that came along with a paste are taken out: no key
    has them, and a header with a line end cannot be sent.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = "".join(char for char in value if not _is_blank(char))

    def reveal(self) -> str:
        """The key itself; for the request's header alone."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret(***)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._value.encode("utf-8"), other._value.encode("utf-8"))

    def __hash__(self) -> int:
        return hash(self._value)

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Secret:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a Secret is never written anywhere")


def _is_blank(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) in ("Cc", "Cf", "Cs")
