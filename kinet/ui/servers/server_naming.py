"""What a new server may be called: a word that its command line or address suggests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

_LONGEST = 32
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9-]+")
# Words that say that it is a server, not which.
_COMMON = re.compile(r"(?:^|-)(?:mcp|server|servers|modelcontextprotocol|latest|main|index)(?=-|$)")
_RUNNERS = frozenset({
    "npx", "uvx", "uv", "bunx", "bun", "pnpm", "yarn", "deno", "node", "python", "python3",
    "docker", "podman", "sh", "bash", "env", "run", "exec", "dlx", "tool",
})  # fmt: skip


def suggested_name(entry: Mapping[str, Any]) -> str:
    """A name for this entry, "" where nothing suggests one."""
    if "url" in entry:
        parts = urlsplit(str(entry["url"]))
        hosts = (parts.hostname or "").split(".")
        words = [*parts.path.split("/")[::-1], *hosts[:-1][::-1]]
    else:
        given = [str(entry.get("command", "")), *map(str, entry.get("args") or ())]
        words = [word for word in given if not word.startswith("-")]
    for word in words:
        name = _plain(word)
        if name and name not in _RUNNERS:
            return name
    return ""


def _plain(word: str) -> str:
    """The last part of a path or package, without what all of them are called."""
    last = re.split(r"[/\\]", word.rstrip("/\\"))[-1].rpartition("@")
    text = re.sub(r"\.(?:py|js|mjs|ts|exe|cmd|sh)$", "", (last[0] or last[2]).lower())
    text = _NOT_IN_NAMES.sub("-", text)
    while (shorter := _COMMON.sub("", text).strip("-")) != text:
        text = shorter
    return text[:_LONGEST].strip("-")
