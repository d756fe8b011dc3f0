"""Models for a face: found, tried, saved with their keys, and priced."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from kinet.core.profile import ModelProfile, Price
from kinet.local.discovery import Found, discover
from kinet.local.known_keys import KEYS, owners
from kinet.net.secret import Secret
from kinet.providers.asked_window import with_window
from kinet.providers.pricing import PriceTable, known_window
from kinet.settings.secrets import Keychain, KeychainState, KeyPlace
from kinet.settings.store import SettingsStore

if TYPE_CHECKING:
    from concurrent.futures import Future

    import httpx

    from kinet.providers.probing import ProbeResult

# Gives the warm client; awaited because it has to be made inside the running loop.
ClientFactory = Callable[[], Awaitable["httpx.AsyncClient"]]


class Usable(Protocol):
    """Something found that a profile can be made of; `local.discovery.Found` is one."""

    @property
    def title(self) -> str:
        """A name, and after a comma where it is."""
        ...

    @property
    def base_url(self) -> str:
        """The address."""
        ...

    @property
    def key_env(self) -> str:
        """The variable that holds its key, "" for none."""
        ...

    @property
    def models(self) -> Sequence[str]:
        """Its models, as far as they are known."""
        ...


@dataclass(frozen=True, slots=True)
class PricedModel:
    """A row of the price table; `own` if the person set the price."""

    model: str
    price: Price
    own: bool


class ModelServices:
    """What a face may ask and change about models. Keys go in and never come out."""

    def __init__(self, settings: SettingsStore, keychain: Keychain, client: ClientFactory) -> None:
        self._settings = settings
        self._keychain = keychain
        self._client = client

    async def discover(self) -> Sequence[Found]:
        """What can be used at once on this computer. Ends within a second, never raises."""
        return await discover()

    def profile_from(self, found: Usable) -> ModelProfile:
        """The profile that uses what was found, under a name that is free."""
        for known in KEYS:
            if found.key_env and known.variable == found.key_env:
                profile = replace(known.profile(), key_env=found.key_env)
                return replace(profile, name=self._free(profile.name))
        name = found.title.partition(",")[0]
        model = found.models[0] if found.models else ""
        return ModelProfile(self._free(name), found.base_url, model)

    def profiles_for_key(self, key: str) -> Sequence[ModelProfile]:
        """Ready-made profiles this key may belong to; one if its first characters tell."""
        return [
            replace(profile, name=self._free(profile.name))
            for profile in (known.profile() for known in owners(key))
        ]

    async def probe(self, profile: ModelProfile, key: str | None) -> ProbeResult:
        """Tries the profile with one tiny request. `key` None means the kept key."""
        secret, client = await self._key(profile, key), await self._client()
        catalog = await asyncio.to_thread(_catalog)
        found: ProbeResult = await catalog.probe(profile, secret, client)
        return found

    async def list_models(self, profile: ModelProfile, key: str | None) -> Sequence[str]:
        """Names of the models the server offers. ProviderError if it does not say."""
        secret, client = await self._key(profile, key), await self._client()
        catalog = await asyncio.to_thread(_catalog)
        names: Sequence[str] = await catalog.list_models(profile, secret, client)
        return names

    async def save_profile(self, profile: ModelProfile, key: str | None) -> KeyPlace:
        """Keeps the profile under its name, and the key where keys are kept; says where that is.

        `key` None leaves the kept key as it is. Raises SettingsError with a sentence.
        """
        await asyncio.to_thread(self._settings.save_profile, profile)
        if key is not None and key.strip():
            return await asyncio.to_thread(self._keychain.set, profile.name, Secret(key))
        return await self.key_place(profile)

    async def delete_profile(self, name: str) -> None:
        """Removes the profile; its key stays until `forget_key`, so that Undo is whole."""
        await asyncio.to_thread(self._settings.delete_profile, name)

    async def forget_key(self, name: str) -> None:
        """Removes the key kept for this profile name, wherever it is kept."""
        await asyncio.to_thread(self._keychain.delete, name)

    async def key_place(self, profile: ModelProfile) -> KeyPlace:
        """Where the key of this profile is; "none" if there is none."""
        return await asyncio.to_thread(self._keychain.place, profile)

    async def keychain_state(self) -> KeychainState:
        """Whether keys can be kept on this computer. Ends within 3 seconds."""
        return await asyncio.to_thread(self._keychain.state)

    def price_rows(self) -> Sequence[PricedModel]:
        """The models of the profiles first, then those with an own price, then the known ones."""
        own = self._settings.prices()
        table = PriceTable(own)
        known = dict(table.rows())
        names = [profile.model for profile in self._settings.profiles() if profile.model]
        order = dict.fromkeys([*names, *own, *known])
        return [PricedModel(name, table.price_of(name), name in own) for name in order]

    def set_price(self, model: str, price: Price) -> Future[None]:
        """The person's own price for `model`: it holds at once, the future says when it is kept.

        Both raise SettingsError with a sentence.
        """
        return self._settings.keep_price(model, price)

    def reset_price(self, model: str) -> Future[None]:
        """Back to the built-in price."""
        return self._settings.keep_price(model, None)

    def window_of(self, profile: ModelProfile) -> int:
        """The context window in tokens, 0 where it is not known. For a thread: it may read."""
        return with_window(profile).window or known_window(profile.model)

    async def _key(self, profile: ModelProfile, key: str | None) -> Secret | None:
        if key is not None:
            return Secret(key) if key.strip() else None
        return await asyncio.to_thread(self._keychain.key_for, profile)

    def _free(self, name: str) -> str:
        """The name, with a number behind it if a profile has it already."""
        taken = {profile.name for profile in self._settings.profiles()}
        number, free = 2, name
        while free in taken:
            free = f"{name} {number}"
            number += 1
        return free


def _catalog() -> Any:
    """What asks servers; it takes long to import, so call it in a thread."""
    from kinet.providers import catalog

    return catalog
