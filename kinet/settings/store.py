"""Keeps the settings in one file: read with care, changed one value at a time, replaced at once."""

from __future__ import annotations

import contextlib
import difflib
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.core import atomic_write
from kinet.core.errors import SettingsError
from kinet.core.profile import ModelProfile, Price
from kinet.paths import ensure_private_dir
from kinet.settings import first_frame
from kinet.settings.fields import SettingField

if TYPE_CHECKING:
    from kinet.settings.reading import Judged
    from kinet.settings.schema import Profile, Settings

FILE_NAME = "settings.json"
# What the first picture of the window needs is kept there too.
_FIRST_FRAME = {"appearance.theme": "theme", "appearance.zoom": "zoom"}
_PRICE_KEYS = ("input", "output", "cache_read", "cache_write")

Callback = Callable[[str], None]


class SettingsStore:
    """The settings of a data folder. Cheap to make: the file is read at first use.

    `problems` has a sentence for everything in the file that did not hold. Safe to use from several
    threads; callbacks run in the thread that made the change.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.path = home / FILE_NAME
        self.problems: list[str] = []
        self._damage: list[str] = []
        self._raw: dict[str, Any] = {}
        self._values: Settings | None = None
        self._callbacks: list[Callback] = []
        self._guard = threading.RLock()

    @property
    def values(self) -> Settings:
        """All settings. Raises SettingsError if the file cannot be read."""
        with self._guard:
            if self._values is None:
                self.reload()
            assert self._values is not None
            return self._values

    def reload(self) -> None:
        """Reads the file again. A damaged one is set aside and the defaults hold."""
        from kinet.settings import reading

        with self._guard:
            try:
                raw = reading.read_file(self.path)
            except reading.DamagedSettingsError as exc:
                raw = {}
                self._damage.append(self._set_aside(exc))
            self._take(raw, reading.judge(raw))

    def fields(self) -> tuple[SettingField, ...]:
        """Every setting with title, help and bounds, in the order of the pages."""
        from kinet.settings.schema import setting_fields

        return setting_fields()

    def get(self, key: str) -> Any:
        """The value of "section.name", or of a whole part such as "prices" or "general".

        Raises SettingsError for a key that does not exist.
        """
        value: Any = self.values.model_dump(mode="json")
        for name in key.split("."):
            if not isinstance(value, Mapping) or name not in value:
                raise self._unknown(key)
            value = value[name]
        return value

    def set(self, key: str, value: Any) -> None:
        """Changes one setting and keeps it at once. A text is taken for a number or a switch where
        one is asked for. Raises SettingsError; nothing is changed then."""
        parts = key.split(".")
        if parts[0] in ("prices", "profiles") and len(parts) == 1:
            self._change(key, lambda raw: raw.update({key: value}), strict=True)
            return
        if key not in {field.key for field in self.fields()}:
            raise self._unknown(key)
        section, name = parts
        # What the check makes of it is written: "5" becomes 5, "off" becomes false.
        value = self._checked(section, name, value)
        self._change(key, lambda raw: _group(raw, section).update({name: value}), strict=True)
        if key in _FIRST_FRAME:
            first_frame.update(self.home, **{_FIRST_FRAME[key]: self.get(key)})

    def reset(self, key: str) -> None:
        """Back to the default."""
        section, _, name = key.partition(".")
        self._change(key, lambda raw: _group(raw, section).pop(name, None))
        if key in _FIRST_FRAME:
            first_frame.update(self.home, **{_FIRST_FRAME[key]: self.get(key)})

    def on_change(self, callback: Callback) -> Callable[[], None]:
        """Calls `callback(key)` after each change. Returns what ends that."""
        self._callbacks.append(callback)

        def end() -> None:
            with contextlib.suppress(ValueError):
                self._callbacks.remove(callback)

        return end

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

        self._change("profiles", change, strict=True)
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

        self._change("profiles", change)

    def prices(self) -> dict[str, dict[str, float]]:
        """The person's own prices: model to USD per million tokens; only what was set."""
        return {
            model: price.model_dump(exclude_none=True)
            for model, price in self.values.prices.items()
        }

    def set_price(self, model: str, price: Price | Mapping[str, float] | None) -> None:
        """Keeps the person's own price of `model`; None goes back to the known one."""
        if isinstance(price, Price):
            price = {
                key: value for key in _PRICE_KEYS if (value := getattr(price, key)) is not None
            }

        def change(raw: dict[str, Any]) -> None:
            prices = _group(raw, "prices")
            if price is None:
                prices.pop(model, None)
            else:
                prices[model] = dict(price)

        self._change("prices", change, strict=True)

    def _change(
        self, key: str, change: Callable[[dict[str, Any]], Any], *, strict: bool = False
    ) -> None:
        """Applies `change` to what the file holds now and replaces it; with `strict` only if no
        new problem arises."""
        from kinet.settings import reading

        with self._guard:
            # Another program may have changed other values meanwhile: they stay.
            self.reload()
            raw: dict[str, Any] = json.loads(json.dumps(self._raw))
            change(raw)
            judged = reading.judge(raw)
            new = [line for line in judged.problems if line not in self.problems]
            if strict and new:
                raise SettingsError(f"{new[0].split(';')[0]}.", hint="Nothing was changed.")
            self._write(raw)
            self._take(raw, judged)
        for callback in tuple(self._callbacks):
            callback(key)

    def _checked(self, section: str, name: str, value: Any) -> Any:
        from kinet.settings import reading

        judged = reading.judge({section: {name: value}})
        if judged.problems:
            raise SettingsError(f"{judged.problems[0].split(';')[0]}.", hint="Nothing was changed.")
        return getattr(getattr(judged.values, section), name)

    def _take(self, raw: dict[str, Any], judged: Judged) -> None:
        self._raw, self._values = raw, judged.values
        self.problems = self._damage + judged.problems

    def _write(self, raw: Mapping[str, Any]) -> None:
        text = json.dumps(raw, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        try:
            ensure_private_dir(self.home)
            atomic_write.write_bytes(self.path, text.encode("utf-8", "replace"))
        except OSError as exc:
            raise SettingsError(
                f"The settings could not be saved: {exc.strerror or exc} ({self.path}).",
                hint="Check the permissions and the free space; nothing was changed.",
            ) from exc

    def _set_aside(self, cause: SettingsError) -> str:
        from kinet.settings import reading

        try:
            aside = reading.set_aside(self.path)
        except OSError:
            return f"{cause.message} It could not be moved; the default settings hold."
        return f"{cause.message} It was kept as {aside.name}; the default settings hold."

    def _unknown(self, key: str) -> SettingsError:
        near = difflib.get_close_matches(key, [field.key for field in self.fields()], 3, 0.4)
        hint = f"Did you mean {', '.join(near)}?" if near else "`kinet config list` shows them all."
        return SettingsError(f"There is no setting {key!r}.", hint=hint)


def _is_unset(value: Any) -> bool:
    # 0.0 and False are choices (a temperature, "no pictures"); the whole number 0 is "not known".
    return value is None or value == "" or value == {} or (type(value) is int and value == 0)


def _group(raw: dict[str, Any], name: str) -> dict[str, Any]:
    group = raw.get(name)
    if not isinstance(group, dict):
        group = raw[name] = {}
    return group


def _to_profile(item: Profile) -> ModelProfile:
    known = {name: getattr(item, name) for name in type(item).model_fields}
    return ModelProfile(**known)
