"""A keychain for child processes of tests: keeps its items where a variable says.

Chosen by PYTHON_KEYRING_BACKEND=tests.support.file_keyring.Keyring.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend

PLACE = "KINET_TEST_KEYCHAIN"


class Keyring(KeyringBackend):
    """Behaves like the keychain of a system that never asks."""

    priority = 1  # type: ignore[assignment]

    def get_password(self, service: str, username: str) -> str | None:
        return _items().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        _keep({**_items(), f"{service}/{username}": password})

    def delete_password(self, service: str, username: str) -> None:
        _keep({name: key for name, key in _items().items() if name != f"{service}/{username}"})


def _items() -> dict[str, str]:
    place = Path(os.environ[PLACE])
    return json.loads(place.read_text("utf-8")) if place.exists() else {}


def _keep(items: dict[str, str]) -> None:
    Path(os.environ[PLACE]).write_text(json.dumps(items), "utf-8")
