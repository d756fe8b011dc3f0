"""Reads a running window through AT-SPI, presses the first step, and hears what is said then.

Prints JSON: role, name, words (read letter by letter), actions and children of each thing, and
under "said" the announcements that came after the press.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

SECONDS = 20


def read(thing: Any, depth: int = 0) -> dict[str, Any]:
    """One accessible with what is below it."""
    offered = thing.get_action_iface()
    count = offered.get_n_actions() if offered else 0
    children = [thing.get_child_at_index(n) for n in range(min(thing.get_child_count(), 200))]
    return {
        "role": thing.get_role_name(),
        "name": thing.get_name(),
        "words": letters(thing),
        "actions": [offered.get_action_name(n) for n in range(count)],
        "children": [read(child, depth + 1) for child in children if child and depth < 30],
    }


def letters(thing: Any) -> str:
    """What is read caret by caret, from the beginning to the end."""
    if thing.get_text_iface() is None:
        return ""
    read_so_far = []
    for place in range(min(Atspi.Text.get_character_count(thing), 400)):
        Atspi.Text.set_caret_offset(thing, place)
        kind = Atspi.TextGranularity.CHAR
        read_so_far.append(Atspi.Text.get_string_at_offset(thing, place, kind).content)
    return "".join(read_so_far)


def press(thing: Any, action: str) -> bool:
    """Presses the first thing that offers this action."""
    offered = thing.get_action_iface()
    for number in range(offered.get_n_actions() if offered else 0):
        if offered.get_action_name(number) == action:
            return bool(offered.do_action(number))
    below = (thing.get_child_at_index(n) for n in range(min(thing.get_child_count(), 200)))
    return any(press(child, action) for child in below if child)


def hear(seconds: float) -> list[str]:
    """What is announced within this time."""
    said: list[str] = []
    listener = Atspi.EventListener.new(lambda event: said.append(str(event.any_data)))
    listener.register("object:announcement")
    context = GLib.MainContext.default()
    deadline = time.monotonic() + seconds
    while not said and time.monotonic() < deadline:
        context.iteration(False)
        time.sleep(0.01)
    return said


def find(pid: int) -> Any:
    """The program of this process id, when it has joined the desktop."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        desktop = Atspi.get_desktop(0)
        for number in range(desktop.get_child_count()):
            program = desktop.get_child_at_index(number)
            if program is not None and program.get_process_id() == pid:
                return program
        time.sleep(0.2)
    return None


if __name__ == "__main__":
    found = find(int(sys.argv[1]))
    tree = read(found) if found is not None else {}
    tree["pressed"] = found is not None and press(found, "Show the step")
    tree["said"] = hear(SECONDS)
    print(json.dumps(tree), flush=True)
