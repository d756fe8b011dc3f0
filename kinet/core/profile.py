"""Which model is asked, and how it is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

WireProtocol = Literal["openai", "responses", "anthropic"]
Effort = Literal["", "off", "low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens. None is "not known" and is shown as a dash, never as 0.

    `source` says where the figures come from, `date` when they were read (YYYY-MM);
    `estimate` marks a fallback.
    """

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    source: str = ""
    date: str = ""
    estimate: bool = False


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """A provider, an address and a model, chosen by the person. It never holds a key.

    `window` is the context window in tokens, 0 where it is not known. `key_env` names the
    environment variable that holds the key, "" for the keychain. `vendor` is a row of
    `providers.catalog`, "" for "told from address and model". `headers` are extra HTTP headers.
    """

    name: str
    base_url: str
    model: str
    protocol: WireProtocol = "openai"
    vendor: str = ""
    key_env: str = ""
    window: int = 0
    max_output_tokens: int = 0
    temperature: float | None = None
    top_p: float | None = None
    effort: Effort = ""
    vision: bool | None = None
    price: Price | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    extra_body: Mapping[str, object] = field(default_factory=dict)
