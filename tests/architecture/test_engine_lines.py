"""The table from lines of the engine's design to tests: tests are named after the lines they hold.

`test_k01_k05_...` holds K1 and K5. A line whose test stands in another room under another name is
listed in ELSEWHERE; a line that is not true yet is listed in OPEN, with what is missing. A line's
test runs in every protocol, or NO_WIRE says why what it promises has nothing to do with one.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).parents[1]

_TEXT = """
K1 K2 K3 K4 K5 K6 K7 K8 K9 K10 K11 K12 K13 K14 K15 K16 K17 K18 K19 K20 K21 K22 K23 K24 K25 K26 K27
K28 C1 C2 C3 C4 C5 C6 C7 C8 C9 C10 C11 C12 C13 C14 C15 C16 C17 A1 A5 A10 A13 A15 A16 A17 A20 A23
P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11 P12 P13 P14 P17 P18 P19 P20 P21 P22 P25 P26 P27 L7 L13 L14
U1 U2 U3 U4 U5 U6 U7 U8 U9 U10 U11 U12 U13 U14 U15 U16 R8 R10 S8 T2
"""
LINES = _TEXT.split()

# Line → "file::test" for tests whose name says what the person sees instead of the line.
ELSEWHERE = {
    "P1": "architecture/test_layers.py::test_the_layer_contracts_hold",
    "P26": "cli/test_cli_run.py::test_text_and_json_and_both_protocols_leave_equal_histories",
    "U2": "architecture/test_layers.py::test_a_scripted_run_finishes_without_qt",
}

OPEN: dict[str, str] = {}


# Lines whose tests need no protocol, and why.
NO_WIRE = {
    "K22": "says how chat completions carry the key",
    "K23": "says what Messages alone has: its headers and cache marks",
    "K24": "its tests play all protocols within one conversation",
    "U15": "its tests play all protocols side by side",
    "C10": "each protocol has a form of reasoning of its own, and a test of its own",
    "C12": "a copy of a value; nothing is asked",
    "C13": "the interface of the store; nothing is asked",
    "P1": "the imports of the source",
    "U2": "the imports of a run",
    "U16": "one question without tools or history, sent as any other text is",
    "P26": "its test runs the command line in both protocols within itself",
}


def _named(folder: Path = TESTS) -> dict[str, set[str]]:
    """Line → names of the tests that carry it."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in folder.rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"^(?:async )?def test_(\w+)", text, re.MULTILINE):
            tags = re.match(r"(?:[kcalpurst]\d\d_)+", name)
            for letter, number in re.findall(r"([kcalpurst])(\d\d)_", tags[0] if tags else ""):
                found[f"{letter.upper()}{int(number)}"].add(name)
    return found


def test_every_line_has_a_test_or_says_what_is_missing() -> None:
    named = _named()
    silent = [line for line in LINES if line not in {*named, *ELSEWHERE, *OPEN}]
    assert silent == []


def test_no_line_is_called_open_that_has_a_test() -> None:
    assert sorted(set(OPEN) & {*_named(), *ELSEWHERE}) == []


def test_the_tests_of_other_rooms_exist() -> None:
    missing = []
    for line, place in ELSEWHERE.items():
        path, _, name = place.partition("::")
        file = TESTS / path
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        if not re.search(rf"^(?:async )?def {name}\(", text, re.MULTILINE):
            missing.append(f"{line}: {place}")
    assert missing == []


def test_each_of_the_fifteen_situations_has_a_test() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    found = {int(number) for number in re.findall(r"def test_situation_(\d\d)_", text)}
    assert found == set(range(1, 16))


def test_every_line_is_tested_in_every_protocol_or_says_why_it_need_not() -> None:
    spoken = _in_every_protocol()
    named = _named()
    tests = {line: set(named.get(line, ())) for line in LINES}
    for line, place in ELSEWHERE.items():
        tests[line].add(place.partition("::")[2].removeprefix("test_"))
    silent = {line for line in LINES if not tests[line] & spoken}
    assert sorted(silent - {*NO_WIRE, *OPEN}) == []
    assert sorted(set(NO_WIRE) - silent) == [], "these have such a test: take them out"


def _in_every_protocol() -> set[str]:
    """The names of the tests that run once for each protocol."""
    found = set()
    for path in TESTS.rglob("test_*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        marks = [ast.unparse(item) for item in tree.body if isinstance(item, ast.Assign)]
        wired = _wired_fixtures(tree)
        marked = any("pytestmark" in text and "'wire'" in text for text in marks)
        for item in tree.body:
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
                said = " ".join(map(ast.unparse, item.decorator_list))
                given = _arguments(item) & wired
                if (marked or given or _lists_protocols(said)) and "[None]" not in said:
                    found.add(item.name.removeprefix("test_"))
    return found


def _wired_fixtures(tree: ast.Module) -> set[str]:
    """The fixtures that give a test of this file all protocols, one after the other."""
    wired = {"wire"}
    fixtures = [
        (item, " ".join(map(ast.unparse, item.decorator_list)))
        for item in tree.body
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    # Once for each that may stand on another one.
    for _ in fixtures:
        for item, said in fixtures:
            if "fixture" in said and (_lists_protocols(said) or _arguments(item) & wired):
                wired.add(item.name)
    return wired


def _arguments(item: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    return {argument.arg for argument in item.args.args}


def _lists_protocols(text: str) -> bool:
    return "PROTOCOLS" in text or ("'openai'" in text and "'anthropic'" in text)


def test_no_test_is_named_after_a_line_that_does_not_exist() -> None:
    assert sorted(set(_named(TESTS / "engine")) - set(LINES)) == []
