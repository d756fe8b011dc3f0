"""What a person's sign-in to a server left: tokens, and where they are renewed."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Protocol

from kinet.mcp.definition import ServerDefinition
from kinet.mcp.secret_values import hide
from kinet.policy.network import host_of

# So long before its end a token is renewed: a request takes its time too.
_MARGIN_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Account:
    """One sign-in to one address. `client` is how Kinet is known to the authorization server."""

    url: str
    access_token: str = field(repr=False)
    refresh_token: str = field(default="", repr=False)
    scope: str = ""
    # Wall time in seconds, 0 where nothing was said.
    expires_at: float = 0.0
    client: Mapping[str, Any] = field(default_factory=dict, repr=False)
    issuer: str = ""
    token_endpoint: str = ""
    revocation_endpoint: str = ""
    # The address the token was asked for, "" where none was named.
    resource: str = ""

    @property
    def is_over(self) -> bool:
        """True if its token has ended, or does so in a moment."""
        return bool(self.expires_at) and time.time() > self.expires_at - _MARGIN_SECONDS

    @property
    def host(self) -> str:
        """Who signs people in."""
        return host_of(self.issuer or self.token_endpoint)

    def to_text(self) -> str:
        """All of it, for the keychain alone."""
        return json.dumps(asdict(self), separators=(",", ":"))


def read_account(text: str, url: str) -> Account | None:
    """The account in a kept text, if it is one for this address; its secrets go into no log."""
    try:
        raw = json.loads(text)
        known = {it.name for it in fields(Account)}
        account = Account(**{key: value for key, value in raw.items() if key in known})
    except (ValueError, TypeError, AttributeError):
        return None
    plain = (account.url, account.access_token, account.refresh_token, account.token_endpoint)
    if not all(isinstance(value, str) for value in plain) or account.url != url:
        return None
    hide_account(account)
    return account


def hide_account(account: Account) -> None:
    """Masks its secrets from now on."""
    secrets = (account.access_token, account.refresh_token, account.client.get("client_secret"))
    for value in secrets:
        if isinstance(value, str) and value:
            hide(value)


def account_key(server: ServerDefinition) -> str:
    """Tells the sign-in to this server from those to others of its name: another address or folder
    is another one."""
    told = json.dumps([server.place, server.folder, server.url])
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class AccountStore(Protocol):
    """Where accounts are kept. All of it may block."""

    def load(self, server: ServerDefinition) -> str:
        """The kept text, as it is now; "" for none."""
        ...

    def keep(self, server: ServerDefinition, text: str) -> str:
        """Keeps a text; says where: "keychain" or "session"."""
        ...

    def forget(self, server: ServerDefinition) -> None:
        """Removes it; none is fine. SettingsError if it is still there."""
        ...


class SessionAccounts:
    """Keeps accounts in memory alone."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}

    def load(self, server: ServerDefinition) -> str:
        """The kept text."""
        return self._kept.get(account_key(server), "")

    def keep(self, server: ServerDefinition, text: str) -> str:
        """Until the program ends."""
        self._kept[account_key(server)] = text
        return "session"

    def forget(self, server: ServerDefinition) -> None:
        """Removes it."""
        self._kept.pop(account_key(server), None)
