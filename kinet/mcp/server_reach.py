"""Which addresses may be asked for a server on the network."""

from __future__ import annotations

from dataclasses import replace

import httpx

from kinet.core.errors import ToolError
from kinet.mcp.definition import ServerDefinition
from kinet.net.client import goes_direct
from kinet.policy.network import judge_url, parse_target
from kinet.tools.web.web_transport import Reach


def reach_for(server: ServerDefinition, reach: Reach) -> Reach:
    """What may be reached for this server.

    The address in a person's own entry is permitted by them, on this computer and its network too;
    one that a folder brings only if they permitted it elsewhere. ToolError for any other.
    """
    permits = reach.local_permits
    try:
        target = parse_target(server.url)
    except ValueError as exc:
        raise ToolError(f"The address cannot be used: {exc}.") from exc
    behind_proxy = reach.proxy is not None and not goes_direct(
        httpx.URL(target.url), reach.no_proxy
    )
    is_local = judge_url(server.url).verdict == "deny"
    if server.place == "own" and (is_local or not behind_proxy):
        # Also a name that stands for an inner address; by a proxy names are looked up there.
        permits = permits | {f"{target.host}:{target.port}"}
    judgement = judge_url(server.url, local_permits=permits)
    if judgement.verdict == "deny":
        hint = ""
        if server.place == "folder":
            hint = "It can be permitted in the settings, Network, as a development server."
        raise ToolError(f"Not connected: {judgement.reason}.", hint=hint)
    return replace(reach, local_permits=permits)
