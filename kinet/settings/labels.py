"""The words of settings that are chosen from a list: a label, and a line that explains it."""

from __future__ import annotations

from collections.abc import Mapping

# value: its label, or the label and its explanation
Labels = Mapping[str, str | tuple[str, str]]

SEND_KEYS: Labels = {
    "enter": ("Enter", "Shift+Enter begins a new line."),
    "ctrl_enter": ("Ctrl+Enter", "Enter begins a new line."),
}
ESCAPES: Labels = {"once": "Once", "twice": "Twice, within 1.5 seconds", "never": "Never"}
MODES: Labels = {
    "ask": ("Ask before changes", "Reads freely; asks before it changes a file or runs a command."),
    "edits": ("Edits allowed", "Changes files in the folder unasked; asks before commands."),
    "plan": ("Plan only", "Only reads, and says what it would do."),
    "all": ("Allow everything", "Asks nothing but what is dangerous."),
    "deny": ("Deny", "Refuses everything that would need a question."),
}
SCROLLING: Labels = {
    "follow": ("Follow the text", "Until you scroll up; the end brings it back."),
    "question": ("Keep my question at the top", "The answer grows down below it."),
    "off": ("Do not scroll", "Only you move the conversation."),
}
THEMES: Labels = {"system": "Like the system", "light": "Light", "dark": "Dark"}


PRESETS: Labels = {
    "default": ("Default", "No cap of its own; guards and the Stop button."),
    "chat": ("Short answers", "At most 8 steps and 2 minutes."),
    "insight": ("A long look", "At most 24 steps and 1 hour."),
    "evolution": ("Step by step", "At most 16 steps and 3 minutes."),
    "lark": ("Message channel", "At most 12 steps and 3 minutes."),
    "remote-exec": ("A few commands", "At most 6 steps and 1 minute."),
    "loop-20": ("Twenty steps", "At most 20 steps."),
    "loop-25": ("Twenty-five steps", "At most 25 steps; outputs of earlier steps are shortened."),
}
