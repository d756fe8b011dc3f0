"""The rooms inside the larger folders: imports between them make no circle."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.test_house_rules import circle, imports, module_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("folder", ["ui", "ui/transcript", "providers", "tools", "engine"])
def test_the_rooms_of_a_folder_import_each_other_without_a_circle(folder: str) -> None:
    edges: dict[str, set[str]] = {}
    files = sorted((ROOT / "kinet" / folder).rglob("*.py"))
    modules = {module_of(path) for path in files if path.name != "__init__.py"}
    for path in files:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        source = _room(module_of(path), folder)
        targets = {_room(name, folder) for name in imports(tree) if name in modules}
        edges.setdefault(source, set()).update(targets - {source})
    assert circle(edges) == []


def _room(module: str, folder: str) -> str:
    """kinet.ui.chat for kinet.ui.chat.header; a file that lies in no room stands for itself."""
    return ".".join(module.split(".")[: folder.count("/") + 3])
