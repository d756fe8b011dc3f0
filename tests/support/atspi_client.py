"""A screen reader for tests: reads, presses and listens through AT-SPI, as it is told.

Runs under the system's Python, which has the bindings. It takes one JSON list a line, ["tree"],
["press", action, words], ["focused"] or ["said"], and answers each with one line of JSON. What is
announced and what gets the focus it hears all the time.
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
MOST = 300  # children of one thing
STATES = ("FOCUSED", "EXPANDED", "SELECTED", "CHECKED", "ENABLED", "SHOWING", "FOCUSABLE")


class Reader:
    """Reads one program."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self.said: list[str] = []
        self.focused: list[list[str]] = []
        self._listeners = [
            self._listen("object:announcement", self._hear),
            self._listen("object:notification", self._hear),
            self._listen("object:state-changed:focused", self._see),
        ]

    def answer(self, words: list[str]) -> Any:
        """Does what one line asks for."""
        match words:
            case ["tree"]:
                return self.read(self.program)
            case ["press", action, name]:
                return self.press(self.program, action, name)
            case ["said"]:
                return self.said
            case ["focused"]:
                return self.focused
        raise ValueError(f"unknown: {words}")

    def read(self, thing: Any, depth: int = 0) -> dict[str, Any]:
        """One accessible with what is below it; what is not on screen is left out."""
        offered = thing.get_action_iface()
        count = offered.get_n_actions() if offered else 0
        states = thing.get_state_set()
        below = [
            child
            for child in children(thing)
            if depth < 2 or child.get_state_set().contains(Atspi.StateType.SHOWING)
            or thing.get_role() == Atspi.Role.LIST or depth > 40
        ]  # fmt: skip
        return {
            "role": thing.get_role_name(),
            "name": thing.get_name(),
            "description": thing.get_description(),
            "words": words_of(thing),
            "actions": [offered.get_action_name(n) for n in range(count)],
            "states": [s for s in STATES if states.contains(getattr(Atspi.StateType, s))],
            "children": [self.read(child, depth + 1) for child in below],
        }

    def press(self, thing: Any, action: str, name: str) -> bool:
        """Presses the first thing of this name (its beginning) that offers this action."""
        if thing.get_name().startswith(name):
            offered = thing.get_action_iface()
            for number in range(offered.get_n_actions() if offered else 0):
                if offered.get_action_name(number) == action:
                    return bool(offered.do_action(number))
        return any(self.press(child, action, name) for child in children(thing))

    def _listen(self, kind: str, hear: Any) -> Any:
        listener = Atspi.EventListener.new(hear)
        listener.register(kind)
        return listener

    def _hear(self, event: Any) -> None:
        self.said.append(str(event.any_data))

    def _see(self, event: Any) -> None:
        if event.detail1 and event.source is not None:
            self.focused.append([event.source.get_role_name(), event.source.get_name()])


def children(thing: Any) -> list[Any]:
    """What is below, in order."""
    found = [thing.get_child_at_index(n) for n in range(min(thing.get_child_count(), MOST))]
    return [child for child in found if child is not None]


def words_of(thing: Any) -> str:
    """What is read caret by caret; its first letters one by one, as a reader does."""
    if thing.get_text_iface() is None:
        return ""
    whole = Atspi.Text.get_text(thing, 0, -1)
    kind = Atspi.TextGranularity.CHAR
    for place, letter in enumerate(whole[:5]):
        Atspi.Text.set_caret_offset(thing, place)
        if Atspi.Text.get_string_at_offset(thing, place, kind).content != letter:
            return f"letter {place} of “{whole}” is read otherwise"
    return str(whole)


def find(pid: int) -> Any:
    """The program of this process id, when it has joined the desktop."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        desktop = Atspi.get_desktop(0)
        for number in range(desktop.get_child_count()):
            program = desktop.get_child_at_index(number)
            if program is not None and program.get_process_id() == pid:
                return program
        time.sleep(0.1)
    raise SystemExit(f"no program {pid} on the desktop within {SECONDS} s")


def main() -> None:
    """Answers line by line until the input ends."""
    reader = Reader(find(int(sys.argv[1])))
    loop = GLib.MainLoop()

    def take(channel: Any, condition: Any) -> bool:
        line = sys.stdin.readline()
        if not line:
            loop.quit()
            return False
        print(json.dumps(reader.answer(json.loads(line))), flush=True)
        return True

    print(json.dumps("ready"), flush=True)
    GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, take)
    loop.run()


if __name__ == "__main__":
    main()
