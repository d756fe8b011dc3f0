"""Writes entries of tool servers, and takes out of the keychain what none names any more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kinet.core.errors import SettingsError
from kinet.settings.fields import SERVERS_KEY
from kinet.settings.file import group_of
from kinet.settings.server_entries import (
    entry_trouble,
    forget_values,
    without_secrets,
)

if TYPE_CHECKING:
    from kinet.settings.secrets import Keychain
    from kinet.settings.store import SettingsStore


def save_all(settings: SettingsStore, keychain: Keychain, entries: Any) -> None:
    """Replaces all servers, for the command line; their secrets have to go into the keychain.

    SettingsError; nothing is changed then. Blocks.
    """
    if not isinstance(entries, Mapping):
        raise SettingsError(
            "mcp.servers holds names with their entries.",
            hint='Such as {"time": {"command": "uvx", "args": ["mcp-server-time"]}}.',
        )
    for name, entry in entries.items():
        trouble = entry_trouble(str(name), entry)
        if trouble and not trouble.startswith("in plain text"):
            raise SettingsError(f"mcp.servers.{trouble}.", hint="Nothing was changed.")
    before = settings.values.mcp.servers
    written = {
        str(name): without_secrets(str(name), entry, keychain, session=False)[0]
        for name, entry in entries.items()
    }

    def change(servers: dict[str, Any]) -> None:
        servers.clear()
        servers.update(written)

    change_servers(settings, change)
    for name, entry in before.items():
        forget_unused(keychain, name, entry, written.get(name, {}))


def change_servers(settings: SettingsStore, change: Callable[[dict[str, Any]], Any]) -> None:
    """Applies `change` to the entries as the file holds them now. SettingsError."""

    def whole(raw: dict[str, Any]) -> None:
        change(group_of(group_of(raw, "mcp"), "servers"))

    settings.change(SERVERS_KEY, whole, strict=True)


def forget_unused(
    keychain: Keychain, name: str, before: Mapping[str, Any], now: Mapping[str, Any]
) -> None:
    """Removes from the keychain what an entry does not name any more."""
    for group in ("env", "headers"):
        old, new = before.get(group) or {}, now.get(group) or {}
        gone = {key: value for key, value in old.items() if new.get(key) != value}
        forget_values(name, {group: gone}, keychain)
