"""The table of protocols, and the doors to vendors: make a provider, probe it, list its models."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from kinet.core.profile import ModelProfile, WireProtocol
from kinet.net.secret import Secret
from kinet.providers.anthropic import Anthropic
from kinet.providers.circuit import Circuit
from kinet.providers.http import Connection
from kinet.providers.http_provider import Dialect, HttpProvider
from kinet.providers.openai_compatible import OpenAICompatible
from kinet.providers.probing import ProbeResult, Verdict, list_models, probe_with, served_window
from kinet.providers.responses import Responses
from kinet.providers.vendors import VENDORS, Vendor, vendor_named, vendor_of

__all__ = [
    "PROTOCOLS",
    "VENDORS",
    "ProbeResult",
    "Vendor",
    "Verdict",
    "create_provider",
    "list_models",
    "probe",
    "served_window",
    "vendor_named",
    "vendor_of",
]

PROTOCOLS: dict[WireProtocol, Callable[[ModelProfile, Secret | None, Vendor], Dialect]] = {
    "openai": OpenAICompatible,
    "responses": Responses,
    "anthropic": Anthropic,
}


def create_provider(
    profile: ModelProfile,
    key: Secret | None,
    client: httpx.AsyncClient | None = None,
    *,
    retries: int = 3,
    stall_seconds: float = 120.0,
    guarded: bool = True,
) -> HttpProvider:
    """The provider for a profile; keep it, it holds a warm connection and what the server taught.

    Without `client` it makes one of its own and closes it in `close`. A guarded provider leaves a
    server alone for 30 s after five failures in a row; `provider.circuit.reset()` tries anyway.
    """
    dialect = PROTOCOLS[profile.protocol](profile, key, vendor_of(profile))
    connection = Connection(client, stall_seconds=stall_seconds)
    circuit = Circuit() if guarded else None
    return HttpProvider(dialect, connection, retries=retries, circuit=circuit)


async def probe(
    profile: ModelProfile, key: Secret | None, client: httpx.AsyncClient | None = None
) -> ProbeResult:
    """Lists the models, and asks the profile's model for one word. Never raises ProviderError."""
    return await probe_with(create_provider, profile, key, client)
