"""The published price data of the package genai-prices, behind our own rows; imported late."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

from kinet.core.profile import Price
from kinet.net.lean_imports import stand_ins

# Makers before resellers: the same name may stand in several lists, at several prices.
_ORDER = (
    "openai",
    "anthropic",
    "google",
    "deepseek",
    "zai",
    "moonshotai",
    "mistral",
    "x-ai",
    "minimax",
    "groq",
    "cohere",
    "perplexity",
    "openrouter",
)
_CLIENT = "httpx2"


@dataclass(frozen=True, slots=True)
class PublicModel:
    """What the data says of one model; `window` in tokens, 0 where it does not say."""

    id: str
    price: Price
    window: int = 0


@functools.lru_cache(maxsize=512)
def public_model(model: str) -> PublicModel | None:
    """The row for a model's name; None if there is none with a price per input token.

    The first call reads the data, which takes some tenths of a second: ask in a thread until
    `is_read`.
    Steps by prompt length or time of day count at their base, as of now.
    """
    name = model.strip().lower()
    if not name or ":" in name:
        return None
    bare = name.rpartition("/")[2]
    for provider in _providers():
        # A reseller's list knows the maker's prefix, a maker's own does not.
        found = provider.find_model(name if provider.id == "openrouter" else bare)
        if found is not None and (read := _read(provider, found)) is not None:
            return read
    return None


def data_source() -> tuple[str, str]:
    """The package with its version, and the month (YYYY-MM) of its newest entry in force."""
    from importlib.metadata import version

    return f"genai-prices {version('genai-prices')}", _newest_entry()


def is_read() -> bool:
    """True once the data is in memory, so that `public_model` answers at once."""
    # The name is bound when all of the module has run.
    return hasattr(sys.modules.get("genai_prices.data"), "providers")


def _data() -> Any:
    """The data. The package imports an HTTP client of its own for updates that are never made
    here; it gets a stand-in, which halves the time and the memory."""
    with stand_ins({_CLIENT: ModuleType(_CLIENT)}, unless="genai_prices"):
        from genai_prices import data
    return data


def _providers() -> Iterator[Any]:
    known = {provider.id: provider for provider in _data().providers}
    return (known[name] for name in _ORDER if name in known)


def _read(provider: Any, found: Any) -> PublicModel | None:
    prices = found.get_prices(datetime.now(UTC))
    if _figure(prices.input_mtok) is None:
        return None
    package, date = data_source()
    where = next(iter(provider.pricing_urls or ()), "")
    price = Price(
        _figure(prices.input_mtok),
        _figure(prices.output_mtok),
        _figure(prices.cache_read_mtok),
        _figure(prices.cache_write_mtok),
        source=f"{package}, from {where}" if where else package,
        date=date,
    )
    return PublicModel(found.id, price, found.context_window or 0)


def _figure(value: Any) -> float | None:
    """A price as a number; where it rises with the length of the prompt, the base."""
    base = getattr(value, "base", value)
    return None if base is None else float(base)


@functools.cache
def _newest_entry() -> str:
    """The data carries no date of its own: it is at least as new as the newest price in it."""
    today = datetime.now(UTC).date()
    newest = ""
    for provider in _data().providers:
        for model in provider.models:
            for price in model.prices if isinstance(model.prices, list) else ():
                start = getattr(price.constraint, "start_date", None)
                if start is not None and start <= today:
                    newest = max(newest, start.isoformat()[:7])
        told = re.findall(r"as of (\d{4}-\d\d)-\d\d", provider.price_comments or "")
        newest = max([newest, *(month for month in told if month <= today.isoformat()[:7])])
    return newest
