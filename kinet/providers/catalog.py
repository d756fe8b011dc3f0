"""The table of protocols, and the doors to vendors: make a provider, probe it, list its models."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from kinet.core.profile import ModelProfile, WireProtocol
from kinet.net.secret import Secret
from kinet.providers.asked_window import speaks_ollama
from kinet.providers.probing import ProbeResult, Verdict, list_models, probe_with, served_window
from kinet.providers.protocols.anthropic import Anthropic
from kinet.providers.protocols.ollama import Ollama
from kinet.providers.protocols.openai_compatible import OpenAICompatible
from kinet.providers.protocols.responses import Responses
from kinet.providers.transport.http import Connection
from kinet.providers.transport.http_provider import Dialect, HttpProvider
from kinet.providers.transport.refusals import Refusals
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

MakeDialect = Callable[[ModelProfile, Secret | None, Vendor, Refusals | None], Dialect]

PROTOCOLS: dict[WireProtocol, MakeDialect] = {
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
    refusals: Refusals | None = None,
) -> HttpProvider:
    """The provider for a profile; keep it, it holds a warm connection and what the server taught.

    Without `client` it makes one of its own and closes it in `close`. `refusals` is what was
    learnt of this profile's server before. It asks each time: leaving a failing server alone for a
    while is the engine's circuit.
    """
    vendor = vendor_of(profile)
    make: MakeDialect = Ollama if speaks_ollama(profile, vendor) else PROTOCOLS[profile.protocol]
    dialect = make(profile, key, vendor, refusals)
    connection = Connection(client, stall_seconds=stall_seconds)
    return HttpProvider(dialect, connection, retries=retries)


async def probe(
    profile: ModelProfile, key: Secret | None, client: httpx.AsyncClient | None = None
) -> ProbeResult:
    """Lists the models, and asks the profile's model for one word. Never raises ProviderError."""
    return await probe_with(create_provider, profile, key, client)
