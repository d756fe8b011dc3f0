"""How long a server asks to wait, from its headers or its words."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

_IN_WORDS = re.compile(
    r"(?:try again|retry|available)\s+(?:in|after)\s+(\d[\d.\sa-z]*)"
    r"|\"retryDelay\"\s*:\s*\"(\d+(?:\.\d+)?)s\"",
    re.IGNORECASE,
)
# A span may have several parts, as in 2m30.5s.
_PART = re.compile(
    r"\s*(\d+(?:\.\d+)?)\s*"
    r"(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|)(?![a-z])",
    re.IGNORECASE,
)
_UNITS = {"ms": 0.001, "mi": 60.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


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
    if found[2]:
        return float(found[2])
    seconds, place, text = 0.0, 0, found[1]
    while (part := _PART.match(text, place)) is not None:
        unit = (part[2] or "s").lower()
        factor = _UNITS.get("ms" if unit.startswith(("ms", "milli")) else unit[0], 1.0)
        seconds += float(part[1]) * factor
        place = part.end()
        if not part[2]:
            break
    return seconds if place else None


def _number(text: str | None) -> float | None:
    try:
        value = float((text or "").strip())
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
