"""Writes entries of tool servers, and takes out of the keychain what none names any more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kinet.core.errors import SettingsError
from kinet.settings.fields import SERVERS_KEY
from kinet.settings.file import group_of
from kinet.settings.server_accounts import KeychainAccounts
from kinet.settings.server_entries import (
    entry_trouble,
    forget_values,
    without_secrets,
)

if TYPE_CHECKING:
    from concurrent.futures import Future

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
    accounts = KeychainAccounts(keychain, settings.path.parent)
    for name, entry in before.items():
        forget_unused(keychain, name, entry, written.get(name, {}))
        forget_account(accounts, name, entry, name, written.get(name))


def change_servers(settings: SettingsStore, change: Callable[[dict[str, Any]], Any]) -> None:
    """Applies `change` to the entries as the file holds them now. SettingsError. Blocks."""
    settings.change(SERVERS_KEY, _whole(change), strict=True)


def keep_servers(settings: SettingsStore, change: Callable[[dict[str, Any]], Any]) -> Future[None]:
    """The same without waiting: it holds when this returns, the future says when it is kept."""
    return settings.keep_change(SERVERS_KEY, _whole(change))


def _whole(change: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], None]:
    def whole(raw: dict[str, Any]) -> None:
        change(group_of(group_of(raw, "mcp"), "servers"))

    return whole


def forget_unused(
    keychain: Keychain, name: str, before: Mapping[str, Any], now: Mapping[str, Any]
) -> None:
    """Removes from the keychain what an entry does not name any more."""
    for group in ("env", "headers", "oauth"):
        old, new = before.get(group) or {}, now.get(group) or {}
        gone = {key: value for key, value in old.items() if new.get(key) != value}
        forget_values(name, {group: gone}, keychain)


def forget_account(
    accounts: KeychainAccounts,
    name: str,
    entry: Mapping[str, Any],
    new_name: str = "",
    now: Mapping[str, Any] | None = None,
) -> None:
    """Removes the sign-in to a server that is gone or elsewhere now; a new name takes it along.

    SettingsError. Blocks.
    """
    from kinet.mcp.definition import read_definition

    old = read_definition(name, entry) if "url" in entry else None
    new = read_definition(new_name, now) if now is not None else None
    if old is None or (new is not None and (new.name, new.url) == (old.name, old.url)):
        return
    if new is not None and new.url == old.url and (kept := accounts.load(old)):
        accounts.keep(new, kept)
    accounts.forget(old)
