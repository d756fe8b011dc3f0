"""A number of bytes in words."""

from __future__ import annotations


def size_words(size: int) -> str:
    """As 512 B, 14 KB, 3.2 MB, 1.4 GB."""
    if size < 1_000:
        return f"{size} B"
    if size < 1_000_000:
        return f"{size / 1_000:.0f} KB"
    if size < 1_000_000_000:
        return f"{size / 1_000_000:.1f} MB"
    return f"{size / 1_000_000_000:.1f} GB"
