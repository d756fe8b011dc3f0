"""Names that mean something else than a file to Windows."""

from __future__ import annotations

import re

_DEVICE = re.compile(r"\A(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\Z", re.I)
_DRIVE_RELATIVE = re.compile(r"\A[A-Za-z]:(?![\\/])")


def trouble(path: str) -> str:
    """What is wrong with the path on Windows, "" for nothing."""
    plain = path.replace("/", "\\")
    if plain.startswith(("\\\\.\\", "\\\\?\\", "\\??\\")):
        return "the path names a raw device"
    if plain.startswith("\\\\"):
        return "the path is on a network share, which would be sent this user's login"
    if _DRIVE_RELATIVE.match(path):
        return "the path is relative to another drive's folder"
    for part in plain.split("\\"):
        stem = part.split(".", 1)[0].split(":", 1)[0].rstrip(" ")
        if _DEVICE.match(stem):
            return f"{part} is a device, not a file"
    if ":" in re.sub(r"\A[A-Za-z]:(?=\\)", "", plain):
        return "the path names a hidden stream of a file"
    return ""
