"""Fills in what an entry leaves open: variables of the environment, kept secrets."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from kinet.core.errors import ToolError
from kinet.mcp.definition import KEPT, ServerDefinition
from kinet.mcp.secret_values import hide, is_secret

_OPEN = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
# Variables that may stand on a command line: everyone on the computer can read one.
_HARMLESS = frozenset({
    "HOME", "USER", "LOGNAME", "PWD", "TMPDIR", "TEMP", "TMP", "LANG", "SHELL", "USERPROFILE",
    "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "SYSTEMROOT", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
})  # fmt: skip
# (server, "env" or "header", name) -> the kept value, None where there is none.
KeptValue = Callable[[str, str, str], str | None]


@dataclass(frozen=True, slots=True)
class Filling:
    """Where values come from. Asking the keychain blocks: fill in a thread."""

    kept: KeptValue = lambda server, kind, name: None
    environment: Mapping[str, str] | None = None

    def filled(self, server: ServerDefinition) -> ServerDefinition:
        """The definition with all values. ToolError says which one is missing."""
        known = os.environ if self.environment is None else self.environment
        return replace(
            server,
            command=_plain(server.command, known, "command"),
            args=tuple(_plain(text, known, "args") for text in server.args),
            cwd=_plain(server.cwd, known, "cwd"),
            env=self._pairs(server, server.env, "env", known),
            headers=self._pairs(server, server.headers, "header", known),
            url=_secret(server.url, known, "url"),
        )

    def filled_oauth(self, server: ServerDefinition) -> dict[str, str]:
        """What only a sign-in needs. ToolError says which value is missing."""
        known = os.environ if self.environment is None else self.environment
        return self._pairs(server, server.oauth, "oauth", known)

    def _pairs(
        self,
        server: ServerDefinition,
        pairs: Mapping[str, str],
        kind: str,
        known: Mapping[str, str],
    ) -> dict[str, str]:
        filled: dict[str, str] = {}
        for name, text in pairs.items():
            if text != KEPT:
                filled[name] = _secret(text, known, name)
                continue
            value = self.kept(server.name, kind, name) if server.place == "own" else None
            if value is None:
                raise ToolError(
                    f"The value of {name} is not in the keychain.",
                    hint="Enter it again in the settings of the server.",
                )
            hide(value)
            filled[name] = value
        return filled


def _secret(text: str, known: Mapping[str, str], where: str) -> str:
    """Filled from the environment; of what looks like a key no log shows it."""

    def value(found: re.Match[str]) -> str:
        name, usual = found[1], found[2]
        if (given := known.get(name)) is None:
            if usual is None:
                raise _missing(name, where)
            return usual
        if is_secret(name, given) or is_secret(where, given):
            hide(given)
        return given

    return _OPEN.sub(value, text)


def _plain(text: str, known: Mapping[str, str], where: str) -> str:
    def value(found: re.Match[str]) -> str:
        name, usual = found[1], found[2]
        if name not in _HARMLESS:
            raise ToolError(
                f"{where} names the variable {name}, and a command line can be read by others.",
                hint="Give it to the server in env.",
            )
        if name not in known and usual is None:
            raise _missing(name, where)
        return known.get(name, usual or "")

    return _OPEN.sub(value, text)


def _missing(name: str, where: str) -> ToolError:
    return ToolError(
        f"{where} needs the variable {name}, which is not set.",
        hint="Set it where Kinet is started, or write the value into the settings of the server.",
    )
