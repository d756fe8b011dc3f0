"""What is sent of an attached file: a picture checked and made smaller, or a text with its name."""

from __future__ import annotations

import base64
from pathlib import Path

from kinet.core.errors import SettingsError
from kinet.core.messages import ImagePart, Part, TextPart
from kinet.net.pictures import media_type_of, prepared

# Bytes; larger files are for the tools to read.
LARGEST_IMAGE = 20 * 1024 * 1024
LARGEST_TEXT = 512 * 1024


def part_of(item: Part | Path) -> Part:
    """What is attached as a part of the message: a picture is checked and made smaller.

    SettingsError if the file cannot be read or is too large. May take half a second: for a file,
    call it in a thread where somebody waits.
    """
    if not isinstance(item, Path):
        return item
    try:
        size = item.stat().st_size
        if size > LARGEST_IMAGE:
            raise _too_large(item, size, LARGEST_IMAGE)
        data = item.read_bytes()
    except OSError as exc:
        raise SettingsError(
            f"{item} cannot be attached: {exc.strerror or exc}.", hint="Nothing was sent."
        ) from exc
    if media_type_of(data):
        return picture_part(data, item.name)
    if size > LARGEST_TEXT:
        raise _too_large(item, size, LARGEST_TEXT)
    if b"\0" in data:
        raise SettingsError(
            f"{item.name} is neither a text nor a PNG, JPEG, GIF or WebP picture.",
            hint="Put it into the folder and let the tools read it; nothing was sent.",
        )
    written = data.decode("utf-8", "replace")
    fence = "`" * max(3, _longest_run(written) + 1)
    return TextPart(f"{item.name}:\n{fence}\n{written}\n{fence}")


def picture_part(data: bytes, name: str) -> Part:
    """The picture as it is stored and sent; a text that says so if it is damaged.

    Takes up to half a second for a photograph.
    """
    made = prepared(data)
    if made is None:
        return TextPart(f"[the picture {name} is damaged or too large; it was left out]")
    return ImagePart(f"data:{made.media_type};base64,{base64.b64encode(made.data).decode('ascii')}")


def _longest_run(text: str) -> int:
    longest = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    return longest


def _too_large(path: Path, size: int, largest: int) -> SettingsError:
    return SettingsError(
        f"{path.name} has {size:,} bytes; at most {largest:,} can be attached.",
        hint="Put it into the folder and let the tools read it; nothing was sent.",
    )
