"""Entries of tool servers in the settings: judged, and their secrets put into the keychain."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from kinet.core.errors import SettingsError
from kinet.settings.setting import Section, setting

if TYPE_CHECKING:
    from kinet.mcp.definition import ServerDefinition
    from kinet.settings.secrets import Keychain, KeyPlace

# What an entry calls its groups of values, and what an item of the keychain calls them.
_GROUPS = {"env": "env", "headers": "header", "oauth": "oauth"}


class ToolServers(Section):
    """The group `mcp`: entries as they were written, and what is off of folders' servers."""

    page = "Servers"
    servers: dict[str, dict[str, Any]] = setting(
        {}, title="Tool servers", help="Programs and addresses that bring tools of their own."
    )
    folder_off: tuple[str, ...] = setting(
        (), title="Off in folders", help="Servers that folders bring along and you do not use."
    )


def judged_servers(given: Any, problems: list[str]) -> ToolServers:
    """The servers that can be used; a sentence for each one that cannot."""
    if not given:
        return ToolServers()
    if not isinstance(given, Mapping):
        problems.append("mcp: not a group of settings; no tool server is used.")
        return ToolServers()
    kept: dict[str, dict[str, Any]] = {}
    servers = given.get("servers", {})
    if not isinstance(servers, Mapping):
        problems.append("mcp.servers: names with their entries are needed; none is used.")
        servers = {}
    for name, entry in servers.items():
        trouble = entry_trouble(str(name), entry)
        if trouble and not trouble.startswith("in plain text"):
            problems.append(f"mcp.servers.{trouble}; it is left out.")
            continue
        if trouble:
            problems.append(
                f"mcp.servers.{name}: {trouble}; enter it again in the settings, which keep it in "
                "the keychain."
            )
        kept[str(name)] = dict(entry)
    off = given.get("folder_off", ())
    if not isinstance(off, list | tuple) or not all(isinstance(item, str) for item in off):
        problems.append("mcp.folder_off: a list of texts is needed; all of them are on.")
        off = ()
    rest = {key: value for key, value in given.items() if key not in ToolServers.model_fields}
    return ToolServers.model_construct(servers=kept, folder_off=tuple(off), **rest)


def entry_trouble(name: str, entry: object) -> str:
    """What is wrong with an entry, beginning with its name, "" for nothing.

    It begins with "in plain text" where the entry works but holds a secret that belongs elsewhere.
    """
    from kinet.mcp.definition import name_trouble, read_definition
    from kinet.mcp.secret_values import argument_trouble, url_trouble

    if trouble := name_trouble(name):
        return f"{name[:40]}: {trouble.rstrip('.')}"
    try:
        server = read_definition(name, entry)
    except ValueError as exc:
        return str(exc)
    if trouble := argument_trouble((server.command, *server.args)):
        return f"{name}: {trouble}; give it in env"
    if trouble := url_trouble(server.url):
        return f"{name}: {trouble}; give it in headers, or as ${{NAME}} from the environment"
    found = [key for _, key, _ in plain_secrets(server)]
    return f"in plain text the file holds what looks like a secret ({found[0]})" if found else ""


def plain_secrets(
    server: ServerDefinition, marked: Collection[str] = ()
) -> list[tuple[str, str, str]]:
    """(group, name, value) of what is a secret and stands in the entry itself.

    `marked` are names that a person says are secrets.
    """
    from kinet.mcp.definition import KEPT
    from kinet.mcp.secret_values import is_secret

    return [
        (group, name, value)
        for group, values in _pairs(server)
        for name, value in values.items()
        if is_secret(name, value) or (name in marked and value and value != KEPT)
    ]


def _pairs(server: ServerDefinition) -> tuple[tuple[str, Mapping[str, str]], ...]:
    return ("env", server.env), ("headers", server.headers), ("oauth", server.oauth)


def item_of(server: str, group: str, name: str) -> str:
    """The keychain's item for a value of a server's entry; `group` is env, headers or oauth."""
    return f"mcp:{server}:{_GROUPS.get(group, group)}:{name}"


def kept_value(keychain: Keychain, server: str, group: str, name: str) -> str | None:
    """A value that the keychain holds, None for none. Blocks."""
    secret = keychain.get(item_of(server, group, name))
    return None if secret is None else unquote(secret.reveal())


def keep_value(keychain: Keychain, server: str, group: str, name: str, value: str) -> KeyPlace:
    """Keeps a value; says where. Blanks, which no key has, are kept too: a header has one."""
    from kinet.mcp.secret_values import hide

    hide(value)
    return keychain.set(item_of(server, group, name), quote(value, safe="-._~+/=:"))


def without_secrets(
    name: str,
    entry: Mapping[str, Any],
    keychain: Keychain,
    *,
    old_name: str = "",
    marked: Collection[str] = (),
    session: bool = True,
) -> tuple[dict[str, Any], KeyPlace]:
    """The entry as the file may hold it, its secrets kept; and where they are.

    What `old_name` kept goes over. SettingsError where a value is missing; with `session` False
    also where there is no keychain. Blocks.
    """
    from kinet.mcp.definition import KEPT, read_definition

    made = {
        key: dict(value) if isinstance(value, Mapping) else value for key, value in entry.items()
    }
    server = read_definition(name, made)
    wanted = plain_secrets(server, marked)
    if old_name and old_name != name:
        for group, values in _pairs(server):
            for key, value in values.items():
                if value == KEPT and (kept := kept_value(keychain, old_name, group, key)):
                    wanted.append((group, key, kept))
    if wanted and not session and keychain.state() not in ("found", "none"):
        raise SettingsError(
            f"The value of {wanted[0][1]} is a secret, and this computer has no keychain to keep "
            "it.",
            hint=f"Put it into an environment variable and write ${{{wanted[0][1]}}} here.",
        )
    places = []
    for group, key, value in wanted:
        places.append(keep_value(keychain, name, group, key, value))
        made[group][key] = KEPT
    if "session" in places:
        return made, "session"
    return made, "keychain" if places else "none"


def forget_values(name: str, entry: Mapping[str, Any], keychain: Keychain) -> None:
    """Removes what the keychain holds for an entry. SettingsError if it would not. Blocks."""
    from kinet.mcp.definition import KEPT

    for group in _GROUPS:
        values = entry.get(group)
        for key, value in values.items() if isinstance(values, Mapping) else ():
            if value == KEPT:
                keychain.delete(item_of(name, group, str(key)))
