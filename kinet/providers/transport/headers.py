"""The headers of a request: the key in the header it belongs into, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping

from kinet.core.errors import AuthenticationError
from kinet.core.profile import ModelProfile
from kinet.net import redact
from kinet.net.secret import Secret

SECRET_HEADERS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")


def carries_key(headers: Mapping[str, str]) -> bool:
    """True if one of these headers holds a key, wherever it came from."""
    return any(name.lower() in SECRET_HEADERS for name in headers)


def request_headers(
    profile: ModelProfile, key: Secret | None, scheme: str, more: Mapping[str, str]
) -> dict[str, str]:
    """Headers in lower case. AuthenticationError for a key that no header can hold.

    `scheme` is "bearer", or the name of the header that holds the bare key. Without a key there is
    no such header at all: an empty one is refused.
    """
    headers = {
        "content-type": "application/json",
        "accept": "text/event-stream, application/json",
        # Packed streams arrive in lumps; plain ones as they are written.
        "accept-encoding": "identity",
        **more,
    }
    if key:
        redact.register(key)
        value = key.reveal()
        if not value.isascii():
            raise AuthenticationError(
                "The key holds characters that no key has.",
                hint="Copy the key again and save it in the profile.",
            )
        headers["authorization" if scheme == "bearer" else scheme] = (
            f"Bearer {value}" if scheme == "bearer" else value
        )
    headers.update({name.strip().lower(): text.strip() for name, text in profile.headers.items()})
    return headers
