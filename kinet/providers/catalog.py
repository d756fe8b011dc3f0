"""The table of vendors and protocols, and the doors to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import httpx

from kinet.core.profile import ModelProfile
from kinet.net.secret import Secret
from kinet.providers.base import Provider

Verdict = Literal[
    "works",
    "key_refused",
    "no_credit",
    "model_not_offered",
    "host_not_found",
    "certificate",
    "proxy_refused",
    "timeout",
    "unreachable",
    "protocol",
]


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What asking an address gave."""

    ok: bool
    verdict: Verdict
    detail: str = ""
    hint: str = ""
    latency_ms: int = 0
    models: tuple[str, ...] = ()


def create_provider(
    profile: ModelProfile,
    key: Secret | None,
    client: httpx.AsyncClient | None = None,
    *,
    retries: int = 3,
    stall_seconds: float = 120.0,
) -> Provider:
    """The provider for a profile."""
    raise NotImplementedError


async def probe(
    profile: ModelProfile, key: Secret | None, client: httpx.AsyncClient | None = None
) -> ProbeResult:
    """Asks the address of a profile, with words for a person."""
    raise NotImplementedError


async def list_models(
    profile: ModelProfile, key: Secret | None, client: httpx.AsyncClient | None = None
) -> list[str]:
    """The names of the models an address offers."""
    raise NotImplementedError
