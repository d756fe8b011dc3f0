"""The look for those who need stronger differences: the same tokens, fewer shades."""

from __future__ import annotations

from dataclasses import replace

from kinet.ui.look.tokens import Theme

# token: the one that is used in its place. State is told by mark and word, never by a tint alone.
_INSTEAD = {
    "text_2": "text",
    "text_3": "text",
    "border": "control_border",
    "dialog_border": "control_border",
    "success_line": "success",
    "warning_line": "warning",
    "danger_line": "danger",
    "accent_tint": "canvas",
    "success_tint": "canvas",
    "warning_tint": "canvas",
    "danger_tint": "canvas",
}


def with_contrast(theme: Theme) -> Theme:
    """`theme` with quiet text in full strength, visible lines, plain surfaces and thick rings."""
    colors = dict(theme.colors)
    colors.update({name: theme.colors[other] for name, other in _INSTEAD.items()})
    return replace(theme, colors=colors, contrast=True)
