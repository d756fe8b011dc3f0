"""Answers of an authorization server that would cost much, or change what is asked of it."""

from __future__ import annotations

import asyncio
import gzip

import pytest
from mcp_kit import Kit
from test_mcp_sign_in_dangers import PROTECTED, SERVER, Browser, Site, refused, site

__all__ = ["site"]


@pytest.mark.parametrize("path", [PROTECTED, SERVER, "/register", "/token", "/mcp"])
async def test_a_packed_answer_is_not_unpacked(kit: Kit, site: Site, path: str) -> None:
    reply = 200, {"content-encoding": "gzip"}, gzip.compress(b" " * 10_000_000)
    site.replies[path] = reply
    assert "packs its answers (gzip)" in await refused(kit, site)


@pytest.mark.parametrize("name", ["state", "redirect_uri", "client_id", "code_challenge", "scope"])
async def test_a_page_that_sets_itself_what_is_asked_is_not_opened(
    kit: Kit, site: Site, name: str
) -> None:
    site.metadata["authorization_endpoint"] = f"{site.home}/authorize?tenant=1&{name}="
    site.protected["scopes_supported"] = ["read"]
    browser = Browser()
    async with asyncio.timeout(10):
        assert "not used" in await refused(kit, site, browser)
    assert browser.visits == []
