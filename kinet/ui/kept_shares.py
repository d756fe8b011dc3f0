"""What the window needs of this computer: room for kept things, search keys, the sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

# Where a key is kept. "none": there is none (a server on this computer needs none).
KeyPlace = Literal["keychain", "environment", "session", "none"]


class KeptShare(Protocol):
    """One kind of kept things."""

    @property
    def name(self) -> str:
        """Tells it from the others."""
        ...

    @property
    def title(self) -> str:
        """A word or two."""
        ...

    @property
    def help(self) -> str:
        """What it is, and what freeing it costs."""
        ...

    @property
    def size(self) -> int:
        """Bytes."""
        ...

    @property
    def can_free(self) -> bool:
        """False for what goes another way."""
        ...

    @property
    def counted(self) -> bool:
        """True if it is under the limit."""
        ...


class KeptThings(Protocol):
    """Measures and frees them. Methods block: call them in a thread."""

    @property
    def limit(self) -> int:
        """Bytes that all counted shares may take together."""
        ...

    def shares(self) -> Sequence[KeptShare]:
        """What there is now."""
        ...

    def free(self, name: str) -> None:
        """Frees a share as far as it can be."""
        ...

    def make_room(self) -> None:
        """Keeps the limit: the oldest go first."""
        ...


class CommandServices(Protocol):
    """What commands and searches want of this computer. Methods block: call them in a thread."""

    def sandbox(self) -> tuple[bool, str]:
        """(whether one works, a sentence that says so or why not)."""
        ...

    def search_key_place(self, service: str) -> KeyPlace:
        """Where the key of a search service is."""
        ...

    def save_search_key(self, service: str, key: str) -> str:
        """Keeps a key where keys are kept. SettingsError for one that cannot be one."""
        ...

    def forget_search_key(self, service: str) -> None:
        """Removes the kept key. SettingsError if it stays."""
        ...
