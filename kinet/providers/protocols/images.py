"""Pictures on their way out: told apart by their bytes, and as large as the vendor takes them."""

from __future__ import annotations

import base64
import binascii
import functools
import re
from dataclasses import dataclass

from kinet.core.profile import ModelProfile
from kinet.net.pictures import COMMON_BYTES, COMMON_SIDE, media_type_of, prepared
from kinet.providers.vendors import vendor_of

_DATA = re.compile(r"data:([\w.+/-]*)(?:;[\w=.-]+)*;base64,(.*)", re.DOTALL | re.IGNORECASE)
# Bytes. What is smaller is a drawing of a few points at most, and passed on as it is.
_WORTH_A_LOOK = 512


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that can be sent: an address, or its type and its base64 text."""

    url: str = ""
    media_type: str = ""
    data: str = ""

    def address(self) -> str:
        """The https: or data: address."""
        return self.url or f"data:{self.media_type};base64,{self.data}"


@functools.lru_cache(maxsize=64)
def picture_of(url: str, side: int = COMMON_SIDE, most_bytes: int = COMMON_BYTES) -> Picture | None:
    """The picture at a data: or https: address; None if it is none that a server takes.

    PNG, JPEG, GIF and WebP are taken; the type is told by the bytes. One that is larger than
    `side` pixels or `most_bytes` is made smaller, one that is damaged is None. The same address
    gives the very same bytes each time, so that a cached prefix holds.
    """
    if re.match(r"https?://\S+$", url):
        return Picture(url=url)
    found = _DATA.match(url)
    if found is None:
        return None
    data = "".join(found[2].split())
    try:
        head = base64.b64decode(data[:64] + "=" * (-len(data[:64]) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    media_type = media_type_of(head)
    if not media_type or len(data) % 4 == 1:
        return None
    if len(data) * 3 // 4 < _WORTH_A_LOOK:
        return Picture(media_type=media_type, data=data)
    try:
        raw = base64.b64decode(data + "=" * (-len(data) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    made = prepared(raw, side=side, most_bytes=most_bytes)
    if made is None:
        return None
    if made.data is raw:
        return Picture(media_type=made.media_type, data=data)
    return Picture(media_type=made.media_type, data=base64.b64encode(made.data).decode("ascii"))


def picture_for(profile: ModelProfile, url: str) -> Picture | None:
    """The picture as large as this profile's vendor takes it; None if it cannot be sent."""
    vendor = vendor_of(profile)
    return picture_of(url, vendor.picture_side, vendor.picture_bytes)


def note_instead(url: str) -> str:
    """The text that stands for a picture that cannot be sent."""
    return "[a picture was here; it is damaged, or not of a kind that can be sent]"
