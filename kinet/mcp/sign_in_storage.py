"""What the package is handed for a sign-in, and what it finds until all went well."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from kinet.mcp.account import Account
from kinet.mcp.definition import ServerDefinition
from kinet.mcp.sdk import Oauth
from kinet.mcp.secret_values import hide


class SignInStorage:
    """Hands the package what is known, and keeps what it finds until all went well."""

    def __init__(self, oauth: Oauth, server: ServerDefinition, prior: Account | None) -> None:
        self._oauth, self._prior = oauth, prior
        self._client_id = server.oauth.get("clientId", "")
        self._client_secret = server.oauth.get("clientSecret", "")
        self.tokens: Any = None

    async def get_tokens(self) -> Any:
        """Those that are to be widened, if any."""
        if self._prior is None:
            return None
        return self._oauth.token(access_token=self._prior.access_token, scope=self._prior.scope)

    async def set_tokens(self, tokens: Any) -> None:
        """They go into no log."""
        for value in (tokens.access_token, tokens.refresh_token):
            if value:
                hide(value)
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        """The client the person registered; None has one registered, with this very address."""
        if not self._client_id or is_document(self._client_id):
            return None
        given = {"client_id": self._client_id, "client_secret": self._client_secret or None}
        return self._oauth.client.model_validate(given)

    async def set_client_info(self, client: Any) -> None:
        """It goes along with the tokens."""
        if client.client_secret:
            hide(client.client_secret)

    def choose_method(self, client: Any, metadata: Any) -> None:
        """How a client that the person registered proves itself: as its server takes it."""
        if client.token_endpoint_auth_method or not client.client_secret:
            return
        known = metadata.token_endpoint_auth_methods_supported or ["client_secret_basic"]
        client.token_endpoint_auth_method = (
            "client_secret_basic" if "client_secret_basic" in known else "client_secret_post"
        )


def is_document(client_id: str) -> bool:
    """True for a client id that is the address of a description of the client."""
    parts = urlsplit(client_id)
    return parts.scheme == "https" and parts.path not in ("", "/")
