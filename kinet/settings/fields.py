"""A setting as a face sees it: plain values, without the library that checks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

# "multiline" is a list of texts, one a line; "path" a file, "folder" a folder.
FieldKind = Literal["switch", "integer", "number", "text", "choice", "path", "folder", "multiline"]


# Entries of tool servers, and what is off of those that folders bring along.
SERVERS_KEY, OFF_KEY = "mcp.servers", "mcp.folder_off"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values, with its label and a line that explains it."""

    value: str
    label: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class SettingField:
    """Everything needed to show one setting, and to change it with `SettingsStore.set(key, …)`.

    `key` is "section.name"; `minimum` and `maximum` are None where there is no bound; `unit` stands
    behind the value ("USD", "seconds"); `zero` is what 0 means ("off", "no limit"), "" if nothing.
    """

    key: str
    section: str
    title: str
    help: str
    kind: FieldKind
    default: Any
    choices: tuple[Choice, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    unit: str = ""
    zero: str = ""
