"""A server of the official package that people sign in to, and its authorization server."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl

from tests.support.ports import free_port, wait_for


class Authority:
    """Signs everyone in who asks well. Codes, tokens and clients are to be seen."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Knows nobody."""
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}
        self.asked: list[AuthorizationParams] = []
        self.revoked: list[str] = []
        self.refreshes = 0
        self.seconds = 3_600
        self.denies = False

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client: OAuthClientInformationFull) -> None:
        self.clients[client.client_id] = client

    async def authorize(self, client: Any, params: AuthorizationParams) -> str:
        self.asked.append(params)
        back = str(params.redirect_uri)
        if self.denies:
            return construct_redirect_uri(back, error="access_denied", state=params.state)
        code = secrets.token_urlsafe(24)
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        return construct_redirect_uri(back, code=code, state=params.state)

    async def load_authorization_code(self, client: Any, code: str) -> AuthorizationCode | None:
        return self.codes.get(code)

    async def exchange_authorization_code(self, client: Any, code: AuthorizationCode) -> OAuthToken:
        del self.codes[code.code]
        return self._tokens(client.client_id, code.scopes, code.resource)

    async def load_refresh_token(self, client: Any, token: str) -> RefreshToken | None:
        return self.refresh.get(token)

    async def exchange_refresh_token(
        self, client: Any, token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        if self.refresh.pop(token.token, None) is None:
            raise TokenError("invalid_grant")
        self.refreshes += 1
        return self._tokens(client.client_id, scopes, token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.revoked.append(token.token)
        self.access.clear()
        self.refresh.clear()

    def end_access(self) -> None:
        """All access tokens are over; they can be renewed."""
        self.access.clear()

    def end_all(self) -> None:
        """All sign-ins were taken back."""
        self.access.clear()
        self.refresh.clear()

    def _tokens(self, client_id: str, scopes: list[str], resource: str | None) -> OAuthToken:
        access, refresh = f"access-{secrets.token_hex(16)}", f"refresh-{secrets.token_hex(16)}"
        given = {"client_id": client_id, "scopes": scopes, "resource": resource}
        self.access[access] = AccessToken(token=access, **given)  # type: ignore[arg-type]
        self.refresh[refresh] = RefreshToken(token=refresh, **given)  # type: ignore[arg-type]
        return OAuthToken(
            access_token=access,
            refresh_token=refresh,
            expires_in=self.seconds,
            scope=" ".join(scopes),
        )


@contextmanager
def signing_server(authority: Authority) -> Iterator[int]:
    """Runs it in a thread of this process. Gives its port."""
    port = free_port()
    home = f"http://127.0.0.1:{port}"
    app = MCPServer(
        "guarded",
        auth_server_provider=authority,
        auth=AuthSettings(
            issuer_url=AnyHttpUrl(home),
            resource_server_url=AnyHttpUrl(f"{home}/mcp"),
            validate_token_resource=True,
            client_registration_options=ClientRegistrationOptions(
                enabled=True, valid_scopes=["read", "write"], default_scopes=["read"]
            ),
            revocation_options=RevocationOptions(enabled=True),
            required_scopes=["read"],
        ),
        log_level="CRITICAL",
    )

    @app.tool()
    def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    config = uvicorn.Config(
        app.streamable_http_app(json_response=True, stateless_http=True),
        host="127.0.0.1",
        port=port,
        log_level="critical",
        lifespan="on",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(
        target=lambda: (
            asyncio.DefaultEventLoopPolicy().new_event_loop().run_until_complete(server.serve())
        ),
        daemon=True,
    )
    thread.start()
    wait_for(port)
    try:
        yield port
    finally:
        server.should_exit = True
        server.force_exit = True
        thread.join(10)
