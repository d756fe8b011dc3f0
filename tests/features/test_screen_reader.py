"""Read from outside, as a screen reader does: a whole window, its conversation, its questions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ui.transcript_kit import ANSWER, CODE

ROOT = Path(__file__).resolve().parents[2]
CHILD = ROOT / "tests" / "support" / "atspi_child.py"
PYTHON = "/usr/bin/python3"

Thing = dict[str, Any]

# What a person can act on, and must therefore be named.
_ACTING = (
    "push button", "toggle button", "check box", "radio button", "combo box", "text", "page tab",
    "list", "list item", "spin button", "menu item",
)  # fmt: skip


def _missing() -> str:
    if not sys.platform.startswith("linux"):
        return "AT-SPI is of Linux desktops"
    for program in ("dbus-run-session", "xvfb-run", PYTHON):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    asked = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"
    ran = subprocess.run([PYTHON, "-c", asked], capture_output=True, check=False)
    return "" if ran.returncode == 0 else "python3-gi and gir1.2-atspi-2.0 are not installed"


def _may_be_missing() -> bool:
    """True where nobody could have installed it: not as root on Debian, where set-up does."""
    return not sys.platform.startswith("linux") or not shutil.which("apt-get") or os.geteuid() != 0


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Thing:
    """What was read, heard and walked through; see the child."""
    if missing := _missing():
        assert _may_be_missing(), f"{missing}: run python3 packaging/bootstrap.py test"
        pytest.skip(missing)
    home = tmp_path_factory.mktemp("reader")
    home.chmod(0o700)
    kept = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    environment = {
        **kept,
        "PYTHONPATH": str(ROOT),
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "XDG_RUNTIME_DIR": str(home),
        "HOME": str(home),
    }
    ran = subprocess.run(
        ["dbus-run-session", "--", "xvfb-run", "-a", sys.executable, str(CHILD), str(home)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    found: Thing = json.loads(ran.stdout.strip().splitlines()[-1])
    return found


def _all(thing: Thing) -> Iterator[Thing]:
    yield thing
    for child in thing["children"]:
        yield from _all(child)


def _find(thing: Thing, name: str, role: str = "") -> Thing:
    found = next(
        (t for t in _all(thing) if t["name"].startswith(name) and role in ("", t["role"])), None
    )
    assert found is not None, f"there is no {role} {name}"
    return found


def _names(thing: Thing) -> list[str]:
    return [child["name"] for child in thing["children"]]


def test_every_message_is_read_in_order_with_its_parts(read: Thing) -> None:
    conversation = _find(read["answered"], "Conversation")
    assert conversation["role"] == "list"
    question, steps, answer, figures = conversation["children"]
    assert question["name"] == "You: Match `invoices/` with the bank."
    assert question["words"] == "Match `invoices/` with the bank."
    assert steps["name"].startswith("Worked ")
    assert steps["name"].endswith(", 2 steps, 1 failed")
    assert answer["name"].startswith(
        "Kinet: Three invoices do not match:\nThe first, see totals.py"
    )
    assert figures["name"].startswith("Turn: ")
    assert "Copy answer" in figures["actions"]
    assert {item["role"] for item in conversation["children"]} == {"list item"}


def test_code_tells_its_language_and_a_table_its_rows_and_columns(read: Thing) -> None:
    answer = _find(read["answered"], "Kinet: Three")
    parts = answer["children"]
    assert [part["role"] for part in parts] == ["paragraph"] * len(parts)
    assert _names(answer) == [
        "Three invoices do not match:",
        "The first, see totals.py.\nThe second, see the page example.org.",
        "Table, 3 rows, 2 columns: Invoice, Sum; one, 1.00; two, 22.50",
        f"Python code of totals.py: {CODE.strip()}",
        "That is all.",
    ]
    assert parts[1]["actions"] == ["https://example.org/page"]
    assert parts[3]["words"] == CODE
    assert parts[3]["actions"] == ["Wrap lines", "Copy code"]


def test_steps_tell_what_they_are_about_and_how_they_stand(read: Thing) -> None:
    steps = _find(read["answered"], "Worked ")
    assert _names(steps) == ["Read missing.csv, failed, not run", "Read totals.py, done, 3 lines"]
    waiting = _find(read["approval"], "Command until")
    assert waiting["name"].endswith(", waiting")
    running = _find(read["running"], "Command until")
    assert running["name"].endswith(", running")
    for step in (*steps["children"], waiting, running):
        assert step["actions"] == ["Show the step"]


def test_a_question_of_the_gate_has_its_command_and_its_answers(read: Thing) -> None:
    card = _find(read["approval"], "Run this command?", "panel")
    assert card["description"].startswith("until [ -e go ]")
    assert _find(card, "Run this command?", "text")["words"].startswith("until [ -e go ]")
    for answer in ("Allow once", "Always, with a rule", "Deny", "Add a reason"):
        assert "Press" in _find(card, answer, "push button")["actions"]


def test_a_question_of_the_model_has_its_choices_and_a_field(read: Thing) -> None:
    card = _find(read["question"], "The agent asks: Which month?", "panel")
    buttons = [t["name"] for t in _all(card) if t["role"] == "push button"]
    assert buttons == ["October", "November", "Answer", "No answer"]
    assert _find(card, "Your answer", "text")["states"].count("FOCUSABLE") == 1


def test_the_queue_the_composer_and_the_row_below_it_are_named(read: Thing) -> None:
    running = read["running"]
    queue = _find(running, "Queue")
    names = [t["name"] for t in _all(queue)]
    assert "Queued 1: And then translate it." in names
    for act in ("Steer now", "Edit", "Remove"):
        assert f"{act}: And then translate it." in names
    assert "FOCUSED" in _find(running, "Message", "text")["states"]
    assert _find(running, "Running until", "label")
    assert "Press" in _find(running, "Context: ", "push button")["actions"]
    assert _find(running, "Cost: ", "label")
    assert _find(running, "Stop", "push button")


def test_the_parts_of_the_window_are_named_and_come_in_their_order(read: Thing) -> None:
    names = [t["name"] for t in _all(read["panel"])]
    parts = ("Sidebar", "Sessions", "Session", "Conversation", "Message", "Step panel", "Step")
    places = [names.index(name) for name in parts]
    assert places == sorted(places)


def test_the_panel_tells_its_step_and_its_tabs(read: Thing) -> None:
    panel = _find(_find(read["panel"], "Step panel"), "Step", "panel")
    names = [t["name"] for t in _all(panel)]
    for fact in ("Done", "Command", "Done, exit 0", "step 3 of 4"):
        assert fact in names
    tabs = _find(panel, "Input", "page tab list")["children"]
    assert [tab["name"] for tab in tabs][:2] == ["Output", "Input"]
    assert [tab["name"] for tab in tabs if "SELECTED" in tab["states"]] == ["Input"]
    assert _find(panel, "Input", "text")["words"].startswith("until [ -e go ]")


def test_the_settings_are_a_dialog_whose_fields_have_labels(read: Thing) -> None:
    dialog = _find(read["settings"], "Settings", "dialog")
    assert _find(dialog, "Pages", "list")
    assert _find(dialog, "Folder", "text")["description"] == "The folder new sessions work on."
    assert _find(dialog, "Enter", "combo box")["description"].startswith("The key that sends")


def test_a_page_of_servers_is_read_from_top_to_bottom_with_what_each_button_does(
    read: Thing,
) -> None:
    page = _find(_find(read["servers"], "Settings", "dialog"), "Servers", "filler")
    said = [t["name"] for t in _all(page) if t["name"] and t["role"] != "filler"]
    in_order = (
        "Servers", "What a server says of its tools", "Add a server…",
        "docs, Ready, 1 of 2 tools", "Use the server docs", "Command line of docs",
        "1 of 2 tools on", "Turn all off", "Tools of docs", "search, on", "fetch, off",
        "Restart docs", "Edit docs", "Remove docs",
        "broken, Failed, exit code 127", "Use the server broken", "It ended at once.",
        "The last it wrote", "The last broken wrote", "Command line of broken", "Restart broken",
        "Edit broken", "Remove broken",
        "Named by", "lint, Folder not trusted", "Use the server lint",
        "Not trusted yet.", "Command line of lint", "Look at the folder of lint",
    )  # fmt: skip
    assert len(said) == len(in_order), said
    for name, beginning in zip(said, in_order, strict=True):
        assert name.startswith(beginning)
    on = [t["name"] for t in _all(page) if t["role"] == "list item" and "CHECKED" in t["states"]]
    assert on == ["search, on, 120 tokens"]


MOMENTS = ("answered", "approval", "running", "question", "panel", "settings", "servers")


@pytest.mark.parametrize("moment", MOMENTS)
def test_nothing_that_can_be_acted_on_is_without_a_name(read: Thing, moment: str) -> None:
    unnamed = [t["role"] for t in _all(read[moment]) if t["role"] in _ACTING and not t["name"]]
    assert unnamed == []


def test_tab_goes_round_the_window_in_reading_order(read: Thing) -> None:
    walked = [name for _role, name in read["walk"]]
    in_order = (
        "Attach text files and pictures", "Name a file of the folder", "Commands", "Model: unsaved",
        "Approvals: Ask before changes", "Context: ",
        "Previous step", "Next step", "Close the step panel", "Input", "Input", "Copy all", "Save",
        "Find", "Wrap",
        "Hide the sidebar", "New session", "Search sessions", "Narrow the search", "Sessions",
        "Settings", "Memory", "Keyboard shortcuts",
        "Working folder: ", "Find in this session", "Hide the step panel", "More", "Conversation",
        "Message",
    )  # fmt: skip
    # It stands only where the end is out of sight.
    if "Go to the end" in walked:
        assert walked[walked.index("Go to the end") - 1] == "Conversation"
        walked.remove("Go to the end")
    assert len(walked) == len(in_order), walked
    for name, beginning in zip(walked, in_order, strict=True):
        assert name.startswith(beginning)


def test_each_end_and_each_question_is_said_once_and_no_piece_of_an_answer(read: Thing) -> None:
    """The answer came in some ninety pieces; a notice is said too."""
    beginnings = (
        "Kinet has answered. Three invoices do not match:",
        "Kinet asks: Run this command? in ~/work until [ -e go ]",
        "Kinet asks: Which month? Answers: October, November",
        "Kinet has answered. It is done.",
        "Kinet has answered. Translated.",
        "The session was deleted. Undo",
    )
    assert len(ANSWER) > 200
    assert len(read["said"]) == len(beginnings), read["said"]
    for said, beginning in zip(read["said"], beginnings, strict=True):
        assert said.startswith(beginning)
