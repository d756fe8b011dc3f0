"""Pictures on their way out: told apart by their bytes, never trusted by their label."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

_DATA = re.compile(r"data:([\w.+/-]*)(?:;[\w=.-]+)*;base64,(.*)", re.DOTALL | re.IGNORECASE)
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that can be sent: an address, or its type and its base64 text."""

    url: str = ""
    media_type: str = ""
    data: str = ""

    def address(self) -> str:
        """The https: or data: address."""
        return self.url or f"data:{self.media_type};base64,{self.data}"


def picture_of(url: str) -> Picture | None:
    """The picture at a data: or https: address; None if it is none that a server takes.

    PNG, JPEG, GIF and WebP are taken. The type is told by the bytes.
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
    media_type = _media_type(head)
    if not media_type or len(data) % 4 == 1:
        return None
    return Picture(media_type=media_type, data=data)


def note_instead(url: str) -> str:
    """The text that stands for a picture that cannot be sent."""
    return "[a picture was here; it is not of a kind that can be sent]"


NOT_SEEN = "[a picture was here; this model cannot see pictures]"


def _media_type(head: bytes) -> str:
    for signature, media_type in _SIGNATURES:
        if head.startswith(signature):
            return media_type
    return "image/webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else ""
