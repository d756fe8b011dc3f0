"""What a slash at the beginning of the composer can do: each a word, an effect, maybe choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QAction

from kinet.ui.desks.actions import COMMANDS
from kinet.ui.desks.window_parts import WindowParts
from kinet.ui.writing.composer_menus import MODES

Choice = tuple[str, str]  # value as it is typed, quiet words

EFFORTS: tuple[Choice, ...] = (
    ("off", "Does not think before it answers"),
    ("low", "Thinks briefly"),
    ("medium", "Thinks for a while"),
    ("high", "Thinks as long as it needs"),
)
# word: command of the window it stands for
_ACTIONS = {
    "new": "new_session",
    "memory": "memory",
    "skills": "skills",
    "servers": "servers",
    "rules": "rules",
    "background": "background",
    "export": "export",
    "changes": "changes",
    "folder": "choose_folder",
    "retry": "retry",
    "find": "find",
    "settings": "settings",
    "keys": "keys",
}


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """`act` gets what follows the word; with `choices` only one of them. Without `act` the session
    itself knows the word, and the text is sent as it is."""

    name: str
    detail: str
    icon: str = ""
    act: Callable[[str], object] | None = None
    choices: Callable[[], Sequence[Choice]] | None = None
    # Words may follow; chosen, it is written out and waits for them where it has no `act`.
    written: bool = False


def slash_commands(parts: WindowParts, actions: Mapping[str, QAction]) -> list[SlashCommand]:
    """Those that work now."""
    models = parts.models
    out = [
        SlashCommand("compact", "Summarise older parts; a topic may follow", "gauge"),
        SlashCommand("run", "A command of your own: ! before it, !! keeps it from the model",
                     "terminal", lambda words: parts.desk.current.composer.set_content(f"!{words}"),
                     written=True),
        SlashCommand("model", "Switch the model", "model", models.choose_model, models.choices),
        SlashCommand("effort", "How long the model thinks", "thought", models.choose_effort,
                     lambda: EFFORTS),
        SlashCommand("mode", "What may be done unasked", "shield", models.choose_mode,
                     lambda: [(mode, words[1]) for mode, words in MODES.items()]),
        SlashCommand("preset", "How far a turn goes", "clock", models.choose_preset,
                     lambda: [(name, f"{word}: {more}") for name, word, more in models.presets()]),
    ]  # fmt: skip
    rows = {command.id: command for command in COMMANDS}
    for word, command_id in _ACTIONS.items():
        action, row = actions.get(command_id), rows.get(command_id)
        if action is not None and row is not None:
            out.append(_of_action(word, row.title.removesuffix("…"), row.icon, action))
    if not parts.desk.current.session_id:
        out = [item for item in out if item.name not in ("compact", "retry", "find", "export")]
    return out


def _of_action(word: str, title: str, icon: str, action: QAction) -> SlashCommand:
    return SlashCommand(word, title, icon, lambda _: action.trigger())
