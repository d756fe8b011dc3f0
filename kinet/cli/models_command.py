"""`kinet models`: the profiles, and what is known of each model."""

from __future__ import annotations

import argparse
import json
from typing import Any

from kinet.core.profile import ModelProfile, Price
from kinet.paths import data_dir
from kinet.providers.asked_window import with_window
from kinet.providers.pricing import PriceTable, known_window
from kinet.settings.store import SettingsStore


def models(options: argparse.Namespace) -> int:
    """Prints one row per profile; asks no server."""
    store = SettingsStore(data_dir())
    table = PriceTable(store.prices())
    default = store.default_profile
    rows = [_row(profile, table, default) for profile in store.profiles()]
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    elif not rows:
        print("No profile yet. Open the window, or name an endpoint: kinet run --base-url …")
    else:
        for row in rows:
            print(_line(row))
    return 0


def _row(profile: ModelProfile, table: PriceTable, default: ModelProfile | None) -> dict[str, Any]:
    price = profile.price or table.price_of(profile.model)
    return {
        "profile": profile.name,
        "default": default is not None and default.name == profile.name,
        "model": profile.model,
        "base_url": profile.base_url,
        "protocol": profile.protocol,
        "window": with_window(profile).window or known_window(profile.model) or None,
        "price": _price(price),
        "tools": True,
        "vision": profile.vision,
        "key": f"environment {profile.key_env}" if profile.key_env else "keychain",
    }


def _price(price: Price) -> dict[str, Any]:
    return {
        "input": price.input,
        "output": price.output,
        "cache_read": price.cache_read,
        "cache_write": price.cache_write,
        "estimate": price.estimate,
        "source": price.source,
        "date": price.date,
    }


def _line(row: dict[str, Any]) -> str:
    window = f"{row['window']:,} tokens" if row["window"] else "window not known"
    price = row["price"]
    money = "price not known"
    if price["estimate"]:
        money = (
            f"about {price['input']:g} in USD per million tokens (estimate, answers not counted)"
        )
    elif price["input"] is not None and price["output"] is not None:
        money = f"{price['input']:g} in, {price['output']:g} out USD per million tokens"
    mark = "* " if row["default"] else "  "
    return f"{mark}{row['profile']}: {row['model']} · {row['protocol']} · {window} · {money}"
