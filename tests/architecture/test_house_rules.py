"""The rules of the house that a program can check: sizes, empty `__init__`s, no circles."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "kinet").rglob("*.py"))

# A function or class above its limit needs its reason here: "file:name" -> why.
EXCEPTIONS: dict[str, str] = {}


def _trees() -> Iterator[tuple[Path, ast.Module]]:
    for path in FILES:
        yield path.relative_to(ROOT), ast.parse(path.read_text(encoding="utf-8"))


def test_no_file_is_longer_than_400_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in FILES
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}


def test_no_function_is_longer_than_60_lines_and_no_class_has_more_than_20_methods() -> None:
    outgrown: list[str] = []
    for path, tree in _trees():
        for node in ast.walk(tree):
            name = f"{path}:{getattr(node, 'name', '')}"
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                if size > 60 and name not in EXCEPTIONS:
                    outgrown.append(f"{name}: {size} lines")
            if isinstance(node, ast.ClassDef):
                functions = (ast.FunctionDef, ast.AsyncFunctionDef)
                methods = sum(isinstance(item, functions) for item in node.body)
                if methods > 20 and name not in EXCEPTIONS:
                    outgrown.append(f"{name}: {methods} methods")
    assert outgrown == []


def test_every_file_tells_its_story_in_its_first_line_and_every_init_is_empty() -> None:
    silent = []
    for path, tree in _trees():
        text = (ROOT / path).read_text(encoding="utf-8")
        if path.name == "__init__.py":
            if text.strip():
                silent.append(f"{path}: not empty")
        elif not ast.get_docstring(tree):
            silent.append(f"{path}: no docstring")
    assert silent == []


def test_no_folder_holds_a_circle_of_imports() -> None:
    edges: dict[str, set[str]] = {}
    modules = {module_of(path) for path in FILES}
    for path, tree in _trees():
        source = module_of(ROOT / path)
        edges[source] = {name for name in imports(tree) if name in modules and name != source}
    assert circle(edges) == []


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def circle(edges: dict[str, set[str]]) -> list[str]:
    """The first circle found, as a path; empty if there is none."""
    state: dict[str, int] = {}
    trail: list[str] = []

    def visit(name: str) -> list[str]:
        state[name] = 1
        trail.append(name)
        for other in sorted(edges.get(name, ())):
            if state.get(other) == 1:
                return [*trail[trail.index(other) :], other]
            if other not in state and (found := visit(other)):
                return found
        trail.pop()
        state[name] = 2
        return []

    for name in sorted(edges):
        if name not in state and (found := visit(name)):
            return found
    return []


# Files whose nested loop has a reason, and what it is.
LOOPS = {"drag_out.py": "Qt can drag in no other way; it begins in a mouse event, not in a task"}


@pytest.mark.parametrize(
    "path", [path for path in FILES if "ui" in path.parts and path.name not in LOOPS], ids=str
)
def test_the_window_opens_no_loop_inside_the_loop(path: Path) -> None:
    """A nested loop leaves other tasks stuck for ever (performance.md, section 3, rule 1)."""
    offending = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if name in ("exec", "exec_", "processEvents"):
                offending.append(f"line {node.lineno}: {name}()")
        if isinstance(node, ast.Name) and node.id == "QEventLoop":
            offending.append(f"line {node.lineno}: QEventLoop")
        static = (
            "getText",
            "getItem",
            "getOpenFileName",
            "getSaveFileName",
            "getExistingDirectory",
            "getOpenFileNames",
            "question",
        )
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in static
        ):
            offending.append(f"line {node.lineno}: {node.func.attr}()")
    assert offending == []
