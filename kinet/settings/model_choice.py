"""Which model a session asks, and the object that asks it."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from kinet.core.errors import SettingsError
from kinet.core.profile import ModelProfile, WireProtocol
from kinet.local.tour_thread import PROFILE_NAME as TOUR
from kinet.local.tour_thread import TourThread
from kinet.net.secret import Secret
from kinet.settings.options import Options
from kinet.settings.refused_parameters import RefusedParameters
from kinet.settings.schema import Network
from kinet.settings.secrets import Keychain
from kinet.settings.store import SettingsStore

if TYPE_CHECKING:
    import httpx

    from kinet.providers.base import Provider

# The name of a profile that only the command line knows.
UNSAVED = "unsaved"


class ModelChoice:
    """Profiles and providers of one runtime. All providers share one warm client."""

    def __init__(self, settings: SettingsStore, keychain: Keychain, options: Options) -> None:
        self._settings = settings
        self._keychain = keychain
        self._options = options
        self._refused = RefusedParameters(settings.home)
        self._guard = threading.Lock()
        self._client: httpx.AsyncClient | None = None
        self._network: Network | None = None
        self._old_clients: list[httpx.AsyncClient] = []
        self._providers: dict[str, tuple[object, Provider]] = {}
        self._tour = TourThread()

    def check(self) -> None:
        """SettingsError if the command line names what does not exist."""
        options = self._options
        if options.base_url and not options.model:
            raise SettingsError("The endpoint needs a model.", hint="Name it with --model ID.")
        names = [item.name for item in self._settings.profiles()]
        if options.profile and not options.base_url and options.profile not in [*names, TOUR]:
            raise _no_profile(options.profile, names)

    def profile(self, name: str) -> ModelProfile:
        """The profile `name`, the default one for "". The command line's choice wins over both.

        A session whose profile was removed goes on with the default one. SettingsError if no model
        is chosen at all.
        """
        if self._options.base_url:
            return self._unsaved()
        name = self._options.profile or name
        found = self._settings.profile(name) if name else None
        if found is None and name == TOUR:
            return self.tour_profile()
        found = found or self._settings.default_profile
        if found is None:
            raise SettingsError(
                "No model is chosen yet.",
                hint="Choose one in the settings, or name it: --base-url URL --model ID.",
            )
        return self._adapted(found)

    def tour_profile(self) -> ModelProfile:
        """The profile of the tour, which runs from now on."""
        try:
            return self._tour.profile()
        except OSError as exc:
            raise SettingsError(
                f"The guided tour could not be started: {exc.strerror or exc}.",
                hint="Try again, or choose a model.",
            ) from exc

    def provider(self, profile: ModelProfile) -> Provider:
        """The object that asks this profile: the same one while profile, key and network stay.

        May ask the keychain: call it in a thread. SettingsError if a named variable holds no key.
        """
        from kinet.providers.catalog import create_provider

        key = self.key(profile)
        network = self._settings.values.network
        state = (profile, key, network)
        with self._guard:
            known = self._providers.get(profile.name)
        if known is not None and known[0] == state:
            return known[1]
        provider = create_provider(
            profile,
            key,
            self._warm_client(),
            retries=network.retries,
            stall_seconds=network.stall_seconds,
            refusals=self._refused.of(profile, keep=profile.name not in (UNSAVED, TOUR)),
        )
        with self._guard:
            self._providers[profile.name] = (state, provider)
        return provider

    def key(self, profile: ModelProfile) -> Secret | None:
        """The key of this profile, None where it needs none or has none kept.

        May ask the keychain: call it in a thread. SettingsError if a named variable holds no key.
        """
        if profile.name in (UNSAVED, TOUR) and not profile.key_env:
            return None
        key = self._keychain.key_for(profile)
        # A variable that is there and empty says that the server wants no key.
        if profile.key_env and key is None and profile.key_env not in os.environ:
            raise SettingsError(
                f"The environment variable {profile.key_env} holds no key.",
                hint="Set it, or choose another place for the key in the settings.",
            )
        return key

    async def client(self) -> httpx.AsyncClient:
        """The one warm HTTP client. It is made in a thread: loading certificates takes a while."""
        return await asyncio.to_thread(self._warm_client)

    async def close(self) -> None:
        """Closes all connections and ends the tour."""
        with self._guard:
            clients = [*self._old_clients, *([self._client] if self._client else [])]
            self._client, self._old_clients = None, []
            self._providers.clear()
        for client in clients:
            await client.aclose()
        await asyncio.to_thread(self._tour.close)

    def _warm_client(self) -> httpx.AsyncClient:
        from kinet.net.client import create_client

        with self._guard:
            network = self._settings.values.network
            if self._client is not None and network != self._network:
                # Answers may be under way over the old one; it ends with the program.
                self._old_clients.append(self._client)
                self._client = None
            if self._client is None:
                self._client = create_client(
                    stall_seconds=network.stall_seconds,
                    proxy=network.proxy or None,
                    no_proxy=network.no_proxy,
                    ca_file=network.ca_file or None,
                    recorded=True,
                )
                self._network = network
            return self._client

    def _unsaved(self) -> ModelProfile:
        from kinet.providers.vendors import vendor_of

        profile = self._adapted(ModelProfile(UNSAVED, self._options.base_url, ""))
        if not self._options.protocol:
            profile = replace(profile, protocol=vendor_of(profile).protocol)
        return profile

    def _adapted(self, profile: ModelProfile) -> ModelProfile:
        """The profile with what the command line says of it, and the window it will be given."""
        from kinet.providers.asked_window import with_window

        options = self._options
        profile = replace(
            profile,
            model=options.model or profile.model,
            protocol=cast(WireProtocol, options.protocol or profile.protocol),
            vendor=options.vendor or profile.vendor,
            key_env=options.api_key_env or profile.key_env,
        )
        return with_window(profile)


def _no_profile(name: str, names: Sequence[str]) -> SettingsError:
    known = ", ".join(names) or "none yet"
    return SettingsError(f"There is no profile {name!r}.", hint=f"Profiles: {known}.")
