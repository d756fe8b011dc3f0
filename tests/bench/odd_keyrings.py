"""Keychains that hang or stay locked, for `bench_bad_starts`."""

from __future__ import annotations

import time

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked


class Hanging(KeyringBackend):
    """Answers after a minute."""

    priority = 1  # type: ignore[assignment]

    def get_password(self, service: str, username: str) -> str | None:
        time.sleep(60)
        return None

    def set_password(self, service: str, username: str, password: str) -> None:
        time.sleep(60)

    def delete_password(self, service: str, username: str) -> None:
        time.sleep(60)


class Locked(KeyringBackend):
    """Refuses until somebody unlocks it; nobody does."""

    priority = 1  # type: ignore[assignment]

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("locked")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked("locked")

    def delete_password(self, service: str, username: str) -> None:
        raise KeyringLocked("locked")
