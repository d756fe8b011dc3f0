"""`kinet config`: shows and changes settings, and takes a key from stdin to the keychain."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from kinet.core.errors import SettingsError
from kinet.paths import data_dir
from kinet.settings.fields import OFF_KEY, SERVERS_KEY
from kinet.settings.store import SettingsStore

USAGE = 2
# Whole tables: their value is JSON or nothing.
_TABLES = ("prices", "profiles", SERVERS_KEY, OFF_KEY)


def config(options: argparse.Namespace) -> int:
    """Does one act on the settings. SettingsError says what is wrong."""
    store = SettingsStore(data_dir())
    match options.act:
        case "path":
            _show({"path": str(store.path)}, options.json, str(store.path))
        case "list":
            _list(store, options.json)
        case "get":
            value = store.get(options.key)
            _show(value, options.json, value if isinstance(value, str) else _json(value))
        case "set":
            value = _value(store, options.key, options.value)
            if options.key == SERVERS_KEY:
                _set_servers(store, value)
            else:
                store.set(options.key, value)
        case "set-key":
            return _set_key(store, options.profile)
    for problem in store.problems:
        print(problem, file=sys.stderr)
    return 0


def _list(store: SettingsStore, as_json: bool) -> None:
    values = {field.key: store.get(field.key) for field in store.fields()}
    if as_json:
        profiles = [profile.name for profile in store.profiles()]
        print(_json({**values, "prices": store.prices(), "profiles": profiles}))
        return
    for field in store.fields():
        mark = "" if values[field.key] == field.default else "  (changed)"
        print(f"{field.key} = {_json(values[field.key])}{mark}")


def _value(store: SettingsStore, key: str, text: str) -> Any:
    """JSON where it is JSON, else the text; a setting that is a text takes it as it stands."""
    kinds = {field.key: field.kind for field in store.fields()}
    if kinds.get(key) in ("text", "choice", "path", "folder") and not text.startswith('"'):
        return text
    try:
        return json.loads(text)
    except ValueError as exc:
        if key in _TABLES:
            raise SettingsError(f"The value of {key} is not JSON: {exc}.") from exc
        return text


def _set_servers(store: SettingsStore, value: Any) -> None:
    """Keeps the servers, and their secrets in the keychain."""
    from kinet.settings.secrets import Keychain
    from kinet.settings.server_saving import save_all

    # Either form: the list itself, or the object in which other programs keep it.
    inner = value.get("mcpServers") if isinstance(value, dict) else None
    save_all(store, Keychain(), inner if isinstance(inner, dict) else value)


def _set_key(store: SettingsStore, name: str) -> int:
    from kinet.net.secret import Secret
    from kinet.settings.secrets import Keychain, search_item

    services = [search_item(service) for service in ("brave", "tavily")]
    if store.profile(name) is None and name not in services:
        known = ", ".join(profile.name for profile in store.profiles()) or "none yet"
        raise SettingsError(
            f"There is no profile {name!r}.",
            hint=f"Profiles: {known}. Search services: {', '.join(services)}.",
        )
    key = Secret(sys.stdin.readline())
    if not key:
        print("No key came on stdin.", file=sys.stderr)
        return USAGE
    keychain = Keychain()
    place = keychain.set(name, key)
    if place != "keychain":
        keychain.delete(name)
        raise SettingsError(
            "The keychain of this computer cannot be used, and keys are never kept in a file.",
            hint="Put the key into an environment variable and name it with --api-key-env.",
        )
    return 0


def _show(value: Any, as_json: bool, text: str) -> None:
    print(_json(value) if as_json else text)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
