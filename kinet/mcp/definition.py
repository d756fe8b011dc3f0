"""What a server is: a program or an address, as it stands in settings and in a folder's list."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kinet.policy.network import parse_target
from kinet.policy.visible import visible_line

Kind = Literal["stdio", "http", "sse"]
Place = Literal["own", "folder"]

# What stands in an entry for a value that the keychain holds.
KEPT = "${keychain}"
USUAL_SECONDS = 120.0
LONGEST_SECONDS = 3_600.0
_LONGEST_NAME = 32
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9-])?\Z")
_KINDS: dict[str, Kind] = {
    "stdio": "stdio", "http": "http", "streamable-http": "http", "streamablehttp": "http",
    "streamable_http": "http", "sse": "sse",
}  # fmt: skip
_VARIABLE = re.compile(r"\$\{(?!keychain\})([A-Za-z_][A-Za-z0-9_]*)")
_VARIABLE_NAME = re.compile(r"[^=\0]+\Z")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")
_OAUTH = ("clientId", "clientSecret", "callbackPort", "scopes")
# Headers that belong to the protocol or the connection.
_OWN_HEADERS = frozenset({
    "host", "content-length", "transfer-encoding", "connection", "accept", "content-type",
    "mcp-session-id", "mcp-protocol-version", "last-event-id",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class ServerDefinition:
    """One server. `place` says whose it is: the person's own, or one that `folder` brings along."""

    name: str
    kind: Kind = "stdio"
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    # How Kinet is known where people sign in to it: clientId, clientSecret, callbackPort, scopes.
    oauth: Mapping[str, str] = field(default_factory=dict, repr=False)
    enabled: bool = True
    tools_off: frozenset[str] = frozenset()
    timeout: float = USUAL_SECONDS
    place: Place = "own"
    folder: str = ""

    @property
    def line(self) -> str:
        """The whole command line or the address, for a person; values of variables are not told."""
        if self.kind != "stdio":
            return visible_line(self.url) + _given("sends", self.headers)
        return visible_line(shlex.join((self.command, *self.args))) + _given("sets", self.env)

    @property
    def takes_sign_in(self) -> bool:
        """True for one on the network whose entry brings no key of its own."""
        return self.kind != "stdio" and "authorization" not in {it.lower() for it in self.headers}

    @property
    def digest(self) -> str:
        """Changes with whatever decides what is started or asked, not with switches."""
        told = [
            self.kind, self.command, self.args, sorted(self.env.items()), self.cwd, self.url,
            sorted(self.headers.items()), self.place, self.folder,
        ]  # fmt: skip
        text = json.dumps(told)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def name_trouble(name: str) -> str:
    """Why a server cannot have this name, "" if it can."""
    if not name:
        return "A server needs a name."
    if len(name) > _LONGEST_NAME:
        return f"The name of a server has at most {_LONGEST_NAME} characters."
    if not _NAME.match(name) or "__" in name:
        return (
            f"{visible_line(name[:60])} cannot be the name of a server: letters, digits, - and "
            "single _ between them."
        )
    return ""


def read_definition(
    name: str, entry: object, *, place: Place = "own", folder: str = ""
) -> ServerDefinition:
    """The server that an entry describes. ValueError says in one sentence what is wrong."""
    if not isinstance(entry, Mapping):
        raise ValueError(f"{_shown(name)}: an entry is a group of values, such as command and args")
    read = _Reader(name, entry)
    kind = read.kind()
    values: dict[str, Any] = {"name": name, "kind": kind, "place": place, "folder": folder}
    if kind == "stdio":
        values["command"] = read.text("command")
        if not values["command"].strip():
            raise read.wrong("command is empty")
        values["args"] = read.texts("args")
        values["env"] = read.pairs("env")
        values["cwd"] = read.text("cwd")
        _check_names(read, values["env"], "env", _VARIABLE_NAME)
    else:
        values["url"] = _url(read)
        values["headers"] = read.pairs("headers")
        _check_names(read, values["headers"], "headers", _HEADER_NAME)
        values["oauth"] = _oauth(read)
    values["enabled"] = read.switch("enabled", True) and not read.switch("disabled", False)
    values["tools_off"] = frozenset(read.texts("tools_off"))
    values["timeout"] = read.seconds("timeout")
    return ServerDefinition(**values)


class _Reader:
    """Takes values out of one entry; each complaint names the server and the field."""

    def __init__(self, name: str, entry: Mapping[Any, Any]) -> None:
        self.name, self.entry = name, entry

    def wrong(self, what: str) -> ValueError:
        return ValueError(f"{_shown(self.name)}: {what}")

    def kind(self) -> Kind:
        told, has_command, has_url = self.text("type"), "command" in self.entry, "url" in self.entry
        if has_command == has_url:
            what = "has both command and url" if has_command else "has neither command nor url"
            raise self.wrong(f"{what}; it needs one of them")
        if not told:
            return "stdio" if has_command else "http"
        kind = _KINDS.get(told.strip().lower())
        if kind is None:
            raise self.wrong(f"type is {_shown(told)}; known are stdio, http and sse")
        if (kind == "stdio") != has_command:
            raise self.wrong(f"type {kind} does not fit {'command' if has_command else 'url'}")
        return kind

    def text(self, key: str) -> str:
        value = self.entry.get(key)
        if value is None:
            return ""
        if not isinstance(value, str) or "\0" in value:
            raise self.wrong(f"{key} has to be a text")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.entry.get(key)
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            raise self.wrong(f'{key} has to be a list, such as ["one", "two"]')
        plain = [str(item) if type(item) in (int, float) else item for item in value]
        if not all(isinstance(item, str) and "\0" not in item for item in plain):
            raise self.wrong(f"{key} may hold texts only")
        return tuple(plain)

    def pairs(self, key: str) -> dict[str, str]:
        value = self.entry.get(key)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise self.wrong(f"{key} has to be names with their values")
        found: dict[str, str] = {}
        for name, text in value.items():
            if type(text) in (int, float):
                text = str(text)
            if not isinstance(name, str) or not isinstance(text, str) or "\0" in text:
                raise self.wrong(f"{key}: the value of {_shown(str(name))} has to be a text")
            found[name] = text
        return found

    def switch(self, key: str, usual: bool) -> bool:
        value = self.entry.get(key, usual)
        if not isinstance(value, bool):
            raise self.wrong(f"{key} has to be true or false")
        return value

    def seconds(self, key: str) -> float:
        value = self.entry.get(key)
        if value is None:
            return USUAL_SECONDS
        if type(value) not in (int, float) or not 1 <= value <= LONGEST_SECONDS:
            raise self.wrong(f"{key} has to be seconds between 1 and {LONGEST_SECONDS:,.0f}")
        return float(value)


def _url(read: _Reader) -> str:
    url = read.text("url").strip()
    # What stands for a variable is filled in later; the rest has to be an address all the same.
    plain = re.sub(r"\$\{[^}]*\}", "x", url)
    try:
        parse_target(plain)
    except ValueError as exc:
        raise read.wrong(f"url: {exc}") from exc
    return url


def _oauth(read: _Reader) -> dict[str, str]:
    told = {name: text.strip() for name, text in read.pairs("oauth").items() if name in _OAUTH}
    port = told.get("callbackPort", "")
    if port and not (port.isascii() and port.isdigit() and 1_024 <= int(port[:6]) <= 65_535):
        raise read.wrong("oauth: callbackPort is a port between 1024 and 65535")
    if told.get("clientSecret") and not told.get("clientId"):
        raise read.wrong("oauth: a clientSecret needs its clientId")
    return {name: text for name, text in told.items() if text}


def _check_names(
    read: _Reader, pairs: Mapping[str, str], key: str, pattern: re.Pattern[str]
) -> None:
    for name, value in pairs.items():
        if not pattern.match(name):
            raise read.wrong(f"{key}: {_shown(name)} cannot be such a name")
        if key == "headers" and name.lower() in _OWN_HEADERS:
            raise read.wrong(f"headers: {name} is set by Kinet itself")
        if key == "headers" and any(char in value for char in "\r\n"):
            raise read.wrong(f"headers: the value of {name} holds a line break")


def _given(verb: str, pairs: Mapping[str, str]) -> str:
    """What it is given, and which of the person's variables are in it; no value."""
    told = []
    for name in sorted(pairs):
        taken = dict.fromkeys(_VARIABLE.findall(pairs[name]))
        told.append(f"{name} from your {' and '.join(taken)}" if taken else name)
    return visible_line(f"  ({verb} {', '.join(told)})") if told else ""


def _shown(text: str) -> str:
    return visible_line(text if len(text) <= 60 else text[:59] + "…") or "a server without a name"
