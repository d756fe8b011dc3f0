"""The window a server has to be told: known without whatever asks servers, which imports long."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from kinet.core.errors import BadRequestError
from kinet.core.profile import ModelProfile
from kinet.providers.transport.addresses import chat_address, host_of
from kinet.providers.vendors import Vendor, vendor_of

# Tokens. What is asked for where the profile names no window: the server's own default may be
# 4,096, of which the tools alone take most.
DEFAULT_WINDOW = 16_384


def with_window(profile: ModelProfile) -> ModelProfile:
    """The profile with the window that is asked for, where a server has to be told one."""
    if profile.window or not profile.base_url.strip():
        return profile
    told = speaks_ollama(profile, vendor_of(profile))
    return replace(profile, window=DEFAULT_WINDOW) if told else profile


def speaks_ollama(profile: ModelProfile, vendor: Vendor) -> bool:
    """True if the profile is asked through Ollama's own API.

    That is at the root of the host. Another path is a gateway's, and the vendor's own cloud gives
    every model its whole window.
    """
    if vendor.id != "ollama" or profile.protocol != "openai":
        return False
    try:
        address = chat_address(profile.base_url)
    except BadRequestError:
        return False
    if host_of(address).endswith("ollama.com"):
        return False
    return urlsplit(address).path == "/v1/chat/completions"
