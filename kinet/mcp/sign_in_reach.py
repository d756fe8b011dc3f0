"""Which addresses may have to do with the sign-in to a server: asked from here, or opened."""

from __future__ import annotations

from dataclasses import replace

import httpx

from kinet.core.errors import ToolError
from kinet.mcp.definition import ServerDefinition
from kinet.mcp.server_reach import reach_for
from kinet.net.client import goes_direct
from kinet.net.loopback import is_loopback
from kinet.policy.network import Target, checked_addresses, judge_url, parse_target
from kinet.tools.web.web_transport import Reach


class SignInReach:
    """For one server, whose `url` is filled in. Checks block: they look up names.

    An authorization server is named by the server itself, so it is believed nothing: it has to be
    on the public network and protected, unless the server is as near as it.
    """

    def __init__(self, server: ServerDefinition, reach: Reach) -> None:
        self._server = server
        self._reach = reach_for(server, reach)
        self._own = parse_target(server.url)
        self._own_is_here = is_loopback(self._own.host)
        self._own_is_inner = server.place == "own" and not self._own_is_here and self._is_inner()

    @property
    def reach(self) -> Reach:
        """That of the server itself."""
        return self._reach

    def check_server(self) -> None:
        """ToolError for a server that no token may be sent to."""
        if self._own.scheme != "https" and not self._own_is_here:
            raise ToolError(
                f"{self._own.host} is asked without protection (http); a sign-in would be read "
                "on the way.",
                hint="Use its https address.",
            )

    def asked(self, url: str) -> tuple[Target, Reach]:
        """The address, and how it is reached. ToolError for one that is not asked."""
        target = self._target(url)
        own = self._own
        if (target.scheme, target.host, target.port) == (own.scheme, own.host, own.port):
            return target, self._reach
        self._check_protection(target)
        reach = self._reach
        # A folder's server is near nothing but what the person permitted themselves.
        is_own = self._server.place == "own"
        near = self._own_is_here and is_own if is_loopback(target.host) else self._own_is_inner
        if near:
            permits = reach.local_permits | {f"{target.host}:{target.port}"}
            reach = replace(reach, local_permits=permits)
        judgement = judge_url(url, local_permits=reach.local_permits)
        if judgement.verdict == "deny":
            raise self._refusal(target, judgement.reason)
        return target, reach

    def check_opened(self, url: str) -> Target:
        """The address a browser may be sent to. ToolError for any other."""
        target, reach = self.asked(url)
        self._check_protection(target)
        if reach.proxy is not None and not goes_direct(httpx.URL(target.url), reach.no_proxy):
            # Outer names may be unknown here.
            return target
        _, trouble = checked_addresses(target, reach.resolve, reach.local_permits)
        if trouble:
            raise self._refusal(target, trouble)
        return target

    def _target(self, url: str) -> Target:
        try:
            return parse_target(url)
        except ValueError as exc:
            raise ToolError(
                f"{self._server.name} names an address for the sign-in that is not used: {exc}."
            ) from exc

    def _check_protection(self, target: Target) -> None:
        if target.scheme != "https" and not (is_loopback(target.host) and self._own_is_here):
            raise self._refusal(target, "it is not protected (http)")

    def _refusal(self, target: Target, why: str) -> ToolError:
        return ToolError(
            f"{self._server.name} leads to {target.authority} for the sign-in, which is not asked: "
            f"{why}.",
            hint="It can be permitted in the settings, Network, as a development server."
            if self._server.place == "folder" and is_loopback(target.host)
            else "Ask whoever runs the server.",
        )

    def _is_inner(self) -> bool:
        judged = judge_url(self._server.url, resolve=self._reach.resolve)
        return judged.verdict == "deny"
