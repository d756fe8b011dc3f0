"""All settings of a data folder: single values, profiles of models, and own prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from kinet.core.profile import ModelProfile, Price
from kinet.settings.file import FILE_NAME, Change, SettingsFile, group_of

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kinet.settings.stored import Profile

__all__ = ["FILE_NAME", "SettingsStore"]

_PRICE_KEYS = ("input", "output", "cache_read", "cache_write")


class SettingsStore(SettingsFile):
    """The settings file with its profiles and prices."""

    def profiles(self) -> list[ModelProfile]:
        """All profiles, in the order they were made."""
        return [_to_profile(item) for item in self.values.profiles]

    def profile(self, name: str) -> ModelProfile | None:
        """The profile of this name, or None."""
        return next((item for item in self.profiles() if item.name == name), None)

    @property
    def default_profile(self) -> ModelProfile | None:
        """The profile for new sessions: the chosen one, else the first; None if there is none."""
        profiles = self.profiles()
        chosen = self.values.models.default_profile
        named = [item for item in profiles if item.name == chosen]
        return next(iter(named or profiles), None)

    def save_profile(self, profile: ModelProfile) -> None:
        """Keeps a profile in place of the one with its name, else as the last one."""
        written = {
            name: value
            for name, value in asdict(profile).items()
            if name != "price" and not _is_unset(value)
        }

        def change(raw: dict[str, Any]) -> None:
            listed = raw.get("profiles")
            profiles = [dict(item) for item in listed] if isinstance(listed, list) else []
            for place, item in enumerate(profiles):
                if item.get("name") == profile.name:
                    # Fields of a newer version stay; ours are all written anew.
                    kept = {key: item[key] for key in item if key not in ModelProfile.__slots__}
                    profiles[place] = {**written, **kept}
                    break
            else:
                profiles.append(written)
            raw["profiles"] = profiles

        self.change("profiles", change, strict=True)
        if profile.price is not None:
            self.set_price(profile.model, profile.price)

    def delete_profile(self, name: str) -> None:
        """Removes a profile; an unknown name changes nothing."""

        def change(raw: dict[str, Any]) -> None:
            listed = raw.get("profiles")
            if isinstance(listed, list):
                raw["profiles"] = [
                    item
                    for item in listed
                    if not (isinstance(item, dict) and item.get("name") == name)
                ]

        self.change("profiles", change)

    def prices(self) -> dict[str, dict[str, float]]:
        """The person's own prices: model to USD per million tokens; only what was set."""
        return {
            model: price.model_dump(exclude_none=True)
            for model, price in self.values.prices.items()
        }

    def set_price(self, model: str, price: Price | Mapping[str, float] | None) -> None:
        """Keeps the person's own price of `model`; None goes back to the known one."""
        self.change("prices", _price_change(model, price), strict=True)

    def keep_price(self, model: str, price: Price | None) -> Future[None]:
        """The same for a window: it holds when this returns, see `keep`."""
        return self.keep_change("prices", _price_change(model, price))


def _price_change(model: str, price: Price | Mapping[str, float] | None) -> Change:
    if isinstance(price, Price):
        price = {key: value for key in _PRICE_KEYS if (value := getattr(price, key)) is not None}

    def change(raw: dict[str, Any]) -> None:
        prices = group_of(raw, "prices")
        if price is None:
            prices.pop(model, None)
        else:
            prices[model] = dict(price)

    return change


def _is_unset(value: Any) -> bool:
    # 0.0 and False are choices (a temperature, "no pictures"); the whole number 0 is "not known".
    return value is None or value == "" or value == {} or (type(value) is int and value == 0)


def _to_profile(item: Profile) -> ModelProfile:
    known = {name: getattr(item, name) for name in type(item).model_fields}
    return ModelProfile(**known)
