"""The tokens of all servers: shared by their connections, renewed by one of them at a time."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import httpx

from kinet.core.errors import SettingsError, ToolError
from kinet.mcp.account import (
    Account,
    AccountStore,
    SessionAccounts,
    account_key,
    hide_account,
    read_account,
)
from kinet.mcp.definition import ServerDefinition
from kinet.mcp.sdk import import_oauth
from kinet.mcp.sign_in_reach import SignInReach
from kinet.tools.web.web_transport import Reach, opened_ways

_LARGEST_ANSWER = 256 * 1024
_SECONDS = 30.0
_FORM = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The status and the header by which a server asked a person to sign in."""

    status: int
    challenge: str


@dataclass(slots=True)
class _Held:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    account: Account | None = None
    place: str = ""
    # How the server last asked for a sign-in (401) or for more than was granted (403).
    wanted: Wanted | None = None
    # The token that was refused last, for which there was no other.
    refused: str | None = None


class Accounts:
    """For the servers' thread, but for `known` and `forget`. The keychain is asked in others."""

    def __init__(self, store: AccountStore | None, reach: Callable[[], Reach]) -> None:
        self._store = store or SessionAccounts()
        self._reach = reach
        self._held: dict[str, _Held] = {}

    def of(self, server: ServerDefinition, url: str) -> ServerAccount:
        """The account of one server, whose address is filled in."""
        held = self._held.setdefault(f"{server.name}\0{account_key(server)}", _Held())
        return ServerAccount(server, url, held, self._store, self._reach)

    def known(self, server: ServerDefinition) -> tuple[str, str]:
        """(host that signed the person in, where that is kept) as far as is known; any thread."""
        held = self._held.get(f"{server.name}\0{account_key(server)}")
        if held is None or held.account is None:
            return "", ""
        return held.account.host, held.place

    def forget(self, names: Collection[str]) -> None:
        """What is kept for servers of these names is looked up anew. Any thread."""
        for key in [key for key in tuple(self._held) if key.partition("\0")[0] in names]:
            self._held.pop(key, None)


class ServerAccount:
    """The account of one server, whatever connection asks."""

    def __init__(
        self,
        server: ServerDefinition,
        url: str,
        held: _Held,
        store: AccountStore,
        reach: Callable[[], Reach],
    ) -> None:
        self._server, self._url = server, url
        self._held, self._store, self._reach = held, store, reach

    @property
    def account(self) -> Account | None:
        """As far as it was needed yet."""
        return self._held.account

    @property
    def wanted(self) -> Wanted | None:
        """How the server last asked for a sign-in, or for more than was granted."""
        return self._held.wanted

    def want(self, wanted: Wanted | None) -> None:
        """The server asked so; None: it is to be asked how it asks now."""
        self._held.wanted = wanted

    async def token(self) -> str:
        """The token to send, "" for none. Nothing is looked up before the server asks for one."""
        account = self._held.account
        if account is None:
            return ""
        return await self.renewed(account.access_token) if account.is_over else account.access_token

    async def renewed(self, refused: str) -> str:
        """Another token than the one that was refused, "" where a person has to sign in.

        ToolError if the authorization server could not be asked: the sign-in is still good.
        """
        async with self._held.lock:
            now = self._held.account
            if now is not None and now.access_token != refused and not now.is_over:
                return now.access_token
            # Another program may have signed in or renewed it meanwhile.
            kept = await self._loaded()
            if kept is not None and kept.access_token != refused and not kept.is_over:
                self._held.account = kept
                return kept.access_token
            found = kept or now
            self._held.refused = found.access_token if found is not None else ""
            if found is None or not found.refresh_token or not found.token_endpoint:
                return ""
            renewed = await self._renewed(found)
            if renewed is not None:
                await self._keep(renewed)
                return renewed.access_token
            # Refused for good: unless it was renewed elsewhere in this very moment.
            again = await self._loaded()
            if again is not None and again.access_token not in (refused, found.access_token):
                self._held.account = again
                return again.access_token
            await self._drop()
            return ""

    async def load(self) -> Account | None:
        """What is kept, looked up now."""
        async with self._held.lock:
            self._held.account = await self._loaded()
            return self._held.account

    async def is_there_another(self) -> bool:
        """True if there is a token by now that was not refused: kept by another program."""
        kept = await self.load()
        return kept is not None and kept.access_token != self._held.refused

    async def keep(self, account: Account) -> str:
        """The person has signed in; says where that is kept."""
        async with self._held.lock:
            self._held.wanted = None
            await self._keep(account)
            return self._held.place

    async def sign_out(self) -> bool:
        """Forgets it, and has the authorization server end it; True if that was confirmed."""
        async with self._held.lock:
            account = self._held.account or await self._loaded()
            await self._drop()
            if account is None or not account.revocation_endpoint:
                return False
            return await self._revoked(account)

    async def _loaded(self) -> Account | None:
        text = await asyncio.to_thread(self._store.load, self._server)
        account = read_account(text, self._url) if text else None
        if account is not None and not self._held.place:
            self._held.place = "keychain"
        return account

    async def _keep(self, account: Account) -> None:
        hide_account(account)
        self._held.account = account
        self._held.place = await asyncio.to_thread(
            self._store.keep, self._server, account.to_text()
        )

    async def _drop(self) -> None:
        self._held.account, self._held.place, self._held.wanted = None, "", None
        try:
            await asyncio.to_thread(self._store.forget, self._server)
        except SettingsError as exc:
            raise ToolError(exc.message, hint=exc.hint) from exc

    async def _renewed(self, account: Account) -> Account | None:
        """The account with new tokens; None where the authorization server takes it no more."""
        oauth = await asyncio.to_thread(import_oauth)
        form = {
            "grant_type": "refresh_token",
            "refresh_token": account.refresh_token,
            "client_id": str(account.client.get("client_id", "")),
        }
        if account.resource:
            form["resource"] = account.resource
        status, told = await self._post(oauth, account, account.token_endpoint, form)
        if status in (400, 401):
            return None
        try:
            tokens = oauth.token.model_validate(told) if status == 200 else None
        except ValueError:
            tokens = None
        if tokens is None:
            raise ToolError(
                f"The sign-in could not be renewed: {account.host} answered with {status}.",
                hint="Try again later.",
            )
        return with_tokens(account, tokens)

    async def _revoked(self, account: Account) -> bool:
        oauth = await asyncio.to_thread(import_oauth)
        form = {
            "token": account.refresh_token or account.access_token,
            "token_type_hint": "refresh_token" if account.refresh_token else "access_token",
            "client_id": str(account.client.get("client_id", "")),
        }
        try:
            status, _ = await self._post(oauth, account, account.revocation_endpoint, form)
        except ToolError:
            return False
        return status == 200

    async def _post(
        self, oauth: Any, account: Account, url: str, form: dict[str, str]
    ) -> tuple[int, Mapping[str, Any]]:
        content, headers = oauth.as_client(account.client, form, dict(_FORM))
        filled = replace(self._server, url=self._url)
        try:
            async with asyncio.timeout(_SECONDS), AsyncExitStack() as stack:
                reach = await asyncio.to_thread(SignInReach, filled, self._reach())
                target, way = await asyncio.to_thread(reach.asked, url)
                ways = await opened_ways(stack, way)
                answer = await ways.ask(
                    target, way, method="POST", headers=headers, content=content
                )
                try:
                    body = b""
                    async for data in answer.aiter_raw():
                        body += data
                        if len(body) > _LARGEST_ANSWER:
                            break
                finally:
                    await answer.aclose()
        except TimeoutError as exc:
            raise ToolError(f"{account.host} did not answer.", kind="network") from exc
        except httpx.TransportError as exc:
            raise ToolError(f"The connection to {account.host} broke.", kind="network") from exc
        try:
            told = json.loads(body)
        except (ValueError, RecursionError):
            told = {}
        return answer.status_code, told if isinstance(told, dict) else {}


def with_tokens(account: Account, tokens: Any) -> Account:
    """The account with what an authorization server gave; what it left out stays."""
    seconds = tokens.expires_in
    return replace(
        account,
        access_token=tokens.access_token,
        refresh_token=tokens.refresh_token or account.refresh_token,
        scope=tokens.scope or account.scope,
        expires_at=time.time() + seconds if seconds else 0.0,
    )
