"""How long a server asks to wait, from its headers or its words."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

_IN_WORDS = re.compile(
    r"(?:try again|retry|available)\s+(?:in|after)\s+(\d+(?:\.\d+)?)\s*"
    r"(ms|milliseconds?|s|secs?|seconds?|m|min|minutes?|h|hours?)?\b"
    r"|\"retryDelay\"\s*:\s*\"(\d+(?:\.\d+)?)s\"",
    re.IGNORECASE,
)
_UNITS = {"ms": 0.001, "mi": 60.0, "m": 60.0, "h": 3600.0}


def retry_after(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Seconds from the headers: milliseconds first, then seconds or a date; None if unreadable.

    `now` is wall time in seconds, for the date form.
    """
    fine = _number(headers.get("retry-after-ms"))
    if fine is not None:
        return fine / 1000
    text = (headers.get("retry-after") or "").strip()
    if not text:
        return None
    seconds = _number(text)
    if seconds is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - (time.time() if now is None else now))


def delay_from_text(text: str) -> float | None:
    """Seconds from words such as "try again in 1.5s"; None if there are none."""
    found = _IN_WORDS.search(text)
    if found is None:
        return None
    if found[3]:
        return float(found[3])
    unit = (found[2] or "s").lower()
    factor = _UNITS.get("ms" if unit.startswith(("ms", "milli")) else unit[0], 1.0)
    return float(found[1]) * factor


def _number(text: str | None) -> float | None:
    try:
        value = float((text or "").strip())
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
