"""What commands and searches want of this computer, as a face shows it: sandbox, search keys."""

from __future__ import annotations

import os

from kinet.settings.secrets import Keychain, KeyPlace, search_item
from kinet.settings.store import SettingsStore


class CommandServices:
    """Methods block: call them in a thread."""

    def __init__(self, settings: SettingsStore, keychain: Keychain) -> None:
        self._settings, self._keychain = settings, keychain

    def sandbox(self) -> tuple[bool, str]:
        """(whether one works, a sentence that says so or why not)."""
        from kinet.tools.processes import sandbox

        found = sandbox.state()
        return not found.problem, found.sentence()

    def search_key_place(self, service: str) -> KeyPlace:
        """Where the key of a search service is, in the order in which it is looked for."""
        from kinet.tools.web.search_services import KEY_VARIABLES

        named = str(self._settings.values.network.search_key)
        if named and os.environ.get(named, "").strip():
            return "environment"
        place = self._keychain.kept_place(search_item(service))
        if place == "none" and os.environ.get(KEY_VARIABLES.get(service, ""), "").strip():
            return "environment"
        return place

    def save_search_key(self, service: str, key: str) -> KeyPlace:
        """Keeps a key, in the keychain or where that cannot be for this session. SettingsError for
        one that cannot be a key."""
        return self._keychain.set(search_item(service), key)

    def forget_search_key(self, service: str) -> None:
        """Removes the kept key. SettingsError if it stays."""
        self._keychain.delete(search_item(service))
