"""Reads the settings file and judges it field by field: one odd value never costs the others."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from kinet.core.errors import SettingsError
from kinet.settings.schema import Settings, sections, strictest
from kinet.settings.server_entries import ToolServers, judged_servers
from kinet.settings.stored import OwnPrice, Profile

# Bytes; a settings file is a few kilobytes.
LARGEST = 1024 * 1024


class DamagedSettingsError(SettingsError):
    """The file is there and holds no JSON object."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The settings that hold, and a sentence for each value that does not."""

    values: Settings
    problems: list[str] = field(default_factory=list)


def read_file(path: Path) -> dict[str, Any]:
    """The JSON object in the file; {} if there is no file.

    Raises DamagedSettingsError, or SettingsError if it cannot be read at all.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        # Where no folder can be, the store says what to do; it is the first to write there.
        return {}
    except OSError as exc:
        raise SettingsError(
            f"The settings {path} cannot be read: {exc.strerror}.", hint="Check its permissions."
        ) from exc
    if len(data) > LARGEST:
        raise DamagedSettingsError(f"The settings file is larger than {LARGEST // 1024} KB.")
    try:
        value = json.loads(data.decode("utf-8-sig")) if data.strip() else None
    except (ValueError, RecursionError) as exc:
        what = "nested too deeply" if isinstance(exc, RecursionError) else str(exc)
        raise DamagedSettingsError(f"The settings file is damaged ({what}).") from exc
    if not isinstance(value, dict):
        raise DamagedSettingsError("The settings file is empty or holds no settings.")
    return value


def set_aside(path: Path) -> Path:
    """Renames a damaged file, bytes untouched. Returns the new path."""
    number = int(time.time())
    while (aside := path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")).exists():
        number += 1
    path.rename(aside)
    return aside


def judge(raw: Mapping[str, Any]) -> Judged:
    """The settings that `raw` holds. Unknown values become the default, of a safety setting the
    strictest; unknown fields are kept. Never raises for what a file can hold."""
    problems: list[str] = []
    values: dict[str, Any] = {
        name: value for name, value in raw.items() if name not in Settings.model_fields
    }
    for name, section in sections().items():
        given = raw.get(name, {})
        if section is ToolServers:
            values[name] = judged_servers(given, problems)
            continue
        if not isinstance(given, Mapping):
            problems.append(f"{name}: not a group of settings; the strictest values hold.")
            given = dict.fromkeys(section.model_fields, given)
        values[name] = _section(name, section, given, problems)
    values["prices"] = _prices(raw.get("prices", {}), problems)
    values["profiles"] = _profiles(raw.get("profiles", []), problems)
    return Judged(Settings.model_construct(**values), problems)


def first_complaint(exc: ValidationError) -> str:
    """What is wrong, in the words of the check."""
    error = exc.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(item) for item in error["loc"])
    message = _own_words(str(error["msg"]))
    return f"{place}: {message}" if place else message


def _own_words(message: str) -> str:
    """What one of our own checks said, without the library's introduction."""
    return message.removeprefix("Value error, ")


def _section(
    name: str, section: type[BaseModel], given: Mapping[str, Any], problems: list[str]
) -> BaseModel:
    chosen = dict(given)
    try:
        return section.model_validate(chosen, strict=False)
    except ValidationError as exc:
        wrong = {
            str(error["loc"][0]): _own_words(error["msg"]) for error in exc.errors() if error["loc"]
        }
    for key, message in wrong.items():
        instead = strictest(section.model_fields[key])
        chosen[key] = instead
        problems.append(f"{name}.{key}: {message}; {json.dumps(instead)} is used.")
    return section.model_validate(chosen)


def _prices(given: Any, problems: list[str]) -> dict[str, OwnPrice]:
    if not isinstance(given, Mapping):
        problems.append("prices: not a table of models; no own price is used.")
        return {}
    prices: dict[str, OwnPrice] = {}
    for model, price in given.items():
        try:
            prices[str(model)] = OwnPrice.model_validate(price)
        except ValidationError as exc:
            problems.append(f"prices.{model}: {first_complaint(exc)}; the known price is used.")
    return prices


def _profiles(given: Any, problems: list[str]) -> tuple[Profile, ...]:
    if not isinstance(given, list):
        problems.append("profiles: not a list; no profile is used.")
        return ()
    profiles: dict[str, Profile] = {}
    for number, profile in enumerate(given, 1):
        try:
            read = Profile.model_validate(profile)
        except ValidationError as exc:
            name = profile.get("name") if isinstance(profile, Mapping) else None
            problems.append(f"profile {name or number}: {first_complaint(exc)}; it is left out.")
            continue
        profiles.setdefault(read.name, read)
    return tuple(profiles.values())
