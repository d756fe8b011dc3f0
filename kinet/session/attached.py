"""What is attached to a message that waits: a file, and once it was read, what is sent of it."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kinet.core.messages import ImagePart, Message, Part, TextPart
from kinet.session.file_parts import part_of


@dataclass(frozen=True, slots=True)
class Attached:
    """`name` is shown; `path` and `size` are the file's as it was attached, "" and 0 for none.

    `part` is None until the file was read: then it says what is sent, whatever becomes of the file.
    """

    name: str
    path: str = ""
    size: int = 0
    part: Part | None = None

    @property
    def is_picture(self) -> bool:
        """True for what is shown as a picture; of a file that was not read yet it is supposed."""
        return not isinstance(self.part, TextPart)

    @property
    def data(self) -> bytes | None:
        """The bytes of the picture that is sent; None where there is none."""
        url = self.part.url if isinstance(self.part, ImagePart) else ""
        head, _, packed = url.partition(";base64,")
        try:
            return base64.b64decode(packed, validate=True) if head.startswith("data:") else None
        except ValueError:
            return None


Attachment = Part | Path | Attached


def attached_of(item: Attachment) -> Attached:
    """Anything that can be attached; nothing is read for it."""
    if isinstance(item, Attached):
        return item
    if isinstance(item, Path):
        return Attached(item.name, str(item))
    return Attached("Picture" if isinstance(item, ImagePart) else "Text", part=item)


def read_attached(item: Attached) -> Attached:
    """With what is sent of it, read and checked; SettingsError if it cannot be. Takes a while."""
    return item if item.part is not None else replace(item, part=part_of(Path(item.path)))


def attached_to_json(items: Iterable[Attached]) -> list[dict[str, Any]]:
    """As plain values, for the store."""
    return [
        {
            "name": item.name,
            "path": item.path,
            "size": item.size,
            "part": Message("user", (item.part,)).to_dict()["content"] if item.part else None,
        }
        for item in items
    ]


def attached_from_json(raw: Any) -> tuple[Attached, ...]:
    """What `attached_to_json` gave; whatever is nothing of that kind is left out."""
    found = (_from_json(item) for item in (raw if isinstance(raw, list) else ()))
    return tuple(item for item in found if item is not None)


def _from_json(raw: Any) -> Attached | None:
    if not isinstance(raw, Mapping):
        return None
    content = Message.from_dict({"role": "user", "content": raw.get("part") or ()}).content
    part = content[0] if content and not isinstance(content, str) else None
    size = raw.get("size")
    item = Attached(
        str(raw.get("name", "")),
        str(raw.get("path", "")),
        size if isinstance(size, int) else 0,
        part,
    )
    return item if part is not None or item.path else None
