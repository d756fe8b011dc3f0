"""Tokens to money: the person's price, our table's, the published data's, or a marked estimate."""

from __future__ import annotations

import functools
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from kinet import paths
from kinet.core.completion import Usage
from kinet.core.profile import Price
from kinet.providers.public_prices import PublicModel, is_read, public_model

GLM_INPUT = 0.07
UNKNOWN_INPUT = 3.0
FIELDS = ("input", "output", "cache_read", "cache_write")
_MILLION = 1_000_000

# What may stand behind a model's name without making it another model.
_SAME_MODEL = re.compile(r"(?:[-@:](?:\d{8}|\d{4}-\d\d-\d\d|\d{4}|\d\d-\d{4}|latest|beta|exp))+$")
# Names as local servers give them: a tag behind a colon, or a file.
_LOCAL = re.compile(r"^[^/]+:[\w.-]+$|\.gguf$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class KnownModel:
    """One row of our table. `window` and `longest` (answer) in tokens, 0 where not known."""

    id: str
    names: tuple[str, ...]
    price: Price
    window: int = 0
    longest: int = 0


class PriceTable:
    """Prices in USD per million tokens; the person's own figures win, field by field."""

    def __init__(self, overrides: Mapping[str, Mapping[str, float]] | None = None) -> None:
        self._overrides = {
            name.strip().lower(): {
                key: float(value)
                for key, value in fields.items()
                if key in FIELDS and _is_price(value)
            }
            for name, fields in (overrides or {}).items()
        }

    def price_of(self, model: str) -> Price:
        """The price of a model; its fields are None where not known."""
        price = _known_price(model)
        own = next((self._overrides[n] for n in _names(model) if n in self._overrides), None)
        if not own:
            return price
        if price.estimate:
            price = Price()
        return replace(
            price,
            input=own.get("input", price.input),
            output=own.get("output", price.output),
            cache_read=own.get("cache_read", price.cache_read),
            cache_write=own.get("cache_write", price.cache_write),
            source="settings",
            date="",
        )

    def cost(self, model: str, usage: Usage) -> tuple[float | None, bool]:
        """(USD or None where not known, True if it is a fallback estimate)."""
        price = self.price_of(model)
        return cost_of(price, usage), price.estimate

    def rows(self) -> list[tuple[str, Price]]:
        """All models with a known price, by name: ours and the person's."""
        names = {row.id for row in known_models()} | set(self._overrides)
        return [(name, self.price_of(name)) for name in sorted(names)]


def cost_of(price: Price, usage: Usage) -> float | None:
    """USD for these tokens; None where a price that is needed is not known.

    Cached tokens are parts of the prompt: each is counted once, at its own price, or at the full
    one where there is no other. An estimate counts the prompt alone.
    """
    if price.input is None:
        return None
    read = min(max(usage.cache_read, 0), usage.tokens_in)
    write = min(max(usage.cache_write, 0), usage.tokens_in - read)
    fresh = usage.tokens_in - read - write
    total = fresh * price.input
    total += read * (price.input if price.cache_read is None else price.cache_read)
    total += write * (price.input if price.cache_write is None else price.cache_write)
    if price.output is not None:
        total += usage.tokens_out * price.output
    elif usage.tokens_out and not price.estimate:
        return None
    return total / _MILLION


def known_window(model: str) -> int:
    """The context window of a model in tokens; 0 where it is not known.

    May read the published data: call it in a thread, or ask `window_at_hand` first.
    """
    row, public = _known(model)
    if row is not None:
        return row.window
    family = _row(model)
    told = public.window if public else 0
    return told or (family.window if family else 0)


def window_at_hand(model: str) -> int | None:
    """What `known_window` gives; None while it would have to read the published data first."""
    name = model.strip().lower()
    at_hand = is_read() or _is_free_or_local(name) or _stands_for_itself(name)
    return known_window(model) if at_hand else None


def known_output(model: str) -> int:
    """The longest answer of a model in tokens; 0 where it is not known."""
    row = _row(model)
    return row.longest if row else 0


@functools.cache
def known_models() -> tuple[KnownModel, ...]:
    """The rows of resources/models.toml."""
    path = paths.resources_dir() / "models.toml"
    with path.open("rb") as file:
        document = tomllib.load(file)
    sources = {entry["name"]: entry for entry in document.get("source", ())}
    return tuple(_read_row(row, sources.get(row["from"], {})) for row in document["model"])


def _read_row(row: Mapping[str, Any], source: Mapping[str, Any]) -> KnownModel:
    prices = {key: float(row[key]) for key in FIELDS if key in row}
    return KnownModel(
        id=row["id"],
        names=(row["id"], *row.get("also", ())),
        price=Price(
            input=prices.get("input"),
            output=prices.get("output"),
            cache_read=prices.get("cache_read"),
            cache_write=prices.get("cache_write"),
            source=source.get("url", ""),
            date=source.get("date", ""),
        ),
        window=row.get("window", 0),
        longest=row.get("longest", 0),
    )


@functools.cache
def _by_name() -> dict[str, KnownModel]:
    return {name.lower(): row for row in known_models() for name in row.names}


def _row(model: str) -> KnownModel | None:
    table = _by_name()
    return next((table[name] for name in _names(model) if name in table), None)


def _names(model: str) -> list[str]:
    """The names under which a model may be found, the most exact one first."""
    bare = _bare(model)
    return [model.strip().lower(), bare, _SAME_MODEL.sub("", bare)]


def _bare(model: str) -> str:
    """The name without a vendor's prefix and without a gateway's variant."""
    name = model.strip().lower().rpartition("/")[2]
    return re.sub(r":(?:free|nitro|floor|online|thinking|extended|beta)$", "", name)


def _known(model: str) -> tuple[KnownModel | None, PublicModel | None]:
    """What is known of a model, in one of two places.

    A reseller's list that has the very name with its maker before it comes first, for it may sell
    at another price. Then our row for the very name, then the published one of the very name, then
    ours of the family, then the published one of the family.
    """
    name = model.strip().lower()
    row = _row(name)
    if _stands_for_itself(name):
        return row, None
    public = None if _is_free_or_local(name) else public_model(name)
    if "/" in name and public is not None and public.id.lower() == name:
        return None, public
    if row is not None and _bare(name) in row.names:
        return row, None
    if row is None or (public is not None and public.id.lower() == _bare(name)):
        return None, public
    return row, None


def _stands_for_itself(name: str) -> bool:
    """True if our row for the very name counts, whatever was published."""
    row = _row(name)
    return row is not None and "/" not in name and _bare(name) in row.names


def _is_free_or_local(model: str) -> bool:
    return not model or model.endswith(":free") or _LOCAL.search(model) is not None


def _known_price(model: str) -> Price:
    name = model.strip().lower()
    if name.endswith(":free"):
        return Price()
    row, public = _known(name)
    found = row or public
    if found is not None:
        return found.price
    if _is_free_or_local(name):
        return Price()
    fallback = GLM_INPUT if "glm" in name else UNKNOWN_INPUT
    return Price(input=fallback, source="estimate", estimate=True)


def _is_price(value: Any) -> bool:
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value >= 0
    )
