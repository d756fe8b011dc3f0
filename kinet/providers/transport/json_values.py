"""Reads JSON from servers: quickly, and whatever valid JSON can hold."""

from __future__ import annotations

import json
from typing import Any

import pydantic_core


def json_value(data: bytes) -> Any:
    """The value. ValueError if it is no JSON, or nested too deeply."""
    try:
        return pydantic_core.from_json(data, allow_inf_nan=False)
    except ValueError:
        pass
    try:
        # The quick reader refuses halves of characters; here they are cleaned or joined later.
        return json.loads(data)
    except RecursionError as exc:
        raise ValueError("nested too deeply") from exc
