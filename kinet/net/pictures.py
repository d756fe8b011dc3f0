"""Pictures before they travel: whole, of a kind that servers take, and no larger than they want."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

# Pixels of the longer side and bytes that every known vendor takes.
COMMON_SIDE = 2_048
COMMON_BYTES = 3_500_000
# A picture of more pixels is not opened: it may be made to fill the memory.
MOST_PIXELS = 120_000_000
_KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
_PAINTED = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A picture ready to be sent."""

    media_type: str
    data: bytes
    width: int
    height: int


def media_type_of(head: bytes) -> str:
    """The type that the first bytes tell: PNG, JPEG, GIF or WebP; "" for anything else."""
    for signature, media_type in _SIGNATURES:
        if head.startswith(signature):
            return media_type
    return "image/webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else ""


def prepared(
    data: bytes, *, side: int = COMMON_SIDE, most_bytes: int = COMMON_BYTES
) -> Prepared | None:
    """The picture, its very bytes where they fit, else made smaller; None if it is damaged.

    `side` is the longest side in pixels, `most_bytes` the size of the file. Takes up to half a
    second for a photograph: call it in a thread where somebody waits.
    """
    kind = media_type_of(data)
    if not kind:
        return None
    found = _prepared(data, side, most_bytes)
    if found is None and kind == "image/png" and (bare := _bare_png(data)) != data:
        # Everyone else shows a picture whose notes (a colour profile, a comment) are damaged.
        return _prepared(bare, side, most_bytes)
    return found


def _prepared(data: bytes, side: int, most_bytes: int) -> Prepared | None:
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            # Its own, lower limit only warns; ours is looked at before anything is unpacked.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=tuple(_KINDS)) as image:
                width, height = image.size
                if width * height > MOST_PIXELS:
                    return None
                image.load()
                if max(width, height) <= side and len(data) <= most_bytes:
                    return Prepared(_KINDS[str(image.format)], data, width, height)
                return _smaller(image, side, most_bytes)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, MemoryError):
        return None
    except Image.DecompressionBombError:
        return None


def _bare_png(data: bytes) -> bytes:
    """The file with nothing in it but what is painted."""
    kept, place = [data[:8]], 8
    while place + 12 <= len(data):
        end = place + 12 + int.from_bytes(data[place : place + 4], "big")
        if data[place + 4 : place + 8] in _PAINTED:
            kept.append(data[place:end])
        place = end
    return b"".join(kept)


def _smaller(image: Image.Image, side: int, most_bytes: int) -> Prepared | None:
    """The picture at a size that fits, upright, sharp edges kept where the file allows it."""
    from PIL import ImageOps

    upright = ImageOps.exif_transpose(image)
    while side >= 64:
        made = upright.copy()
        made.thumbnail((side, side))
        see_through = made.mode in ("RGBA", "LA", "PA") or "transparency" in made.info
        # Screenshots stay PNG, photographs JPEG.
        if image.format != "JPEG":
            data = _written(made.convert("RGBA" if see_through else "RGB"), "PNG")
            if len(data) <= most_bytes:
                return Prepared("image/png", data, *made.size)
        data = _written(_on_white(made), "JPEG")
        if len(data) <= most_bytes:
            return Prepared("image/jpeg", data, *made.size)
        side = side * 3 // 4
    return None


def _on_white(image: Image.Image) -> Image.Image:
    from PIL import Image

    solid = image.convert("RGBA")
    ground = Image.new("RGBA", solid.size, "white")
    return Image.alpha_composite(ground, solid).convert("RGB")


def _written(image: Image.Image, kind: str) -> bytes:
    out = io.BytesIO()
    if kind == "JPEG":
        image.save(out, kind, quality=88, optimize=True)
    else:
        image.save(out, kind, optimize=True)
    return out.getvalue()
