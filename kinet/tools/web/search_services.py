"""Asks a search service: SearXNG, Brave, Tavily, or DuckDuckGo without a key in a child process."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from kinet.core.errors import ToolError
from kinet.net.client import create_client
from kinet.net.redact import redact, register
from kinet.net.secret import Secret
from kinet.tools.processes.environment import child_environment
from kinet.tools.processes.program import run_program

_SECONDS = 20.0
_LARGEST = 2 * 1024 * 1024
_CHILD = Path(__file__).with_name("search_child.py")
_TITLES = {"searxng": "SearXNG", "brave": "Brave Search", "tavily": "Tavily",
           "duckduckgo": "DuckDuckGo"}  # fmt: skip
_HOSTS = {"brave": "api.search.brave.com", "tavily": "api.tavily.com",
          "duckduckgo": "duckduckgo.com"}  # fmt: skip
KEY_VARIABLES = {"brave": "BRAVE_API_KEY", "tavily": "TAVILY_API_KEY"}


@dataclass(frozen=True, slots=True)
class SearchChoice:
    """The service, where its own server stands (SearXNG), and where its key is.

    `key_variable` is the variable the person named, "" for none; `kept_key` gives the key that was
    kept for a service, called in a thread.
    """

    service: str = "duckduckgo"
    url: str = ""
    key_variable: str = ""
    client: Callable[[], httpx.AsyncClient] = create_client
    kept_key: Callable[[str], Secret | None] = lambda service: None
    program: tuple[str, ...] = field(default=(sys.executable, "-I", str(_CHILD)))

    @property
    def title(self) -> str:
        """Its name for people."""
        return _TITLES.get(self.service, self.service)

    @property
    def host(self) -> str:
        """Who gets the words."""
        return urlsplit(self.url).netloc if self.service == "searxng" else _HOSTS[self.service]


@dataclass(frozen=True, slots=True)
class Hit:
    """One result."""

    title: str
    url: str
    snippet: str = ""


async def search(choice: SearchChoice, query: str, limit: int) -> list[Hit]:
    """What the service finds, at most `limit`. ToolError says why it could not be asked."""
    match choice.service:
        case "searxng":
            if not choice.url:
                raise _not_set_up("The address of the SearXNG server is missing.")
            address = f"{choice.url.rstrip('/')}/search"
            answer = await _ask(
                choice, "GET", address, params={"q": query, "format": "json", "safesearch": "1"}
            )
            return _hits(answer.get("results"), "content", limit)
        case "brave":
            address = "https://api.search.brave.com/res/v1/web/search"
            answer = await _ask(
                choice, "GET", address, params={"q": query, "count": str(limit)},
                headers={"X-Subscription-Token": (await _key(choice)).reveal()},
            )  # fmt: skip
            web = answer.get("web")
            return _hits(web.get("results") if isinstance(web, dict) else (), "description", limit)
        case "tavily":
            answer = await _ask(
                choice, "POST", "https://api.tavily.com/search",
                content=json.dumps({"query": query, "max_results": limit}),
                headers={
                    "Authorization": f"Bearer {(await _key(choice)).reveal()}",
                    "Content-Type": "application/json",
                },
            )  # fmt: skip
            return _hits(answer.get("results"), "content", limit)
        case "duckduckgo":
            return await _without_key(choice, query, limit)
    raise _not_set_up("Web search is switched off.")


async def _ask(choice: SearchChoice, method: str, url: str, **values: Any) -> Mapping[str, Any]:
    """The service's JSON. The key goes in a header and into no message."""
    try:
        async with (
            choice.client() as client,
            client.stream(method, url, timeout=_SECONDS, **values) as answer,
        ):
            body = b""
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > _LARGEST:
                    raise _failed(choice, "its answer is too large")
    except httpx.HTTPError as exc:
        raise _failed(choice, redact(str(exc)) or type(exc).__name__) from exc
    if answer.status_code in (401, 403):
        hint = "it refused the key" if choice.service in KEY_VARIABLES else "it gives no JSON to us"
        raise _failed(choice, f"{hint} (status {answer.status_code})")
    if answer.status_code >= 400:
        raise _failed(choice, f"it answered with status {answer.status_code}")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise _failed(choice, "its answer is no JSON") from exc
    if not isinstance(found, dict):
        raise _failed(choice, "its answer has another form than was expected")
    return found


async def _without_key(choice: SearchChoice, query: str, limit: int) -> list[Hit]:
    """In a process of its own: that library has its own TLS and no limit on time."""
    request = json.dumps({"query": query, "limit": limit}).encode()
    result = await run_program(
        choice.program,
        folder=_CHILD.parent,
        environment=child_environment(),
        timeout_s=_SECONDS,
        limit_bytes=_LARGEST,
        stdin=request,
    )
    if result.timed_out:
        raise _failed(choice, f"it did not answer within {_SECONDS:.0f} s")
    try:
        found = json.loads(result.stdout)
    except (ValueError, RecursionError) as exc:
        raise _failed(choice, f"the search process ended with code {result.code}") from exc
    if problem := found.get("problem"):
        raise _failed(choice, str(problem)[:300])
    return _hits(found.get("results"), "body", limit)


def _hits(rows: Any, snippet: str, limit: int) -> list[Hit]:
    """Rows of whatever form as hits; what has no web address is left out."""
    found: list[Hit] = []
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        url = str(row.get("url") or row.get("href") or "")
        if url.startswith(("http://", "https://")):
            found.append(Hit(str(row.get("title") or ""), url, str(row.get(snippet) or "")))
    return found[:limit]


async def _key(choice: SearchChoice) -> Secret:
    """A variable that was named counts before the keychain, the usual one after it."""
    name = choice.key_variable or KEY_VARIABLES[choice.service]
    value = os.environ.get(name, "").strip()
    if not choice.key_variable or not value:
        kept = await asyncio.to_thread(choice.kept_key, choice.service)
        if kept is not None:
            return kept
    if not value:
        raise _not_set_up(
            f"{choice.title} needs a key; none is kept, and the variable {name} holds none."
        )
    key = Secret(value)
    register(key)
    return key


def _not_set_up(what: str) -> ToolError:
    return ToolError(
        what, hint="The person can set it up in the settings, page Network.", kind="unavailable"
    )


def _failed(choice: SearchChoice, why: str) -> ToolError:
    return ToolError(
        f"{choice.title} could not be searched: {why}.",
        hint="Go on without it, or fetch a page whose address is known.",
        kind="network",
    )
