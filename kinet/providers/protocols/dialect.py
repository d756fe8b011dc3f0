"""What every dialect has: its profile, the conversations built so far, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic

from kinet.core.profile import ModelProfile
from kinet.net.secret import Secret
from kinet.providers.base import ModelRequest
from kinet.providers.protocols.growing_history import B, GrowingHistory
from kinet.providers.protocols.wire_names import ToolNames
from kinet.providers.transport.complaints import Complaint
from kinet.providers.transport.refusals import Refusals
from kinet.providers.vendors import Vendor


class ProfileDialect(Generic[B]):
    """One protocol for one profile. A dialect adds `_begin`, `call` and `decoder`."""

    def __init__(
        self,
        profile: ModelProfile,
        key: Secret | None,
        vendor: Vendor,
        refusals: Refusals | None = None,
    ) -> None:
        self._profile = profile
        self._key = key
        self._vendor = vendor
        self._history: GrowingHistory[B] = GrowingHistory(self._begin)
        self._refusals = Refusals() if refusals is None else refusals

    def learn(self, complaint: Complaint, body: Mapping[str, Any]) -> bool:
        """True if the server refused a parameter that will be left out from now on."""
        return self._refusals.learn(complaint, body)

    def _begin(self, system: str, names: ToolNames) -> B:
        """A builder for a conversation with this system text."""
        raise NotImplementedError

    def _sampling(self, request: ModelRequest) -> dict[str, float]:
        """Temperature and top_p, the request's before the profile's; only what is set."""
        wanted = {
            name: getattr(self._profile, name) if value is None else value
            for name, value in (("temperature", request.temperature), ("top_p", request.top_p))
        }
        return {name: value for name, value in wanted.items() if value is not None}
